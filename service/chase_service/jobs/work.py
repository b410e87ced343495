"""What a job does, as data, and what the library has to be asked to do it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal

from chase_fast import Position, Rules, perft
from chase_fast._core import StopFlag
from chase_fast.agents import PlayerSpec
from chase_fast.balance import BalanceOptions, balance_settings
from chase_fast.cells import Cell, numbered
from chase_fast.openingset import OpeningSet
from chase_fast.runner import Enough, Plan
from chase_fast.runs import Settings
from chase_fast.simulate import derive_seed
from chase_fast.tournament import SequentialTest, sprt_settings, tournament_settings
from chase_service.refusal import invalid

__all__ = ["Kind", "Work"]

# Of so many turns openings are counted before they are drawn, in a fraction of a millisecond.
_COUNTED_TURNS: Final = 2

Kind = Literal["tournament", "sprt", "balance", "selfplay"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a job does.

    Attributes:
        kind: What it is.
        rules: Texts of rules; more than one for balance.
        players: Texts of players as callers write them.
        pairs: Openings of each cell.
        seed: Of openings and games.
        opening_turns: Turns of the openings.
        max_turns: Turns after which a game is drawn.
        elo0: Of the sequential test, as the next four.
        elo1: Above it.
        alpha: Chance of a wrong elo1.
        beta: Chance of a wrong elo0.
        normalized: Whether they are nElo.
        levels: What balance looks at beside outcomes.
        margin: What is no difference to balance.
        decisions: Whether self-play keeps decisions.
    """

    kind: Kind
    rules: tuple[str, ...]
    players: tuple[str, ...]
    pairs: int
    seed: int
    opening_turns: int
    max_turns: int
    elo0: float = 0.0
    elo1: float = 0.0
    alpha: float = 0.05
    beta: float = 0.05
    normalized: bool = False
    levels: tuple[str, ...] = ()
    margin: float = 0.02
    decisions: bool = False

    @property
    def games(self) -> int:
        """Games that are asked for, two an opening; what is played to check them not counted."""
        players = len(self.players)
        cells = {
            "tournament": players * (players - 1) // 2,
            "sprt": 1,
            "balance": len(self.rules) * players,
            "selfplay": 1,
        }[self.kind]
        return 2 * self.pairs * cells

    def text(self) -> str:
        """All of it as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> Work:
        """What `text` gave."""
        values = json.loads(text)
        lists = {name: tuple(values[name]) for name in ("rules", "players", "levels")}
        return cls(**{**values, **lists})

    def check_openings(self, field: str) -> None:
        """Refuses more openings than there can be, where that is seen at once.

        Whether there are as many of more than two turns is found out when they are drawn.

        Args:
            field: The kind of job in its spec.

        Raises:
            Refusal: INVALID_FIELD.
        """
        if self.opening_turns > _COUNTED_TURNS:
            return
        for start in (Position.start(Rules.parse(text)) for text in self.rules):
            # Sequences with captures, and those that lead to the same board, are none.
            most = perft(start, self.opening_turns, "turn")
            if self.pairs > most:
                raise invalid(
                    f"{field}.pairs",
                    f"{field}.pairs: {self.pairs}, but there are no more than {most} openings of "
                    f"{self.opening_turns} turns under {start.rules}",
                )

    def test(self) -> SequentialTest | None:
        """The sequential test.

        Raises:
            ArgumentError: Its numbers are not as they have to be.
        """
        if self.kind != "sprt":
            return None
        model: Literal["normalized", "logistic"] = "normalized" if self.normalized else "logistic"
        return SequentialTest(self.elo0, self.elo1, self.alpha, self.beta, model)

    def enough(self) -> Enough | None:
        """What ends its games early."""
        test = self.test()
        return None if test is None else test.enough

    def settings(self, player: Callable[[str], PlayerSpec], stop: StopFlag) -> Settings:
        """What is played. Openings are drawn here, which can take minutes.

        Args:
            player: Reads a player's text.
            stop: Ends it early.

        Raises:
            StoppedError: The flag was set.
            ArgumentError: There are not so many openings, or numbers are not as they have to be.
        """
        specs = [player(text) for text in self.players]
        rules = [Rules.parse(text) for text in self.rules]
        settings = self._settings(specs, rules, stop)
        # Its words stand in reports, and the command line of a program is the operator's.
        return replace(settings, command=[f"job of the service: {self.kind}", *self.players])

    def _settings(self, players: list[PlayerSpec], rules: list[Rules], stop: StopFlag) -> Settings:
        if self.kind == "tournament":
            return tournament_settings(
                players, rules=rules[0], pairs=self.pairs, seed=self.seed,
                opening_turns=self.opening_turns, max_turns=self.max_turns, stop=stop,
            )  # fmt: skip
        test = self.test()
        if test is not None:
            return sprt_settings(
                players[0], players[1], test, rules=rules[0], pairs=self.pairs, seed=self.seed,
                opening_turns=self.opening_turns, max_turns=self.max_turns, stop=stop,
            )  # fmt: skip
        if self.kind == "balance":
            return balance_settings(
                BalanceOptions(
                    rules, players, self.pairs, seed=self.seed, opening_turns=self.opening_turns,
                    max_turns=self.max_turns, levels=("outcome", *self.levels),
                    margin=self.margin,
                ),
                stop=stop,
            )  # fmt: skip
        return self._self_play(players[0], rules[0], stop)

    def _self_play(self, player: PlayerSpec, rules: Rules, stop: StopFlag) -> Settings:
        seed = derive_seed(self.seed, "cell", str(player), str(player))
        cell = Cell(0, str(rules), rules, player, player, seed=seed, max_turns=self.max_turns)
        openings = OpeningSet.generate(
            [rules], self.pairs, turns=self.opening_turns, seed=self.seed, stop=stop
        )
        plan = Plan(numbered([cell]), [openings], self.pairs, moves=self.decisions)
        return Settings("selfplay", plan, self.seed)
