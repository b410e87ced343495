"""``chase-fast serve`` as a process."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, Self

import grpc
import pytest
import trustme
from chase_service.channels import Security
from chase_service.client import Client, ServiceError

from chase_fast._built import commit
from tests.service.certificates import HOST, Folder, chain, new_channel
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
    with Process("--data", str(data), "--engine", "other=true") as server:
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
        (["--engine", "ab=true"], 2, "expected a name"),
        (["--engine", "a=true", "--engine", "a=true"], 2, "given twice"),
        (["--engine", "a=/no/such -x"], 2, "there is no program '/no/such'"),
        (["--tls-cert", "none"], 2, "go together"),
        (["--tls-key", "none"], 2, "go together"),
        (["--tls-client-ca", "none"], 2, "go together"),
        (["--tls-cert", "none", "--tls-client-ca", "none"], 2, "go together"),
        (["--tls-cert", "none", "--tls-key", "none"], 1, "cannot read none"),
        (["--tokens", "none"], 1, "cannot read none"),
        (["--limit", "max_nodes=x"], 2, "max_nodes is 'x', expected an integer"),
        (["--limit", "max_nodes"], 2, "max_nodes is '', expected an integer"),
        (["--limit", "max_nodes=0"], 2, "max_nodes is 0, expected an integer from 1 to"),
        (["--limit", "idle_seconds=nan"], 2, "idle_seconds is nan, expected a number from"),
        (["--limit", "nodes=5"], 2, "with one of max_batch_items,"),
        (["--limit", "threads=5"], 2, "expected NAME=NUMBER with one of"),
        (["--limit", "max_jobs=1", "--limit", "max_jobs=2"], 2, "given twice"),
        (["--limit", "retry_min_ms=6000"], 2, "expected at most retry_max_ms, 5000"),
        (["--listen", "0.0.0.0:1", "--tokens", "none"], 2, "--insecure"),
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


def make_token(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "chase_fast", "token", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_certificates_and_tokens(tmp_path: Path) -> None:
    ca = trustme.CA()
    folder = Folder(tmp_path, client_ca=True)
    folder.put(ca.issue_cert(HOST))
    folder.put_client_ca(ca)
    made = make_token("ann", "--role", "query", "--role", "job")
    assert made.returncode == 0
    token = made.stderr.splitlines()[-1]
    tokens = tmp_path / "tokens"
    tokens.write_text(made.stdout)  # as a shell would
    files = folder.files
    words = ["--tls-cert", files.cert, "--tls-key", files.key, "--tls-client-ca", files.client_ca]
    leaf = ca.issue_cert("ann@example.org")
    known: Security = {
        "ca": ca.cert_pem.bytes(), "cert": chain(leaf), "key": leaf.private_key_pem.bytes(),
    }  # fmt: skip
    data = str(tmp_path / "data")
    with Process("--data", data, "--tokens", str(tokens), *map(str, words)) as server:
        with new_channel(server.target, ca.cert_pem.bytes(), leaf) as channel:
            grpc.channel_ready_future(channel).result(PATIENCE)
        stranger = Client(server.target, **known)
        with stranger, pytest.raises(ServiceError, match="UNAUTHENTICATED"):
            stranger.perft([("", 2)])
        known["token"] = token
        with Client(server.target, **known) as client:
            assert client.perft([("", 2)]) == [2114]
        server.process.send_signal(signal.SIGTERM)
        _, log = server.process.communicate(timeout=PATIENCE)
        assert server.process.returncode == 0
    assert token not in log


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ann"], "--role"),
        (["ann", "--role", "root"], "root"),
        (["a b", "--role", "query"], "expected 1 to 64 letters"),
    ],
)
def test_tokens_that_are_not_made(words: list[str], said: str) -> None:
    made = make_token(*words)
    assert (made.returncode, made.stdout) == (2, "")
    assert said in made.stderr


def test_limits_are_set(tmp_path: Path) -> None:
    with Process("--data", str(tmp_path), "--limit", "max_nodes=77", "--limit", "idle_seconds=2.5"
                 ) as process:  # fmt: skip
        process.started()
        with Client(process.target) as client:
            limits = client.version().limits
            assert (limits.nodes, limits.idle_seconds) == (77, 2.5)
