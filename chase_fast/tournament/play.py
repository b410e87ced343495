"""Plays tournaments and sequential tests, whole or from where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final

from chase_fast._arguments import as_int, callback, flag, instance, whole_number
from chase_fast._core import MAX_TURN_LIMIT, Rules, StopFlag
from chase_fast.agents import PlayerSpec, make_player
from chase_fast.batch import MAX_SEED, MAX_THREADS
from chase_fast.cells import DEFAULT_MAX_TURNS, Cell, numbered
from chase_fast.errors import ArgumentError
from chase_fast.openings import MAX_OPENINGS
from chase_fast.openingset import DEFAULT_OPENING_TURNS, OpeningSet
from chase_fast.runner import Plan, Progress, play_run
from chase_fast.runs import Settings, begin
from chase_fast.simulate import derive_seed
from chase_fast.stats.estimates import MOST_REPLICATIONS
from chase_fast.stats.sprt import Model
from chase_fast.store import Run
from chase_fast.tournament.document import make_document
from chase_fast.tournament.results import SprtResult, TournamentResult, read_results
from chase_fast.tournament.schedule import Format, read_players, schedule
from chase_fast.tournament.sequential import DEFAULT_CHECKPOINT, SequentialTest
from chase_fast.tournament.snapshot import Snapshot

DEFAULT_MOST_PAIRS: Final = 20_000
"""Openings after which a sequential test ends in any case."""

FilePath = str | PathLike[str]
Watch = Callable[[Snapshot], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Common:
    """Arguments that both functions have, checked."""

    rules: Rules | None
    pairs: int
    seed: int
    opening_turns: int
    openings: FilePath | None
    bound: int | None
    max_turns: int
    workers: int
    out: FilePath | None
    resume: bool
    watch: Watch | None
    stop: StopFlag | None = None

    def __post_init__(self) -> None:
        instance(self.rules or Rules(), "rules", Rules, "Rules or None")
        whole_number(self.pairs, "pairs", 1, MAX_OPENINGS)
        whole_number(self.seed, "seed", 0, MAX_SEED)
        whole_number(self.max_turns, "max_turns", 1, MAX_TURN_LIMIT)
        whole_number(self.workers, "workers", 1, MAX_THREADS)
        flag(self.resume, "resume")
        callback(self.watch, "watch")
        if self.openings is not None and self.bound is not None:
            raise ArgumentError(
                f"bound is {self.bound}, expected None: openings from a file are taken as they are"
            )
        if self.resume and self.out is None:
            raise ArgumentError("resume is True, but out is None: nothing was kept")

    def opening_set(self, rules: Rules) -> OpeningSet:
        """As many openings as are played."""
        if self.openings is None:
            return OpeningSet.generate(
                [rules], self.pairs, turns=self.opening_turns, seed=self.seed, bound=self.bound,
                stop=self.stop,
            )  # fmt: skip
        path = Path(self.openings)
        read = OpeningSet.read(path, [rules])
        if len(read) < self.pairs:
            raise ArgumentError(
                f"pairs is {self.pairs}, expected an integer from 1 to {len(read)}: "
                f"{path.name} has no more openings"
            )
        return OpeningSet(read.turns, read.codes[: self.pairs], read.source, self.pairs)

    def words(self, rules: Rules, defaults: dict[str, Any]) -> list[str]:
        """The options of a command line that plays the same games."""
        found = ["--rules", str(rules), "--pairs", str(self.pairs), "--seed", str(self.seed)]
        if self.openings is not None:
            found += ["--openings", str(self.openings)]
        else:
            found += ["--opening-turns", str(self.opening_turns)]
        if self.bound is not None:
            found += ["--bound", str(self.bound)]
        found += ["--max-turns", str(self.max_turns)]
        for name, value in defaults.items():
            # The shortest text that reads as the same number.
            found += [
                name,
                repr(value).removesuffix(".0") if isinstance(value, float) else str(value),
            ]
        return found


def play_tournament(
    players: Iterable[PlayerSpec | str],
    *,
    format: Format = "round-robin",
    seeds: int = 1,
    rules: Rules | None = None,
    pairs: int = 100,
    seed: int = 0,
    opening_turns: int = DEFAULT_OPENING_TURNS,
    openings: FilePath | None = None,
    bound: int | None = None,
    max_turns: int = DEFAULT_MAX_TURNS,
    workers: int = 1,
    out: FilePath | None = None,
    resume: bool = False,
    bootstrap: int = 1000,
    watch: Watch | None = None,
) -> TournamentResult:
    """Plays a tournament and rates the players.

    Every two players of the schedule play two games of each opening, with the sides swapped; the
    openings are the same for all.

    Args:
        players: Two or more, all different: texts, or what they were parsed to.
        format: Who plays whom; see `schedule`.
        seeds: Likewise.
        rules: By default standard.
        pairs: Openings, 1 to `chase_fast.openings.MAX_OPENINGS`.
        seed: Of openings, games and bootstrap, 0 to 2**64 - 1.
        opening_turns: Random turns of each opening, even, 0 to
            `chase_fast.openings.MAX_OPENING_TURNS`.
        openings: A file to read them from instead, the first `pairs` of it.
        bound: The evaluation's size, thousandths of a die, from which on a random opening is
            refused; None refuses none.
        max_turns: Turns from the end of the opening after which a game ends without a winner.
        workers: Threads, 1 to 1024; results do not depend on it.
        out: Folder for the run, missing or empty; None keeps nothing.
        resume: Whether to go on with the run in `out`, if there is one.
        bootstrap: Replications for the intervals of ratings; see `stats.ratings.fit_ratings`.
        watch: Called in the beginning and after each chunk of games.

    Returns:
        The result, read from what was stored. With players whose games depend on clocks, threads
        or programs it cannot be repeated exactly.

    Raises:
        NotationError: A text that names no player, or an openings file with a line that is no
            opening under the rules.
        ArgumentError: An argument that is not as described, or fewer openings than pairs.
        WeightsError: A weight file that cannot be read.
        PlayerError: A program that does not start.
        StoreError: A folder with something else in it, or damaged.
        OSError: It cannot be written, or the openings not be read.
    """
    specs = read_players(players)
    pairings = schedule(specs, format, seeds=seeds)
    if as_int(bootstrap) != 0:
        whole_number(bootstrap, "bootstrap", 100, MOST_REPLICATIONS)
    common = _Common(
        rules=rules, pairs=pairs, seed=seed, opening_turns=opening_turns, openings=openings,
        bound=bound, max_turns=max_turns, workers=workers, out=out, resume=resume, watch=watch,
    )  # fmt: skip
    settings = _tournament(common, specs, pairings, format, seeds, bootstrap)
    return TournamentResult(**_play(common, settings, None))


def tournament_settings(
    players: Iterable[PlayerSpec | str],
    *,
    rules: Rules | None = None,
    pairs: int = 100,
    seed: int = 0,
    opening_turns: int = DEFAULT_OPENING_TURNS,
    max_turns: int = DEFAULT_MAX_TURNS,
    stop: StopFlag | None = None,
) -> Settings:
    """What `play_tournament` would play, everybody against everybody, for those who play it.

    Args:
        players: See `play_tournament`, as all others.
        rules: By default standard.
        pairs: Openings.
        seed: Of openings, games and bootstrap.
        opening_turns: Random turns of each opening.
        max_turns: Turns after which a game ends without a winner.
        stop: Ends the drawing of openings early.

    Raises:
        StoppedError: The flag was set.
        NotationError, ArgumentError: As `play_tournament`.
    """
    specs = read_players(players)
    common = _Common(
        rules=rules, pairs=pairs, seed=seed, opening_turns=opening_turns, openings=None,
        bound=None, max_turns=max_turns, workers=1, out=None, resume=False, watch=None,
        stop=stop,
    )  # fmt: skip
    return _tournament(common, specs, schedule(specs, "round-robin"), "round-robin", 1, 1000)


def _tournament(
    common: _Common, specs: Sequence[PlayerSpec], pairings: Sequence[tuple[PlayerSpec, PlayerSpec]],
    format: Format, seeds: int, bootstrap: int,
) -> Settings:  # fmt: skip
    options = {"format": format, "seeds": seeds, "bound": common.bound, "bootstrap": bootstrap}
    words: dict[str, Any] = {"--format": format}
    if format == "gauntlet":
        words["--seeds"] = seeds
    words["--bootstrap"] = bootstrap
    command = ["chase-fast", "tournament", *map(str, specs)]
    return _settings(common, pairings, options, command, words, None)


def play_sprt(
    a: PlayerSpec | str,
    b: PlayerSpec | str,
    *,
    elo0: float = 0.0,
    elo1: float = 5.0,
    alpha: float = 0.05,
    beta: float = 0.05,
    model: Model = "normalized",
    checkpoint: int = DEFAULT_CHECKPOINT,
    rules: Rules | None = None,
    pairs: int = DEFAULT_MOST_PAIRS,
    seed: int = 0,
    opening_turns: int = DEFAULT_OPENING_TURNS,
    openings: FilePath | None = None,
    bound: int | None = None,
    max_turns: int = DEFAULT_MAX_TURNS,
    workers: int = 1,
    out: FilePath | None = None,
    resume: bool = False,
    watch: Watch | None = None,
) -> SprtResult:
    """Plays two players until it is clear whether A is better than B by `elo0` or by `elo1`.

    The test (GSPRT, on pairs of games) is looked at after every `checkpoint` openings in their
    order; what was played beyond the look that ends it is forgotten.

    Args:
        a: A player.
        b: Another one.
        elo0: See `SequentialTest`, as the next five.
        elo1: Above `elo0`.
        alpha: Chance to accept `elo1` where `elo0` is true.
        beta: Chance to accept `elo0` where `elo1` is true.
        model: What a difference is measured in: "normalized" or "logistic" Elo.
        checkpoint: Openings between two looks.
        rules: See `play_tournament`, as all that follow.
        pairs: Openings after which it ends in any case.
        seed: Of openings and games.
        opening_turns: Random turns of each opening.
        openings: A file to read them from instead.
        bound: Evaluation from which on a random opening is refused.
        max_turns: Turns after which a game ends without a winner.
        workers: Threads.
        out: Folder for the run.
        resume: Whether to go on with what is in it.
        watch: Called in the beginning and after each chunk of games.

    Returns:
        The result, read from what was stored.

    Raises:
        NotationError, ArgumentError, WeightsError, PlayerError, StoreError, OSError: As
            `play_tournament`.
    """
    specs = read_players([a, b])
    test = SequentialTest(elo0, elo1, alpha, beta, model, checkpoint)
    common = _Common(
        rules=rules, pairs=pairs, seed=seed, opening_turns=opening_turns, openings=openings,
        bound=bound, max_turns=max_turns, workers=workers, out=out, resume=resume, watch=watch,
    )  # fmt: skip
    return SprtResult(**_play(common, _sprt(common, specs, test), test))


def sprt_settings(
    a: PlayerSpec | str,
    b: PlayerSpec | str,
    test: SequentialTest,
    *,
    rules: Rules | None = None,
    pairs: int = DEFAULT_MOST_PAIRS,
    seed: int = 0,
    opening_turns: int = DEFAULT_OPENING_TURNS,
    max_turns: int = DEFAULT_MAX_TURNS,
    stop: StopFlag | None = None,
) -> Settings:
    """What `play_sprt` would play, for those who play it and ask `SequentialTest.enough`.

    Args:
        a: A player.
        b: Another one.
        test: What is tested.
        rules: See `play_sprt`, as all that follow.
        pairs: Openings after which it ends in any case.
        seed: Of openings and games.
        opening_turns: Random turns of each opening.
        max_turns: Turns after which a game ends without a winner.
        stop: Ends the drawing of openings early.

    Raises:
        StoppedError: The flag was set.
        NotationError, ArgumentError: As `play_sprt`.
    """
    common = _Common(
        rules=rules, pairs=pairs, seed=seed, opening_turns=opening_turns, openings=None,
        bound=None, max_turns=max_turns, workers=1, out=None, resume=False, watch=None,
        stop=stop,
    )  # fmt: skip
    return _sprt(common, read_players([a, b]), test)


def _sprt(common: _Common, specs: Sequence[PlayerSpec], test: SequentialTest) -> Settings:
    options = {"format": "sprt", "bound": common.bound, "sprt": test.describe()}
    words = {f"--{name}": value for name, value in test.describe().items()}
    command = ["chase-fast", "sprt", *map(str, specs)]
    return _settings(common, [(specs[0], specs[1])], options, command, words, test)


def _play(common: _Common, settings: Settings, test: SequentialTest | None) -> dict[str, Any]:
    """Plays what is missing, and reads the results."""
    plan = settings.plan
    folder = None if common.out is None else Path(common.out)
    fresh = folder is None or not (common.resume and Run.exists(folder))
    if fresh:
        _start_programs(plan)
    with begin(folder, settings, resume=common.resume) as run:
        if not fresh and not _finished(run, plan):
            _start_programs(plan)
        _play_on(run, plan, common, test)
        found = read_results(run, plan)
        return {**found, "document": make_document(run, plan, found)}


def _settings(
    common: _Common,
    pairings: Sequence[tuple[PlayerSpec, PlayerSpec]],
    options: dict[str, Any],
    command: list[str],
    words: dict[str, Any],
    test: SequentialTest | None,
) -> Settings:
    rules = Rules() if common.rules is None else common.rules
    cells = numbered(
        [
            Cell(
                0, str(rules), rules, a, b,
                seed=derive_seed(common.seed, "cell", str(a), str(b)), max_turns=common.max_turns,
            )
            for a, b in pairings
        ]
    )  # fmt: skip
    plan = Plan(
        cells, [common.opening_set(rules)], common.pairs,
        # Random games cost so little that their decisions are cheaper to repeat than to keep.
        moves=not all(cell.fast for cell in cells),
        checkpoint=None if test is None else test.checkpoint,
    )  # fmt: skip
    return Settings(
        "tournament", plan, common.seed, options, [*command, *common.words(rules, words)]
    )


def _play_on(run: Run, plan: Plan, common: _Common, test: SequentialTest | None) -> None:
    watch = common.watch

    def tell(progress: Progress) -> None:
        if watch is not None:
            watch(Snapshot(plan.cells, progress, test))

    enough = None if test is None else test.enough
    play_run(run, plan, workers=common.workers, watch=tell, enough=enough)


def _finished(run: Run, plan: Plan) -> bool:
    done = sum(chunk.count for chunk in run.chunks())
    return run.fact("stopped_at") is not None or done == plan.pairs * len(plan.cells)


def _start_programs(plan: Plan) -> None:
    """Looks whether the programs among the players start, before anything is played.

    Later on one that does not start has lost a game; a wrong name should not lose a tournament.

    Raises:
        PlayerError: One does not.
    """
    programs = {
        str(player): (player, cell.rules)
        for cell in plan.cells
        for player in (cell.a, cell.b)
        if player.kind == "ext"
    }
    for player, rules in programs.values():
        make_player(player, rules, start=True).close()
