#!/bin/sh
# Runs the Python tests on a core that was built with ASan and UBSan, in a copy of the tree, so
# that it never takes the place of the ordinary core. Arguments go to pytest.
set -eu

PY=$PWD/${VENV:-.venv}/bin/python
TREE=build/sanitized

mkdir -p "$TREE"
rm -rf "$TREE/chase_fast" "$TREE/csrc" "$TREE/tests"
# With their time stamps, so that only what changed is compiled again.
tar -cf - --exclude=./build --exclude=./dist --exclude='./.*' --exclude='*.so' . |
  tar -xf - -C "$TREE"
cd "$TREE"
CHASE_SANITIZE=1 CHASE_WERROR=1 "$PY" setup.py --quiet build_ext --inplace

# The interpreter is not built with the sanitizers, so theirs has to be the first library.
# Python's own allocator hides overruns of its small blocks and never frees all at exit.
LD_PRELOAD="$(${CC:-gcc} -print-file-name=libasan.so) $(${CC:-gcc} -print-file-name=libubsan.so)"
ASAN_OPTIONS=detect_leaks=0:halt_on_error=1
UBSAN_OPTIONS=print_stacktrace=1
PYTHONMALLOC=malloc
export LD_PRELOAD ASAN_OPTIONS UBSAN_OPTIONS PYTHONMALLOC
# shellcheck disable=SC2086  # several options in one variable
exec "$PY" -m pytest ${SPREAD:-} --ignore=tests/bench --benchmark-skip \
  -m "not slow and not no_core" "$@"
