"""Runs a target of `readers` under atheris: python -m tests.fuzz TARGET [option...] CORPUS..."""

import sys

import atheris

# Only what is imported here is instrumented, and so guides the fuzzer.
with atheris.instrument_imports(include=["chase_fast"]):
    from tests.fuzz.readers import TARGETS

if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
    sys.exit(f"usage: python -m tests.fuzz {'|'.join(TARGETS)} [option...] [folder...]")
target = TARGETS[sys.argv.pop(1)]
atheris.Setup(sys.argv, target)
atheris.Fuzz()
