"""``chase-fast report``: the report of a run, written again."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from chase_fast.cli.options import JsonOption
from chase_fast.cli.output import say, say_json
from chase_fast.cli.rundirs import need, write_pages
from chase_fast.errors import StoreError

# Where `document_of` of each kind of run is; loaded when one is met.
_MAKERS: Final = {"balance": "chase_fast.balance", "tournament": "chase_fast.tournament"}


def report(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder of a run.")],
    json: JsonOption = False,
) -> None:
    """Write the report of a run into its folder, as far as the run has come."""
    need("report", "store", "stats", "report")
    from chase_fast.runs import opened

    with opened(Path(folder)) as (run, plan):
        kind = run.description["kind"]
        if kind not in _MAKERS:
            raise StoreError(f"{folder} holds a run of kind {kind!r}, which has no report")
        document: dict[str, Any] = import_module(_MAKERS[kind]).document_of(run, plan)
    if json:
        say_json(document)
    else:
        for sentence in document["verdicts"]:
            say(sentence)
    write_pages(document, Path(folder))
