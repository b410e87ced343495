"""Reports as trees of elements.

HTML is read with html.parser, Markdown with markdown-it, which share nothing with what wrote them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

from markdown_it import MarkdownIt

from chase_fast.report import html_report, markdown_report
from tests.unit.report_documents import DOCUMENTS

ROOT = Path(__file__).parents[2]

VOID = {"meta", "br", "hr", "img", "link", "input"}


@dataclass
class Element:
    """An element of a page, its children elements and texts in order."""

    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    def all(self, tag: str = "", **attributes: str) -> list[Element]:
        """All elements below with this tag and these attributes."""
        found = []
        for child in self.children:
            if isinstance(child, Element):
                wanted = {key.rstrip("_"): value for key, value in attributes.items()}
                if tag in ("", child.tag) and wanted.items() <= child.attributes.items():
                    found.append(child)
                found += child.all(tag, **attributes)
        return found

    @property
    def text(self) -> str:
        parts = [child if isinstance(child, str) else child.text for child in self.children]
        return "".join(parts)


class Reader(HTMLParser):
    """Builds the tree and refuses tags that do not match."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _value in attrs]
        assert len(set(names)) == len(names), f"{tag} has an attribute twice"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(html: str) -> Element:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == [reader.root], "an element is not closed"
    return reader.root


@cache
def html(name: str) -> str:
    return html_report(DOCUMENTS[name]())


@cache
def page(name: str) -> Element:
    return read(html(name))


@cache
def markdown(name: str) -> str:
    return markdown_report(DOCUMENTS[name]())


def squeezed(text: str) -> str:
    return " ".join(text.split())


def tables(root: Element) -> list[list[list[str]]]:
    """The texts of all tables, a row of nothing where the headings say nothing."""
    found = []
    for table in root.all("table"):
        rows = [
            [squeezed(cell.text) for cell in row.children if isinstance(cell, Element)]
            for row in table.all("tr")
        ]
        found.append([row for row in rows if any(row)])
    return found


def rendered(text: str) -> Element:
    """Markdown as HTML. Only what Markdown makes of it counts: raw HTML stays text."""
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    return read(parser.render(text))
