"""The order of the layers (docs/architecture.md), read off ``#include``, ``cimport``, ``import``.

A file may use the files before it in the tables below and never one after it. A new file needs a
place in a table before the tests pass again.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.no_core

# ---- The tables -------------------------------------------------------------------------------

# csrc: NAME.c and NAME.h are one layer, kernels_*.c belong to kernels.
C_ORDER = (
    "tuning", "chase", "players", "rules", "topology", "rays", "raytest", "zobrist", "variant",
    "position", "push", "movegen", "apply", "decision", "outcome", "notation", "rng", "perft",
    "tally", "detail", "playout", "history", "game", "eval", "tt", "searcher", "quiet", "order",
    "search", "root", "tree", "mcts", "player", "series", "selfplay", "kernels",
)  # fmt: skip

# No I/O, no clock, and of the mathematical functions none but sqrt, which is exact everywhere.
C_SYSTEM_HEADERS = {
    "assert.h", "emmintrin.h", "immintrin.h", "limits.h", "stdarg.h", "stdbool.h", "stddef.h",
    "stdint.h", "stdio.h", "stdlib.h", "string.h",
    "sys/mman.h",  # advice on pages alone
}  # fmt: skip
C_FORBIDDEN_CALLS = (
    "printf", "vprintf", "fprintf", "vfprintf", "puts", "fputs", "putchar", "fopen", "getenv",
    "exit", "abort", "rand", "srand", "time", "clock", "setlocale", "strtok",
)  # fmt: skip
C_FORBIDDEN_WORDS = ("FILE", "stdin", "stdout", "stderr")

# chase_fast: a module or a whole sub-package is one layer.
PYTHON_ORDER = (
    "errors", "_version", "_built", "_arguments", "_csrc", "_core", "types", "rules",
    # pictures of a position; of a game they ask no more than its positions
    "_geometry", "_palette", "_markup", "_lastmove", "_arrows", "svg", "textboard",
    "game", "notation", "record", "_threads", "batch", "replay",
    "agents",
    # what users import: everything above, and nothing below
    "__init__",
    "stats", "tally", "openings", "openingset", "simulate", "match", "tune", "cells", "store",
    "runner", "runs", "tournament", "balance", "report",
    "cli", "demo", "__main__",
)  # fmt: skip

# Methods that hand out what a later layer makes. Each is imported when it is called.
LAZY_EXCEPTIONS = {
    ("_core", "svg"): "Position._repr_svg_",
    ("game", "record"): "Game.to_record",
}

# stats is pure mathematics on counts: it knows no engine.
ALONE = {"stats": {"errors", "_arguments"}}

# Packages beyond the standard library, and the layers that may import them.
ANY_LAYER = None
THIRD_PARTY: dict[str, set[str] | None] = {
    "numpy": ANY_LAYER,
    "rich": {"cli"},
    "typer": {"cli"},
    "click": {"cli"},
    "scipy": {"stats", "tune"},
    "statsmodels": {"stats"},
    "pyarrow": {"store", "runner", "runs"},
    "matplotlib": {"report"},
    "jinja2": {"report"},
}

# service/chase_service: likewise. _pb is generated from proto/ when the package is built.
SERVICE_ORDER = (
    "__init__", "_pb",
    "config", "figures", "batcher", "limits", "refusal", "players", "engine", "queries", "jobs",
    "wire", "batches", "positions", "convert", "jobmessages", "addresses", "reload", "tokens",
    "tls", "errors", "watch", "rpc", "access", "foreign", "servicers", "jobcalls", "log", "metrics",
    "server", "calls", "channels", "client", "remote", "command",
)  # fmt: skip

# What each layer of the service may import from beyond it, _pb and the standard library. Only
# positions and convert know both the messages and the library.
WIRE = {"_pb", "google"}
SERVICE_USES: dict[str, set[str]] = {
    "__init__": set(),
    "config": set(),
    "figures": set(),
    "batcher": set(),
    "limits": set(),
    "refusal": {"chase_fast"},
    "players": {"chase_fast"},
    "engine": {"chase_fast", "numpy"},
    "queries": {"chase_fast", "numpy"},
    "wire": {"numpy"} | WIRE,
    "batches": set(),
    "positions": {"chase_fast", "numpy"} | WIRE,
    "convert": {"chase_fast", "numpy"} | WIRE,
    "addresses": set(),
    "reload": set(),
    "tokens": set(),
    "tls": {"cryptography", "grpc"},
    "errors": {"grpc", "grpc_status"} | WIRE,
    "watch": set(),
    "rpc": {"grpc", "google"},
    "access": {"grpc", "grpc_health"},
    "foreign": {"grpc", "google"},
    "servicers": {"grpc"} | WIRE,
    "jobmessages": WIRE,
    "jobcalls": WIRE,
    "jobs": {"chase_fast", "numpy", "pyarrow"},
    "log": set(),
    "metrics": {"prometheus_client"},
    "server": {"grpc", "grpc_health", "grpc_reflection"} | WIRE,
    "calls": {"grpc"} | WIRE,
    "channels": {"grpc"},
    "client": {"grpc"} | WIRE,
    "remote": {"chase_fast", "numpy", "typer"},
    "command": {"chase_fast", "typer"},
}

# ---- Reading ----------------------------------------------------------------------------------


class Use(NamedTuple):
    """One file's mention of another: a header, or a module by its full dotted name."""

    path: Path
    line: int
    target: str
    lazy: bool = False  # inside a function, or for type checkers only

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line} uses {self.target}"


