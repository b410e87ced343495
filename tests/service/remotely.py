"""``chase-fast remote`` in the process of the test, and servers that say what a test tells them."""

from __future__ import annotations

import io
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from chase_service._pb.chase.v1 import system_service_pb2 as system_pb

from chase_fast.cli import main
from tests.service.fakes import Scripted
from tests.service.running import Running

HOLE = "127.0.0.1:1"
"""An address where nobody is."""

VERSION = system_pb.GetVersionResponse(players=["random"]).SerializeToString()


def ran(*words: str) -> tuple[int, bytes, str]:
    """A command's exit code, result and messages."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    err = io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(list(words))
    out.flush()
    buffer: Any = out.buffer
    return code, buffer.getvalue(), err.getvalue()


def remote(server: Running | str, command: str, *words: str) -> tuple[int, bytes, str]:
    target = server if isinstance(server, str) else server.target
    return ran("remote", command, "--server", target, *words)


def fake(path: str, *scripts: Any, shape: str = "unary_unary", more: Scripted | None = None) -> Any:
    """A server with one call, that of the version, and those of another one."""
    known = Scripted("SystemService/GetVersion", *[[VERSION]] * 9, shape="unary_unary", beside=more)
    return Scripted(path, *scripts, shape=shape, beside=known)
