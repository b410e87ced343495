"""``chase-fast serve`` as a process."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from typing import Any, Self

import grpc
import pytest
from chase_service.client import Client

from chase_fast._built import commit
from tests.service.running import ENDLESS, PATIENCE, QUERY, Running, wait_for

pytestmark = pytest.mark.no_core


class Process:
    """``chase-fast serve`` in a process of its own."""

    def __init__(self, *words: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.target = f"127.0.0.1:{free.getsockname()[1]}"
        command = [sys.executable, "-m", "chase_fast", "serve", "--listen", self.target, *words]
        command += [] if "--metrics" in words else ["--metrics", "off"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.process.kill()
        self.process.communicate()

    def started(self) -> None:
        with grpc.insecure_channel(self.target) as channel:
            grpc.channel_ready_future(channel).result(PATIENCE)


def test_the_command_serves_and_ends_in_order(tmp_path: Any) -> None:
    data = tmp_path / "data"
    with Process("--data", str(data), "--engine", "other=prog") as server:
        server.started()
        with Client(server.target) as client:
            assert client.perft([("", 2)]) == [2114]
            assert list(client.version().players)[-1] == "other"
        assert data.is_dir()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0


def test_a_second_signal_ends_at_once(tmp_path: Any) -> None:
    with Process("--data", str(tmp_path), "--grace", "3600") as server:
        server.started()
        with grpc.insecure_channel(server.target) as channel:
            call: Any = channel.unary_unary(QUERY + "Perft")
            future = call.future(ENDLESS["Perft"].SerializeToString(), timeout=PATIENCE)
            server.process.send_signal(signal.SIGTERM)
            check: Any = channel.unary_unary("/chase.v1.SystemService/GetVersion")
            wait_for(lambda: ended(check))
            assert server.process.poll() is None
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(PATIENCE) == 128 + signal.SIGTERM
            future.cancel()


def ended(check: Any) -> bool:
    try:
        check(b"", timeout=PATIENCE)
    except grpc.RpcError:
        return True
    return False


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--listen", "0.0.0.0:1"], 2, "--insecure"),
        (["--listen", "127.0.0.1:0", "--metrics", "0.0.0.0:1"], 2, "--insecure"),
        (["--listen", "127.0.0.1:0", "--metrics", "on"], 2, "expected a host, a colon and a port"),
        (["--log", "xml"], 2, "json"),
        (["--log-level", "loud"], 2, "debug"),
        (["--engine", "other"], 2, "expected NAME='CMD'"),
        (["--engine", "ab=x"], 2, "expected a name"),
        (["--engine", "a=x", "--engine", "a=y"], 2, "given twice"),
    ],
)
def test_the_command_refuses(tmp_path: Any, words: list[str], code: int, said: str) -> None:
    command = [sys.executable, "-m", "chase_fast", "serve", "--data", str(tmp_path), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_the_command_serves_metrics_and_knows_its_commit(tmp_path: Any) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with Process("--data", str(tmp_path), "--metrics", address) as server:
        server.started()
        with Client(server.target) as client:
            assert client.version().commit == commit()
        with urllib.request.urlopen(f"http://{address}/metrics", timeout=PATIENCE) as answer:
            page = answer.read().decode()
    assert 'chase_calls_total{code="OK",method="SystemService.GetVersion"} 1.0' in page
    assert f'commit="{commit()}"' in page


def test_the_command_finds_the_port_of_its_metrics_taken(tmp_path: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        words = ["--listen", "127.0.0.1:0", "--metrics", address, "--data", str(tmp_path)]
        done = subprocess.run(
            [sys.executable, "-m", "chase_fast", "serve", *words],
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert f"cannot serve metrics on {address}: " in done.stderr
    assert "in use" in done.stderr


def test_the_command_finds_its_port_taken(server: Running, tmp_path: Any) -> None:
    command = [sys.executable, "-m", "chase_fast", "serve", "--data", str(tmp_path)]
    done = subprocess.run(
        [*command, "--listen", server.target, "--metrics", "off"],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "in use" in done.stderr
