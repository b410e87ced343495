"""Ctrl-C in a program that uses the client that blocks, and its end."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from chase_service.client.apart import Apart

from tests.service.running import PATIENCE, Running, wait_for

pytestmark = pytest.mark.no_core

# Breaks off calls wherever they are, which breaks gRPC where that is in the middle of it: its
# thread dies, with a traceback, and the connection is not closed any more.
BREAKING_OFF = """
import random, signal, sys
from contextlib import suppress
from chase_service.client import Client

CALLS = {
    "answer": lambda client: client.perft([("", 11)]),
    "answers": lambda client: list(client.playout_games(100_000_000, batch=50)),
    "both ways": lambda client: list(client.stream_perft(("", 1) for _ in iter(int, 1))),
}

def interrupt(number, frame):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
chance = random.Random(1)
for _ in range(int(sys.argv[3])):
    with Client(sys.argv[1], timeout=None) as client:
        client.version()
        with suppress(KeyboardInterrupt):
            try:
                # A second time if the first was lost: Python ignores what is raised in callbacks.
                signal.setitimer(signal.ITIMER_REAL, 0.0005 + 0.02 * chance.random(), 1)
                CALLS[sys.argv[2]](client)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
print("all closed")
"""


@pytest.mark.parametrize("call", ["answer", "answers", "both ways"])
def test_calls_that_are_broken_off_anywhere(server: Running, call: str) -> None:
    command = [sys.executable, "-c", BREAKING_OFF, server.target, call, "100"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (0, "all closed\n")
    assert "Exception in thread" not in done.stderr
    wait_for(lambda: server.busy == 0)


# Calls and connections that are ended by the end of the program, when no other thread runs.
ENDING = {
    "with": (
        "def f():\n    with Client(target) as c:\n        yield c.perft([('', 1)])\n"
        "g = f()\nnext(g)"
    ),
    "with, stream": (
        "def f():\n    with Client(target) as c:\n"
        "        yield from c.playout_games(10**8, batch=50)\n"
        "g = f()\nnext(g)"
    ),
    "open": "c = Client(target)\ng = c.playout_games(10**8, batch=50)\nnext(g)",
    "deleted": (
        "class A:\n    def __init__(self): self.c = Client(target); self.c.version()\n"
        "    def __del__(self): self.c.close()\na = A(); a.me = a"
    ),
    "asked late": (
        "class A:\n    def __init__(self): self.c = Client(target); self.c.version()\n"
        "    def __del__(self): self.c.perft([('', 1)])\na = A(); a.me = a"
    ),
    "registered": (
        "import atexit\natexit.register(lambda: c.close())\nc = Client(target)\nc.version()"
    ),
    "registered call": (
        "import atexit\natexit.register(lambda: print(c.perft([('', 1)])))\n"
        "c = Client(target)\nc.version()"
    ),
}


@pytest.mark.parametrize("ending", ENDING)
def test_the_end_of_a_program_does_not_wait(server: Running, ending: str) -> None:
    begin = f"from chase_service.client import Client\ntarget = {server.target!r}\n"
    done = subprocess.run(
        [sys.executable, "-c", begin + ENDING[ending]], capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    late = ending == "asked late"
    assert ("Traceback" in done.stderr) == late, done.stderr
    assert ("RuntimeError: the program has ended" in done.stderr) == late
    assert done.stdout == ("[46]\n" if ending == "registered call" else "")
    wait_for(lambda: server.busy == 0)


class Call:
    """One of gRPC that notes the threads it is used by."""

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []
        self.cancelled = threading.Event()

    def _note(self) -> None:
        self.threads.append(threading.current_thread())

    def __call__(self, request: bytes, *, timeout: float | None) -> Call:
        del request, timeout
        self._note()
        return self

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        self._note()
        return b"next"

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        self._note()
        callback(self)

    def result(self) -> bytes:
        self._note()
        return b"result"

    def cancel(self) -> None:
        self._note()
        self.cancelled.set()


def test_nothing_of_grpc_is_run_by_the_caller() -> None:
    apart, call = Apart(), Call()
    assert apart.answer(call, b"", None) == b"result"
    with apart.answers(call, b"", None) as answers:
        assert [next(answers), next(answers)] == [b"next", b"next"]
    assert call.cancelled.wait(PATIENCE)
    assert len(call.threads) == 7
    assert threading.current_thread() not in call.threads


def test_no_thread_is_left_of_a_client() -> None:
    before = set(threading.enumerate())
    apart = Apart()
    with apart.answers(Call(), b"", None) as answers:
        next(answers)
        began = set(threading.enumerate()) - before
    assert len(began) == 2
    del apart
    wait_for(lambda: not began & set(threading.enumerate()))


def test_what_goes_wrong_is_raised_by_the_call() -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("closed")

    apart = Apart()
    with pytest.raises(RuntimeError, match="closed"):
        apart.answer(broken, b"", None)
    with pytest.raises(RuntimeError, match="closed"), apart.answers(broken, b"", None):
        pass
