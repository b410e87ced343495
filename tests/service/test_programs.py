"""Programs that the operator offers as players: they end with the server, however that ends."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import grpc
import pytest
from chase_service._pb.chase.v1.games_service_pb2 import GeneratedOpenings, PlayGamesRequest

from tests.service.running import PATIENCE, PLAY_GAMES, wait_for
from tests.service.test_command import Process, ended
from tests.unit.engines import gone, stubborn

pytestmark = pytest.mark.no_core


@pytest.mark.parametrize(
    ("signals", "grace"),
    [
        ([signal.SIGTERM], "0.05"),
        ([signal.SIGTERM, signal.SIGTERM], "3600"),
        ([signal.SIGKILL], "3600"),
    ],
)
def test_a_program_that_thinks_ends_with_the_server(
    tmp_path: Path, signals: list[signal.Signals], grace: str
) -> None:
    request = PlayGamesRequest(
        player_a="mine", player_b="random", generated=GeneratedOpenings(count=1)
    )
    pids: list[int] = []
    command = ["--data", str(tmp_path / "data"), "--grace", grace]
    with Process(*command, "--engine", f"mine={stubborn(tmp_path)}") as server:
        server.started()
        with grpc.insecure_channel(server.target) as channel:
            call: Any = channel.unary_stream(PLAY_GAMES)
            games = call(request.SerializeToString(), timeout=PATIENCE)
            wait_for((tmp_path / "pids").exists)
            pids += map(int, (tmp_path / "pids").read_text().split())
            assert not any(map(gone, pids))
            check: Any = channel.unary_unary("/chase.v1.SystemService/GetVersion")
            server.process.send_signal(signals[0])
            for number in signals[1:]:
                # Of two signals that are not taken yet one is left.
                wait_for(lambda: ended(check))
                server.process.send_signal(number)
            server.process.wait(PATIENCE)
            games.cancel()
    wait_for(lambda: all(map(gone, pids)))
