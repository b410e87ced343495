#!/bin/sh
# Says which of the named prerequisites are missing and how to get them; exit 1 if any is.
#
#   sh tools/prerequisites.sh [NAME...]      without names: python gcc make
#
# Environment: PYTHON (default python3), CC (default gcc), VENV (default .venv).
# Names: python (>= 3.11, with venv and headers), gcc (and that it compiles a program), make, and
# the tools of single targets: clang (with libFuzzer), libasan, aarch64 (compiler and emulator).

PYTHON=${PYTHON:-python3}
CC=${CC:-gcc}
VENV=${VENV:-.venv}
faults=0
packages=""

missing() { # text, Debian packages that bring it
  [ "$faults" -eq 0 ] && echo "Something that this target needs is missing:" >&2
  faults=$((faults + 1))
  echo "  * $1" >&2
  [ -n "$2" ] && packages="$packages $2"
}

have() { command -v "$1" >/dev/null 2>&1; }

compiles() { # compiler and flags: do they make a program out of a few lines of C?
  echo 'int main(void) { return 0; }' | "$@" -include stdlib.h -xc - -o /dev/null 2>/dev/null
}

compiles_fuzzer() {
  echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d == 0 && n; }' |
    "$1" -fsanitize=fuzzer,address -xc - -o /dev/null 2>/dev/null
}

newer_python() { # the first of the usual names that would do
  for name in python3.14 python3.13 python3.12 python3.11; do
    "$name" -c 'import venv, ensurepip' 2>/dev/null && echo "$name" && return
  done
}

check_python() {
  # The distribution's packages are named after the interpreter: python3-venv, python3.12-venv.
  case ${PYTHON##*/} in
    python3 | python3.*) package=${PYTHON##*/} ;;
    *) package=python3 ;;
  esac
  if ! have "$PYTHON"; then
    missing "Python >= 3.11: there is no $PYTHON" "$package $package-venv $package-dev"
    return
  fi
  version=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
  if ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    other=$(newer_python)
    if [ -n "$other" ]; then
      missing "Python >= 3.11: $PYTHON is ${version:-broken}; say: make PYTHON=$other" ""
    else
      missing "Python >= 3.11: $PYTHON is ${version:-broken}; then say: make PYTHON=python3.11" \
        "python3.11 python3.11-venv python3.11-dev"
    fi
    return
  fi
  "$PYTHON" -c 'import venv, ensurepip' 2>/dev/null ||
    missing "the venv module of $PYTHON (with ensurepip)" "$package-venv"
  "$PYTHON" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null ||
    missing "the C headers of $PYTHON (Python.h)" "$package-dev"
  if [ -x "$VENV/bin/python" ]; then
    made_with=$("$VENV/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
    [ "$made_with" = "$version" ] ||
      missing "a fresh $VENV: it was made with Python ${made_with:-(gone)}, $PYTHON is $version;\
 remove it with 'make clean-venv', or name another folder: make VENV=.venv-$version" ""
  fi
}

check_gcc() {
  if ! have "$CC"; then
    missing "a C compiler: there is no $CC" "gcc libc6-dev"
  elif ! compiles "$CC"; then
    missing "the C library's headers: $CC cannot compile a program" "libc6-dev"
  fi
}

[ $# -gt 0 ] || set -- python gcc make
for name in "$@"; do
  case $name in
    python) check_python ;;
    gcc) check_gcc ;;
    make) have make || missing "make" "make" ;;
    libasan)
      compiles "$CC" -fsanitize=address,undefined ||
        missing "the sanitizers of $CC" "libasan8 libubsan1"
      ;;
    clang) compiles_fuzzer clang || missing "clang with libFuzzer" "clang libclang-rt-dev" ;;
    aarch64)
      compiles aarch64-linux-gnu-gcc -static ||
        missing "a C compiler for aarch64" "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
      have qemu-aarch64 || missing "an emulator for aarch64" "qemu-user"
      ;;
    *) missing "'$name': this script does not know it" "" ;;
  esac
done

if [ -n "$packages" ]; then
  echo "On Debian or Ubuntu: sudo apt-get update && sudo apt-get install$packages" >&2
fi
[ "$faults" -eq 0 ]
