"""The rule options of R12 as a value."""

from __future__ import annotations

from dataclasses import dataclass

HANDOUTS = ("lowest", "any")
REPETITIONS = ("threefold", "moves", "none")
DICE_AT_START = 9


@dataclass(frozen=True)
class RefRules:
    """One rule set; the defaults are the standard game (R12).

    Raises:
        ValueError: A field is outside the range that R12 gives it.
    """

    reserve: int = 1
    recycle: bool = True
    chain: bool = False
    handout: str = "lowest"
    setup: str = "123454321"
    wrap: bool = True
    ricochet: bool = True
    repetition: str = "threefold"

    def __post_init__(self) -> None:
        if not 0 <= self.reserve <= 16:
            raise ValueError(f"reserve is {self.reserve}, expected 0 to 16")
        if self.handout not in HANDOUTS:
            raise ValueError(f"handout is {self.handout!r}, expected one of {HANDOUTS}")
        if self.repetition not in REPETITIONS:
            raise ValueError(f"repetition is {self.repetition!r}, expected one of {REPETITIONS}")
        if len(self.setup) != DICE_AT_START or any(v not in "123456" for v in self.setup):
            raise ValueError(f"setup is {self.setup!r}, expected nine values 1 to 6")

    @property
    def total(self) -> int:
        """Pips each side starts with and shows after each of its turns (R5)."""
        return sum(int(value) for value in self.setup)

    @property
    def dice(self) -> int:
        """Dice of each side, on the board and spare, at the start (R5, R13)."""
        return DICE_AT_START + self.reserve
