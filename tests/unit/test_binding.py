"""What the binding owes whoever calls it: exceptions for statuses, checked buffers, no held GIL."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
import threading
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import chase_fast as cf
from chase_fast import GAME_DTYPE, ArgumentError, ChaseError, Position, Rules, _core
from chase_fast._core import StopFlag

# ---- Statuses --------------------------------------------------------------------------------


def test_every_status_has_its_exception() -> None:
    made = [
        type(_core._status_exception(status, "said by the core", 3))
        for status in range(_core._STATUS_COUNT)
    ]
    assert made == [
        type(None),
        MemoryError,
        ArgumentError,
        cf.InvalidRulesError,
        cf.NotationError,
        cf.InvalidPositionError,
        cf.IllegalMoveError,
        ChaseError,
    ]


def test_exceptions_say_what_the_core_said_and_survive_pickling() -> None:
    for status in range(1, _core._STATUS_COUNT):
        error = _core._status_exception(status, "said by the core", 3)
        assert error is not None
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error)
        assert str(again) == str(error) == "said by the core"
        assert getattr(again, "offset", None) == getattr(error, "offset", None)


@pytest.mark.parametrize("status", [-1, _core._STATUS_COUNT])
def test_other_numbers_are_no_status(status: int) -> None:
    with pytest.raises(ArgumentError, match="status must be from 0 to 7"):
        _core._status_exception(status)


def test_refusals_of_input_are_value_errors() -> None:
    for name in cf.__all__:
        thing = getattr(cf, name)
        if isinstance(thing, type) and issubclass(thing, ChaseError):
            assert issubclass(thing, ValueError) is (thing is not ChaseError)


# ---- Documentation ---------------------------------------------------------------------------


def members_without_docstring(thing: type) -> list[str]:
    kinds = (types.GetSetDescriptorType, types.MethodType, property)
    return [
        f"{thing.__name__}.{name}"
        for name, member in inspect.getmembers(thing)
        if not name.startswith("_")
        and (isinstance(member, kinds) or inspect.isroutine(member))
        and not member.__doc__
    ]


def test_every_public_name_has_a_docstring() -> None:
    bare = []
    for name in cf.__all__:
        thing = getattr(cf, name)
        if callable(thing) and not thing.__doc__:
            bare.append(name)
        # Exceptions and enumerations have the members of their bases, which are Python's own.
        if isinstance(thing, type) and not issubclass(thing, (ChaseError, int)):
            bare += members_without_docstring(thing)
    assert bare == []


@pytest.mark.slow
@pytest.mark.no_core
def test_stub_describes_the_compiled_module() -> None:
    pytest.importorskip("mypy.stubtest", reason="needs mypy")
    run = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "chase_fast._core"],
        cwd=Path(cf.__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


# ---- Perft -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("unit", "counts"), [(0, [1, 46, 2114, 95578]), (1, [1, 46, 2114, 95904])])
def test_perft_from_the_start(unit: int, counts: list[int]) -> None:
    start = Position.start()
    assert [_core._perft(start, depth, unit, StopFlag()) for depth in range(4)] == counts


@pytest.mark.parametrize(
    ("depth", "unit"),
    [(-1, 0), (65, 0), (2**32, 0), (1, 2), (1, -1), (1.0, 0), ("1", 0), (1, True), (None, 0)],
)
def test_perft_checks_its_numbers(depth: Any, unit: Any) -> None:
    with pytest.raises(ArgumentError, match=r"(depth|unit) must be an int from 0 to (64|1), not "):
        _core._perft(Position.start(), depth, unit, StopFlag())


# ---- Playouts --------------------------------------------------------------------------------


def play(
    games: int,
    *,
    position: Position | None = None,
    seed: Any = 7,
    first_game: Any = 0,
    max_turns: Any = 1000,
) -> npt.NDArray[np.void]:
    out = np.zeros(games, GAME_DTYPE)
    position = position or Position.start()
    assert _core._playouts(position, out, seed, first_game, max_turns, StopFlag()) == games
    return out


def test_a_game_has_64_bytes() -> None:
    assert GAME_DTYPE.itemsize == 64
    assert GAME_DTYPE.alignment == 4


def test_columns_agree_with_each_other() -> None:
    games = play(300)
    assert set(np.unique(games["winner"])) <= {-1, 0, 1}
    assert set(np.unique(games["termination"])) <= set(map(int, cf.Termination)) - {0}
    assert np.all(games["options"] >= games["decisions"])
    assert np.all(games["decisions"] >= games["turns"])
    assert np.all(games["turns"] <= 1000)
    assert np.all(games["longest_chain"] <= games["bumps"])
    assert np.all(games["captures"] >= 2 * games["double_captures"])
    assert games["exchanges"].sum() > 0
    decided = games["termination"] <= cf.Termination.NO_DECISION
    assert np.array_equal(games["winner"] >= 0, decided)


def test_games_depend_on_seed_and_index_alone() -> None:
    games = play(60)
    assert np.array_equal(games, play(60))
    parts = [play(10, first_game=first) for first in range(0, 60, 10)]
    assert np.array_equal(games, np.concatenate(parts))
    assert not np.array_equal(games, play(60, seed=8))


def test_turn_limit() -> None:
    games = play(20, max_turns=5)
    assert set(games["termination"]) == {cf.Termination.TURN_LIMIT}
    assert set(games["turns"]) == {5}
    assert set(games["winner"]) == {-1}


def test_largest_numbers() -> None:
    last = 2**64 - 1
    assert len(play(1, seed=last, first_game=last)) == 1
    assert len(play(2, first_game=np.uint64(last - 1), max_turns=np.int32(100_000))) == 2
    assert len(play(0)) == 0


@pytest.mark.parametrize(
    "numbers",
    [
        {"seed": -1},
        {"seed": 2**64},
        {"seed": 1.0},
        {"seed": None},
        {"seed": True},
        {"first_game": -1},
        {"first_game": 2**64},
        {"first_game": 2**64 - 3},
        {"max_turns": 0},
        {"max_turns": cf.MAX_TURN_LIMIT + 1},
        {"max_turns": 2**32 + 1},
        {"max_turns": "1000"},
    ],
    ids=str,
)
def test_playouts_check_numbers_before_they_write(numbers: dict[str, Any]) -> None:
    out = np.frombuffer(bytearray(b"\xa5" * 64 * 4), GAME_DTYPE)
    before = out.copy()
    arguments = {"seed": 1, "first_game": 0, "max_turns": 1000, **numbers}
    name = next(iter(numbers))
    with pytest.raises(ArgumentError, match=f"^{name} "):
        _core._playouts(
            Position.start(),
            out,
            arguments["seed"],
            arguments["first_game"],
            arguments["max_turns"],
            StopFlag(),
        )
    assert np.array_equal(out, before)


def read_only() -> npt.NDArray[np.void]:
    out = np.zeros(4, GAME_DTYPE)
    out.flags.writeable = False
    return out


WRONG_ARRAYS: list[Callable[[], Any]] = [
    lambda: None,
    lambda: [0] * 4,
    lambda: bytearray(256),
    lambda: np.zeros(4, np.uint8),
    lambda: np.zeros((4, 64), np.uint8),
    lambda: np.zeros(4, GAME_DTYPE.newbyteorder()),
    lambda: np.zeros((2, 2), GAME_DTYPE),
    lambda: np.zeros((), GAME_DTYPE),
    lambda: np.zeros(8, GAME_DTYPE)[::2],
    lambda: np.zeros(8, GAME_DTYPE)[::-1],
    lambda: np.broadcast_to(np.zeros(1, GAME_DTYPE), 4),
    lambda: np.frombuffer(bytes(256), GAME_DTYPE),
    lambda: np.frombuffer(bytearray(257), GAME_DTYPE, offset=1),
    read_only,
]


@pytest.mark.parametrize("make", WRONG_ARRAYS)
def test_playouts_check_the_array(make: Callable[[], Any]) -> None:
    with pytest.raises(ArgumentError, match=r"^out must be "):
        _core._playouts(Position.start(), make(), 1, 0, 1000, StopFlag())


def test_only_the_given_rows_are_written() -> None:
    whole = np.frombuffer(bytearray(b"\xa5" * 64 * 6), GAME_DTYPE)
    before = whole.copy()
    _core._playouts(Position.start(), whole[2:4], 7, 0, 1000, StopFlag())
    assert np.array_equal(whole[2:4], play(2))
    assert np.array_equal(whole[[0, 1, 4, 5]], before[[0, 1, 4, 5]])


def test_finished_games_stay_finished() -> None:
    lost = Position.parse("ffff5/9/9/9/9/9/9/9/ABCDEDCBA b - 1/6")
    games = play(3, position=lost)
    assert set(games["decisions"]) == set(games["turns"]) == {0}
    assert set(games["winner"]) == {0}


def test_instruction_sets_play_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    played = []
    for isa in cf.available_isas():
        monkeypatch.setenv("CHASE_FAST_ISA", isa)
        rules = Rules(reserve=6, chain=True)
        assert rules.isa == isa
        played.append(play(40, position=Position.start(rules)))
    assert all(np.array_equal(games, played[0]) for games in played)


# ---- Stopping --------------------------------------------------------------------------------


def test_flag_stays_set() -> None:
    flag = StopFlag()
    assert not flag.is_set()
    flag.set()
    flag.set()
    assert flag.is_set()


def test_a_set_flag_stops_at_once() -> None:
    flag = StopFlag()
    flag.set()
    out = np.zeros(100_000, GAME_DTYPE)
    assert _core._playouts(Position.start(), out, 1, 0, 1000, flag) < len(out)
    assert _core._perft(Position.start(), 20, 0, flag) is None


def test_another_thread_can_stop_the_call() -> None:
    # Counting to this depth takes longer than anybody can wait: the test ends only because the
    # count lets other threads run, and looks at the flag.
    flag = StopFlag()
    results: list[int | None] = []
    position = Position.start()
    thread = threading.Thread(
        target=lambda: results.append(_core._perft(position, 20, 0, flag)), daemon=True
    )
    thread.start()
    assert thread.is_alive()
    flag.set()
    thread.join()
    assert results == [None]


def test_a_stopped_call_tells_how_many_games_it_finished() -> None:
    flag = StopFlag()
    out = np.zeros(2_000_000, GAME_DTYPE)
    done: list[int] = []
    thread = threading.Thread(
        target=lambda: done.append(_core._playouts(Position.start(), out, 7, 0, 1000, flag)),
        daemon=True,
    )
    thread.start()
    while not out["termination"][20]:
        pass
    flag.set()
    thread.join()
    assert 20 <= done[0] < len(out)
    assert np.array_equal(out[:20], play(20))
    assert np.all(out["termination"][: done[0]] != 0)


@pytest.mark.parametrize("stop", [None, 0, threading.Event()])
def test_stop_must_be_a_flag(stop: Any) -> None:
    with pytest.raises(TypeError):
        _core._perft(Position.start(), 1, 0, stop)
    with pytest.raises(TypeError):
        _core._playouts(Position.start(), np.zeros(1, GAME_DTYPE), 1, 0, 1000, stop)


# ---- Random numbers --------------------------------------------------------------------------

# Known answers of the reference implementation (Random123, kat_vectors, philox4x32 10).
KNOWN_ANSWERS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    (
        (0xFFFFFFFF,) * 4,
        (0xFFFFFFFF,) * 2,
        (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_philox_known_answers(
    counter: tuple[int, int, int, int], key: tuple[int, int], answer: tuple[int, ...]
) -> None:
    assert _core.philox_raw(counter, key) == answer


def test_philox_of_a_game_uses_all_its_bits() -> None:
    seed, game, counter = 0x1122334455667788, 0x99AABBCCDDEEFF00, 0x0123456789ABCDEF
    words = (0x89ABCDEF, 0x01234567, 0x11223344, 0x99AABBCC)
    assert _core.philox(seed, game, counter) == _core.philox_raw(words, (0x55667788, 0xDDEEFF00))


def test_philox_checks_its_numbers() -> None:
    for numbers in ((-1, 0, 0), (0, 2**64, 0), (0, 0, 1.0)):
        wrong: Any = numbers
        with pytest.raises(ArgumentError, match="must be an int from 0 to 18446744073709551615"):
            _core.philox(*wrong)
    wrong_words: list[Any] = [((0, 0, 0), (0, 0)), ((0,) * 4, (0,)), (0, (0, 0)), ("0000", (0, 0))]
    for counter, key in wrong_words:
        with pytest.raises(ArgumentError, match=r"(counter|key) must be [42] ints"):
            _core.philox_raw(counter, key)
    with pytest.raises(ArgumentError, match=r"counter\[3\] must be an int from 0 to 4294967295"):
        _core.philox_raw((0, 0, 0, 2**32), (0, 0))
