"""Results documents to make reports of: full ones, bare ones, hostile ones.

The numbers are made up but agree with each other; they come from formulas, not from a generator
of random numbers, so that they are the same everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from chase_fast.stats.intervals import wilson

Document = dict[str, Any]

HOSTILE = "<script>alert(1)</script> & \"q\" 'a' $x_1$ | `c` *b* #0b62a4 url(https://x.example/)"
"""A name that would break a page, a picture or a table which does not escape it."""

LONG = "ab:nodes=300,weights=/a/rather/long/path/to/the/weights/of/a/variant/reserve-2.json"

VARIANTS = (
    ("standard", "standard"),
    ("reserve=0", "reserve=0"),
    ("reserve=2", "reserve=2"),
    ("chain=yes", "chain=yes"),
)
PLAYERS = (
    ("random", None),
    ("ab:nodes=300", 300),
    ("ab:nodes=3000", 3000),
)
START = "abcdedcba/9/9/9/9/9/9/9/ABCDEDCBA r - 1/1"
MIDDLE = "abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r"
RECORD = '[Rules "standard"]\n\n1. a5NE i5SE 2. a1=2,a2=1 ```\n<b>*</b>'


def balance(
    variants: Sequence[tuple[str, str]] = VARIANTS,
    players: Sequence[tuple[str, int | None]] = PLAYERS,
    *,
    levels: Sequence[str] = ("outcome", "turns", "dynamics"),
    games: int = 1000,
) -> Document:
    """A balance run with every entry that the levels allow."""
    cells = [
        _cell(variant, player, v, p, levels, games)
        for p, (player, _nodes) in enumerate(players)
        for v, (variant, _rules) in enumerate(variants)
    ]
    return {
        **_frame("balance", "Reserve and chains"),
        "levels": list(levels),
        "base": variants[0][0],
        "margin": 0.02,
        "verdicts": [
            f"Under {players[-1][0]} and the openings of seed 1, red scores 51.3 % (49.9 to 52.7) "
            f"under {variants[0][0]}: undecided.",
            "A second sentence, <as it is>.",
        ],
        "warnings": ["Above 1 % of the games under chain=yes reached the turn limit."],
        "variants": [
            {"name": name, "rules": rules, "digest": "fd07d287b384f85c", "paired": True}
            for name, rules in variants
        ],
        "players": [
            {"name": name, "text": name, "nodes": nodes, "deterministic": nodes is not None}
            for name, nodes in players
        ],
        "cells": cells,
        "comparisons": [
            _comparison(variant, variants[0][0], player, v, p)
            for p, (player, _nodes) in enumerate(players)
            for v, (variant, _rules) in enumerate(variants)
            if v
        ],
        "first_moves": [
            {
                "variant": variants[0][0],
                "player": players[-1][0],
                "rows": [
                    {"move": move, "games": 40, "score": 0.5 + n / 50, "low": 0.4, "high": 0.7}
                    for n, move in enumerate(("a5NE", "a1=2,a2=1", "a9NW"))
                ],
            }
        ],
        "sensitivity": [
            {
                "label": "opening turns 2",
                "variant": variants[0][0],
                "player": players[0][0],
                "score": 0.512,
                "low": 0.497,
                "high": 0.527,
                "n": 1000,
            }
        ],
        "samples": [_sample(number) for number in range(3)],
    }


def bare_balance() -> Document:
    """One variant, one player, the cheapest level, and null wherever a value may be unknown."""
    document = balance(VARIANTS[:1], PLAYERS[:1], levels=("outcome",), games=1)
    cell = document["cells"][0]
    cell.update(
        score={"value": 1.0, "low": None, "high": None, "se": None},
        against_half={"verdict": "undecided", "p": None, "p_equivalent": None, "mde": None,
                      "openings_needed": None, "sentence": ""},
        decisive=None,
        weights=None,
        terminations=[],
        metrics=[],
        survival={"turn": [], "alive": [], "low": [], "high": [], "n": 0},
    )  # fmt: skip
    cell["results"]["draw"] = {"games": 0, "share": 0.0, "low": None, "high": None}
    document.update(
        complete=False, result_hash=None, verdicts=[], warnings=[], comparisons=[],
        first_moves=None, sensitivity=None, samples=[], openings=None,
    )  # fmt: skip
    document["engine"]["commit"] = None
    return document


def hostile_balance() -> Document:
    """Every text from outside says something that must not be obeyed."""
    variants = [
        (HOSTILE, "standard"),
        ("_under\x00score\u202e\ud800", "reserve=2"),
        ("骰子 🎲", ""),
    ]
    document = balance(variants, [(LONG, 300), (HOSTILE, 3000)])
    document["title"] = document["machine"] = document["command"] = HOSTILE
    document["verdicts"] = document["warnings"] = [HOSTILE, "1. no list", "- none either"]
    document["samples"][0].update(title=HOSTILE, text=f"{RECORD}\n{HOSTILE}")
    document["samples"][0]["boards"][0]["caption"] = HOSTILE
    for cell in document["cells"]:
        cell["terminations"][0]["name"] = HOSTILE
        cell["metrics"][0]["label"] = cell["metrics"][0]["unit"] = HOSTILE
    return document


def tournament(
    names: Sequence[str] = ("ab:nodes=3000", "ab:nodes=300", "mcts", "random"),
) -> Document:
    """A round robin whose best player won every game and whose last one lost every game."""
    count = len(names)
    players = []
    for n, name in enumerate(names):
        score = 1 - n / (count - 1)
        bounded = {0.0: "above", 1.0: "below"}.get(score)
        players.append(
            {
                "name": name, "rating": 900.0 - 300 * n, "low": 850.0 - 300 * n,
                "high": 950.0 - 300 * n, "bounded": bounded, "games": 600, "score": score,
                "wins": round(600 * score), "draws": 0, "losses": round(600 * (1 - score)),
                "crashes": n, "time_losses": 0, "illegal": 0,
            }
        )  # fmt: skip
    pairs = [
        {
            "a": names[i], "b": names[j], "games": 200, "score": score, "low": low, "high": high,
            "elo": None if score == 1 else -400 * math.log10(1 / score - 1), "wins": 150,
            "draws": 0, "losses": 50, "pentanomial": [5, 15, 20, 30, 30],
        }
        for i in range(count)
        for j in range(i + 1, count)
        for score, low, high in [(1.0, 0.96, 1.0) if i == 0 else (0.75, 0.7, 0.8)]
    ]  # fmt: skip
    matrix = [[0.5 if i == j else float(i < j) for j in range(count)] for i in range(count)]
    return {
        **_frame("tournament", "Round robin"),
        "format": "round robin",
        "rules": "standard",
        "warnings": [],
        "players": players,
        "pairs": pairs,
        "superiority": {"names": list(names), "matrix": matrix},
        "terms": {
            "first_move": {"value": 12.5, "low": 3.1, "high": 22.0},
            "draw": {"value": 0.8, "low": 0.7, "high": 0.9},
            "virtual_pairs": len(pairs),
        },
        "terminations": _terminations(0, 1200),
        "sprt": None,
        "samples": [_sample(0)],
    }


def sprt() -> Document:
    """A sequential test that has accepted H1."""
    document = tournament(("new", "old"))
    path = [[50 * n, 0.1 * n + 0.25 * math.sin(n)] for n in range(30)]
    document.update(
        format="sprt",
        title="new against old",
        superiority=None,
        terms=None,
        sprt={
            "model": "normalized", "elo0": 0.0, "elo1": 4.0, "alpha": 0.05, "beta": 0.05,
            "lower": -2.9444, "upper": 2.9444, "llr": 2.97, "state": "accepted H1",
            "path": [*path, [1500, 2.97]], "pentanomial": [100, 300, 500, 400, 200],
        },
    )  # fmt: skip
    return document


def bare_tournament() -> Document:
    """Two players that have not met."""
    document = tournament(("a", "b"))
    for player in document["players"]:
        player.update(rating=None, low=None, high=None, bounded=None, games=0, score=None)
    document.update(complete=False, pairs=[], superiority=None, terms=None, terminations=[],
                    samples=[])  # fmt: skip
    return document


DOCUMENTS = {
    "balance": balance,
    "bare balance": bare_balance,
    "hostile balance": hostile_balance,
    "tournament": tournament,
    "hostile tournament": lambda: tournament((HOSTILE, LONG, "_x\x1b", "骰子")),
    "sprt": sprt,
    "bare tournament": bare_tournament,
}


# ---- Parts ------------------------------------------------------------------------------------


def _frame(kind: str, title: str) -> Document:
    return {
        "schema": 1,
        "kind": kind,
        "title": title,
        "complete": True,
        "command": "chase-fast balance --variant standard --variant reserve=2 --pairs 500 --seed 1",
        "seed": 1,
        "created": "2026-11-30T12:00:00Z",
        "engine": {"version": "0.2.0", "commit": "c96e39c", "isa": "x86-64-v3", "python": "3.11.2"},
        "machine": "2 cores, x86_64, Linux",
        "result_hash": "9f" * 32,
        "openings": {"turns": 4, "count": 500, "sha256": "ab" * 32, "source": "seed 1",
                     "refused_share": 0.126},
        "max_turns": 1000,
    }  # fmt: skip


def _share(value: float, games: int) -> Document:
    low, high = wilson(value * games, games)
    return {"games": round(value * games), "share": value, "low": low, "high": high}


def _cell(variant: str, player: str, v: int, p: int, levels: Sequence[str], games: int) -> Document:
    score = 0.49 + 0.012 * v + 0.015 * p
    draws = 0.05 + 0.12 * p
    low, high = wilson(score * games, games)
    return {
        "variant": variant,
        "player": player,
        "weights": "standard.json" if p else None,
        "games": games,
        "openings": max(games // 2, 1),
        "effective_n": max(games // 2, 1),
        "pilot": v == 1,
        "score": {"value": score, "low": low, "high": high, "se": 0.01},
        "against_half": {"verdict": "undecided", "p": 0.2, "p_equivalent": 0.4, "mde": 0.028,
                         "openings_needed": 4200, "sentence": f"{variant}: <undecided>."},
        "results": {
            "red": _share(score - draws / 2, games),
            "draw": _share(draws, games),
            "blue": _share(1 - score - draws / 2, games),
            "cut_short": _share(0.0, games),
        },
        "decisive": {"value": 0.53, "low": 0.49, "high": 0.57},
        "terminations": _terminations(p, games),
        "metrics": _metrics(v),
        "survival": _survival(v, games),
        "turns": _turns(v, games) if "turns" in levels else None,
        "heat": _heat(v, games) if "turns" in levels else None,
        "dynamics": _dynamics() if "dynamics" in levels else None,
    }  # fmt: skip


def _comparison(variant: str, base: str, player: str, v: int, p: int) -> Document:
    difference = 0.012 * v
    return {
        "variant": variant, "base": base, "player": player, "difference": difference,
        "low": difference - 0.018, "high": difference + 0.018, "p": 0.04, "p_holm": 0.0004 * 10**p,
        "p_equivalent": 0.3, "verdict": "different" if v == 3 else "undecided", "mde": 0.026,
        "openings_needed": None if v == 3 else 5100, "paired": v != 2, "n": 500, "nonzero": 220,
        "sentence": f"{variant} against {base} under {player}: a sentence.",
    }  # fmt: skip


def _terminations(p: int, games: int) -> list[Document]:
    drawn = 0.04 + 0.12 * p
    shares = {"dice": 0.95 - drawn, "no_decision": 0.04, "repetition": drawn, "turn_limit": 0.01}
    return [{"name": name, **_share(share, games)} for name, share in shares.items()]


def _metrics(v: int) -> list[Document]:
    rows = (
        ("decisions", "decisions a game", "decisions", 198.4 + v, 0.5, 64.0, 110, 190, 320, 611),
        ("options", "options of a decision", "options", 33.09, 0.02, 9.1, 17, 33, 48, 84),
        (
            *("refused_splits_share", "refused splits of chamber entries", "share"),
            *(0.4 / (1 + v), 0.02, 0.3, 0.0, 0.4, 0.9, 1.0),
        ),
        ("double_captures", "double captures a game", "", 0.0145, 0.002, 0.12, 0, 0, 0, 2),
    )
    return [
        {
            "key": key, "label": label, "unit": unit, "value": value, "low": value - reach,
            "high": value + reach, "sd": sd, "p05": p05, "p50": p50, "p95": p95, "max": most,
        }
        for key, label, unit, value, reach, sd, p05, p50, p95, most in rows
    ] + [
        {
            "key": "complexity", "label": "game-tree complexity", "unit": "log10", "value": 287.1,
            "low": None, "high": None, "sd": None, "p05": None, "p50": None, "p95": None,
            "max": None,
        }
    ]  # fmt: skip


def _survival(v: int, games: int) -> Document:
    turns = list(range(0, 500, 5))
    alive = [1 / (1 + math.exp((turn - 180 - 10 * v) / 35)) for turn in turns]
    ends = [wilson(share * games, games) for share in alive]
    return {
        "turn": turns,
        "alive": alive,
        "low": [low for low, _high in ends],
        "high": [high for _low, high in ends],
        "n": games,
    }


def _turns(v: int, games: int) -> Document:
    turns = list(range(0, 400, 4))

    def band(start: float, slope: float, reach: float) -> Document:
        middle = [start + slope * turn + 2 * math.sin(turn / 30 + v) for turn in turns]
        spread = {"p10": -reach, "p50": 0.0, "p90": reach}
        return {key: [max(m + shift, 0.0) for m in middle] for key, shift in spread.items()}

    return {
        "turn": turns,
        "games": [round(games / (1 + math.exp((turn - 180) / 35))) for turn in turns],
        "options": band(44, -0.06, 9),
        "dice_red": band(9, -0.012, 1),
        "dice_blue": band(9.5, -0.015, 1),
        "spare_red": band(1 + v, 0.01, 1),
        "spare_blue": band(1 + v, 0.012, 1),
    }


def _heat(v: int, games: int) -> Document:
    def board(scale: float) -> list[float]:
        return [
            0.0 if cell == 40 else scale * (1 + math.cos(cell * (1 + v) / 9)) / 2
            for cell in range(81)
        ]

    return {
        "occupied": board(0.6),
        "captured": board(0.004),
        "arrived": board(0.03),
        "games": games,
    }


def _dynamics() -> Document:
    rows = [
        {"key": "lead", "label": "lead changes", "value": 3.2, "low": 2.9, "high": 3.5},
        {"key": "drama", "label": "drama", "value": 0.081, "low": 0.07, "high": 0.092},
    ]
    return {"games": 200, "nodes": 2000, "seconds": 12.4, "rows": rows}


def _sample(number: int) -> Document:
    return {
        "title": f"Sample {number + 1}",
        "text": RECORD,
        "boards": [
            {"caption": "after the opening", "cfen": START, "rules": "standard"},
            {"caption": "in the middle", "cfen": MIDDLE, "rules": "standard"},
        ],
    }
