"""Balance runs: the same whatever plays them, and what they tell is what the games were."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chase_fast as cf
from chase_fast import BLUE, RED
from chase_fast.agents import PlayerSpec
from chase_fast.balance import LEVELS, BalanceOptions, BalanceResult, document_of, play_balance
from chase_fast.balance.dynamics import measures
from chase_fast.balance.planning import plan_rows, read_pilot
from chase_fast.errors import ArgumentError, NotationError, StoreError
from chase_fast.openingset import OpeningSet
from chase_fast.runner import Progress
from chase_fast.runs import opened, records
from tests.unit.engines import program
from tests.unit.test_match import quoted

pytestmark = pytest.mark.no_core

RULES = ("standard", "reserve=0", "chain=yes")
# What tells when and where, not what.
_OF_THE_DAY = {"created", "command", "machine", "engine"}


def options(**changes: Any) -> BalanceOptions:
    given: dict[str, Any] = {
        "variants": [cf.Rules.parse(text) for text in RULES],
        "players": [PlayerSpec.parse(text) for text in ("random", "ab:nodes=20")],
        "pairs": 12,
        "seed": 3,
    }
    given.update(changes)
    return BalanceOptions(**given)


def told(result: BalanceResult) -> dict[str, Any]:
    """A document without what differs from day to day."""
    document = json.loads(json.dumps(result.document, allow_nan=False))
    for cell in document["cells"]:
        if cell["dynamics"]:
            del cell["dynamics"]["seconds"]
    return {name: value for name, value in document.items() if name not in _OF_THE_DAY}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[BalanceResult, Path]:
    folder = tmp_path_factory.mktemp("balance") / "run"
    wanted = options(levels=LEVELS, dynamics_games=6, dynamics_nodes=20, first_moves=1)
    return play_balance(wanted, workers=2, out=folder), folder


@pytest.mark.parametrize("workers", [1, 5])
def test_results_do_not_depend_on_workers_or_folder(
    workers: int, finished: tuple[BalanceResult, Path]
) -> None:
    wanted = options(levels=LEVELS, dynamics_games=6, dynamics_nodes=20, first_moves=1)
    assert told(play_balance(wanted, workers=workers)) == told(finished[0])


def test_an_interrupted_run_ends_as_one_that_was_not(
    tmp_path: Path, finished: tuple[BalanceResult, Path]
) -> None:
    wanted = options(levels=LEVELS, dynamics_games=6, dynamics_nodes=20, first_moves=1)
    chunks = 0

    def watch(progress: Progress) -> None:
        nonlocal chunks
        chunks += 1
        if progress.played and chunks % 4 == 0:
            raise KeyboardInterrupt

    for _ in range(100):
        try:
            result = play_balance(wanted, workers=2, out=tmp_path, resume=True, watch=watch)
        except KeyboardInterrupt:
            continue
        assert told(result) == told(finished[0])
        break
    else:
        pytest.fail("it never ends")
    assert chunks > 8
    again = play_balance(wanted, workers=1, out=tmp_path, resume=True)
    assert told(again) == told(finished[0])


def test_the_document_is_that_of_the_folder(finished: tuple[BalanceResult, Path]) -> None:
    result, folder = finished
    with opened(folder, "balance") as (run, plan):
        assert document_of(run, plan) == result.document
    json.dumps(result.document, allow_nan=False)
    assert result.document["complete"]
    assert {row["variant"] for row in result.table} == set(RULES)
    assert len(result.table) == 6


def test_metrics_are_those_of_the_records(finished: tuple[BalanceResult, Path]) -> None:
    """Recounted from the text records of the games, decision by decision."""
    result, folder = finished
    games: dict[tuple[str, str], list[Counter[str]]] = {}
    with opened(folder) as (run, plan):
        for record in records(run, plan):
            tags = dict(record.tags)
            if "Group" in tags:
                continue
            games.setdefault((tags["Variant"], record.red), []).append(recounted(record))
    for cell in result.document["cells"]:
        counts = games[cell["variant"], cell["player"]]
        value = {row["key"]: row["value"] for row in cell["metrics"]}
        played = len(counts)
        total: Counter[str] = sum(counts, Counter())
        for key in ("decisions", "turns", "captures", "splits", "whole_exits", "exchanges"):
            assert value[key] == pytest.approx(total[key] / played)
        assert value["options"] == pytest.approx(total["options"] / total["decisions"])
        assert value["forced_share"] == pytest.approx(total["forced"] / total["decisions"])
        entries = total["splits"] + total["whole_exits"]
        if entries:
            assert value["refused_splits_share"] == pytest.approx(total["refused"] / entries)
        for dice in (1, 2, 3):
            down, won = total[f"down{dice}"], total[f"won{dice}"]
            expected = None if not down else pytest.approx(won / down)
            assert value[f"comeback_{dice}_share"] == expected
        assert value["complexity"] == pytest.approx(total["micro_log"] / 1e6 / played, abs=1e-3)
        assert cell["results"]["red"]["games"] == total["red"]
        assert cell["results"]["draw"]["games"] == total["draw"]
        assert cell["score"]["value"] == pytest.approx(
            (total["red"] + total["draw"] / 2 + total["cut"] / 2) / played
        )


def recounted(record: Any) -> Counter[str]:
    counts: Counter[str] = Counter()
    game = record.to_game()
    position = game.start
    behind = [0, 0]
    for move in game.moves:
        options = len(position.legal_moves)
        events = position.events(move)
        counts["decisions"] += 1
        counts["options"] += options
        counts["forced"] += options == 1
        counts["micro_log"] += round(1e6 * math.log10(options))
        counts["captures"] += events["captures"]
        counts["splits"] += events["split"]
        counts["refused"] += events["refused"]
        counts["whole_exits"] += events["entered"] - events["split"]
        counts["exchanges"] += move.kind is cf.Kind.EXCHANGE
        position = position.apply(move)
        dice = [(position.board > 0).sum(), (position.board < 0).sum()]
        for side in (RED, BLUE):
            behind[side] = max(behind[side], dice[1 - side] - dice[side])
    counts["turns"] = game.turn_count
    winner = record.outcome.winner
    for side in (RED, BLUE):
        for n in (1, 2, 3):
            counts[f"down{n}"] += behind[side] >= n
            counts[f"won{n}"] += behind[side] >= n and winner is side
    counts["red"] += winner is RED
    counts["cut"] += record.outcome.termination == "turn_limit"
    counts["draw"] += winner is None and record.outcome.termination != "turn_limit"
    return counts


def test_bands_by_turn_are_quantiles_of_the_rows(finished: tuple[BalanceResult, Path]) -> None:
    result, folder = finished
    turns = pq.read_table(folder / "turns").to_pandas()
    games = pq.read_table(folder / "games", columns=["cell"]).to_pandas()
    assert len(games) == len(turns[["cell", "opening", "game"]].drop_duplicates())
    for number, cell in enumerate(result.document["cells"]):
        of_cell = turns[turns["cell"] == number]
        bands = cell["turns"]
        assert bands["games"] == of_cell.groupby("turn").size().tolist()
        for turn in (1, 2, len(bands["turn"])):
            values = of_cell[of_cell["turn"] == turn]["options"].to_numpy()
            for name, q in (("p10", 0.1), ("p50", 0.5), ("p90", 0.9)):
                expected = np.quantile(values, q, method="inverted_cdf")
                assert bands["options"][name][turn - 1] == expected
        heat = cell["heat"]
        dice = of_cell["dice_red"].mean() + of_cell["dice_blue"].mean()
        assert sum(heat["occupied"]) == pytest.approx(dice)


def test_a_deterministic_player_is_not_counted_twice(finished: tuple[BalanceResult, Path]) -> None:
    for cell in finished[0].document["cells"]:
        assert cell["openings"] == cell["effective_n"] == 12
        assert cell["games"] == (24 if cell["player"] == "random" else 12)


def test_what_is_shown_of_each_comparison(finished: tuple[BalanceResult, Path]) -> None:
    document = finished[0].document
    assert [(one["variant"], one["player"]) for one in document["comparisons"]] == [
        (rules, player)
        for player in ("random", "ab:nodes=20")
        for rules in ("reserve=0", "chain=yes")
    ]
    for one in document["comparisons"]:
        assert one["paired"] and one["base"] == "standard" and one["n"] == 12
        assert one["p_holm"] >= one["p"]
        assert one["verdict"] in one["sentence"]
        assert one["player"] in one["sentence"] and one["variant"] in one["sentence"]
    assert len(document["verdicts"]) == len(document["cells"]) + len(document["comparisons"])
    labels = [row["label"] for row in document["sensitivity"]]
    assert "opening turns 2" in labels and "opening turns 8" in labels
    first = document["first_moves"]
    assert {table["variant"] for table in first} == set(RULES)
    moves = [str(move) for move in cf.Position.start().legal_moves]
    assert sorted(row["move"] for row in first[0]["rows"]) == sorted(moves)
    assert len(document["samples"]) >= 2
    for sample in document["samples"]:
        assert list(cf.record.read_records(io.StringIO(sample["text"])))


def test_a_variant_that_changes_nothing_is_equivalent_only_by_the_rule_of_three() -> None:
    """Sixteen spare dice are never used up, nor are fifteen: all games are the same."""
    variants = [cf.Rules.parse("reserve=15"), cf.Rules.parse("reserve=16")]
    for pairs, verdict in ((100, "undecided"), (160, "equivalent")):
        wanted = options(
            variants=variants, players=[PlayerSpec.parse("ab:nodes=1")], pairs=pairs, sensitivity=0
        )
        comparison = play_balance(wanted, workers=2).document["comparisons"][0]
        assert comparison["nonzero"] == 0 and comparison["difference"] == 0
        assert comparison["verdict"] == verdict


def test_until_looks_at_fixed_numbers_of_openings(tmp_path: Path) -> None:
    wanted = options(
        variants=[cf.Rules()], players=[PlayerSpec.parse("random")], pairs=400, until=7.0,
        checkpoint=40, sensitivity=0,
    )  # fmt: skip
    results = [play_balance(wanted, workers=workers) for workers in (1, 2, 5)]
    assert told(results[0]) == told(results[1]) == told(results[2])
    cell = results[0].document["cells"][0]
    assert cell["openings"] % 40 == 0 and 40 < cell["openings"] < 400
    assert (cell["score"]["high"] - cell["score"]["low"]) / 2 <= 0.07
    folder = tmp_path / "run"
    play_balance(wanted, workers=2, out=folder)
    assert told(play_balance(wanted, out=folder, resume=True)) == told(results[0])


def test_another_setup_is_compared_unpaired() -> None:
    wanted = options(
        variants=[cf.Rules(), cf.Rules.parse("setup=222222222")],
        players=[PlayerSpec.parse("random")],
    )
    document = play_balance(wanted, workers=2).document
    assert [one["paired"] for one in document["comparisons"]] == [False]
    assert any("another setup" in warning for warning in document["warnings"])


def test_few_openings_are_not_taken_for_more(finished: tuple[BalanceResult, Path]) -> None:
    document = finished[0].document
    for table in document["first_moves"]:
        assert table["rows"]
        for row in table["rows"]:
            assert row["low"] < 0.5 < row["high"], "one opening shows nothing"
    main = [cell for cell in document["cells"] if cell["player"] == "random"]
    same = [row for row in document["sensitivity"] if row["label"].startswith("as above")]
    assert [(row["score"], row["low"], row["high"]) for row in same] == [
        (cell["score"]["value"], cell["score"]["low"], cell["score"]["high"]) for cell in main
    ]
    for cell in document["cells"]:
        for row in cell["metrics"]:
            if row["unit"] == "share" and row["value"] is not None:
                assert 0 <= row["low"] < row["high"] <= 1
            elif row["low"] is not None:
                assert 0 <= row["low"] < row["high"]
        shares = [*cell["results"].values(), *cell["terminations"]]
        assert all(0 <= one["low"] < one["high"] <= 1 for one in shares)


def test_what_so_few_openings_cannot_show_is_not_named() -> None:
    wanted = options(pairs=3, players=[PlayerSpec.parse("random")], sensitivity=0)
    document = play_balance(wanted).document
    for one in (*document["comparisons"], *(cell["against_half"] for cell in document["cells"])):
        assert one["verdict"] == "undecided" and one["mde"] is None
        assert "would hardly have shown" in one["sentence"]
    many = play_balance(options(players=wanted.players, sensitivity=0)).document
    for one in (*many["comparisons"], *(cell["against_half"] for cell in many["cells"])):
        if one["verdict"] == "undecided" and one["mde"] is not None:
            assert "with a chance of 80 %" in one["sentence"]
            assert f"{100 * one['mde']:.1f} points" in one["sentence"]


def test_entropies_are_not_beyond_the_possible(finished: tuple[BalanceResult, Path]) -> None:
    for cell in finished[0].document["cells"]:
        value = {row["key"]: row["value"] for row in cell["metrics"]}
        if cell["player"] == "random":
            assert 5 < value["first_move_entropy"] <= math.log2(46)


def test_games_lost_by_faults_are_warned_about() -> None:
    dead = PlayerSpec.parse(quoted(program(go="os._exit(4)")))
    document = play_balance(options(players=[dead], pairs=2, sensitivity=0)).document
    assert [cell["terminations"][0]["name"] for cell in document["cells"]] == ["crash"] * 3
    told = [line for line in document["warnings"] if "lost by faults of the player" in line]
    assert len(told) == 3 and all("4 of 4 games" in line for line in told)


def test_games_cut_short_are_no_draws_and_are_warned_about() -> None:
    wanted = options(players=[PlayerSpec.parse("random")], max_turns=30, sensitivity=0)
    document = play_balance(wanted, workers=2).document
    for cell in document["cells"]:
        assert cell["results"]["cut_short"]["games"] > 0
        assert cell["results"]["draw"]["games"] == 0
    assert sum("cut short" in warning for warning in document["warnings"]) == len(RULES)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pairs": 0}, "pairs is 0, expected an integer from 1"),
        ({"variants": []}, "variants is empty"),
        ({"variants": [cf.Rules(), cf.Rules()]}, "variant standard is named twice"),
        ({"players": [PlayerSpec.parse("random")] * 2}, "player random is named twice"),
        ({"base": cf.Rules.parse("reserve=5")}, "base is reserve=5, expected one of"),
        ({"levels": ("all",)}, "levels is 'all', expected one of"),
        ({"margin": 0.5}, "margin is 0.5"),
        ({"until": 0}, "until is 0"),
    ],
)
def test_what_cannot_be_asked(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        options(**changes)


def test_openings_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="expected an even number"):
        play_balance(options(opening_turns=3))
    with pytest.raises(ArgumentError, match="no more than"):
        play_balance(options(opening_turns=2, pairs=4000))
    path = tmp_path / "openings.txt"
    OpeningSet.generate([cf.Rules.parse("setup=222222222")], 12).write(path)
    with pytest.raises(NotationError, match=r"openings\.txt, line 4"):
        play_balance(options(openings=path))
    OpeningSet.generate([cf.Rules()], 5).write(path)
    with pytest.raises(ArgumentError, match="holds 5 openings"):
        play_balance(options(openings=path))


def test_a_folder_with_something_else(tmp_path: Path, finished: tuple[BalanceResult, Path]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(StoreError, match="is not empty"):
        play_balance(options(), out=tmp_path)
    with pytest.raises(StoreError, match="is not empty"):
        play_balance(options(), out=tmp_path, resume=True)
    with pytest.raises(StoreError, match="holds another run: its seed is 3, asked for is 4"):
        play_balance(options(seed=4), out=finished[1], resume=True)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.sampled_from([RED, BLUE, None]))
def test_dynamics_see_both_sides_alike(red: list[float], winner: cf.Side | None) -> None:
    values = np.array(red)
    found = measures(values, winner)
    mirrored = measures(1 - values, None if winner is None else winner.other)
    for key, value in found.items():
        assert mirrored[key] == (value if value is None else pytest.approx(value, abs=1e-9))
    assert found["lead_changes"] is not None and 0 <= found["lead_changes"] < len(red)
    if winner is not None:
        assert found["drama"] is not None and 0 <= found["drama"] <= 0.5
        assert found["decisiveness"] is not None and 0 <= found["decisiveness"] <= 1


def test_dynamics_known_answers() -> None:
    assert measures(np.array([0.5, 0.7, 0.46, 0.54, 0.4, 0.9]), RED) == {
        "lead_changes": 2.0,
        "drama": round((0.04 + 0.1) / 6, 12),
        "decisiveness": 0.6,
    }
    assert measures(np.array([0.9, 0.2]), None) == {
        "lead_changes": 1.0,
        "drama": None,
        "decisiveness": None,
    }


def test_plans_have_the_known_answers(finished: tuple[BalanceResult, Path]) -> None:
    rows = plan_rows(0.02, power=0.8, draws=0.0, correlation=0.5, variants=2)
    assert [row.games for row in rows[1:]] == [4906, 9811, 4906]
    assert rows[1].openings == 2453
    assert plan_rows(0.01, power=0.8, draws=0.0, correlation=0, variants=2)[0].games == 9604
    drawn = plan_rows(0.02, power=0.8, draws=0.7, correlation=0, variants=4)
    assert [row.games for row in drawn[1:3]] == [1472, 2943]
    assert drawn[-1].games > drawn[3].games and drawn[-1].all_games == 4 * drawn[-1].games
    pilot = read_pilot(finished[1])
    assert 0 <= pilot.draws < 1 and pilot.correlation is not None and -1 <= pilot.correlation <= 1
    assert pilot.seconds > 0


def test_nothing_is_ruled_out_where_games_were_cut_short() -> None:
    """All scores are ½ then, which proves nothing."""
    wanted = options(
        variants=[cf.Rules(), cf.Rules.parse("reserve=0")], players=[PlayerSpec.parse("random")],
        pairs=200, max_turns=1, sensitivity=0,
    )  # fmt: skip
    document = play_balance(wanted, workers=2).document
    (comparison,) = document["comparisons"]
    assert comparison["difference"] == 0 and comparison["nonzero"] == 0
    assert comparison["verdict"] == "undecided"
    assert "too many games were cut short" in comparison["sentence"]
    for cell in document["cells"]:
        assert cell["score"]["value"] == 0.5
        assert cell["against_half"]["verdict"] == "undecided"
        assert "too many games were cut short" in cell["against_half"]["sentence"]
