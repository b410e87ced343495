"""The kinds of plots that a report has, drawn with matplotlib.

Each is narrow, so that it can be read on a phone without being shrunk much; wide figures are
several plots. Every plot has labelled axes and says on how much it rests.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import matplotlib as mpl
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from chase_fast.report.inline import inline
from chase_fast.report.words import fixed, short

INK, FAINT, GRID, PAGE = "#2b2822", "#6f685b", "#dcd4c5", "#fbf8f3"
BAND, RED, BLUE = "#efe0b0", "#b3202c", "#1a56b0"
SERIES = (
    "#0b62a4", "#c2510c", "#1b7f5a", "#8e3a9e", "#8a6d00", "#c02060", "#2c7f92", "#5b5b63",
)  # fmt: skip
"""Colours of lines and bars in the light scheme; ``page.css`` has both schemes."""

_DASHES = ("", "6 3", "2 2", "8 3 2 3")

VARIABLES = {
    INK: "--ink", FAINT: "--faint", GRID: "--grid", PAGE: "--page",
    BAND: "--band", RED: "--red", BLUE: "--blue",
    **{colour: f"--s{number}" for number, colour in enumerate(SERIES)},
}  # fmt: skip

# Inches; a picture is some 317 points wide. The margins are fixed, since to let matplotlib find
# them takes as long as to draw everything twice.
_WIDTH = 4.4
_LEFT, _LEFT_OF_ROWS, _RIGHT, _TOP, _BOTTOM = 0.74, 0.3, 0.2, 0.3, 0.58
_ROW = 0.44
_LABEL = 26  # characters of a name beside its value

_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "chase-fast",
    "text.parse_math": False,  # names may hold dollars
    "axes.formatter.use_mathtext": False,
    "font.family": ["DejaVu Sans"],
    "font.size": 11.0,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.titlesize": 10.0,
    "axes.titlecolor": FAINT,
    "axes.titlelocation": "left",
    "axes.labelsize": 11.0,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 10.0,
    "ytick.labelsize": 10.0,
    "lines.linewidth": 1.8,
}


@dataclass(frozen=True, slots=True)
class Frame:
    """What surrounds a plot.

    Attributes:
        name: Of the picture, unique on the page; letters, digits and hyphens.
        label: What it shows, in words.
        x: Label of the x axis, with its unit.
        y: Label of the y axis, with its unit.
        n: On how much it rests: ``n = ...``.
    """

    name: str
    label: str
    x: str
    y: str
    n: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a plot of intervals.

    Attributes:
        label: Its name.
        value: None where it is not known.
        low: Lower end, None where it has none.
        high: Upper end, likewise.
        text: The same in words.
        colour: One of this module's.
    """

    label: str
    value: float | None
    low: float | None
    high: float | None
    text: str
    colour: str


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a plot over x.

    Attributes:
        colour: One of this module's.
        dash: An SVG dash pattern, "" for a solid line.
        x: Where it is known, rising.
        y: As long; None makes a gap.
        low: Lower edge of its band, as long; empty for none.
        high: Upper edge, likewise.
        steps: Whether it keeps each value up to the next x.
        markers: Whether each point gets a mark.
    """

    colour: str
    dash: str
    x: Sequence[float]
    y: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    steps: bool = False
    markers: bool = False


def series_style(number: int) -> tuple[str, str]:
    """Colour and dash of line ``number``; 32 lines differ, eight of them in colour."""
    return SERIES[number % len(SERIES)], _DASHES[(number + number // len(SERIES)) % len(_DASHES)]


def css(colour: str) -> str:
    """A colour of this module as the page knows it."""
    return f"var({VARIABLES[colour]})"


def intervals(
    frame: Frame,
    rows: Sequence[Row],
    *,
    reference: float | None = None,
    margin: float = 0.0,
    shares: bool = True,
    beside: Sequence[Row] = (),
) -> str:
    """Values with intervals, one below the other: a forest plot.

    Args:
        frame: What surrounds it.
        rows: From top to bottom; at least one.
        reference: Where a line is drawn across all of them.
        margin: Half the width of the band around that line.
        shares: Whether values are shares, shown in per cent.
        beside: Rows of pictures that stand beside it and have the same scale.
    """

    def paint(axes: Axes) -> None:
        if reference is not None:
            if margin:
                axes.axvspan(reference - margin, reference + margin, color=BAND, lw=0)
            axes.axvline(reference, color=INK, lw=1.0)
        for number, row in enumerate(rows):
            _interval(axes, number, row)
        _rows_below(axes, len(rows))
        axes.set_xlim(*_limits([*rows, *beside], reference, margin))
        axes.xaxis.set_major_locator(MaxNLocator(5))
        if shares:
            axes.xaxis.set_major_formatter(FuncFormatter(_percent_tick))

    return _draw(frame, paint, height=1.0 + _ROW * len(rows), left=_LEFT_OF_ROWS)


def curves(
    frame: Frame,
    lines: Sequence[Curve],
    *,
    shares: bool = False,
    log_x: bool = False,
    from_zero: bool = True,
    levels: Sequence[float] = (),
) -> str:
    """Lines over x, with bands.

    Args:
        frame: What surrounds it.
        lines: At least one.
        shares: Whether y are shares, shown in per cent.
        log_x: Whether the x axis is logarithmic.
        from_zero: Whether the y axis starts at 0.
        levels: Where lines are drawn across.
    """

    def paint(axes: Axes) -> None:
        if log_x:
            axes.set_xscale("log")
            _log_ticks(axes, sorted({x for line in lines for x in line.x}))
        for level in levels:
            axes.axhline(level, color=INK, lw=1.0)
        for line in lines:
            _curve(axes, line, 0.18 if len(lines) < 3 else 0.11)
        if not log_x:
            axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        if from_zero:
            axes.set_ylim(bottom=0)
        if shares:
            axes.yaxis.set_major_formatter(FuncFormatter(_percent_tick))

    return _draw(frame, paint, height=2.9)


def stacked(frame: Frame, rows: Sequence[tuple[str, Sequence[float]]], tones: Sequence[str]) -> str:
    """Shares that add up to a whole, one bar a row.

    Args:
        frame: What surrounds it.
        rows: Name and shares, as many as ``tones``, from top to bottom.
        tones: Colours of this module.
    """

    def paint(axes: Axes) -> None:
        for number, (label, shares) in enumerate(rows):
            _row_label(axes, number, label)
            left = 0.0
            for share, tone in zip(shares, tones, strict=True):
                axes.barh(number, share, left=left, height=0.4, color=tone, edgecolor=PAGE, lw=0.8)
                if share >= 0.15:
                    middle = left + share / 2
                    text = f"{100 * share:.0f} %"
                    axes.text(middle, number, text, ha="center", va="center", color=PAGE, size=9)
                left += share
        _rows_below(axes, len(rows))
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(FuncFormatter(_percent_tick))

    return _draw(frame, paint, height=1.0 + _ROW * len(rows), left=_LEFT_OF_ROWS)


def bars(frame: Frame, labels: Sequence[str], counts: Sequence[int], colour: str) -> str:
    """Counts of a few classes, as bars that stand side by side."""

    def paint(axes: Axes) -> None:
        axes.bar(range(len(counts)), counts, color=colour, width=0.7)
        axes.set_xticks(range(len(labels)), list(labels))
        axes.grid(visible=False, axis="x")
        axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))

    return _draw(frame, paint, height=2.6)


def _draw(
    frame: Frame, paint: Callable[[Axes], None], *, height: float, left: float = _LEFT
) -> str:
    out = io.StringIO()
    nothing = {"Date": None, "Creator": None, "Format": None, "Type": None}
    with mpl.rc_context(), warnings.catch_warnings():
        # The page's own fonts have the letters that matplotlib's has not.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        style.use(["default", _STYLE])
        figure = Figure(figsize=(_WIDTH, height))
        width, tall = _WIDTH - left - _RIGHT, height - _TOP - _BOTTOM
        axes = figure.add_axes((left / _WIDTH, _BOTTOM / height, width / _WIDTH, tall / height))
        axes.set_title(frame.n)
        axes.set_xlabel(frame.x)
        axes.set_ylabel(frame.y)
        paint(axes)
        figure.savefig(out, format="svg", transparent=True, metadata=nothing)
    label = f"{frame.label}; x: {frame.x}; y: {frame.y}; {frame.n}"
    return inline(out.getvalue(), name=frame.name, label=label, colours=VARIABLES)


def _interval(axes: Axes, number: int, row: Row) -> None:
    _row_label(axes, number, row.label)
    across = axes.get_yaxis_transform()
    axes.text(1, number - 0.28, row.text, transform=across, ha="right", size=10, color=FAINT)
    if row.low is not None or row.high is not None:
        # An end that is not known runs out of the plot.
        low = -math.inf if row.low is None else row.low
        high = math.inf if row.high is None else row.high
        ends = [min(max(end, -1e9), 1e9) for end in (low, high)]
        axes.plot(ends, [number, number], color=row.colour, lw=2.4, solid_capstyle="butt")
    if row.value is not None:
        axes.plot([row.value], [number], "o", color=row.colour, ms=6.5, clip_on=False)


def _row_label(axes: Axes, number: int, label: str) -> None:
    across = axes.get_yaxis_transform()
    axes.text(0, number - 0.28, short(label, _LABEL), transform=across, ha="left", size=10)


def _rows_below(axes: Axes, count: int) -> None:
    """Rows from top to bottom, each with its name above it."""
    axes.set_ylim(count - 0.6, -0.75)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.grid(visible=False, axis="y")


def _limits(rows: Sequence[Row], reference: float | None, margin: float) -> tuple[float, float]:
    around = [] if reference is None else [reference - margin, reference + margin]
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    low, high = min(ends + around, default=0.0), max(ends + around, default=1.0)
    space = 0.05 * (high - low) or max(0.01, abs(low) / 20)
    return low - space, high + space


def _curve(axes: Axes, line: Curve, alpha: float) -> None:
    x = list(line.x)
    dash = [float(length) / 1.8 for length in line.dash.split()]
    drawn: dict[str, Any] = {"color": line.colour}
    if dash:
        drawn["dashes"] = dash
    if line.markers:
        drawn.update(marker="o", ms=5.5)
    if line.steps:
        drawn["drawstyle"] = "steps-post"
    axes.plot(x, _floats(line.y), **drawn)
    if line.low and line.high:
        step: Literal["post"] | None = "post" if line.steps else None
        low, high = _floats(line.low), _floats(line.high)
        axes.fill_between(x, low, high, color=line.colour, alpha=alpha, lw=0, step=step)


def _floats(values: Sequence[float | None]) -> list[float]:
    return [math.nan if value is None else value for value in values]


def _log_ticks(axes: Axes, places: list[float]) -> None:
    """Ticks at the values themselves, those left out that would touch the one before."""
    wide = math.log(places[-1] / places[0]) or 1.0
    kept = places[:1]
    for place in places[1:]:
        if math.log(place / kept[-1]) > 0.12 * wide:
            kept.append(place)
    axes.set_xticks(kept, [f"{place:,.0f}" for place in kept])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.margins(x=0.08)


def _percent_tick(value: float, _position: int | None = None) -> str:
    text = fixed(100 * value, 2)
    return text.rstrip("0").rstrip(".")
