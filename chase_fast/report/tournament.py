"""The report of a tournament: ratings, crosses, and the course of a sequential test."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from chase_fast.report.document import Document
from chase_fast.report.parts import Block, Figure, Panel, Report, Section, Table
from chase_fast.report.plots import (
    SERIES,
    Curve,
    Frame,
    Row,
    bars,
    curves,
    intervals,
)
from chase_fast.report.shared import (
    facts,
    how_made,
    samples,
    termination_cell,
    termination_label,
    warnings_of,
)
from chase_fast.report.words import (
    UNKNOWN,
    bound_sign,
    chance,
    counted,
    elo_text,
    fixed,
    percent,
    percent_with,
    rating_text,
    whole,
)

PAIR_CLASSES = ("0", "½", "1", "1½", "2")
"""Points of the first player in a pair of games, as in `chase_fast.stats`."""


def tournament_report(document: Document) -> Report:
    """Puts the sections together.

    Args:
        document: A checked document of kind "tournament".
    """
    sections = [
        *_test(document),
        *_ratings(document),
        *_pairs(document),
        *_superiority(document),
        *_terminations(document),
        *samples(document),
        how_made(document, [("Rules", str(document.get("rules") or UNKNOWN))]),
    ]
    return Report(
        document["title"],
        [*facts(document), str(document["format"])],
        document.get("verdicts") or [],
        warnings_of(document),
        sections,
    )


# ---- The sequential test ----------------------------------------------------------------------


def _test(document: Document) -> list[Section]:
    test = document.get("sprt")
    if not test:
        return []
    classes = test["pentanomial"]
    unit = "nElo" if str(test["model"]).startswith("norm") else "Elo"
    rows = [
        ("state", str(test["state"])),
        ("log-likelihood ratio", fixed(test["llr"], 3)),
        ("accepts H0 at or below", fixed(test["lower"], 3)),
        ("accepts H1 at or above", fixed(test["upper"], 3)),
        (f"H0, {unit}", fixed(test["elo0"], 2)),
        (f"H1, {unit}", fixed(test["elo1"], 2)),
        ("error of the first kind", percent(test["alpha"])),
        ("error of the second kind", percent(test["beta"])),
        ("model", str(test["model"])),
        ("pairs of games", whole(sum(classes))),
    ]
    blocks: list[Block] = [Table(("", ""), rows, "Sequential test of two players")]
    if test["path"]:
        blocks.append(_path(test))
    blocks.append(_pentanomial(test))
    return [Section("sprt", "Sequential test", blocks)]


def _path(test: Mapping[str, Any]) -> Figure:
    pairs, ratios = zip(*test["path"], strict=True)
    frame = Frame(
        "llr",
        "Course of the test",
        "pairs of games",
        "log-likelihood ratio",
        counted([pairs[-1]], "pairs"),
    )
    line = Curve(SERIES[0], "", pairs, ratios, markers=len(pairs) < 2)
    draw = partial(curves, frame, [line], from_zero=False, levels=(test["lower"], test["upper"]))
    return Figure(
        "Course of the test",
        "The two lines across are the bounds: at the upper one the test accepts H1, at the lower "
        "one H0.",
        [Panel("", draw)],
    )


def _pentanomial(test: Mapping[str, Any]) -> Figure:
    classes = test["pentanomial"]
    frame = Frame(
        "pentanomial",
        "Pairs of games by points",
        "points of the first player in a pair",
        "pairs (number)",
        counted([sum(classes)], "pairs"),
    )
    table = Table(PAIR_CLASSES, [[whole(count) for count in classes]], "Pairs by points",
                  frozenset())  # fmt: skip
    draw = partial(bars, frame, PAIR_CLASSES, classes, SERIES[0])
    caption = "Two games from one opening with sides swapped."
    return Figure("Pairs by points", caption, [Panel("", draw)], (), table)


# ---- Ratings ----------------------------------------------------------------------------------


def _ratings(document: Document) -> list[Section]:
    players = document["players"]
    if not players:
        return []
    rated = any(player["rating"] is not None for player in players)
    counts = ("wins", "draws", "losses", "crashes", "time_losses", "illegal")
    headings = (
        "player",
        *(("rating, Elo", "95 % interval") if rated else ()),
        *("games", "score", "wins", "draws", "losses"),
        *("crashes", "lost on time", "illegal decisions"),
    )
    rows = [
        [
            player["name"],
            *((rating_text(player), _rating_interval(player)) if rated else ()),
            whole(player["games"]),
            percent(player["score"]),
            *(whole(player.get(name)) for name in counts),
        ]
        for player in players
    ]
    if not rated:
        return [Section("ratings", "Players", [Table(headings, rows, "Results of each player")])]
    caption = (
        "Ratings after Bradley and Terry on the Elo scale. With < or > the rating is a bound: "
        "the player has no point, or gave none away."
    )
    blocks: list[Block] = [Table(headings, rows, caption), _rating_plot(players)]
    blocks += _terms(document)
    return [Section("ratings", "Ratings", blocks)]


def _rating_interval(player: Mapping[str, Any]) -> str:
    """The interval of a rating; a bound has one end."""
    ends = [fixed(player[name], 0, sign=True) for name in ("low", "high")]
    match bound_sign(player):
        case "<" if ends[1] != UNKNOWN:
            return f"up to {ends[1]}"
        case ">" if ends[0] != UNKNOWN:
            return f"from {ends[0]}"
    return UNKNOWN if ends == [UNKNOWN, UNKNOWN] else f"{ends[0]} to {ends[1]}"


def _rating_plot(players: list[dict[str, Any]]) -> Figure:
    rows = []
    for player in players:
        low, high = player["low"], player["high"]
        sign = bound_sign(player)
        low, high = (None if sign == "<" else low), (None if sign == ">" else high)
        text = rating_text(player)
        if low is not None and high is not None:
            text += f" ({_rating_interval(player)})"
        rows.append(Row(player["name"], player["rating"], low, high, text, SERIES[0]))
    frame = Frame(
        "ratings",
        "Ratings",
        "rating (Elo)",
        "players",
        counted((player["games"] for player in players), "games a player"),
    )
    caption = "Dots are ratings, bars 95 % intervals; a bar that leaves the plot has no end there."
    draw = partial(intervals, frame, rows, shares=False)
    return Figure("Ratings with intervals", caption, [Panel("", draw)])


def _terms(document: Document) -> list[Block]:
    """The terms that the ratings have beside the players' strengths."""
    terms = document.get("terms")
    if not terms:
        return []
    rows = []
    for key, label in (("first_move", "moving first, Elo"), ("draw", "draw term")):
        item = terms.get(key)
        if item is not None:
            decimals = 1 if key == "first_move" else 3
            ends = [fixed(item.get(end), decimals, sign=True) for end in ("low", "high")]
            interval = UNKNOWN if ends == [UNKNOWN, UNKNOWN] else " to ".join(ends)
            rows.append([label, fixed(item["value"], decimals, sign=key == "first_move"), interval])
    virtual = terms.get("virtual_pairs")
    if virtual is not None:
        rows.append(["virtual drawn pairs, added to the results", whole(virtual), UNKNOWN])
    return [Table(("term", "value", "95 % interval"), rows, "Terms of the ratings")] if rows else []


