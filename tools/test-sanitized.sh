#!/bin/sh
# Runs the Python tests on a core that was built with ASan and UBSan, in a copy of the tree, so
# that it never takes the place of the ordinary core. Arguments go to pytest.
set -eu

PY=$PWD/${VENV:-.venv}/bin/python
TREE=build/sanitized

mkdir -p "$TREE"
rm -rf "$TREE/chase_fast" "$TREE/tests" "$TREE/csrc"
cp -Rp chase_fast csrc tests setup.py pyproject.toml MANIFEST.in README.md LICENSE "$TREE"
rm -f "$TREE"/chase_fast/_core.*.so
cd "$TREE"
CHASE_SANITIZE=1 CHASE_WERROR=1 "$PY" setup.py --quiet build_ext --inplace

# The interpreter is not built with the sanitizers, so theirs has to be the first library.
# Python's own allocator hides overruns of its small blocks and never frees all at exit.
LD_PRELOAD="$(${CC:-gcc} -print-file-name=libasan.so) $(${CC:-gcc} -print-file-name=libubsan.so)"
ASAN_OPTIONS=detect_leaks=0:halt_on_error=1
UBSAN_OPTIONS=print_stacktrace=1
PYTHONMALLOC=malloc
export LD_PRELOAD ASAN_OPTIONS UBSAN_OPTIONS PYTHONMALLOC
exec "$PY" -m pytest -n "${JOBS:-2}" --dist loadgroup --ignore=tests/bench --benchmark-skip \
  -m "not slow and not toolchain" "$@"
