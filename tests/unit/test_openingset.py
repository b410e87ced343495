"""Openings of a run: what makes a list of decisions one, and the file that they are kept in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import chase_fast as cf
from chase_fast import openingset
from chase_fast._core import StopFlag
from chase_fast._threads import poll
from chase_fast.agents.weights import load_weights
from chase_fast.errors import StoppedError
from chase_fast.openingset import OpeningSet, game_seeds
from tests.reference.model import RefPosition
from tests.reference.rules import RefRules

RULE_SETS = (
    ("standard",),
    ("standard", "reserve=0", "reserve=2", "chain=yes"),
    ("wrap=no", "standard"),
    ("ricochet=no", "handout=any", "recycle=no"),
    ("setup=222222222", "setup=222222222,reserve=5"),
)


def rules_of(*texts: str) -> list[cf.Rules]:
    return [cf.Rules.parse(text) for text in texts]


def board(position: cf.Position) -> str:
    return position.cfen.split()[0]


def reference_start(rules: cf.Rules) -> RefPosition:
    """The start in the model that was written from the rule book alone."""
    names = (
        "reserve", "recycle", "chain", "handout", "setup", "wrap", "ricochet", "repetition",
    )  # fmt: skip
    return RefPosition.start(RefRules(**{name: getattr(rules, name) for name in names}))


# ---- Drawing them ------------------------------------------------------------------------------


def test_a_seed_gives_the_openings_that_it_always_gave() -> None:
    """Runs are known by the hash of their openings, and resumed by it."""
    both = OpeningSet.generate(rules_of("standard", "reserve=2"), 50, turns=8, seed=3)
    assert both.sha256 == "2261492460dbd3a27c5484d50051f03a753d155db29bfd9396d7788fc256cc69"
    bounded = OpeningSet.generate(rules_of("standard"), 300, seed=1, bound=200)
    assert bounded.sha256 == "ccbffcaa3de5467b2f605c7260dbb4186f54622d9ae8f9d58aed5ff385117a1f"


def flag_set() -> StopFlag:
    stop = StopFlag()
    stop.set()
    return stop


def polled(monkeypatch: pytest.MonkeyPatch, last: int | None = None) -> list[int]:
    """Notes how often flags are looked at; sets them at the `last` time."""
    times: list[int] = []

    def note(stop: StopFlag | None) -> None:
        times.append(1)
        if stop is not None and len(times) == last:
            stop.set()
        poll(stop)

    monkeypatch.setattr(openingset, "poll", note)
    return times


def test_a_flag_is_looked_at_for_each_candidate_and_decision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    times = polled(monkeypatch)
    rules = rules_of("standard", "reserve=2")
    drawn = OpeningSet.generate(rules, 20, turns=8, stop=StopFlag())
    assert len(times) >= drawn.candidates + len(rules) * drawn.codes.size


# In the first candidates, in the decisions of one, and much later.
@pytest.mark.parametrize("last", [1, 2, 9, 4000])
@pytest.mark.parametrize("draw", [OpeningSet.generate, OpeningSet.by_first_move])
def test_drawing_ends_where_its_flag_is_set(
    monkeypatch: pytest.MonkeyPatch, draw: Callable[..., OpeningSet], last: int
) -> None:
    times = polled(monkeypatch, last)
    with pytest.raises(StoppedError):
        draw(rules_of("standard"), 1000, turns=8, stop=StopFlag())
    assert len(times) == last


def test_games_that_are_drawn_in_the_core_end_with_the_flag() -> None:
    with pytest.raises(StoppedError):
        OpeningSet.generate(rules_of("standard"), 1, stop=flag_set())


def test_to_write_very_many_can_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = OpeningSet.generate(rules_of("standard"), 30)
    assert drawn.digest(StopFlag()) == drawn.sha256
    for write in (drawn.digest, drawn.text):
        times = polled(monkeypatch, 9)
        with pytest.raises(StoppedError):
            write(StopFlag())
        assert len(times) == 9


@settings(max_examples=10)
@given(
    texts=st.sampled_from(RULE_SETS),
    turns=st.sampled_from((2, 4, 8)),
    openings=st.integers(1, 8),
    seed=st.integers(0, 2**64 - 1),
)
def test_each_is_an_opening_by_the_rule_book(
    texts: tuple[str, ...], turns: int, openings: int, seed: int
) -> None:
    rules = rules_of(*texts)
    drawn = OpeningSet.generate(rules, openings, turns=turns, seed=seed)
    assert len(drawn) == openings and drawn.turns == turns
    assert drawn.codes.shape == (openings, turns)
    boards: list[set[str]] = []
    for line in drawn.lines():
        ends = []
        for one in rules:
            position = start = reference_start(one)
            for number, text in enumerate(line.split()):
                assert position.side == number % 2
                position = position.apply(text)  # legal, by its text
                # Neither captured nor split: all dice and all spare dice are where they were.
                assert [len(position.dice(side)) for side in (0, 1)] == [9, 9]
                assert position.spare == start.spare
            assert position.side == 0 and position.winner is None
            ends.append(position.cfen.split()[0])
        boards.append(set(ends))
    assert all(len(one) == 1 for one in boards)
    assert len(set().union(*boards)) == openings
    for one in rules:
        assert [{board(start)} for start in drawn.starts(one, 0, openings)] == boards


@settings(max_examples=15)
@given(
    texts=st.sampled_from(RULE_SETS),
    turns=st.sampled_from((4, 6)),
    counts=st.tuples(st.integers(1, 60), st.integers(1, 60)),
    seed=st.integers(0, 2**64 - 1),
    bound=st.sampled_from((None, 200)),
)
@example(texts=("standard",), turns=4, counts=(300, 1300), seed=5, bound=None)
def test_the_nth_does_not_depend_on_how_many_there_are(
    texts: tuple[str, ...], turns: int, counts: tuple[int, int], seed: int, bound: int | None
) -> None:
    few, many = sorted(counts)
    rules = rules_of(*texts)
    short = OpeningSet.generate(rules, few, turns=turns, seed=seed, bound=bound)
    long = OpeningSet.generate(rules, many, turns=turns, seed=seed, bound=bound)
    assert np.array_equal(long.codes[:few], short.codes)
    assert (short == long) == (few == many) == (short.sha256 == long.sha256)


def test_other_arguments_give_others() -> None:
    rules = rules_of("standard", "reserve=0")
    drawn = OpeningSet.generate(rules, 20, seed=1)
    assert drawn == OpeningSet.generate(rules, 20, seed=1)
    assert hash(drawn) == hash(OpeningSet.generate(rules, 20, seed=1))
    others = [
        OpeningSet.generate(rules, 20, seed=2),
        OpeningSet.generate(rules, 20, seed=1, turns=2),
        OpeningSet.generate(rules, 20, seed=1, bound=40),
    ]
    assert len({one.sha256 for one in (drawn, *others)}) == 4
    assert drawn != "openings"


@pytest.mark.parametrize("texts", [("standard",), ("standard", "chain=yes", "reserve=0")])
def test_a_bound_takes_from_the_same_candidates_those_within_it(texts: tuple[str, ...]) -> None:
    rules, bound = rules_of(*texts), 120
    everything = OpeningSet.generate(rules, 400, seed=7)
    values = np.array(
        [
            [
                abs(load_weights(one).evaluator(one).evaluate(start))
                for start in everything.starts(one, 0, 400)
            ]
            for one in rules
        ]
    ).max(axis=0)
    within = everything.codes[values <= bound]
    assert 20 < len(within) < 380
    bounded = OpeningSet.generate(rules, len(within), seed=7, bound=bound)
    assert np.array_equal(bounded.codes, within)
    last = int(np.flatnonzero(values <= bound)[-1])
    assert bounded.unbalanced == np.count_nonzero(values[:last] > bound)
    assert everything.unbalanced == 0
    assert bounded.candidates == OpeningSet.generate(rules, last + 1, seed=7).candidates
    assert bounded.source == "seed 7, evaluation within 120"


def test_all_that_there_are_can_be_had_and_no_more() -> None:
    # By the rule book: the quiet boards after two turns, so few that they can be counted.
    rules = cf.Rules(setup="666666666")
    start = reference_start(rules)
    boards = set()
    for first in start.legal():
        middle = start.apply(first)
        for second in middle.legal():
            end = middle.apply(second)
            dice = [len(one.dice(side)) for one in (middle, end) for side in (0, 1)]
            if dice == [9] * 4 and start.spare == middle.spare == end.spare:
                boards.add(end.cfen.split()[0])
    assert 10 < len(boards) < 1000
    drawn = OpeningSet.generate([rules], len(boards), turns=2, seed=3)
    assert {board(one) for one in drawn.starts(rules, 0, len(drawn))} == boards
    with pytest.raises(cf.ArgumentError, match=f"no more than {len(boards)} are to be found"):
        OpeningSet.generate([rules], len(boards) + 1, turns=2, seed=3)


def test_without_turns_there_is_one() -> None:
    only = OpeningSet.generate(rules_of("standard", "reserve=2"), 1, turns=0)
    assert len(only) == 1 and list(only.lines()) == [""]
    assert only.starts(cf.Rules(), 0, 1) == [cf.Position.start()]
    with pytest.raises(cf.ArgumentError, match="openings is 2, but without turns"):
        OpeningSet.generate(rules_of("standard"), 2, turns=0)


@pytest.mark.parametrize(
    ("texts", "change", "words"),
    [
        ((), {}, "rules is empty"),
        (("standard", "setup=222222222"), {}, "different setups"),
        (("standard",), {"openings": 0}, "openings is 0, expected an integer from 1"),
        (("standard",), {"openings": True}, "openings is True"),
        (("standard",), {"turns": 3}, "turns is 3, expected an even number"),
        (("standard",), {"turns": -2}, "turns is -2"),
        (("standard",), {"turns": 102}, "turns is 102, expected an integer from 0 to 100"),
        (("standard",), {"seed": 2**64}, "seed is 18446744073709551616"),
        (("standard",), {"bound": -1}, "bound is -1"),
        (("standard",), {"bound": 0.5}, "bound is 0.5"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    texts: tuple[str, ...], change: dict[str, Any], words: str
) -> None:
    arguments = {"openings": 3} | change
    with pytest.raises(cf.ArgumentError, match=words):
        OpeningSet.generate(rules_of(*texts), **arguments)


def test_rules_are_rules() -> None:
    with pytest.raises(cf.ArgumentError, match="rules is 'standard', expected Rules"):
        OpeningSet.generate(["standard"], 1)  # type: ignore[list-item]


# ---- The file ----------------------------------------------------------------------------------


@settings(max_examples=15)
@given(
    texts=st.sampled_from(RULE_SETS),
    turns=st.sampled_from((2, 4)),
    openings=st.integers(1, 40),
    seed=st.integers(0, 2**64 - 1),
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    texts: tuple[str, ...],
    turns: int,
    openings: int,
    seed: int,
) -> None:
    path = tmp_path_factory.mktemp("openings") / "some.txt"
    rules = rules_of(*texts)
    drawn = OpeningSet.generate(rules, openings, turns=turns, seed=seed)
    drawn.write(path)
    read = OpeningSet.read(path, rules)
    assert read == drawn and read.sha256 == drawn.sha256
    assert read.source == drawn.source == f"seed {seed}"
    again = path.with_name("again.txt")
    read.write(again)
    assert again.read_bytes() == path.read_bytes()


def read_text(tmp_path: Path, text: str | bytes, *rules: str) -> OpeningSet:
    path = tmp_path / "mine.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return OpeningSet.read(path, rules_of(*(rules or ("standard",))))


def test_files_of_other_hands_are_read(tmp_path: Path) -> None:
    line = next(quiet_lines(2))
    text = f"# mine\r\n\r\n  {line.replace(' ', '   ')} \r\n#{line}\r\n"
    read = read_text(tmp_path, text)
    assert list(read.lines()) == [line]
    assert read.source == "mine.txt"


def quiet_lines(turns: int) -> Iterator[str]:
    """Sequences of decisions that neither capture nor split, by the rule book."""

    def walk(position: RefPosition, words: list[str]) -> Iterator[str]:
        if len(words) == turns:
            yield " ".join(words)
            return
        for text in position.legal():
            after = position.apply(text)
            if [len(after.dice(side)) for side in (0, 1)] == [9, 9]:
                yield from walk(after, [*words, text])

    return walk(reference_start(cf.Rules()), [])


def loud_line(spare: bool) -> str:
    """Four turns of which the last one splits, or captures."""
    for line in islice(quiet_lines(3), None, None, 97):
        position = reference_start(cf.Rules())
        for text in line.split():
            position = position.apply(text)
        for text in position.legal():
            after = position.apply(text)
            if after.spare[position.side] == 0 if spare else len(after.dice(1 - position.side)) < 9:
                return f"{line} {text}"
    raise AssertionError


def hostile() -> dict[str, tuple[str | bytes, str]]:
    lines = quiet_lines(2)
    good, other = next(lines), next(lines)
    first, second = good.split()
    return {
        "nonsense": (f"{good}\nbanana split\n", "line 2: 'b' at offset 0"),
        "upper case": (f"{good.upper()}\n", "line 1: "),
        "illegal": (f"# x\n{good}\n{first} {first}\n", "line 3: "),
        "odd": (f"{good}\n\n{first}\n", "line 3: has 1 turns, expected an even number"),
        "other length": (f"{good}\n{first} {second} {first} {second}\n", "line 2: "),
        "a split": (f"#\n{loud_line(spare=True)}\n", "line 2: .* captures or splits"),
        "a capture": (f"#\n{loud_line(spare=False)}\n", "line 2: .* captures or splits"),
        "the same twice": (f"{good}\n{other}\n{good}\n", "line 3: leads to the board of an"),
        "a comma": (f"{good}\n{other.replace(' ', ', ')}\n", "line 2: "),
        "a zero": (f"{good}\n{other}\x00\n", "line 2: "),
        "a form feed": (f"{good}\n{other}\x0cbanana banana\n", "line 2: "),
        "another alphabet": (f"{good}\n{other.replace('a', 'а', 1)}\n", "line 2: "),
        "a mark of order": (f"\ufeff{good}\n", "line 1: "),
        "bytes": (f"{good}\n{other}\n".encode() + b"\xff\xfe\n", "line 3: .*UTF-8"),
        "nothing": ("", "holds no openings"),
        "comments": ("# one\n\n# two\n", "holds no openings"),
        "very long": ("x" * 100_000, "line 1: "),
        "without end": ((f"{good} " * 20_000).strip(), "line 1: "),
    }


HOSTILE = hostile()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, name: str) -> None:
    text, words = HOSTILE[name]
    with pytest.raises(cf.NotationError, match=f"mine.txt.*{words}") as caught:
        read_text(tmp_path, text)
    assert len(str(caught.value)) < 500


def test_a_file_of_other_rules_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    # Under these rules some die wraps within a few openings.
    OpeningSet.generate(rules_of("standard"), 50, turns=8).write(path)
    for rules in (("wrap=no",), ("standard", "ricochet=no", "wrap=no"), ("setup=666666666",)):
        with pytest.raises(cf.NotationError, match=r"other.txt, line \d+: "):
            OpeningSet.read(path, rules_of(*rules))
    with pytest.raises(cf.ArgumentError, match="different setups"):
        OpeningSet.read(path, rules_of("standard", "setup=666666666"))
    assert len(OpeningSet.read(path, rules_of("reserve=4", "recycle=no"))) == 50


def test_what_is_no_file_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(OSError, match=path.name):
            OpeningSet.read(path, rules_of("standard"))
    with pytest.raises(OSError, match="No space left"):
        OpeningSet.generate(rules_of("standard"), 5000).write(Path("/dev/full"))


# ---- Seeds -------------------------------------------------------------------------------------


def test_seeds_are_those_of_splitmix64() -> None:
    # What the authors' own program in C prints, state 1234567.
    assert game_seeds(1234567, 0, 5).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**40), st.integers(0, 50), st.integers(0, 50))
def test_seeds_depend_on_their_number_alone(seed: int, first: int, skip: int, count: int) -> None:
    assert np.array_equal(
        game_seeds(seed, first, skip + count)[skip:], game_seeds(seed, first + skip, count)
    )
