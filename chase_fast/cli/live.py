"""A table on standard error that shows a tournament while it is played."""

from __future__ import annotations

import sys
import time
from datetime import timedelta
from types import TracebackType
from typing import Final, Self

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from chase_fast.cli.output import si
from chase_fast.cli.scores import elo_text, rating_text, score_text
from chase_fast.textboard import use_colour
from chase_fast.tournament import SequentialTest, Snapshot

# Seconds before the table appears, and at least between two of them; and which share of the time
# may be spent on making it.
_PATIENCE: Final = 0.5
_INTERVAL: Final = 0.25
_SHARE: Final = 0.05

# Rows that are shown; the table has to fit a terminal.
_MOST_ROWS: Final = 20


class LiveTable:
    """Players, points and pace so far. A context manager; silent where nobody looks on."""

    def __init__(self) -> None:
        self._live: Live | None = None
        self._next = 0.0

    def update(self, snapshot: Snapshot) -> None:
        """Shows how far the tournament has come, unless it was shown a moment ago."""
        began = time.monotonic()
        if self._live is None or began < self._next:
            return
        self._live.update(_picture(snapshot), refresh=True)
        took = time.monotonic() - began
        self._next = began + max(_INTERVAL, took / _SHARE)

    def __enter__(self) -> Self:
        if sys.stderr is not None and sys.stderr.isatty():
            colour = use_colour(sys.stderr)
            console = Console(
                file=sys.stderr,
                no_color=not colour,
                color_system="auto" if colour else None,
                highlight=False,
            )
            # Nothing but `update` draws it, in the thread that plays: no lock can be left taken.
            self._live = Live(
                console=console, auto_refresh=False, transient=True, redirect_stdout=False,
                redirect_stderr=False,
            )  # fmt: skip
            self._live.start()
            self._next = time.monotonic() + _PATIENCE
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()


def _picture(snapshot: Snapshot) -> Group:
    table = _players(snapshot) if snapshot.test is None else _test(snapshot, snapshot.test)
    return Group(table, Text(_pace(snapshot), style="dim"))


def _players(snapshot: Snapshot) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("player", overflow="ellipsis", no_wrap=True)
    for title in ("games", "score", "Elo"):
        table.add_column(title, justify="right", no_wrap=True)
    ratings = snapshot.ratings()
    rated = {} if ratings is None else {one.player: one for one in ratings.players}
    rows = []
    for player, (games, points) in snapshot.scores().items():
        rating = rated.get(player)
        text = "-" if rating is None else rating_text(rating.value, rating.bounded)
        order = (-rating.value if rating is not None else 0.0, -points / games if games else 1.0)
        rows.append((order, player, str(games), f"{points / games:.1%}" if games else "-", text))
    rows.sort(key=lambda row: row[0])
    for _, *cells in rows[:_MOST_ROWS]:
        table.add_row(*(Text(cell) for cell in cells))
    if len(rows) > _MOST_ROWS:
        table.add_row(Text(f"and {len(rows) - _MOST_ROWS} more"))
    return table


def _test(snapshot: Snapshot, test: SequentialTest) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    cell = snapshot.cells[0]
    found, path = snapshot.summary(), snapshot.path()
    low, high = test.bounds
    rows = [("A", str(cell.a)), ("B", str(cell.b))]
    if found is not None:
        rows += [("score of A", score_text(found)), ("Elo", elo_text(found))]
    if path:
        rows.append(("LLR", f"{path[-1][1]:+.2f}  ({low:.2f} to {high:.2f})"))
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def _pace(snapshot: Snapshot) -> str:
    progress = snapshot.progress
    games = sum(games for games, _ in snapshot.scores().values()) // 2
    words = [f"{progress.done} of {progress.total} pairs", f"{games} games"]
    elapsed = time.monotonic() - progress.began
    if progress.played and elapsed > 0:
        words.append(f"{si(2 * progress.played / elapsed)} games/s")
    if progress.seconds_left is not None:
        most = "at most " if snapshot.test is not None else ""
        words.append(f"{most}{timedelta(seconds=round(progress.seconds_left))} left")
    return ", ".join(words)
