# The commands of this repository; `make help` lists them.
#
# Variables: PYTHON (interpreter that makes the virtual environment), VENV (its folder),
# JOBS (processes at a time), FUZZ_SECONDS (for each fuzz target), SOAK_SECONDS (of searching
# in a loop, in test-all), PYTEST_ARGS.

VENV ?= .venv
# Once made, the environment knows its interpreter; PYTHON need not be named again.
PYTHON ?= $(if $(wildcard $(VENV)/bin/python),$(VENV)/bin/python,python3)
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 600
LISTEN ?= 127.0.0.1:50051
DATA ?= .data
PYTEST_ARGS ?=

PY := $(VENV)/bin/python
PIP := "$(PY)" -m pip --disable-pip-version-check --quiet
# By file, since fixtures of a file are costly; in their order, since long ones are not last in it.
SPREAD := -n $(JOBS) --dist loadfile --no-loadscope-reorder
PYTEST := "$(PY)" -m pytest $(SPREAD) --ignore=tests/bench
NATIVE := $(MAKE) --no-print-directory -j $(JOBS) --output-sync --keep-going -f tests/native.mk
SOURCES := $(wildcard csrc/*.[ch] chase_fast/*.pyx chase_fast/*.pxd chase_fast/*.pxi)
PROTOS := $(wildcard proto/chase/v1/*.proto)

export PYTHON VENV SPREAD FUZZ_SECONDS

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help check build serve demo test test-all test-python test-c test-c-aarch64 test-sanitize \
  test-pythons fuzz bench golden lint format typecheck wheel clean clean-venv

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile

# ---- Building ----------------------------------------------------------

check: ## look for Python >= 3.11 with venv and headers, gcc and make
	@sh tools/prerequisites.sh python gcc make

$(VENV)/.created: | check
	@"$(PY)" -m pip --version >/dev/null 2>&1 || { \
	  echo "Making the virtual environment $(VENV), some seconds ..."; "$(PYTHON)" -m venv "$(VENV)"; }
	@touch $@

# Quiet, since it has nothing to say unless it fails.
define pip_install
	@$(PIP) install $(1) > "$(VENV)/install.log" 2>&1 || { cat "$(VENV)/install.log" >&2; \
	  echo "The installation of Python packages failed; above stands why. If no package index could" \
	  "be reached: try again with a network, or name a mirror in PIP_INDEX_URL." >&2; exit 1; }
endef

# A comma may not stand in a call.
RUNTIME := cli,stats,store,report
DEVELOPMENT := all,dev

# What the package needs to run. The build requirements come first and stay, so that a rebuild
# needs neither pip nor a network.
$(VENV)/.runtime: $(VENV)/.created pyproject.toml chase_fast/_version.py | check
	@echo "Installing into $(VENV), once: numpy, the command line, statistics and plots;" \
	  "compiling the core. This takes two to three minutes ..."
	@"$(PY)" -c 'import tomllib; f = open("pyproject.toml", "rb"); \
	print(*tomllib.load(f)["build-system"]["requires"], sep="\n")' > "$(VENV)/build-requires.txt"
	$(call pip_install,-r "$(VENV)/build-requires.txt")
	$(call pip_install,--no-build-isolation --editable ".[$(RUNTIME)]")
	@touch $@

# And what its development needs.
$(VENV)/.installed: $(VENV)/.runtime
	@echo "Installing into $(VENV), once: what the tests need. This takes about a minute ..."
	$(call pip_install,--no-build-isolation --editable ".[$(DEVELOPMENT)]")
	@touch $@

$(VENV)/.fuzz: $(VENV)/.installed
	$(call pip_install,--no-build-isolation --editable ".[fuzz]")
	@touch $@

$(VENV)/.built: $(SOURCES) $(PROTOS) setup.py tools/protos.py $(VENV)/.runtime \
  $(if $(wildcard chase_fast/_core.*.so),,rebuild) | check
	@echo "Compiling what has changed of the core, half a minute at most ..."
	@"$(PY)" setup.py --quiet build_ext --inplace
	@"$(PY)" tools/protos.py
	@touch $@

.PHONY: rebuild
rebuild:

build: $(VENV)/.built $(VENV)/.installed ## make .venv, install what is needed, compile the core
	@"$(PY)" tools/commit.py

# In place of the shell, which would die of Ctrl-C where the server ends in order.
serve: build ## serve on LISTEN (127.0.0.1:50051), data in DATA
	@exec "$(PY)" -m chase_fast serve --listen "$(LISTEN)" --data "$(DATA)"

demo: $(VENV)/.built ## build and run the main job
	@"$(PY)" -m chase_fast.demo

wheel: build ## a portable wheel and an sdist in dist/
	@env -u CHASE_NATIVE -u CHASE_SANITIZE -u CHASE_COVERAGE \
	  "$(PY)" -m build --no-isolation --outdir dist .

# ---- Testing -----------------------------------------------------------

test: test-c test-python ## all fast tests: C and Python

test-python: build ## the fast Python tests alone
	@echo "Running the Python tests in $(JOBS) processes. This takes two to four minutes ..."
	$(PYTEST) -m "not slow" --benchmark-skip $(PYTEST_ARGS)

test-all: build ## every test, the slow ones too
	@echo "Running the C tests, then all Python tests in $(JOBS) processes. The slow ones take very long ..."
	@CHASE_THOROUGH=1 CHASE_SOAK_SECONDS=$(SOAK_SECONDS) $(NATIVE) SUITE=plain run
	$(PYTEST) --benchmark-skip --hypothesis-profile=thorough $(PYTEST_ARGS)

test-c: check ## the C tests and the replay of the fuzz corpus
	@echo "Running the C tests. To compile them takes about a minute the first time ..."
	@$(NATIVE) SUITE=plain run

test-c-aarch64: ## the C tests and the replay, cross-compiled, in an emulator
	@sh tools/prerequisites.sh aarch64
	@$(NATIVE) SUITE=aarch64 run

test-sanitize: build ## C and Python tests under ASan and UBSan, threads under TSan
	@sh tools/prerequisites.sh libasan
	@$(NATIVE) SUITE=sanitize run
	@if echo 'int main(void) { return 0; }' | $${CC:-gcc} -fsanitize=thread -xc - -o /dev/null \
	  2>/dev/null; then $(NATIVE) SUITE=thread run; \
	else echo "thread: skipped, the compiler has no thread sanitizer (Debian package libtsan2)"; fi
	@sh tools/test-sanitized.sh $(PYTEST_ARGS)

test-pythons: build ## the Python tests under every other Python found here
	@sh tools/test-pythons.sh

fuzz: build $(VENV)/.fuzz ## run each fuzz target for FUZZ_SECONDS (60)
	@sh tools/prerequisites.sh clang
	@$(NATIVE) SUITE=fuzz run
	@for target in $(notdir $(wildcard tests/fuzz/corpus/py_*)); do \
	  mkdir -p "build/fuzz/$$target" && \
	  "$(PY)" -m tests.fuzz $$target -max_total_time=$(FUZZ_SECONDS) -timeout=10 -max_len=4096 \
	    -verbosity=0 -artifact_prefix="build/fuzz/$$target-" \
	    "build/fuzz/$$target" tests/fuzz/corpus/$$target || exit 1; \
	done

bench: build ## measure on a quiet machine; JSON in build/bench.json
	@mkdir -p build
	"$(PY)" -m pytest tests/bench --benchmark-only --benchmark-json=build/bench.json \
	  --benchmark-quiet -q $(PYTEST_ARGS)
	@"$(PY)" -m tests.bench.report build/bench.json

golden: build ## write the golden files anew; look at the difference before you commit it
	"$(PY)" -m tests.golden.refresh

# ---- Style -------------------------------------------------------------

lint: $(VENV)/.installed ## ruff and buf: rules, format, the contract of the last tag
	"$(PY)" -m ruff check .
	"$(PY)" -m ruff format --check .
	"$(VENV)/bin/buf" lint
	"$(VENV)/bin/buf" format --diff --exit-code
	@tag=$$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null) || exit 0; \
	  "$(VENV)/bin/buf" breaking --against ".git#tag=$$tag"

format: $(VENV)/.installed ## let ruff repair what it can
	"$(PY)" -m ruff check --fix .
	"$(PY)" -m ruff format .
	"$(VENV)/bin/buf" format --write

typecheck: $(VENV)/.built $(VENV)/.installed ## mypy --strict
	"$(PY)" -m mypy

# ---- Cleaning ----------------------------------------------------------

clean: ## remove what was built, not .venv
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .benchmarks
	rm -f service/chase_service/_pb/chase/v1/*_pb2.py* chase_fast/_core.c chase_fast/_core.*.so chase_fast/commit.txt "$(VENV)/.built" .venv-*/.built
	find chase_fast service tests -name __pycache__ -type d -exec rm -rf {} +

clean-venv: ## remove .venv (and those of test-pythons)
	rm -rf "$(VENV)" .venv-*/
