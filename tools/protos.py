"""Writes the Python code of the contract: proto/ to service/chase_service/_pb.

`setup.py` runs it, and so does `make build`. Nothing happens if the code is newer than what it is
made from. protoc takes the package of a file for its place on the path, so that its code would
begin with ``from chase.v1 import``; here it lives below `chase_service._pb`, and nothing named
chase is installed for others to trip over.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "proto"
TARGET = ROOT / "service" / "chase_service" / "_pb"
PREFIX = "chase_service._pb."


def generated(source: Path) -> list[Path]:
    """The files that protoc makes of one: messages and their types."""
    stem = TARGET / source.relative_to(SOURCE).with_suffix("")
    return [stem.with_name(f"{stem.name}_pb2{suffix}") for suffix in (".py", ".pyi")]


def is_fresh(sources: list[Path]) -> bool:
    """Whether everything is there and nothing is older than a source or this file."""
    made = [path for source in sources for path in generated(source)]
    if not all(path.is_file() for path in made):
        return False
    newest = max(path.stat().st_mtime for path in [*sources, Path(__file__)])
    return min(path.stat().st_mtime for path in made) > newest


def moved(text: str) -> str:
    """Generated code with its imports of other generated code where that is."""
    return re.sub(r"^from chase\.", f"from {PREFIX}chase.", text, flags=re.MULTILINE)


def main() -> int:
    """Generates what is not fresh; the exit code is protoc's."""
    sources = sorted(SOURCE.rglob("*.proto"))
    if is_fresh(sources):
        return 0
    protoc = import_module("grpc_tools.protoc")
    well_known = Path(str(protoc.__file__)).parent / "_proto"
    code: int = protoc.main(
        [
            "protoc",
            *(f"--proto_path={path}" for path in (SOURCE, well_known)),
            *(f"--{kind}_out={TARGET}" for kind in ("python", "pyi")),
            *map(str, sources),
        ]
    )
    for path in [path for source in sources for path in generated(source)] if code == 0 else []:
        path.write_text(moved(path.read_text(encoding="utf-8")), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