# ---- Pairings ---------------------------------------------------------------------------------


def _pairs(document: Document) -> list[Section]:
    pairs = document["pairs"]
    if not pairs:
        return []
    blocks: list[Block] = []
    names = [player["name"] for player in document["players"]]
    if len(names) > 2:
        blocks.append(_cross(names, pairs))
    headings = (
        *("first", "second", "score of the first", "Elo", "wins", "draws", "losses", "games"),
        f"pairs with {' / '.join(PAIR_CLASSES)} points",
    )
    rows = [
        [
            *(pair["a"], pair["b"]),
            percent_with(pair["score"], pair["low"], pair["high"]),
            elo_text(pair["elo"], pair["score"], pair["low"], pair["high"]),
            *(whole(pair.get(name)) for name in ("wins", "draws", "losses")),
            whole(pair["games"]),
            " / ".join(whole(count) for count in pair.get("pentanomial") or ()) or UNKNOWN,
        ]
        for pair in pairs
    ]
    blocks.append(Table(headings, rows, "Every pairing, with 95 % intervals", frozenset({0, 1})))
    return [Section("pairs", "Pairings", blocks)]


def _cross(names: list[str], pairs: list[dict[str, Any]]) -> Table:
    scores: dict[tuple[str, str], float | None] = {}
    for pair in pairs:
        score = pair["score"]
        scores[pair["a"], pair["b"]] = score
        scores[pair["b"], pair["a"]] = None if score is None else 1 - score
    rows = [
        [name, *("" if name == other else percent(scores.get((name, other))) for other in names)]
        for name in names
    ]
    return Table(("score of", *names), rows, "Cross table: score of the row against the column")


def _superiority(document: Document) -> list[Section]:
    found = document.get("superiority")
    if not found:
        return []
    names = found["names"]
    rows = [
        [
            name,
            *(
                "" if name == other else chance(value)
                for other, value in zip(names, row, strict=True)
            ),
        ]
        for name, row in zip(names, found["matrix"], strict=True)
    ]
    caption = "Probability that the row is the stronger player"
    table = Table(("stronger", *names), rows, caption)
    return [Section("superiority", "Who is stronger", [table])]


def _terminations(document: Document) -> list[Section]:
    found = document.get("terminations") or []
    if not found:
        return []
    names = [item["name"] for item in found]
    total = sum(item.get("games") or 0 for item in found)
    rows = [
        [
            termination_label(name),
            termination_cell(found, name),
            whole(next(item.get("games") for item in found if item["name"] == name)),
        ]
        for name in names
    ]
    frame = Frame(
        "endings", "How games end", "share of games (%)", "termination", counted([total], "games")
    )
    ends = [
        Row(
            termination_label(item["name"]),
            item["share"],
            item.get("low"),
            item.get("high"),
            percent(item["share"]),
            SERIES[0],
        )
        for item in found
    ]
    table = Table(("termination", "share", "games"), rows, "How games end, with 95 % intervals")
    figure = Figure(
        "How games end",
        "Shares of all games, with 95 % intervals.",
        [Panel("", partial(intervals, frame, ends))],
    )
    return [Section("terminations", "Terminations", [table, figure])]
