"""What the bar tells of pace and time left, on a terminal of the test and by its clock."""

from __future__ import annotations

import io
import time
from contextlib import redirect_stderr

import pytest

from chase_fast.cli.progress import Bar

pytestmark = pytest.mark.no_core

# Seconds that nothing here takes; they only end what hangs.
PATIENCE = 60.0


class Screen(io.StringIO):
    """Standard error, a terminal."""

    def isatty(self) -> bool:
        return True

    def wait_for(self, text: str) -> None:
        """Waits until something is shown; it is drawn in a thread of its own."""
        end = time.monotonic() + PATIENCE
        while text not in self.getvalue():
            assert time.monotonic() < end, self.getvalue()
            time.sleep(0.01)


class Clock:
    """In place of the module of the time."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    held = Screen()
    for name, value in {"TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("chase_fast.cli.progress._PATIENCE", 0.0)
    return held


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    held = Clock()
    monkeypatch.setattr("chase_fast.cli.progress.time", held)
    return held


def test_pace_and_time_left(screen: Screen, clock: Clock) -> None:
    with redirect_stderr(screen), Bar("work", "games") as bar:
        clock.now = 10.0
        bar.update(25, 100, 50)
        screen.wait_for(" 25% 5 games/s 0:00:30 left")


def test_the_pace_is_that_of_what_was_done_since_it_began(screen: Screen, clock: Clock) -> None:
    with redirect_stderr(screen), Bar("work", "games") as bar:
        clock.now = 1000.0
        bar.begin(900)
        bar.update(900, 1000, 0)
        screen.wait_for(" 90%  0:00:00")
        clock.now = 1010.0
        bar.update(910, 1000, 10)
        screen.wait_for(" 91% 1 games/s 0:01:30 left")


def test_words_stand_beside_the_time_that_passed(screen: Screen, clock: Clock) -> None:
    with redirect_stderr(screen), Bar("work", "games") as bar:
        clock.now = 7.0
        bar.update(100, 100, 100, "making the report")
        screen.wait_for("100% making the report 0:00:07")


def test_the_clock_that_ends_the_work_fills_the_bar(screen: Screen, clock: Clock) -> None:
    with redirect_stderr(screen), Bar("work", "nodes", seconds=20.0) as bar:
        bar.update(0, None, 0, "depth 3")
        clock.now = 10.0
        # Half of the 24 columns.
        screen.wait_for(f"work {'━' * 12}")
        screen.wait_for("depth 3 0:00:10 of 0:00:20")
        clock.now = 30.0
        screen.wait_for(f"work {'━' * 24}")
        screen.wait_for("depth 3 0:00:30 of 0:00:20")
