"""Perft tells how far it has come, and stops wherever it is interrupted."""

from __future__ import annotations

import _thread
import time
from collections.abc import Callable
from typing import Any

import pytest

import chase_fast as cf
from chase_fast import _threads, batch
from chase_fast._core import StopFlag

START = cf.Position.start()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("call", "depth", "branches"),
    [
        (cf.perft, 0, 1),
        (cf.perft, 1, 1),
        (cf.perft, 3, 46),
        (cf.perft, 4, 2114),
        (cf.divide, 3, 46),
    ],
)
def test_progress(call: Callable[..., Any], depth: int, branches: int, threads: int) -> None:
    seen: list[tuple[int, int, int]] = []

    def progress(done: int, total: int, counted: int) -> None:
        seen.append((done, total, counted))

    result = call(START, depth, threads=threads, progress=progress)
    assert result == call(START, depth)
    nodes = result if call is cf.perft else sum(result.values())
    assert [(done, total) for done, total, _ in seen] == [
        (done, branches) for done in range(1, branches + 1)
    ]
    counts = [counted for _, _, counted in seen]
    assert counts == sorted(counts)
    assert counts[-1] == nodes


def test_deep_counts_are_told_of_in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of two decisions would take half a minute each; these are counted by a stand-in."""
    expected = cf.divide(START, 4)
    counted: list[int] = []

    def count(position: cf.Position, depth: int, unit: int, stop: StopFlag) -> int:
        del unit, stop
        counted.append(depth)
        return len(position.legal_moves)

    monkeypatch.setattr(batch, "_perft", count)
    told: list[tuple[int, int]] = []
    found = cf.divide(START, 8, progress=lambda done, total, _: told.append((done, total)))
    assert set(counted) == {5}
    assert found == expected
    assert told == [(done, 95_578) for done in range(1, 95_579)]
    counted.clear()
    cf.divide(START, 8)
    assert counted == [7] * 46


def test_progress_in_turns() -> None:
    seen: list[int] = []
    position = cf.Position.parse("abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r")  # pips are due

    def progress(done: int, total: int, counted: int) -> None:
        del done, total
        seen.append(counted)

    assert cf.perft(position, 4, "turn", progress=progress) == cf.perft(position, 4, "turn")
    assert seen[-1] == cf.perft(position, 4, "turn")


def test_an_interrupt_while_work_is_handed_out_stops_what_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = _thread.start_new_thread
    started: list[int] = []
    stop = StopFlag()
    give_up = time.monotonic() + 60

    def interrupted(work: Any, arguments: Any) -> int:
        if started:
            raise KeyboardInterrupt
        started.append(start(work, arguments))
        return started[-1]

    def work() -> bool:
        while not stop.is_set():
            assert time.monotonic() < give_up
        return True

    monkeypatch.setattr(_thread, "start_new_thread", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _threads.run_jobs([work, work], 2, stop)
    assert started
    assert stop.is_set()


def test_processors() -> None:
    assert batch.processors() >= 1