def without_comments(text: str) -> str:
    """C text with comments and string literals blanked, its lines kept."""

    def blank(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n") if match[0].startswith("/") else '""'

    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.DOTALL)


def numbered(pattern: str, text: str) -> Iterator[tuple[int, re.Match[str]]]:
    for match in re.finditer(pattern, text, re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 1, match


def c_uses(path: Path) -> list[Use]:
    text = path.read_text(encoding="utf-8")
    return [
        Use(path, line, match[1])
        for line, match in numbered(r'^[ \t]*#[ \t]*include[ \t]+(".+?"|<.+?>)', text)
    ]


def python_uses(path: Path) -> list[Use]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    uses: list[Use] = []

    def add(node: ast.stmt, target: str, lazy: bool) -> None:
        uses.append(Use(path, node.lineno, target, lazy))

    def walk(node: ast.AST, lazy: bool) -> None:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    add(node, alias.name, lazy)
            case ast.ImportFrom(module=module, names=names, level=level):
                # ruff (TID252) and this test know absolute imports only.
                prefix = "." * level + (module or "")
                for alias in names:
                    add(node, f"{prefix}.{alias.name}", lazy)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                lazy = True
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                lazy = True
        for child in ast.iter_child_nodes(node):
            walk(child, lazy)

    walk(tree, lazy=False)
    return uses


def cython_uses(path: Path) -> list[Use]:
    text = path.read_text(encoding="utf-8")
    uses: list[Use] = []
    for line, match in numbered(r"^([ \t]*)from[ \t]+(\S+)[ \t]+(?:c?import)\b", text):
        uses.append(Use(path, line, match[2], bool(match[1])))
    for line, match in numbered(r"^([ \t]*)c?import[ \t]+([\w., \t]+)", text):
        names = [name.split()[0] for name in match[2].split(",")]
        uses += [Use(path, line, name, bool(match[1])) for name in names]
    for line, match in numbered(r'^[ \t]*cdef extern from[ \t]+(".+?"|<.+?>)', text):
        uses.append(Use(path, line, match[1]))
    return uses


# ---- Judging ----------------------------------------------------------------------------------


def c_layer(name: str) -> str:
    stem = Path(name).stem
    return "kernels" if stem.startswith("kernels_") else stem


def python_layer(path: Path, package: Path) -> str:
    """The part of the path below the package that the table knows."""
    if path.suffix == ".pxi":
        return "_core"  # textually part of it
    first = path.relative_to(package).parts[0]
    return first.split(".")[0]


def target_layer(target: str) -> str:
    """``chase_fast.stats.elo.f`` -> ``stats``; ``chase_fast.Position`` -> ``__init__``."""
    parts = target.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in PYTHON_ORDER else "__init__"


def c_faults(folder: Path) -> list[str]:
    faults = []
    for path in sorted(folder.iterdir()):
        layer = c_layer(path.name)
        if layer not in C_ORDER or path.suffix not in (".c", ".h"):
            faults.append(f"{path.name} is not in the table C_ORDER")
            continue
        for use in c_uses(path):
            name = use.target[1:-1]
            if use.target.startswith("<"):
                if name not in C_SYSTEM_HEADERS:
                    faults.append(f"{use}, which is not in C_SYSTEM_HEADERS")
            elif c_layer(name) not in C_ORDER:
                faults.append(f"{use}, which is not in the table C_ORDER")
            elif C_ORDER.index(c_layer(name)) > C_ORDER.index(layer):
                faults.append(f"{use}, a later layer")
        code = without_comments(path.read_text(encoding="utf-8"))
        calls, words = "|".join(C_FORBIDDEN_CALLS), "|".join(C_FORBIDDEN_WORDS)
        pattern = rf"\b(?:(?:{calls})(?=\s*\()|(?:{words})\b)"
        faults += [f"{path.name}:{line} uses {m[0]}" for line, m in numbered(pattern, code)]
    return faults


def judge(use: Use, layer: str) -> str | None:
    """What is wrong with a Python or Cython import, if anything."""
    top = use.target.split(".")[0]
    if use.target.startswith("."):
        return f"{use}: write the full name"
    if top == "chase_fast":
        used = target_layer(use.target)
        if used == layer:
            return None
        if (layer, used) in LAZY_EXCEPTIONS:
            return None if use.lazy else f"{use}, a later layer, at import time"
        if layer in ALONE and used not in ALONE[layer]:
            return f"{use}, but {layer} stands alone"
        if PYTHON_ORDER.index(used) > PYTHON_ORDER.index(layer):
            return f"{use}, a later layer"
        return None
    if top in sys.stdlib_module_names or top in ("cython", "cpython", "libc"):
        return None
    if top not in THIRD_PARTY:
        return f"{use}, which is not in THIRD_PARTY"
    allowed = THIRD_PARTY[top]
    if allowed is not ANY_LAYER and layer not in allowed:
        return f"{use}, which only {sorted(allowed)} may"
    return None


def binding_fault(use: Use) -> str | None:
    """The compiled core knows C by the public headers alone, and by one file."""
    if use.target == '"Python.h"':
        return None
    if use.target not in ('"chase.h"', '"players.h"'):
        return f"{use}, no public header"
    return None if use.path.name == "_csrc.pxd" else f"{use}, which is for _csrc.pxd"


def python_faults(package: Path) -> list[str]:
    faults = []
    for path in sorted(package.rglob("*.p*")):
        if path.suffix not in (".py", ".pyi", ".pyx", ".pxd", ".pxi"):
            continue
        layer = python_layer(path, package)
        if layer not in PYTHON_ORDER:
            faults.append(f"{path.relative_to(package)} is not in the table PYTHON_ORDER")
            continue
        read = python_uses if path.suffix in (".py", ".pyi") else cython_uses
        for use in read(path):
            found = binding_fault(use) if use.target[0] in '"<' else judge(use, layer)
            faults += [found] if found else []
    return faults


def service_fault(use: Use, layer: str) -> str | None:
    """What is wrong with an import of the service, if anything."""
    parts = use.target.split(".")
    if use.target.startswith("."):
        return f"{use}: write the full name"
    if parts[0] == "chase_service":
        used = parts[1] if len(parts) > 1 and parts[1] in SERVICE_ORDER else "__init__"
        if used == "_pb":
            parts = ["_pb"]
        elif SERVICE_ORDER.index(used) > SERVICE_ORDER.index(layer):
            return f"{use}, a later layer"
        else:
            return None
    if parts[0] in sys.stdlib_module_names or parts[0] in SERVICE_USES[layer]:
        return None
    return f"{use}, which {layer} may not"


def service_faults(package: Path) -> list[str]:
    faults = []
    for path in sorted(package.rglob("*.py")):
        layer = python_layer(path, package)
        if layer == "_pb":
            continue
        if layer not in SERVICE_USES:
            faults.append(f"{path.relative_to(package)} is not in the table SERVICE_USES")
            continue
        found = (service_fault(use, layer) for use in python_uses(path))
        faults += [fault for fault in found if fault]
    return faults


# ---- The rules hold ---------------------------------------------------------------------------


def test_c_core_keeps_the_order() -> None:
    assert c_faults(ROOT / "csrc") == []


def test_package_keeps_the_order() -> None:
    assert python_faults(ROOT / "chase_fast") == []


def test_service_keeps_the_order() -> None:
    assert service_faults(ROOT / "service" / "chase_service") == []


def test_each_layer_of_the_service_is_in_both_tables() -> None:
    assert set(SERVICE_USES) == set(SERVICE_ORDER) - {"_pb"}
    both = [layer for layer, uses in SERVICE_USES.items() if "chase_fast" in uses and WIRE & uses]
    assert both == ["positions", "convert"]


def test_reference_model_imports_nothing_of_ours() -> None:
    files = sorted((ROOT / "tests" / "reference").glob("*.py"))
    assert files
    for use in (use for path in files for use in python_uses(path)):
        top = use.target.split(".")[0]
        ours = top == "tests" and not use.target.startswith("tests.reference")
        assert not ours, str(use)
        assert top in ("", "tests") or top in sys.stdlib_module_names, str(use)


# ---- And would be seen to be broken -----------------------------------------------------------


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("rules.c", '#include "rules.h"\n#include "position.h"\n', 'rules.c:2 uses "position.h"'),
        ("rays.h", '#  include   "kernels.h"', "a later layer"),
        ("kernels_v3.c", '#include "nowhere.h"', "not in the table C_ORDER"),
        ("misc.c", "", "misc.c is not in the table"),
        ("rules.inc", "", "rules.inc is not in the table"),
        ("rng.c", "#include <math.h>", "not in C_SYSTEM_HEADERS"),
        ("rng.c", 'void f(void) { printf("x"); }', "rng.c:1 uses printf"),
        ("rng.c", "/* two\nlines */\nint x = rand();", "rng.c:3 uses rand"),
        ("rng.c", "static FILE *log;", "rng.c:1 uses FILE"),
    ],
)
def test_a_fault_in_c_is_found(tmp_path: Path, name: str, text: str, fault: str) -> None:
    found = c_faults(write(tmp_path, {name: text}))
    assert len(found) == 1
    assert fault in found[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("playout.h", '#include "rng.h"\n#include <string.h>\n'),
        ("kernels_v3.c", '#include "kernels.h"'),
        ("rng.c", '/* printf( is not called */ // abort(\nconst char *s = "exit(";'),
        ("rng.c", "int exit = 1; int run_time(int time); snprintf(exit, time);"),
    ],
)
def test_what_is_allowed_in_c(tmp_path: Path, name: str, text: str) -> None:
    assert c_faults(write(tmp_path, {name: text})) == []


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("game.py", "from chase_fast.simulate import run", "game.py:1 uses chase_fast.simulate"),
        ("game.py", "def f():\n    import chase_fast.cli", "game.py:2 uses chase_fast.cli"),
        ("game.py", "from chase_fast import Position", "a later layer"),
        ("game.py", "from . import svg", "write the full name"),
        ("game.py", "from chase_fast.record import Record", "at import time"),
        ("record/model.py", "from chase_fast import cli", "a later layer"),
        ("stats/elo.py", "from chase_fast._core import Position", "stands alone"),
        ("game.py", "import requests", "not in THIRD_PARTY"),
        ("game.py", "def f():\n    import scipy.stats", "which only ['stats', 'tune'] may"),
        ("mystery.py", "", "mystery.py is not in the table"),
        ("mystery/deep.py", "", "is not in the table"),
        ("_core.pyx", "from chase_fast.game cimport Game", "_core.pyx:1 uses chase_fast.game"),
        ("_more.pxi", "from chase_fast.svg import board_svg", "at import time"),
        ("_core.pyx", "cimport chase_fast.cli", "a later layer"),
        ("_core.pyx", 'cdef extern from "chase.h":\n    pass', "which is for _csrc.pxd"),
        ("_csrc.pxd", 'cdef extern from "rays.h" nogil:', "no public header"),
    ],
)
def test_a_fault_in_python_is_found(tmp_path: Path, name: str, text: str, fault: str) -> None:
    found = python_faults(write(tmp_path, {name: text}))
    assert len(found) == 1
    assert fault in found[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("game.py", "import numpy as np\nfrom chase_fast._core import Move\nimport math"),
        ("game.py", "def f():\n    from chase_fast.record import Record"),
        ("game.py", "if TYPE_CHECKING:\n    from chase_fast.record import Record"),
        ("record/model.py", "from chase_fast.record.text import read"),
        ("cli/show.py", "import typer\nimport chase_fast as cf"),
        ("stats/elo.py", "import scipy.stats\nfrom chase_fast.errors import ArgumentError"),
        ("_core.pyx", "from libc.stdint cimport int8_t\nfrom chase_fast._csrc cimport *"),
        ("_more.pxi", "def f():\n    from chase_fast.svg import board_svg"),
        ("_csrc.pxd", 'cdef extern from "chase.h" nogil:'),
    ],
)
def test_what_is_allowed_in_python(tmp_path: Path, name: str, text: str) -> None:
    assert python_faults(write(tmp_path, {name: text})) == []


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("batcher/queue.py", "import numpy as np", "which batcher may not"),
        ("batcher/queue.py", "def f():\n    import grpc", "which batcher may not"),
        ("config.py", "from chase_fast.errors import ArgumentError", "which config may not"),
        ("config.py", "from chase_service.batcher import Batcher", "a later layer"),
        ("servicers.py", "from chase_fast import Position", "which servicers may not"),
        ("engine.py", "from chase_service._pb.chase.v1 import query_pb2", "which engine may not"),
        ("server.py", "from . import config", "write the full name"),
        ("mystery.py", "", "is not in the table"),
    ],
)
def test_a_fault_in_the_service_is_found(tmp_path: Path, name: str, text: str, fault: str) -> None:
    found = service_faults(write(tmp_path, {name: text}))
    assert len(found) == 1
    assert fault in found[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("batcher/queue.py", "import heapq\nfrom chase_service.batcher.items import Item"),
        ("batcher/queue.py", "from chase_service.config import Config"),
        ("convert.py", "import chase_fast\nfrom chase_service._pb.chase.v1 import query_pb2"),
        ("_pb/chase/v1/query_pb2.py", "from google.protobuf import message"),
    ],
)
def test_what_is_allowed_in_the_service(tmp_path: Path, name: str, text: str) -> None:
    assert service_faults(write(tmp_path, {name: text})) == []
