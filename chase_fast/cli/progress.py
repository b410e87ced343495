"""A bar on standard error for work that takes its time; silence where that is no terminal."""

from __future__ import annotations

import sys
import threading
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
    TextColumn,
)
from rich.text import Text

from chase_fast.cli.output import note, si, wrapped
from chase_fast.textboard import use_colour

# Shorter work shows no bar: it would only flicker.
_PATIENCE = 0.5


def _elapsed(task: Task) -> float:
    return time.monotonic() - float(task.fields["began"])


class _ShareColumn(ProgressColumn):
    """How much of the work is done, where that is known."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.percentage:>3.0f}%" if task.total else "", style="progress.percentage")


class _RateColumn(ProgressColumn):
    """What was done so far by the time it took."""

    def render(self, task: Task) -> Text:
        elapsed, amount = _elapsed(task), float(task.fields["amount"])
        if not amount or elapsed <= 0:
            return Text("")
        return Text(f"{si(amount / elapsed)} {task.fields['unit']}/s", style="progress.data.speed")


class _TimeLeftColumn(ProgressColumn):
    """How long the rest will take at the pace so far; before there is one, the time that passed.

    The one of rich goes by the latest parts, which are few here and end in bursts.
    """

    def render(self, task: Task) -> Text:
        elapsed = _elapsed(task)
        if not task.total or not task.completed:
            return Text(f"{timedelta(seconds=round(elapsed))}", style="progress.elapsed")
        seconds = round(elapsed * (task.total - task.completed) / task.completed)
        return Text(f"{timedelta(seconds=seconds)} left", style="progress.remaining")


class Bar:
    """How far a piece of work has come, how fast it is, and how long it will take.

    A context manager. The bar appears in the midst of the work, whether or not a part of it is
    done by then, and goes away at its end.

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
        self._state: tuple[int, int | None, int] = (0, None, 0)
        # Reentrant: Ctrl-C may strike while this thread holds it, and `__exit__` takes it then.
        self._lock = threading.RLock()
        self._timer = threading.Timer(_PATIENCE, self._appear)
        self._timer.daemon = True
        self._open = False

    def update(self, done: int, total: int | None, amount: int) -> None:
        """Shows that ``done`` of ``total`` parts (None: nobody knows) are done.

        Args:
            done: Parts finished.
            total: Parts in all.
            amount: What the rate counts, so far.
        """
        with self._lock:
            self._state = (done, total, amount)
            if self._progress is not None:
                self._progress.update(self._task, completed=done, total=total, amount=amount)

    def note(self, text: str) -> None:
        """Prints a line on standard error, above the bar."""
        with self._lock:
            if self._progress is None:
                note(text)
            else:
                self._progress.console.print(Text(wrapped(text)), soft_wrap=True)

    def _appear(self) -> None:
        """Shows what is known by now; called by the timer, in a thread of its own."""
        with self._lock:
            if self._open:
                self._progress = self._start()

    def _start(self) -> Progress:
        done, total, amount = self._state
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
            _ShareColumn(),
            _RateColumn(),
            _TimeLeftColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = progress.add_task(
            self._title,
            total=total,
            completed=done,
            amount=amount,
            unit=self._unit,
            began=self._began,
        )
        progress.start()
        return progress

    def __enter__(self) -> Self:
        if sys.stderr is not None and sys.stderr.isatty():
            self._open = True
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._open = False
            if self._progress is not None:
                self._progress.stop()
