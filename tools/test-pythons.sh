#!/bin/sh
# Runs the Python tests under every supported Python that is found on PATH or in ~/.pyenv, each
# in a virtual environment of its own, and says which were not found and so not tested. The one
# of the ordinary environment is left to `make test`.
set -eu

ordinary=$("${VENV:-.venv}/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
passed="" failed="" untested=""
for version in 3.11 3.12 3.13 3.14; do
  [ "$version" = "$ordinary" ] && continue
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
  if make --no-print-directory test-python PYTHON="$python" VENV=".venv-$version"; then
    passed="$passed $version"
  else
    failed="$failed $version"
  fi
done
echo "Beside $ordinary, passed under Python:${passed:- none}. Failed:${failed:- none}." \
  "Not found, so untested:${untested:- none}."
[ -z "$failed" ]
