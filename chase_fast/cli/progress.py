"""A bar on standard error for work that takes its time; silence where that is no terminal."""

from __future__ import annotations

import sys
import threading
import time
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
)
from rich.progress_bar import ProgressBar
from rich.table import Column
from rich.text import Text

from chase_fast.cli.output import note, si, wrapped
from chase_fast.textboard import use_colour

# Shorter work shows no bar: it would only flicker.
_PATIENCE = 0.5


def _elapsed(task: Task) -> float:
    return time.monotonic() - float(task.fields["began"])


class _ShareBarColumn(BarColumn):
    """The bar; where the clock ends the work, it follows the clock."""

    def render(self, task: Task) -> ProgressBar:
        bar = super().render(task)
        if seconds := task.fields["seconds"]:
            bar.total, bar.completed, bar.pulse = seconds, min(_elapsed(task), seconds), False
        return bar


class _ShareColumn(ProgressColumn):
    """How much of the work is done, where that is known."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.percentage:>3.0f}%" if task.total else "", style="progress.percentage")


class _RateColumn(ProgressColumn):
    """What was done so far by the time it took, or what else there is to say of it."""

    def render(self, task: Task) -> Text:
        if words := task.fields["words"]:
            return Text(words, style="progress.data.speed")
        elapsed, amount = _elapsed(task), float(task.fields["amount"])
        if not amount or elapsed <= 0:
            return Text("")
        return Text(f"{si(amount / elapsed)} {task.fields['unit']}/s", style="progress.data.speed")


class _TimeLeftColumn(ProgressColumn):
    """How long the rest will take at the pace so far; without one, the time that passed.

    The one of rich goes by the latest parts, which are few here and end in bursts.
    """

    def render(self, task: Task) -> Text:
        elapsed = _elapsed(task)
        done = task.completed - task.fields["before"]
        if task.fields["words"] or not task.total or done <= 0:
            limit = task.fields["seconds"]
            most = f" of {timedelta(seconds=round(limit))}" if limit else ""
            return Text(f"{timedelta(seconds=round(elapsed))}{most}", style="progress.elapsed")
        seconds = round(elapsed * (task.total - task.completed) / done)
        return Text(f"{timedelta(seconds=seconds)} left", style="progress.remaining")


class Bar:
    """How far a piece of work has come, how fast it is, and how long it will take.

    A context manager. The bar appears in the midst of the work, whether or not a part of it is
    done by then, and goes away at its end.

    Args:
        title: What is being done.
        unit: What the rate counts.
        seconds: After which the clock ends the work, if it does.
    """

    def __init__(self, title: str, unit: str, *, seconds: float | None = None) -> None:
        self._title = title
        self._unit = unit
        self._seconds = seconds
        # When it began, and what was done by then.
        self._begin: dict[str, Any] = {"began": time.monotonic(), "before": 0}
        self._progress: Progress | None = None
        self._task = TaskID(0)
        self._state: dict[str, Any] = {"completed": 0, "total": None, "amount": 0, "words": ""}
        # Reentrant: Ctrl-C may strike while this thread holds it, and `__exit__` takes it then.
        self._lock = threading.RLock()
        self._timer = threading.Timer(_PATIENCE, self._appear)
        self._timer.daemon = True
        self._open = False

    def begin(self, done: int) -> None:
        """Begins only now, with so many parts done by others: the pace is that of the rest.

        Args:
            done: Parts finished before.
        """
        with self._lock:
            self._begin = {"began": time.monotonic(), "before": done}
            if self._progress is not None:
                self._progress.update(self._task, **self._begin)

    def update(self, done: int, total: int | None, amount: int, words: str = "") -> None:
        """Shows that ``done`` of ``total`` parts (None: nobody knows) are done.

        Args:
            done: Parts finished.
            total: Parts in all.
            amount: What the rate counts, so far.
            words: Shown in place of the rate, beside the time that passed.
        """
        with self._lock:
            self._state = {"completed": done, "total": total, "amount": amount, "words": words}
            if self._progress is not None:
                self._progress.update(self._task, **self._state)

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
        colour = use_colour(sys.stderr)
        console = Console(
            file=sys.stderr,
            no_color=not colour,
            color_system="auto" if colour else None,
            highlight=False,
        )
        progress = Progress(
            TextColumn("{task.description}", markup=False),
            _ShareBarColumn(bar_width=24),
            _ShareColumn(),
            _RateColumn(table_column=Column(no_wrap=True)),
            _TimeLeftColumn(table_column=Column(no_wrap=True)),
            console=console,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = progress.add_task(
            self._title,
            unit=self._unit,
            seconds=self._seconds,
            **self._begin,
            **self._state,
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
