"""A bar on standard error for work that takes its time; silence where that is no terminal."""

from __future__ import annotations

import sys
import time
from datetime import timedelta
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TaskProgressColumn,
    TextColumn,
)
from rich.text import Text

from chase_fast.cli.output import note, si
from chase_fast.textboard import use_colour

# Shorter work shows no bar: it would only flicker.
_PATIENCE = 0.5


def _elapsed(task: Task) -> float:
    return time.monotonic() - float(task.fields["began"])


class _RateColumn(ProgressColumn):
    """What was done so far by the time it took."""

    def render(self, task: Task) -> Text:
        elapsed = _elapsed(task)
        rate = float(task.fields["amount"]) / elapsed if elapsed > 0 else 0.0
        return Text(f"{si(rate)} {task.fields['unit']}/s", style="progress.data.speed")


class _TimeLeftColumn(ProgressColumn):
    """How long the rest will take at the pace so far.

    The one of rich goes by the latest parts, which are few here and end in bursts.
    """

    def render(self, task: Task) -> Text:
        if not task.total or not task.completed:
            return Text("")
        seconds = round(_elapsed(task) * (task.total - task.completed) / task.completed)
        return Text(f"{timedelta(seconds=seconds)} left", style="progress.remaining")


class Bar:
    """How far a piece of work has come, how fast it is, and how long it will take.

    Args:
        title: What is being done.
        unit: What the rate counts.
    """

    def __init__(self, title: str, unit: str) -> None:
        self._title = title
        self._unit = unit
        self._began = time.monotonic()
        self._progress: Progress | None = None
        self._task = TaskID(0)

    def update(self, done: float, total: float | None, amount: float) -> None:
        """Shows that ``done`` of ``total`` parts (None: nobody knows) are done.

        Args:
            done: Parts finished.
            total: Parts in all.
            amount: What the rate counts, so far.
        """
        if self._progress is None:
            silent = sys.stderr is None or not sys.stderr.isatty()
            if silent or time.monotonic() - self._began < _PATIENCE:
                return
            self._progress = self._start(total)
        self._progress.update(self._task, completed=done, total=total, amount=amount)

    def note(self, text: str) -> None:
        """Prints a line on standard error, above the bar."""
        if self._progress is None:
            note(text)
        else:
            self._progress.console.print(Text(text), soft_wrap=True)

    def _start(self, total: float | None) -> Progress:
        colour = use_colour(sys.stderr)
        console = Console(
            file=sys.stderr,
            no_color=not colour,
            color_system="auto" if colour else None,
            highlight=False,
        )
        progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            _RateColumn(),
            _TimeLeftColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = progress.add_task(
            self._title, total=total, amount=0, unit=self._unit, began=self._began
        )
        progress.start()
        return progress

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
