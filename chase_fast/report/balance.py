"""The report of a balance run: several variants of the rules under several players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chase_fast.report import balance_figures as figures
from chase_fast.report.document import Document
from chase_fast.report.grid import Cell, Grid
from chase_fast.report.parts import Block, Prose, Report, Section, Table
from chase_fast.report.shared import (
    facts,
    how_made,
    samples,
    termination_cell,
    termination_label,
    termination_names,
    warnings_of,
)
from chase_fast.report.words import (
    UNKNOWN,
    chance,
    decimals_for,
    fixed,
    measure,
    percent,
    percent_with,
    points,
    points_with,
    whole,
)

_MOVES_SHOWN = 60  # more first moves than any position of the standard game has


def balance_report(document: Document) -> Report:
    """Puts the sections together.

    Args:
        document: A checked document of kind "balance".
    """
    grid = Grid(document)
    sections = [
        _verdicts(grid),
        *figures.ladder(grid),
        *_results(grid),
        *_length(grid),
        *figures.by_turn(grid),
        *_refused(grid),
        *_heat(grid),
        *_first_moves(grid),
        *_metrics(grid),
        *_dynamics(grid),
        *_sensitivity(grid),
        *samples(document),
        how_made(document, _weights(grid)),
    ]
    return Report(
        document["title"],
        facts(document),
        document["verdicts"],
        warnings_of(document),
        sections,
    )


# ---- Scores -----------------------------------------------------------------------------------


def _verdicts(grid: Grid) -> Section:
    blocks: list[Block] = []
    if grid.cells:
        blocks += [_against_half(grid), figures.scores(grid)]
    if grid.comparisons:
        blocks += [_against_base(grid), figures.differences(grid)]
    sentences = [
        item["sentence"]
        for item in [cell["against_half"] for cell in grid.cells] + grid.comparisons
        if item.get("sentence")
    ]
    if sentences:
        blocks.append(Prose(sentences, "The verdicts of both tables in sentences"))
    return Section("verdicts", "First-mover score and verdicts", blocks)


def _against_half(grid: Grid) -> Table:
    headings = (
        *("rules", "player", "first-mover score", "draws", "against 50 %", "p", "p, equivalence"),
        *("detectable, points", "openings still needed", "openings", "games", "effective n"),
    )
    rows = []
    for cell in grid.cells:
        score, half, draw = cell["score"], cell["against_half"], cell["results"].get("draw") or {}
        rows.append(
            [
                *(cell["variant"], cell["player"]),
                percent_with(score["value"], score["low"], score["high"]),
                percent(draw.get("share")),
                half.get("verdict") or UNKNOWN,
                *(chance(half.get("p")), chance(half.get("p_equivalent"))),
                points(half.get("mde")).lstrip("+"),
                whole(half.get("openings_needed")),
                whole(cell["openings"]),
                whole(cell["games"]) + (" (pilot)" if cell.get("pilot") else ""),
                whole(cell["effective_n"]),
            ]
        )
    caption = (
        "Score of the side that moves first (win 1, draw ½) with 95 % interval, clustered on "
        f"openings, and the verdict against 50 %. {_DETECTABLE}"
    )
    return Table(headings, rows, caption, frozenset({0, 1, 4}))


def _against_base(grid: Grid) -> Table:
    headings = (
        *("rules", "player", "difference, points", f"against {grid.base}", "p (Holm)"),
        *("p, equivalence", "detectable, points", "openings still needed"),
        *("openings", "openings that differ"),
    )
    rows = [
        [
            *(item["variant"], item["player"]),
            points_with(item["difference"], item["low"], item["high"]),
            (item["verdict"] or UNKNOWN) + ("" if item.get("paired", True) else ", unpaired"),
            *(chance(item.get("p_holm")), chance(item.get("p_equivalent"))),
            points(item.get("mde")).lstrip("+"),
            *(whole(item.get(name)) for name in ("openings_needed", "n", "nonzero")),
        ]
        for item in grid.comparisons
    ]
    caption = (
        f"First-mover score less that under {grid.base}, in percentage points, with 95 % interval, "
        "paired by opening unless marked; p is corrected after Holm over all rows. "
        f"{_DETECTABLE}"
    )
    return Table(headings, rows, caption, frozenset({0, 1, 3}))


_DETECTABLE = (
    "Detectable is the smallest difference that so many openings show with 80 % power; openings "
    "still needed are those to a verdict."
)


# ---- Results and lengths ----------------------------------------------------------------------


def _results(grid: Grid) -> list[Section]:
    if not grid.cells:
        return []
    names = termination_names([cell["terminations"] for cell in grid.cells])
    kinds = ("red", "draw", "blue", "cut_short")
    results = [
        [
            *(cell["variant"], cell["player"]),
            *(_result(cell["results"].get(kind)) for kind in kinds),
            _interval(cell.get("decisive")),
            whole(cell["games"]),
        ]
        for cell in grid.cells
    ]
    endings = [
        [
            *(cell["variant"], cell["player"]),
            *(termination_cell(cell["terminations"], name) for name in names),
            whole(cell["games"]),
        ]
        for cell in grid.cells
    ]
    blocks: list[Block] = [
        Table(
            ("rules", "player", "red wins", "draws", "blue wins", "cut short",
             "red's share of decided games", "games"),
            results,
            "Results, shares of games with joint 95 % intervals; red moves first. Games cut short "
            "by the turn limit are no draws.",
            frozenset({0, 1}),
        )
    ]  # fmt: skip
    if names:
        blocks += [
            figures.terminations(grid, names),
            Table(
                ("rules", "player", *(termination_label(name) for name in names), "games"),
                endings,
                "How games end, shares with 95 % intervals",
                frozenset({0, 1}),
            ),
        ]
    return [Section("results", "Results and terminations", blocks)]


def _result(item: Mapping[str, Any] | None) -> str:
    return UNKNOWN if item is None else percent_with(item["share"], item["low"], item["high"])


def _interval(item: Mapping[str, Any] | None) -> str:
    return UNKNOWN if item is None else percent_with(item["value"], item["low"], item["high"])


def _length(grid: Grid) -> list[Section]:
    figure = figures.survival(grid)
    return [Section("length", "Length of games", [figure])] if figure else []


def _refused(grid: Grid) -> list[Section]:
    figure = figures.refused_splits(grid)
    return [Section("refused", "Refused splits", [figure])] if figure else []


def _heat(grid: Grid) -> list[Section]:
    blocks = figures.heat(grid)
    return [Section("heat", "Where things happen", blocks)] if blocks else []


# ---- Tables -----------------------------------------------------------------------------------


def _first_moves(grid: Grid) -> list[Section]:
    blocks: list[Block] = []
    for part in grid.document.get("first_moves") or []:
        rows = [
            [
                row["move"],
                percent_with(row["score"], row.get("low"), row.get("high")),
                whole(row["games"]),
            ]
            for row in part["rows"][:_MOVES_SHOWN]
        ]
        left = len(part["rows"]) - len(rows)
        rest = f"; {left} more stand in the JSON file" if left else ""
        caption = f"{part['variant']}, {part['player']}{rest}"
        blocks.append(Table(("first move", "first-mover score", "games"), rows, caption))
    return [Section("moves", "First moves", blocks)] if blocks else []


def _metrics(grid: Grid) -> list[Section]:
    blocks: list[Block] = [
        _compared(player, cells) for player, cells in grid.by_player(lambda cell: cell["metrics"])
    ]
    headings = ("metric", "unit", "mean (95 %)", "sd", "5 %", "50 %", "95 %", "max")
    for cell in grid.cells:
        if cell["metrics"]:
            rows = [_metric_row(item) for item in cell["metrics"]]
            caption = f"{cell['variant']}, {cell['player']}, n = {whole(cell['games'])} games"
            blocks.append(Table(headings, rows, caption, frozenset({0, 1}), folded=True))
    return [Section("metrics", "Metrics", blocks)] if blocks else []


def _compared(player: str, cells: Sequence[Cell]) -> Table:
    """Means of one player side by side, a column for each variant."""
    labels: dict[str, Mapping[str, Any]] = {}
    for cell in cells:
        for item in cell["metrics"]:
            labels.setdefault(item["key"], item)
    known = [{item["key"]: item for item in cell["metrics"]} for cell in cells]
    rows = [
        [
            item["label"]
            + (f", {item['unit']}" if item.get("unit") and not is_share(item) else ""),
            *(_mean(one[key]) if key in one else UNKNOWN for one in known),
        ]
        for key, item in labels.items()
    ]
    rows.append(["games", *(whole(cell["games"]) for cell in cells)])
    headings = ("metric", *(cell["variant"] for cell in cells))
    return Table(headings, rows, f"Means with 95 % intervals, {player}")


def _metric_row(item: Mapping[str, Any]) -> list[str]:
    spread = [item.get(name) for name in ("sd", "p05", "p50", "p95", "max")]
    if is_share(item):
        return [item["label"], "", _mean(item), *(percent(value) for value in spread)]
    texts = [fixed(value, min(decimals_for(value), 2)) for value in spread]
    return [item["label"], item.get("unit") or "", _mean(item), *texts]


def _mean(item: Mapping[str, Any]) -> str:
    ends = item["value"], item.get("low"), item.get("high")
    return percent_with(*ends) if is_share(item) else measure(*ends)


def is_share(item: Mapping[str, Any]) -> bool:
    """Whether a metric is a share, 0 to 1, and so is printed in per cent."""
    return item.get("unit") in ("share", "%") or str(item["key"]).endswith("_share")


def _dynamics(grid: Grid) -> list[Section]:
    rows = [
        [
            *(cell["variant"], cell["player"], row["label"]),
            measure(row["value"], row.get("low"), row.get("high")),
            *(whole(found["games"]), whole(found["nodes"]), fixed(found["seconds"], 1)),
        ]
        for cell in grid.cells
        if (found := cell.get("dynamics"))
        for row in found["rows"]
    ]
    if not rows:
        return []
    headings = ("rules", "player", "metric", "mean (95 %)", "games", "nodes a position", "cost, s")
    caption = (
        "How games swing, seen by a reference evaluation at a fixed number of nodes on a sample "
        "of finished games"
    )
    table = Table(headings, rows, caption, frozenset({0, 1, 2}))
    return [Section("dynamics", "Dynamics", [table])]


def _sensitivity(grid: Grid) -> list[Section]:
    rows = [
        [
            *(row["label"], row["variant"], row["player"]),
            percent_with(row["score"], row.get("low"), row.get("high")),
            whole(row["n"]),
        ]
        for row in grid.document.get("sensitivity") or []
    ]
    if not rows:
        return []
    headings = ("changed", "rules", "player", "first-mover score", "n")
    caption = "First-mover score with 95 % interval where one thing of the run is another"
    table = Table(headings, rows, caption, frozenset({0, 1, 2}))
    return [Section("sensitivity", "Sensitivity", [table])]


def _weights(grid: Grid) -> list[tuple[str, str]]:
    """Rules, players and weight files, for the table of what was used."""
    document = grid.document
    files = dict.fromkeys(
        f"{cell['variant']}: {cell['weights']}" for cell in grid.cells if cell.get("weights")
    )
    rules = [f"{item['name']} = {item['rules']}" for item in document["variants"]]
    texts = [item.get("text") or item["name"] for item in document["players"]]
    return [
        ("Rules", "; ".join(rules)),
        ("Players", "; ".join(texts)),
        ("Weight files", "; ".join(files) or UNKNOWN),
        ("Levels", ", ".join(document.get("levels") or []) or UNKNOWN),
    ]
