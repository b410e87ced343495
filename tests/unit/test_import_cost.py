"""``import chase_fast`` stays cheap: it loads numpy and the core, nothing of the extras."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.no_core

OPTIONAL = (
    "typer", "click", "rich", "scipy", "statsmodels", "pandas", "pyarrow", "matplotlib", "jinja2",
    "grpc", "google.protobuf",
)  # fmt: skip
# Of the standard library: slow to import and of no use to the engine.
NEEDLESS = ("asyncio", "importlib.metadata", "multiprocessing", "sqlite3", "unittest")

SCRIPT = """
import json, sys
import numpy
before = set(sys.modules)
import chase_fast
print(json.dumps([sorted(before), sorted(sys.modules)]))
"""


@pytest.fixture(scope="module")
def loaded() -> tuple[set[str], set[str]]:
    """The modules there after ``import numpy``, and those after ``import chase_fast`` too."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=60
    )
    before, after = json.loads(run.stdout)
    return set(before), set(after)


def test_no_extra_is_imported(loaded: tuple[set[str], set[str]]) -> None:
    _, after = loaded
    assert {"numpy", "chase_fast"} <= after
    assert after.isdisjoint(OPTIONAL)


def test_no_slow_module_is_imported_beside_numpy(loaded: tuple[set[str], set[str]]) -> None:
    before, after = loaded
    assert (after - before).isdisjoint(NEEDLESS)


def test_the_version_is_at_hand() -> None:
    import chase_fast
    from chase_fast._version import __version__

    assert chase_fast.__version__ == __version__
