#!/bin/sh
# Runs the Python tests under every supported Python that is found on PATH or in ~/.pyenv, each
# in a virtual environment of its own, and says which were not found and so not tested.
set -eu

tested="" untested=""
for version in 3.11 3.12 3.13 3.14; do
  python=""
  for candidate in "python$version" "$HOME"/.pyenv/versions/"$version".*/bin/"python$version"; do
    if "$candidate" -c 'import venv, ensurepip' 2>/dev/null; then
      python=$candidate
      break
    fi
  done
  if [ -z "$python" ]; then
    untested="$untested $version"
    continue
  fi
  echo "== Python $version: $python"
  ${MAKE:-make} --no-print-directory test-python PYTHON="$python" VENV=".venv-$version"
  tested="$tested $version"
done
echo "Tested under Python:${tested:- none}. Not found, so untested:${untested:- none}."
[ -n "$tested" ]
