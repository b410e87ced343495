"""The notebook under docs/ runs from its first cell to its last."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.no_core

NOTEBOOK = Path(__file__).parents[2] / "docs" / "balance.ipynb"


def run(source: str, names: dict[str, Any]) -> Any:
    """Runs a cell; the value of its last expression, as a notebook shows it."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "cell", "exec"), names)
        return None
    exec(compile(ast.Module(tree.body[:-1], []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    book = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert book["nbformat"] == 4
    names: dict[str, Any] = {}
    shown = []
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            shown.append(run("".join(cell["source"]), names))
    assert len(names["result"].table) == 2
    assert set(names["refused"]) == {"standard", "reserve=0"}
    assert names["refused"]["reserve=0"][0] > names["refused"]["standard"][0]
    assert shown[-1] == ("report.html", True)
