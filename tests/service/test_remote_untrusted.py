"""``chase-fast remote``: servers that cannot be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chase_service._pb.chase.v1 import games_service_pb2 as games_pb
from chase_service._pb.chase.v1 import jobs_service_pb2 as jobs_pb
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service.refusal import Reason, Refusal

from chase_fast.tally import COUNTERS
from tests.service.remotely import fake, remote


def sums(**wrong: Any) -> bytes:
    columns = [5] * len(COUNTERS)
    right: dict[str, Any] = {
        "games": 5, "red_wins": 5, "terminations": [5, 0, 0, 0], "totals": columns,
        "squares": columns, "lowest": columns, "highest": columns,
    }  # fmt: skip
    counters = wrong.pop("counters", COUNTERS)
    result = pb.PlayoutsResult(**{**right, **wrong})
    return pb.PlayoutsResponse(counters=counters, results=[result]).SerializeToString()


@pytest.mark.parametrize(
    "answer",
    [
        sums(counters=["turns"]),
        sums(counters=COUNTERS[::-1]),
        sums(games=6),
        sums(totals=[5]),
        sums(terminations=[5]),
    ],
)
def test_sums_that_are_none(answer: bytes) -> None:
    with fake("QueryService/Playouts", [answer]) as server:
        code, out, notes = remote(server.target, "playout", "5")
    assert (code, out) == (1, b"")
    assert "is not understood" in notes


@pytest.mark.parametrize("columns", [{"winner": [0] * 5}, {"winner": [7] * 2}, {}])
def test_columns_that_are_none(columns: dict[str, Any], tmp_path: Path) -> None:
    answer = pb.StreamPlayoutGamesResponse(**columns).SerializeToString()
    with fake("QueryService/StreamPlayoutGames", [answer], shape="unary_stream") as server:
        where = tmp_path / "x.csv"
        code, out, _ = remote(server.target, "playout", "5", "--out", str(where))
    assert (code, out) == (1, b"")
    assert not where.exists()


@pytest.mark.parametrize("codes", [[], [2**32 - 1], [0], [40]])
def test_lines_that_cannot_be_played(codes: list[int]) -> None:
    line = pb.AnalysisLine(decisions=codes)
    answer = pb.AnalyseResponse(results=[pb.AnalyseResult(lines=[line])]).SerializeToString()
    with fake("QueryService/Analyse", [answer]) as server:
        code, out, notes = remote(server.target, "analyse", "--player", "random")
    assert (code, out) == (1, b"")
    assert "is not understood" in notes


@pytest.mark.parametrize(
    "wrong",
    [
        {"pairs": [9, 9]},
        {"games": [0, 7]},
        {"winners": [0, 5]},
        {"terminations": [1, 99]},
        {"terminations": [4, 4]},  # nobody wins by the turn limit
        {"decision_counts": [0, 0]},  # not even the opening
        {"decision_counts": [1, 1], "decisions": [7, 7]},
    ],
)
def test_games_that_none_can_be(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {
        "pairs": [0, 0], "games": [0, 1], "winners": [0, 0], "terminations": [1, 1],
        "turns": [9, 9], "decision_counts": [0, 0],
    }  # fmt: skip
    answer = games_pb.PlayGamesResponse(**{**right, **wrong}).SerializeToString()
    with fake("GamesService/PlayGames", [answer], shape="unary_stream") as server:
        words = ["match", "random", "random", "--pairs", "1"]
        code, out, notes = remote(server.target, *words)
    assert (code, out) == (1, b"")
    assert "is not understood" in notes


def test_messages_do_not_reach_the_terminal_raw() -> None:
    refusal = Refusal(Reason.OVERLOADED, "x", retry_after=2.0)
    refusal.message = "\x1b[31mred\x07"
    with fake("QueryService/Playouts", [refusal]) as server:
        code, _, notes = remote(server.target, "playout", "5")
    assert code == 1
    assert "\x1b" not in notes
    assert "\x07" not in notes
    assert "asked again after 2 seconds" in notes


@pytest.mark.parametrize("name", ["../x", "/etc/x", "..", ".x", "a/b", ""])
def test_names_of_files_do_not_lead_elsewhere(name: str, tmp_path: Path) -> None:
    job = jobs_pb.Job(job_id="J", state=jobs_pb.JOB_STATE_SUCCEEDED)
    job.files.add(name=name, bytes=0, sha256="")
    answer = jobs_pb.GetJobResponse(job=job).SerializeToString()
    out = tmp_path / "out"
    with fake("JobsService/GetJob", *[[answer]] * 3) as server:
        code, _, notes = remote(server.target, "download", "J", "--out", str(out))
    assert code == 1
    assert "no name of a file" in notes
    assert [path.name for path in tmp_path.rglob("*")] == ["out"]
