"""What a report consists of, before it is HTML or Markdown.

All text here is plain text; escaping is the business of what writes it. The one exception is the
SVG of pictures, which is markup already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["table", "figure", "prose", "code", "game"]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under headings.

    Attributes:
        headings: One a column.
        rows: Each as long as the headings.
        caption: What it shows.
        text: Numbers of the columns that hold words, set flush left; the others hold numbers.
        folded: Whether HTML shows only the caption until it is opened.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str
    text: frozenset[int] = frozenset({0})
    folded: bool = False
    kind: Kind = field(default="table", init=False)


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture of a figure.

    Attributes:
        title: What this picture has and the others of the figure have not; may be empty.
        draw: Makes the picture, ready to stand in HTML. Markdown, which has no pictures, never
            asks for it.
    """

    title: str
    draw: Callable[[], str]


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """One entry of the key of a figure.

    Attributes:
        colour: A CSS colour.
        dash: An SVG dash pattern for lines, "" for a solid one, None for an area.
        label: What is drawn so.
    """

    colour: str
    dash: str | None
    label: str


@dataclass(frozen=True, slots=True)
class Figure:
    """Pictures that belong together, with the numbers that they show.

    Attributes:
        title: What they show.
        caption: How to read them.
        panels: At least one.
        key: What colours and dashes mean; empty where there is one kind of mark.
        table: The same as numbers, for Markdown and for who cannot see the pictures; None where
            the numbers stand in a table of the same section.
        small: Whether several pictures fit side by side on a phone.
    """

    title: str
    caption: str
    panels: Sequence[Panel]
    key: Sequence[KeyEntry] = ()
    table: Table | None = None
    small: bool = False
    kind: Kind = field(default="figure", init=False)


@dataclass(frozen=True, slots=True)
class Prose:
    """Sentences, as a list.

    Attributes:
        lines: One or more.
        folded: Title under which HTML folds them away, "" to show them.
    """

    lines: Sequence[str]
    folded: str = ""
    kind: Kind = field(default="prose", init=False)


@dataclass(frozen=True, slots=True)
class Code:
    """Text to copy, kept as it is."""

    text: str
    kind: Kind = field(default="code", init=False)


@dataclass(frozen=True, slots=True)
class Game:
    """A sample game: boards and the record."""

    title: str
    boards: Sequence[Panel]
    record: str
    kind: Kind = field(default="game", init=False)


Block: TypeAlias = Table | Figure | Prose | Code | Game


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it.

    Attributes:
        key: Its anchor in HTML.
        title: The heading.
        blocks: In order.
    """

    key: str
    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report.

    Attributes:
        title: Of the page.
        facts: A few words below it.
        verdicts: What was found, in sentences.
        warnings: What to bear in mind, in sentences.
        sections: In order.
    """

    title: str
    facts: Sequence[str]
    verdicts: Sequence[str]
    warnings: Sequence[str]
    sections: Sequence[Section]
