"""Pictures kept as golden files: what each shows is in its name."""

from typing import Any, NamedTuple

from chase_fast._core import Position, Rules
from chase_fast.svg import board_svg
from chase_fast.textboard import text_board

START = "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r"
CROWD = "AaAaAaAaA/aAaAaAaAa/AaAaAaAaA/9/9/aAaAaAaAa/AaAaAaAaA/aAaAa4/9 r - 0/0"


class Case(NamedTuple):
    """A position, the decision drawn with it, and options.

    Attributes:
        cfen: The position before the decision, or the one drawn if there is none.
        move: The decision drawn, or "".
        rules: Rules text.
        svg: Options of ``board_svg``, or None for no picture.
        text: Options of ``text_board``, or None for no text.
    """

    cfen: str
    move: str = ""
    rules: str = "standard"
    svg: dict[str, Any] | None = None
    text: dict[str, Any] | None = None

    def scene(self) -> dict[str, Any]:
        """The arguments that both ways of drawing share, ``position`` among them."""
        position = Position.parse(self.cfen, Rules.parse(self.rules))
        if not self.move:
            return {"position": position}
        return {
            "position": position.apply(self.move),
            "last_move": self.move,
            "before": position,
        }


CASES = {
    "start": Case(START, svg={"theme": "auto"}, text={}),
    "wrap": Case(START, "a9NE", text={}),
    "ricochet": Case(
        "abcde2ba/5c3/6d2/9/9/F8/9/9/1BCDECB2 r - 3/1",
        "d1SW",
        svg={"theme": "dark"},
        text={"unicode": False},
    ),
    "ring": Case(START, "a1W", text={"colour": True}),
    "bump_ricochet": Case(
        "6C2/6d2/b1C6/9/b4b3/1Ae6/F2f5/D8/A4E1dB r - 2/3", "g3SW", svg={"theme": "light"}
    ),
    "bump_capture": Case(
        "aad1dbfba/9/9/9/9/1C7/9/9/DA1dBDEDB r - 7/6",
        "a2W",
        rules="reserve=6",
        svg={"theme": "dark", "orientation": "blue"},
        text={"orientation": "blue"},
    ),
    "double_capture": Case(
        "1bcdedcb1/9/9/9/5a3/4a4/5B3/9/A1CDEDCBA r - 1/1",
        "c6NW",
        svg={"theme": "light", "size": 900},
        text={},
    ),
    "exit_chain": Case(
        "3c3d1/6c2/2a6/b1a6/3b1CA2/1Cc1C4/2fD5/1A4C2/4CD3 r - 1/1",
        "b7NW",
        rules="chain=yes",
        text={},
    ),
    "exchange_wrap": Case(
        "8d/B8/4eC2b/c1d2D1d1/3C5/B8/E7A/7E1/c8 b - 2/3", "g9=1,f1=4", svg={"theme": "light"}
    ),
    "exchange": Case(START, "a3=5,a4=2", text={"unicode": False}),
    "distribution": Case("1bcdedcb1/9/9/9/5A3/4A4/9/9/A1CDEDCBA b - 0/3", "+i8", text={}),
    "series": Case(
        "3b5/3ba4/1e4E2/8c/1B6c/1e4BA1/9/C2Bd2F1/7D1 r - 17/17",
        "g7SW",
        rules="chain=yes,reserve=16",
        svg={"theme": "light"},
        text={},
    ),
    "won": Case("1b7/2c4c1/1E3D2a/4a4/1d5d1/Ef6a/8F/9/E8 b - 5/1", "h8NW", text={}),
    "crowd": Case(CROWD, rules="reserve=16", text={"unicode": False}),
    "plans": Case(
        START,
        rules="wrap=no,ricochet=no",
        svg={
            "theme": "light",
            "coordinates": "cells",
            "highlight": ("b3", 40),
            "arrows": ("a5NW", "a1=2,a2=1", ("i1", "e9")),
        },
        text={},
    ),
}


def files() -> dict[str, str]:
    """The golden files by name."""
    drawn: dict[str, str] = {}
    for name, case in CASES.items():
        if case.svg is not None:
            drawn[f"{name}.svg"] = board_svg(**case.scene(), **case.svg)
        if case.text is not None:
            drawn[f"{name}.txt"] = text_board(**case.scene(), **case.text) + "\n"
    return drawn
