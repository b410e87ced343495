"""A report as HTML and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from chase_fast.report.balance import balance_report
from chase_fast.report.document import checked
from chase_fast.report.markdown import markdown_text
from chase_fast.report.parts import Report
from chase_fast.report.tournament import tournament_report

_MAKERS = {"balance": balance_report, "tournament": tournament_report}


def html_report(document: Mapping[str, Any]) -> str:
    """The report as one HTML page that loads nothing.

    Args:
        document: The results of a balance run or a tournament, schema 1.

    Returns:
        The page; the same document gives the same text.

    Raises:
        ArgumentError: Not such a document; says what is missing or wrong.
        InvalidPositionError, InvalidRulesError: A sample game with a board that is none.
    """
    return _template().render(report=_report(document), sheet=_text("page.css")) + "\n"


def markdown_report(document: Mapping[str, Any]) -> str:
    """The same report as Markdown: all tables, and a table for each figure that has none yet.

    Args:
        document: As for `html_report`.

    Raises:
        ArgumentError: As for `html_report`.
    """
    return markdown_text(_report(document))


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_text("page.html"))


def _text(name: str) -> str:
    """A file that comes with the package."""
    return (files("chase_fast.report") / name).read_text(encoding="utf-8")


def _report(document: Mapping[str, Any]) -> Report:
    copy = checked(document)
    return _MAKERS[copy["kind"]](copy)
