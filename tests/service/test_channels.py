"""What clients refuse to send, and to whom."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from chase_service.channels import open_aio_channel, open_channel
from chase_service.client import Client, ServiceError

from tests.service.certificates import curve, own, pem
from tests.service.running import PATIENCE, Running

pytestmark = pytest.mark.no_core

KEY = curve()
CERT = own(KEY)


def opened(target: str, security: dict[str, Any]) -> None:
    """Opens it in both ways; nothing is sent until there is a call."""
    open_channel(target, **security).close()

    async def open_and_close() -> None:
        await open_aio_channel(target, **security).close()

    asyncio.run(open_and_close())


LOCAL = ["127.0.0.1:1", "127.8.9.1:1", "[::1]:1", "localhost:1"]
FAR = [
    "192.0.2.1:1", "example.org:1", "[2001:db8::1]:1", "0.0.0.0:1", "[::]:1", "localhost.org:1",
    "127.0.0.1.org:1", "dns:///example.org:1", "ipv4:192.0.2.1:1,127.0.0.1:1",
]  # fmt: skip


@pytest.mark.parametrize(
    "target",
    ["", "127.0.0.1", ":1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:99999", "::1:1", "a b:1",
     "http://127.0.0.1:50051", "127.0.0.1:+1", "dns:", "\u0661.org:1", "host:\u0661"],
)  # fmt: skip
def test_what_is_no_address(target: str) -> None:
    with pytest.raises(ValueError, match="expected a host, a colon and a port up to 65535"):
        opened(target, {})


@pytest.mark.parametrize("target", LOCAL)
def test_tokens_in_plain_text_stay_here(target: str) -> None:
    opened(target, {"token": "t"})


@pytest.mark.parametrize("target", FAR)
def test_tokens_do_not_go_far_in_plain_text(target: str) -> None:
    with pytest.raises(ValueError, match="in plain text"):
        opened(target, {"token": "t"})
    with pytest.raises(ValueError, match="in plain text"):
        opened(target, {"token": "t", "tls": False, "insecure": False})


@pytest.mark.parametrize("target", ["192.0.2.1:1", "example.org:1", "dns:///example.org:1"])
def test_tokens_that_may_go_far(target: str) -> None:
    for security in ({"insecure": True}, {"tls": True}, {"ca": CERT}):
        opened(target, {"token": "t", **security})
    opened(target, {})


@pytest.mark.parametrize("token", ["", " ", "two words", "line\n", "tök", "t" * 513, "\x7f"])
def test_texts_that_are_no_token(token: str) -> None:
    with pytest.raises(ValueError, match=r"^token: expected") as raised:
        opened("127.0.0.1:1", {"token": token})
    assert not token.strip() or token not in str(raised.value)


@pytest.mark.parametrize(
    ("security", "said"),
    [
        ({"cert": CERT}, "cert and key go together"),
        ({"ca": CERT, "key": pem(KEY)}, "cert and key go together"),
        ({"ca": b"nonsense"}, "ca is no PEM"),
        ({"ca": b""}, "ca is no PEM"),
        ({"cert": CERT, "key": b"nonsense"}, "key is no PEM"),
    ],
)
def test_certificates_that_are_none(security: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        opened("127.0.0.1:1", security)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for given in (tmp_path / "none", str(tmp_path / "none")):
        with pytest.raises(FileNotFoundError):
            opened("127.0.0.1:1", {"ca": given})


# ---- Proxies ------------------------------------------------------------------------------------


@contextmanager
def proxy() -> Iterator[tuple[str, list[bytes]]]:
    """Notes what it is told first, and closes."""
    told: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def listen() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    told.append(connection.recv(4096))

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", told
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(PATIENCE)


def test_a_proxy_does_not_get_the_token(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "no_grpc_proxy", "grpc_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    with proxy() as (address, told):
        monkeypatch.setenv("http_proxy", address)
        with Client(server.target, token="t", timeout=PATIENCE) as client:
            assert client.perft([("", 1)]) == [46]
        assert told == []
        # Without a token it is asked, so that the above says something.
        with Client(server.target, timeout=1.0) as client, pytest.raises(ServiceError):
            client.perft([("", 1)])
        assert told
