"""The figures of a balance report."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from chase_fast.report.boards import heat_map
from chase_fast.report.grid import Cell, Grid
from chase_fast.report.parts import Block, Figure, KeyEntry, Panel, Section, Table
from chase_fast.report.plots import (
    BLUE,
    RED,
    Curve,
    Frame,
    Row,
    css,
    curves,
    intervals,
    series_style,
    stacked,
)
from chase_fast.report.shared import key_of, termination_label
from chase_fast.report.words import counted, fixed, percent, percent_with, points_with, whole

REFUSED = "refused_splits_share"
"""Key of the metric that has a figure of its own."""

_ROWS_OF_CURVES = 9  # of a table that stands for curves
_FEWEST = 0.01  # share of the games that must have come so far for a turn to be drawn


# ---- Scores -----------------------------------------------------------------------------------


def scores(grid: Grid) -> Figure:
    """First-mover score of each variant, one panel a player."""
    panels = []
    everything = [_row(grid, cell["variant"], cell["score"]) for cell in grid.cells]
    for number, (player, cells) in enumerate(grid.by_player(lambda _cell: True)):
        rows = [_row(grid, cell["variant"], cell["score"]) for cell in cells]
        frame = Frame(
            f"score-{number}",
            f"First-mover score, {player}",
            "first-mover score (%)",
            "rules",
            counted((cell["openings"] for cell in cells), "openings a row"),
        )
        draw = partial(intervals, frame, rows, reference=0.5, margin=grid.margin, beside=everything)
        panels.append(Panel(player, draw))
    margin = fixed(100 * grid.margin, 1)
    caption = (
        f"Dots are scores of the first mover, bars 95 % intervals. The line is 50 %, the band "
        f"{margin} points to either side of it."
    )
    return Figure("First-mover score by rules", caption, panels)


def differences(grid: Grid) -> Figure:
    """Difference of each variant from the base, one panel a player."""
    panels = []
    everything = [_difference(grid, item) for item in grid.comparisons]
    for number, player in enumerate(grid.players):
        found = [item for item in grid.comparisons if item["player"] == player]
        rows = [_difference(grid, item) for item in found]
        if rows:
            frame = Frame(
                f"difference-{number}",
                f"Difference from {grid.base}, {player}",
                "difference of first-mover scores (points)",
                "rules",
                counted((item.get("n") for item in found), "openings a row"),
            )
            draw = partial(
                intervals, frame, rows, reference=0.0, margin=grid.margin, beside=everything
            )
            panels.append(Panel(player, draw))
    caption = (
        f"First-mover score less that under {grid.base}, in percentage points, with 95 % "
        f"intervals. The band is the margin within which scores count as equal."
    )
    return Figure(f"Difference from {grid.base}", caption, panels)


def _difference(grid: Grid, item: Mapping[str, Any]) -> Row:
    ends = item["difference"], item["low"], item["high"]
    colour = series_style(grid.number(item["variant"]))[0]
    return Row(item["variant"], *ends, points_with(*ends), colour)


def _row(grid: Grid, variant: str, item: Mapping[str, Any]) -> Row:
    ends = item["value"], item.get("low"), item.get("high")
    return Row(variant, *ends, percent_with(*ends), series_style(grid.number(variant))[0])


# ---- Strength ---------------------------------------------------------------------------------


def ladder(grid: Grid) -> list[Section]:
    """Score and draws against nodes, for players that differ in their nodes alone."""
    panels: list[Panel] = []
    for number, (family, players) in enumerate(_families(grid).items()):
        cells = [cell for cell in grid.cells if cell["player"] in players]
        for what, axis in (("score", "first-mover score (%)"), ("draws", "draws (%)")):
            frame = Frame(
                f"ladder-{number}-{what}",
                f"{axis} by nodes, {family}",
                "nodes a decision (logarithmic)",
                axis,
                counted((cell["openings"] for cell in cells), "openings a point"),
            )
            lines = [
                line
                for variant in grid.variants
                if (line := _rungs(grid, variant, cells, what)) is not None
            ]
            if lines:
                draw = partial(
                    curves,
                    frame,
                    lines,
                    shares=True,
                    log_x=True,
                    from_zero=what == "draws",
                    levels=(0.5,) if what == "score" else (),
                )
                title = "First-mover score" if what == "score" else "Draws"
                panels.append(Panel(f"{title}, {family}", draw))
    if not panels:
        return []
    caption = (
        "Nodes searched for a decision against the first-mover score (the line is 50 %) and the "
        "share of draws, with 95 % intervals. Players that do not count nodes are left out."
    )
    figure = Figure("Strength ladder", caption, panels, key_of(grid.variants), _rung_table(grid))
    return [Section("ladder", "Strength", [figure])]


def _families(grid: Grid) -> dict[str, list[str]]:
    """Players with nodes that are otherwise alike, those with two or more strengths."""
    families: dict[str, dict[int, str]] = {}
    for player in grid.players:
        nodes = grid.nodes(player)
        if nodes:
            family = re.sub(r"\bnodes=\w+", "nodes=N", player)
            family = family if family != player else re.sub(rf"\b{nodes}\b", "N", player)
            families.setdefault(family, {})[nodes] = player
    return {name: list(found.values()) for name, found in families.items() if len(found) > 1}


def _rungs(grid: Grid, variant: str, cells: Sequence[Cell], what: str) -> Curve | None:
    rungs = []
    for cell in cells:
        share = cell["score"] if what == "score" else cell["results"].get("draw")
        nodes = grid.nodes(cell["player"])
        if cell["variant"] == variant and share is not None and nodes:
            value = share["value"] if what == "score" else share["share"]
            rungs.append((nodes, value, share["low"], share["high"]))
    if not rungs:
        return None
    x, y, low, high = zip(*sorted(rungs, key=lambda rung: rung[0]), strict=True)
    colour, dash = series_style(grid.number(variant))
    return Curve(colour, dash, x, y, low, high, markers=True)


def _rung_table(grid: Grid) -> Table:
    rows = [
        [
            cell["variant"],
            cell["player"],
            whole(grid.nodes(cell["player"])),
            _shares(cell["score"], "value"),
            _shares(cell["results"].get("draw"), "share"),
            whole(cell["openings"]),
        ]
        for cell in sorted(
            grid.cells,
            key=lambda one: (grid.number(one["variant"]), grid.nodes(one["player"]) or 0),
        )
        if grid.nodes(cell["player"])
    ]
    headings = ("rules", "player", "nodes", "first-mover score", "draws", "openings")
    return Table(headings, rows, "Score and draws by nodes", frozenset({0, 1}), folded=True)


def _shares(item: Mapping[str, Any] | None, key: str) -> str:
    return percent(None) if item is None else percent_with(item[key], item["low"], item["high"])


# ---- Length and endings -----------------------------------------------------------------------


def survival(grid: Grid) -> Figure | None:
    """How many games are still going on after so many turns, one panel a player."""
    panels, rows = [], []
    players = grid.by_player(lambda cell: cell["survival"] and cell["survival"]["turn"])
    for number, (player, cells) in enumerate(players):
        found = [cell["survival"] for cell in cells]
        frame = Frame(
            f"survival-{number}",
            f"Games still going on, {player}",
            "turns played",
            "games still going on (%)",
            counted((item.get("n") for item in found), "games a line"),
        )
        lines = []
        for cell, item in zip(cells, found, strict=True):
            style = series_style(grid.number(cell["variant"]))
            columns = (item["turn"], item["alive"], item.get("low") or (), item.get("high") or ())
            lines.append(Curve(*style, *columns, steps=True))
            rows += [
                [cell["variant"], player, whole(item["turn"][at]), percent(item["alive"][at])]
                for at in _spread(len(item["turn"]))
            ]
        panels.append(Panel(player, partial(curves, frame, lines, shares=True)))
    if not panels:
        return None
    caption = (
        "Share of games that last longer than so many turns, with 95 % bands. Where a line "
        "reaches one half is the median."
    )
    headings = ("rules", "player", "turn", "still going on")
    table = Table(headings, rows, "Games still going on", frozenset({0, 1}), folded=True)
    return Figure("Games still going on", caption, panels, key_of(grid.variants), table)


def terminations(grid: Grid, names: Sequence[str]) -> Figure:
    """How games end, one panel a player and one bar a variant."""
    tones = [series_style(number)[0] for number in range(len(names))]
    panels = []
    for number, (player, cells) in enumerate(grid.by_player(lambda cell: cell["terminations"])):
        rows = []
        for cell in cells:
            shares = {item["name"]: item["share"] or 0.0 for item in cell["terminations"]}
            rows.append((cell["variant"], [shares.get(name, 0.0) for name in names]))
        frame = Frame(
            f"endings-{number}",
            f"How games end, {player}",
            "share of games (%)",
            "rules",
            counted((cell["games"] for cell in cells), "games a row"),
        )
        panels.append(Panel(player, partial(stacked, frame, rows, tones)))
    key = [
        KeyEntry(css(tone), None, termination_label(name))
        for tone, name in zip(tones, names, strict=True)
    ]
    return Figure("How games end", "Shares of all games.", panels, key)


# ---- By turn ----------------------------------------------------------------------------------


def by_turn(grid: Grid) -> list[Section]:
    """Options, dice and spare dice by turn, where they were counted."""
    blocks: list[Block] = []
    players = grid.by_player(lambda cell: cell.get("turns") and cell["turns"]["turn"])
    if players:
        blocks.append(_options(grid, players))
    chosen = grid.strongest(lambda cell: cell.get("turns") and cell["turns"]["turn"])
    if chosen is not None:
        blocks += [_dice(*chosen, "dice", "Dice"), _dice(*chosen, "spare", "Spare dice")]
    return [Section("turns", "Options and dice by turn", blocks)] if blocks else []


def _options(grid: Grid, players: Sequence[tuple[str, list[Cell]]]) -> Figure:
    panels, rows = [], []
    for number, (player, cells) in enumerate(players):
        lines = []
        for cell in cells:
            turns, shown = cell["turns"], _drawn(cell["turns"])
            style = series_style(grid.number(cell["variant"]))
            lines.append(_band(*style, turns, "options", shown))
            rows += [
                [
                    *(cell["variant"], player, whole(turns["turn"][at])),
                    *(_quantile(turns["options"], name, at) for name in ("p10", "p50", "p90")),
                    whole(turns["games"][at]),
                ]
                for at in _spread(shown)
            ]
        frame = _turn_frame("options", number, player, cells)
        panels.append(Panel(player, partial(curves, frame, lines)))
    table = Table(
        ("rules", "player", "turn", "10 %", "median", "90 %", "games"),
        rows,
        "Options of a decision by turn",
        frozenset({0, 1}),
        folded=True,
    )
    caption = f"Median number of legal decisions and band from 10 to 90 %. {_DRAWN}"
    return Figure("Options by turn", caption, panels, key_of(grid.variants), table)


_DRAWN = "Turns that fewer than 1 % of the games reached are not drawn."


def _turn_frame(what: str, number: int, label: str, cells: Sequence[Cell]) -> Frame:
    axis = {"options": "options", "dice": "dice on the board", "spare": "spare dice"}[what]
    return Frame(
        f"{what}-{number}",
        f"{axis} by turn, {label}",
        "turn",
        f"{axis} (number)",
        counted((cell["turns"]["games"][0] for cell in cells), "games at the first turn"),
    )


def _dice(player: str, cells: Sequence[Cell], what: str, title: str) -> Figure:
    panels, rows = [], []
    sides = (("red", RED, ""), ("blue", BLUE, "6 3"))
    for number, cell in enumerate(cells):
        turns, shown = cell["turns"], _drawn(cell["turns"])
        lines = [
            _band(colour, dash, turns, f"{what}_{side}", shown)
            for side, colour, dash in sides
            if turns.get(f"{what}_{side}")
        ]
        if lines:
            frame = _turn_frame(what, number, cell["variant"], [cell])
            panels.append(Panel(cell["variant"], partial(curves, frame, lines)))
        rows += [
            [
                *(cell["variant"], side, whole(turns["turn"][at])),
                *(_quantile(turns[f"{what}_{side}"], name, at) for name in ("p10", "p50", "p90")),
                whole(turns["games"][at]),
            ]
            for side, _colour, _dash in sides
            if turns.get(f"{what}_{side}")
            for at in _spread(shown)
        ]
    key = [KeyEntry(css(colour), dash, side) for side, colour, dash in sides]
    headings = ("rules", "side", "turn", "10 %", "median", "90 %", "games")
    caption = f"Median and band from 10 to 90 %, under {player}. {_DRAWN}"
    table = Table(headings, rows, f"{title} by turn", frozenset({0, 1}), folded=True)
    return Figure(f"{title} by turn", caption, panels, key, table)


def _drawn(turns: Mapping[str, Any]) -> int:
    """How many of the turns enough games reached; they only get fewer."""
    games = turns["games"]
    return sum(count >= _FEWEST * games[0] for count in games)


def _band(colour: str, dash: str, turns: Mapping[str, Any], key: str, shown: int) -> Curve:
    low, middle, high = (turns[key][name][:shown] for name in ("p10", "p50", "p90"))
    return Curve(colour, dash, turns["turn"][:shown], middle, low, high)


def _quantile(column: Mapping[str, Sequence[float | None]], name: str, at: int) -> str:
    value = column[name][at]
    return fixed(value, 0 if value is None or float(value).is_integer() else 1)


def _spread(count: int) -> list[int]:
    """A few places from the first to the last, evenly apart."""
    last, steps = count - 1, _ROWS_OF_CURVES - 1
    return sorted({round(last * step / steps) for step in range(steps + 1)}) if count else []


# ---- Refused splits, heat maps ----------------------------------------------------------------


def refused_splits(grid: Grid) -> Figure | None:
    """Share of entries of the chamber without a split for want of a spare die."""
    panels, table_rows = [], []
    for number, (player, cells) in enumerate(grid.by_player(_refused)):
        rows = [_row(grid, cell["variant"], _refused(cell) or {}) for cell in cells]
        frame = Frame(
            f"refused-{number}",
            f"Refused splits, {player}",
            "refused splits (% of chamber entries)",
            "rules",
            counted((cell["games"] for cell in cells), "games a row"),
        )
        panels.append(Panel(player, partial(intervals, frame, rows)))
        table_rows += [
            [cell["variant"], player, row.text, whole(cell["games"])]
            for cell, row in zip(cells, rows, strict=True)
        ]
    if not panels:
        return None
    caption = (
        "Dice that entered the chamber and did not split because their side had no spare die, as "
        "a share of all that entered, with 95 % intervals."
    )
    headings = ("rules", "player", "refused splits", "games")
    table = Table(headings, table_rows, "Refused splits", frozenset({0, 1}), folded=True)
    return Figure("Refused splits by rules", caption, panels, (), table)


def _refused(cell: Cell) -> Mapping[str, Any] | None:
    for item in cell["metrics"]:
        if item["key"] == REFUSED and item["value"] is not None:
            found: Mapping[str, Any] = item
            return found
    return None


_HEAT = {
    "occupied": ("Cells occupied", "dice a position"),
    "captured": ("Cells of captures", "captures a game"),
    "arrived": ("Cells of arrival", "arrivals a game"),
}


def heat(grid: Grid) -> list[Block]:
    """Heat maps of the strongest player, one board a variant."""
    chosen = grid.strongest(lambda cell: cell.get("heat"))
    if chosen is None:
        return []
    player, cells = chosen
    blocks: list[Block] = []
    for what, (title, unit) in _HEAT.items():
        found = [cell for cell in cells if cell["heat"].get(what)]
        top = max((max(cell["heat"][what]) for cell in found), default=0.0)
        panels = [
            Panel(
                cell["variant"],
                partial(
                    heat_map,
                    cell["heat"][what],
                    top=top or 1.0,
                    label=f"{title}, {cell['variant']}",
                    unit=unit,
                    n=counted([cell["heat"]["games"]], "games"),
                ),
            )
            for cell in found
        ]
        if panels:
            caption = (
                f"Means under {player}, red's home row at the bottom; one scale for all boards."
            )
            table = _hottest(title, unit, what, found)
            blocks.append(Figure(title, caption, panels, (), table, small=True))
    return blocks


def _hottest(title: str, unit: str, what: str, cells: Sequence[Cell]) -> Table:
    """Sums by row of the board, which is what can be read as numbers."""
    letters = "ihgfedcba"
    rows = [
        [letter, *(fixed(sum(cell["heat"][what][9 * row : 9 * row + 9]), 3) for cell in cells)]
        for row, letter in enumerate(letters)
    ]
    headings = ("row", *(cell["variant"] for cell in cells))
    return Table(headings, rows, f"{title} by row of the board: {unit}", folded=True)
