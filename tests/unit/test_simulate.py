"""Games and pairs of players: the same from C and from Python, from any number of workers."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest

import chase_fast as cf
from chase_fast._core import StopFlag
from chase_fast.agents import Choice, Player, PlayerError, PlayerSpec, make_player
from chase_fast.openings import random_openings
from chase_fast.simulate import PairResult, derive_seed, play_game, play_pair, play_pairs
from tests.unit.engines import program


def openings(number: int, rules: cf.Rules | None = None, seed: int = 0) -> list[cf.Game]:
    return list(random_openings(rules or cf.Rules(), 4, number, seed=seed))


class Wrapped:
    """A player that hides what it is, and may be told what to do at some decision of a game."""

    def __init__(
        self, player: Player, acts: dict[int, Callable[[cf.Game], Choice]] | None = None
    ) -> None:
        self.spec = player.spec
        self._player = player
        self._acts = acts or {}
        self._choices = 0
        self.games = 0

    def new_game(self, start: cf.Position, **options: Any) -> None:
        self._choices = 0
        self.games += 1
        self._player.new_game(start, **options)

    def choose(self, game: cf.Game, stop: StopFlag | None = None) -> Choice:
        act = self._acts.get(self._choices)
        self._choices += 1
        return act(game) if act is not None else self._player.choose(game, stop)

    def search(self, game: cf.Game, **options: Any) -> Any:
        return self._player.search(game, **options)

    def close(self) -> None:
        self._player.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


# ---- One game ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        ("random", "random", "standard"),
        ("random", "greedy", "chain=yes,reserve=0"),
        ("greedy:eps=0.3", "greedy:temp=400", "standard"),
        ("ab:nodes=80", "ab:nodes=40,eps=0.3", "standard"),
        ("ab:depth=2,temp=300", "ab:nodes=60,table=no", "handout=any"),
        ("ab:nodes=50,eps=1", "random", "repetition=moves"),
        ("mcts:sims=40", "ab:nodes=60", "standard"),
        ("mcts:sims=20,eps=0.2,temp=200", "mcts:sims=20,policy=uct", "reserve=2,wrap=no"),
    ],
)
def test_c_and_python_play_the_same_games(a: str, b: str, text: str) -> None:
    rules = cf.Rules.parse(text)
    for seed, opening in enumerate(openings(4, rules, seed=7)):
        for red, blue in ((a, b), (b, a)):
            in_core = play_game(
                opening, make_player(red, rules), make_player(blue, rules), seed=seed, max_turns=120
            )
            by_turns = play_game(
                opening,
                Wrapped(make_player(red, rules)),
                Wrapped(make_player(blue, rules)),
                seed=seed,
                max_turns=120,
            )
            assert in_core == by_turns
            assert in_core is not None
            assert in_core.game.moves[: in_core.opening] == opening.moves


@pytest.mark.parametrize("wrap", [lambda p: p, Wrapped])
def test_players_that_played_before_play_the_same_game(wrap: Callable[[Player], Player]) -> None:
    """Nothing is left of earlier games: table, tree, history, random numbers."""
    first, second = openings(2)
    for a, b in (("ab:nodes=200,eps=0.1", "mcts:sims=50"), ("ab:nodes=300", "ab:nodes=100")):
        used = wrap(make_player(a)), wrap(make_player(b))
        play_game(first, *used, seed=1, max_turns=30)
        play_game(second, used[1], used[0], seed=2, max_turns=30)
        again = play_game(first, *used, seed=3, max_turns=60)
        fresh = play_game(first, make_player(a), make_player(b), seed=3, max_turns=60)
        assert again == fresh


@pytest.mark.parametrize("wrap", [lambda p: p, Wrapped])
def test_a_game_ends_by_the_rules_or_the_limit(wrap: Callable[[Player], Player]) -> None:
    players = wrap(make_player("random")), wrap(make_player("random"))
    ends = set()
    for seed in range(12):
        result = play_game(cf.Game(), *players, seed=seed, max_turns=200)
        assert result is not None
        ends.add(result.outcome.termination)
        if result.outcome.termination == "turn_limit":
            assert (result.game.turn_count, result.game.turn_ended) == (200, True)
            assert result.game.outcome is None
        else:
            assert result.game.outcome == result.outcome
            assert result.game.turn_count <= 200
        assert result.score(cf.RED) + result.score(cf.BLUE) == 1
        assert result.score(cf.RED) == {"1-0": 1, "0-1": 0, "1/2-1/2": 0.5}[result.outcome.result]
    assert ends >= {"dice", "turn_limit"}


@pytest.mark.parametrize("wrap", [lambda p: p, Wrapped])
def test_the_opening_counts_for_repetition(wrap: Callable[[Player], Player]) -> None:
    """One decision away from the third time of the start; some of many games take it."""
    there, back = ["a1=2,a2=1", "i1=2,i2=1"], ["a1=1,a2=2", "i1=1,i2=2"]
    opening = cf.Game.from_moves([*there, *back, *there, back[0]])
    players = wrap(make_player("random")), wrap(make_player("random"))
    drawn = 0
    for seed in range(300):
        result = play_game(opening, *players, seed=seed, max_turns=9)
        assert result is not None
        repeated = str(result.game.moves[7]) == back[1]
        assert (result.outcome.termination == "repetition") == repeated
        drawn += repeated
    assert drawn > 0


def crash(game: cf.Game) -> Choice:
    raise PlayerError(f"broke at {len(game.moves)}", "crash")


def late(game: cf.Game) -> Choice:
    raise PlayerError("slept", "time")


def always(move: Any) -> Callable[[cf.Game], Choice]:
    return lambda _: Choice(move, None)


@pytest.mark.parametrize(
    ("act", "termination", "words"),
    [
        (crash, "crash", r"broke at \d+"),
        (late, "time", "slept"),
        (always(cf.Move.parse("e5NE")), "illegal", "random decided 'e5NE': "),
        (always(None), "illegal", "random decided 'None': "),
        (always("castle"), "illegal", "random decided 'castle': "),
    ],
)
def test_a_fault_loses_the_game_and_no_more(
    act: Callable[[cf.Game], Choice], termination: str, words: str
) -> None:
    bad, good = Wrapped(make_player("random"), {3: act}), make_player("random")
    result = play_pair(0, openings(1)[0], bad, good, seed=1)
    assert result is not None
    assert sum(result.scores) == 0
    outcomes = [game.outcome for game in result.games]
    assert outcomes == [cf.Outcome(cf.BLUE, termination), cf.Outcome(cf.RED, termination)]
    for game in result.games:
        assert re.match(words, game.fault)
        # What was played until then is kept: the opening, and at least three decisions of each.
        assert len(game.game.moves) >= game.opening + 6
    assert bad.games == 2


def test_a_player_that_cannot_begin_has_lost() -> None:
    class Absent(Wrapped):
        def new_game(self, start: cf.Position, **options: Any) -> None:
            raise PlayerError("is not there", "crash")

    cases: list[tuple[Any, Any, cf.Side]] = [
        (Absent(make_player("random")), make_player("random"), cf.BLUE),
        (make_player("random"), Absent(make_player("random")), cf.RED),
    ]
    for red, blue, winner in cases:
        result = play_game(cf.Game(), red, blue, seed=0)
        assert result is not None
        assert result.outcome == cf.Outcome(winner, "crash")
        assert (result.game, result.fault) == (cf.Game(), "is not there")


def test_a_program_that_does_not_start_has_lost_where_others_are_under_way() -> None:
    spec = PlayerSpec._of("ext", {"cmd": program(start="os._exit(3)")})
    with make_player(spec, start=False) as absent:
        result = play_game(cf.Game(), make_player("random"), absent, seed=0)
    assert result is not None
    assert result.outcome == cf.Outcome(cf.RED, "crash")
    assert "exit status 3" in result.fault


def test_errors_of_a_player_that_are_no_faults_are_raised() -> None:
    def broken(game: cf.Game) -> Choice:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        play_game(
            cf.Game(), Wrapped(make_player("random"), {1: broken}), make_player("random"), seed=0
        )


@pytest.mark.parametrize("wrap", [lambda p: p, Wrapped])
@pytest.mark.parametrize("text", ["ab:nodes=1000000000000", "mcts:sims=1000000000000"])
def test_a_flag_stops_a_game(wrap: Callable[[Player], Player], text: str) -> None:
    players = wrap(make_player(text)), wrap(make_player(text))
    stop = StopFlag()
    timer = threading.Timer(0.1, stop.set)
    timer.start()
    assert play_game(cf.Game(), *players, seed=0, stop=stop) is None
    timer.join()
    assert play_pair(0, cf.Game(), *players, seed=0, stop=stop) is None


def test_a_flag_stops_the_wait_for_a_program_that_does_not_get_ready() -> None:
    start = "sys.stdout.write('chaseok\\nreadyok\\n'); sys.stdout.flush(); time.sleep(1000)"
    spec = PlayerSpec._of("ext", {"cmd": program(start=start)})
    stop = StopFlag()
    with make_player(spec) as silent:
        timer = threading.Timer(0.1, stop.set)
        timer.start()
        # Were it not for the flag, the program would have lost on time.
        assert play_game(cf.Game(), make_player("random"), silent, seed=0, stop=stop) is None
        timer.join()


def test_what_cannot_be_played_is_refused() -> None:
    a, b = make_player("random"), make_player("random")
    over = cf.Game(cf.Position.parse("2bE2E1E/9/b1E1c2c1/2bcE3c/3b5/9/9/5c3/3b5 r - 5/0"))
    with pytest.raises(cf.ArgumentError, match="the opening is over, by"):
        play_game(over, a, b, seed=0)
    with pytest.raises(cf.ArgumentError, match="red and blue must be two players"):
        play_game(cf.Game(), a, a, seed=0)
    with pytest.raises(cf.ArgumentError, match="max_turns is 4, expected an integer from 5"):
        play_game(openings(1)[0], a, b, seed=0, max_turns=4)
    with pytest.raises(cf.ArgumentError, match="the position is under the rules reserve=2"):
        play_game(cf.Game(rules=cf.Rules(reserve=2)), a, b, seed=0)
    with pytest.raises(cf.ArgumentError, match="blue is 'random', expected a player"):
        play_game(cf.Game(), a, "random", seed=0)  # type: ignore[arg-type]


# ---- Seeds ------------------------------------------------------------------------------------


def test_seeds_are_the_first_bytes_of_a_digest() -> None:
    text = b"int:5\x1fstr:pair\x1fint:-1"
    expected = int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
    assert derive_seed(5, "pair", -1) == expected
    numbers: list[Any] = [np.int64(5), np.int8(-1)]
    assert derive_seed(numbers[0], "pair", numbers[1]) == expected
    lists: list[tuple[int | str, ...]] = [(5, "5"), ("5", 5), (5, 5), (55,), ("5",), (), ("",)]
    seeds = [derive_seed(*parts) for parts in lists]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**64 for seed in seeds)
    assert len({derive_seed(1, "pair", n, g) for n in range(5000) for g in (0, 1)}) == 10_000


def first_choices(a: str, b: str, games: int) -> tuple[np.ndarray, np.ndarray]:
    """Which of the legal decisions each side took in the first two turns of some games."""
    red, blue = make_player(a), make_player(b)
    found = []
    for game in range(games):
        seed = derive_seed(3, "pair", game, 0)
        played = play_game(cf.Game(), red, blue, seed=seed, max_turns=2)
        assert played is not None
        positions, chosen = played.game.positions, played.game.moves
        found.append([p.legal_moves.index(m) for p, m in zip(positions, chosen[:2], strict=False)])
    columns = np.array(found).T
    return columns[0], columns[1]


@pytest.mark.parametrize(
    ("a", "b"), [("random:seed=7", "random:seed=7"), ("ab:depth=1,eps=1", "ab:depth=1,eps=1")]
)
def test_players_of_one_seed_draw_numbers_of_their_own(a: str, b: str) -> None:
    first, second = first_choices(a, b, 1500)
    same = int((first == second).sum())
    assert abs(same - 1500 / 46) < 5 * (1500 / 46) ** 0.5
    assert abs(np.corrcoef(first, second)[0, 1]) < 5 / 1500**0.5
    # And from game to game, and from one seed to the next.
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 5 / 1500**0.5
    other, _ = first_choices(a.replace("=7", "=8"), b, 1500)
    if "=7" in a:
        assert abs(np.corrcoef(first, other)[0, 1]) < 5 / 1500**0.5
    assert len(np.unique(first)) == 46


def test_a_player_of_chance_plays_both_games_of_a_pair_anew() -> None:
    for pair in play_pairs("random", "random", openings(20), seed=4):
        red, blue = pair.games
        cut = red.opening
        assert red.game.moves[:cut] == blue.game.moves[:cut]
        assert red.game.moves != blue.game.moves


def test_a_player_without_chance_plays_one_game_against_itself() -> None:
    for pair in play_pairs("ab:nodes=40", "ab:nodes=40", openings(5), max_turns=60):
        assert pair.games[0].game == pair.games[1].game
        assert sum(pair.scores) == 1


# ---- Pairs ------------------------------------------------------------------------------------

PLAYERS = ("greedy:eps=0.2", "ab:nodes=60,temp=200")


def results(**options: Any) -> list[PairResult]:
    given: dict[str, Any] = {"openings": openings(12, seed=1), "seed": 11, "max_turns": 80}
    return list(play_pairs(*PLAYERS, **given | options))


def test_any_number_of_workers_plays_the_same() -> None:
    alone = results()
    assert [pair.index for pair in alone] == list(range(12))
    for workers in (2, 3, 7, 50):
        assert results(workers=workers) == alone


def test_any_split_plays_the_same() -> None:
    whole, games = results(), openings(12, seed=1)
    for cut in (1, 5):
        first = results(openings=games[:cut], workers=2)
        rest = results(openings=iter(games[cut:]), first_pair=cut)
        assert first + rest == whole


def test_a_pair_alone_is_the_pair_of_the_match() -> None:
    whole, games = results(), openings(12, seed=1)
    a, b = map(make_player, PLAYERS)
    for index in (7, 0, 11):
        assert play_pair(index, games[index], a, b, seed=11, max_turns=80) == whole[index]


def test_games_depend_on_the_seed() -> None:
    assert results(seed=12) != results()


def test_seen_from_the_other_side() -> None:
    games = openings(8)
    one = list(play_pairs("ab:nodes=150", "ab:depth=1", games, max_turns=100))
    other = list(play_pairs("ab:depth=1", "ab:nodes=150", games, max_turns=100))
    assert [p.scores for p in one] == [(1 - q.scores[1], 1 - q.scores[0]) for q in other]


def test_results_are_told_in_order_as_soon_as_they_are_there() -> None:
    told: list[PairResult] = []
    assert results(workers=3, finished=told.append) == told


def test_openings_are_read_as_far_as_needed() -> None:
    read = 0

    def endless() -> Iterator[cf.Game]:
        nonlocal read
        for game in itertools.cycle(openings(3)):
            read += 1
            yield game

    played = play_pairs("random", "random", endless(), max_turns=10, workers=2)
    assert [pair.index for pair in itertools.islice(played, 300)] == list(range(300))
    played.close()
    assert read <= 1000


def test_no_openings_no_pairs() -> None:
    assert list(play_pairs("random", "random", [])) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"workers": 0}, "workers is 0, expected an integer from 1 to 1024"),
        ({"seed": -1}, "seed is -1"),
        ({"first_pair": -1}, "first_pair is -1"),
        ({"max_turns": 0}, "max_turns is 0"),
        ({"finished": 5}, "finished is 5, expected a function"),
        ({"openings": 5}, "openings is 5, expected"),
        ({"openings": "a5NE"}, "openings is 'a5NE', expected"),
        ({"rules": "standard"}, "rules is 'standard', expected Rules or None"),
    ],
)
def test_arguments_are_checked_at_the_call(change: dict[str, Any], words: str) -> None:
    given = {"openings": openings(2)} | change
    with pytest.raises(cf.ArgumentError, match=words):
        play_pairs("random", "random", **given)


@pytest.mark.parametrize("text", ["bogus", "ab:nodes=0", ""])
def test_players_texts_are_checked_at_the_call(text: str) -> None:
    for players in ((text, "random"), ("random", text)):
        with pytest.raises(cf.NotationError):
            play_pairs(*players, openings(1))


def test_bad_openings_are_refused_before_play() -> None:
    told: list[PairResult] = []
    rules = cf.Rules(reserve=2)
    games = [*openings(2), cf.Game(rules=rules)]
    with pytest.raises(cf.ArgumentError, match="opening 2 is under the rules reserve=2, the match"):
        list(play_pairs("random", "random", games, finished=told.append))
    with pytest.raises(cf.ArgumentError, match="opening is 'a5NE', expected a Game under way"):
        list(play_pairs("random", "random", ["a5NE"], finished=told.append))  # type: ignore[list-item]
    assert told == []


# ---- What is left of programs -----------------------------------------------------------------


def ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("how", ["done", "closed", "interrupted"])
def test_programs_end_with_the_match(how: str, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    start = f"open({str(pids)!r}, 'a').write(str(os.getpid()) + ' ')"
    spec = PlayerSpec._of("ext", {"cmd": program(start=start)})

    def finished(pair: PairResult) -> None:
        if how == "interrupted":
            raise KeyboardInterrupt

    played = play_pairs("random", spec, openings(4), workers=2, max_turns=12, finished=finished)
    if how == "done":
        assert len(list(played)) == 4
    elif how == "closed":
        next(played)
        played.close()
    else:
        with pytest.raises(KeyboardInterrupt):
            next(played)
    started = [int(pid) for pid in pids.read_text().split()]
    assert 1 <= len(started) <= 2
    assert all(map(ended, started))


def test_the_first_player_ends_if_the_second_cannot_be_made(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    start = f"open({str(pids)!r}, 'a').write(str(os.getpid()))"
    spec = PlayerSpec._of("ext", {"cmd": program(start=start)})
    with pytest.raises(cf.ChaseError, match=r"none\.json"):
        list(play_pairs(spec, f'ab:weights="{tmp_path / "none.json"}"', openings(2)))
    assert ended(int(pids.read_text()))


def test_a_program_plays_as_the_core_does() -> None:
    """The engine of the protocol, driven from outside, plays the games of the player it is."""
    command = shlex.join([sys.executable, "-m", "chase_fast", "engine"])
    spec = PlayerSpec._of("ext", {"cmd": command, "nodes": 60})
    outside = list(play_pairs(spec, "greedy", openings(2), seed=3, max_turns=40))
    inside = list(play_pairs("ab:nodes=60", "greedy", openings(2), seed=3, max_turns=40))
    assert outside == inside
