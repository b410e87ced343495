# Builds and runs the C programs under tests against the core. From the top folder:
#
#   make -f tests/native.mk SUITE=plain run       tests/c/test_*.c and the replay of the corpus
#   make -f tests/native.mk SUITE=sanitize run    the same under ASan and UBSan
#   make -f tests/native.mk SUITE=thread run      what uses threads, under TSan
#   make -f tests/native.mk SUITE=aarch64 run     cross-compiled, in an emulator
#   make -f tests/native.mk SUITE=fuzz run        tests/fuzz/fuzz_*.c as libFuzzer programs
#
# Each test_*.c has its own main and is linked with all of csrc. Each fuzz_NAME.c defines
# LLVMFuzzerTestOneInput; replay.c gives it a main that feeds it the files named as arguments,
# those of tests/fuzz/corpus/fuzz_NAME.

SUITE ?= plain
FUZZ_SECONDS ?= 60
OUT := build/native/$(SUITE)

ifeq ($(origin CC),default)
  CC := gcc
endif
# As setup.py compiles the core, but with assertions. Warnings are errors where CHASE_CI is set:
# a newer compiler's new warning is no reason to fail on a user's machine.
FLAGS := -std=c11 -O3 -g -ffp-contract=off -Wall -Wextra $(if $(CHASE_CI),-Werror) -Icsrc -Itests/c
LINK :=
RUNNER :=

ifeq ($(SUITE),sanitize)
  SANITIZERS := -fsanitize=address,undefined -fno-sanitize-recover=all
  FLAGS += -O1 -fno-omit-frame-pointer $(SANITIZERS)
  LINK += $(SANITIZERS)
else ifeq ($(SUITE),thread)
  FLAGS += -O1 -fno-omit-frame-pointer -fsanitize=thread
  LINK += -fsanitize=thread
else ifeq ($(SUITE),aarch64)
  override CC := aarch64-linux-gnu-gcc
  LINK += -static
  RUNNER := qemu-aarch64
else ifeq ($(SUITE),fuzz)
  override CC := clang
  SANITIZERS := address,undefined
  FLAGS += -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all \
    -fsanitize=fuzzer-no-link,$(SANITIZERS)
  LINK += -fsanitize=fuzzer,$(SANITIZERS)
else ifneq ($(SUITE),plain)
  $(error SUITE=$(SUITE) is none of plain, sanitize, thread, aarch64, fuzz)
endif

CORE := $(patsubst %.c,$(OUT)/%.o,$(wildcard csrc/*.c))
TESTS := $(basename $(notdir $(wildcard tests/c/test_*.c)))
TARGETS := $(basename $(notdir $(wildcard tests/fuzz/fuzz_*.c)))

# As in setup.py: code that runs only where the processor was asked first.
ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine)),)
  $(OUT)/csrc/kernels_v3.o: FLAGS += -march=x86-64-v3
endif

ifeq ($(SUITE),fuzz)
  RUNS := $(TARGETS:%=run/%)
else ifeq ($(SUITE),thread)
  RUNS := run/test_shared_table
else
  RUNS := $(TESTS:%=run/%) $(TARGETS:%=replay/%)
endif
ifeq ($(RUNS),)
  $(error nothing to run: no tests/c/test_*.c, no tests/fuzz/fuzz_*.c)
endif

.PHONY: run $(RUNS)
.DELETE_ON_ERROR:
.SECONDARY:

run: $(RUNS)
	@echo "native tests ($(SUITE)): $(words $(RUNS)) programs passed"

ifeq ($(SUITE),fuzz)
# What it finds goes to the first folder, so that the committed corpus changes only by hand.
$(RUNS): run/%: $(OUT)/%
	@mkdir -p "$(OUT)/corpus/$*"
	$< -max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1 -verbosity=0 \
	  -artifact_prefix="$(OUT)/$*-" "$(OUT)/corpus/$*" $(wildcard tests/fuzz/corpus/$*)
else
$(TESTS:%=run/%): run/%: $(OUT)/%
	@echo "$(SUITE): $*"
	@$(RUNNER) $<

$(TARGETS:%=replay/%): replay/%: $(OUT)/replay_%
	@echo "$(SUITE): replay of $*"
	@$(RUNNER) $< tests/fuzz/corpus/$*/*
endif

$(OUT)/libcore.a: $(CORE)
	@rm -f $@
	@ar rc $@ $^

$(OUT)/test_%: $(OUT)/tests/c/test_%.o $(OUT)/libcore.a
	$(CC) $^ $(LINK) -lm -pthread -o $@

$(OUT)/fuzz_%: $(OUT)/tests/fuzz/fuzz_%.o $(OUT)/libcore.a
	$(CC) $^ $(LINK) -lm -o $@

$(OUT)/replay_%: $(OUT)/tests/fuzz/%.o $(OUT)/tests/fuzz/replay.o $(OUT)/libcore.a
	$(CC) $^ $(LINK) -lm -o $@

$(OUT)/%.o: %.c tests/native.mk
	@mkdir -p $(@D)
	$(CC) $(FLAGS) -MMD -MP -c $< -o $@

-include $(wildcard $(OUT)/csrc/*.d $(OUT)/tests/c/*.d $(OUT)/tests/fuzz/*.d)
