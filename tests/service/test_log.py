"""The log of a server: whole lines whatever stands in them, and nobody waits for its reader."""

from __future__ import annotations

import json
import logging
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from chase_service import convert
from chase_service._pb.chase.v1 import query_service_pb2 as pb
from chase_service.log import JsonFormatter, LineHandler, TextFormatter
from chase_service.watch import Ended
from hypothesis import given
from hypothesis import strategies as st

from tests.service.running import PATIENCE, QUERY, Running, failure, wait_for
from tests.service.watching import log_lines

pytestmark = pytest.mark.no_core

CALL = Ended(
    7,
    "QueryService.Perft",
    "ipv6:%5B::1%5D:50",
    "somebody",
    "NOT_FOUND",
    "GONE",
    0.0125,
    10,
    20,
    3,
    1,
)


def record(message: object, *args: object, **extra: Any) -> logging.LogRecord:
    made = logging.LogRecord("chase_service", logging.INFO, "", 0, message, args, None)
    made.__dict__.update(extra)
    return made


# ---- Lines --------------------------------------------------------------------------------------


def test_the_line_of_a_call() -> None:
    line = json.loads(JsonFormatter().format(record(CALL)))
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "info",
        "message": "call",
        "call": 7,
        "method": "QueryService.Perft",
        "peer": "[::1]:50",
        "client": "somebody",
        "code": "NOT_FOUND",
        "reason": "GONE",
        "milliseconds": 12.5,
        "request_bytes": 10,
        "response_bytes": 20,
        "items": 3,
        "failed": 1,
    }
    text = TextFormatter().format(record(CALL))
    assert "INFO call 7 QueryService.Perft NOT_FOUND GONE 12.500 ms" in text


ANY_TEXT = st.text(st.characters(), max_size=200) | st.sampled_from(
    ["\n", "\r\n", "\x1b[2J", "\u2028", "\ud800", "\0", '"}\n{"', "x" * 100_000, "%s %d"]
)


@given(message=ANY_TEXT, argument=ANY_TEXT, name=ANY_TEXT, fault=ANY_TEXT)
def test_a_record_is_one_line_whatever_stands_in_it(
    message: str, argument: str, name: str, fault: str
) -> None:
    made = record("%s: %s", message, argument)
    made.name = name
    try:
        raise ValueError(fault)
    except ValueError:
        made.exc_info = sys.exc_info()
    text = JsonFormatter().format(made)
    assert text.isascii() and text.isprintable()
    assert len(text) < 300_000
    line = json.loads(text)
    assert line["message"] == f"{message}: {argument}"[:20_000]
    assert "ValueError" in line["traceback"]
    shown = TextFormatter().format(made)
    assert all(letter.isprintable() or letter == "\n" for letter in shown)


# ---- Where they go ------------------------------------------------------------------------------


@contextmanager
def piped(**options: Any) -> Iterator[tuple[LineHandler, int, int]]:
    """A handler that writes into a pipe, and both ends of it."""
    reader, writer = os.pipe()
    handler = LineHandler(writer, JsonFormatter(), **options)
    try:
        yield handler, reader, writer
    finally:
        os.close(reader)
        handler.close()


def read_all(reader: int) -> Callable[[], list[dict[str, Any]]]:
    """Reads in a thread until the other end is closed; gives the lines then."""
    pieces: list[bytes] = []

    def read() -> None:
        while piece := os.read(reader, 65536):
            pieces.append(piece)

    thread = threading.Thread(target=read)
    thread.start()

    def lines() -> list[dict[str, Any]]:
        thread.join(PATIENCE)
        assert not thread.is_alive()
        return [json.loads(line) for line in b"".join(pieces).splitlines()]

    return lines


@pytest.mark.parametrize("blocking", [True, False])
def test_lines_come_in_their_order(blocking: bool) -> None:
    with piped() as (handler, reader, writer):
        os.set_blocking(writer, blocking)
        for number in range(3000):  # more than a pipe holds
            handler.handle(record("line", call=number))
        wait_for(lambda: not select.select([], [writer], [], 0)[1])
        read = read_all(reader)
        handler.close()
        assert [line["call"] for line in read()] == list(range(3000))
        assert handler.lost == 0


def test_nobody_waits_for_a_reader_that_is_slow() -> None:
    sent = 5000
    with piped(most=100) as (handler, reader, _):
        for number in range(sent):
            handler.handle(record("line", call=number))
        lost = handler.lost
        assert lost > 0
        read = read_all(reader)
        # What comes once it reads again tells how much is missing.
        wait_for(lambda: not handler.waiting)
        handler.handle(record("line", call=sent))
        handler.close()
        lines = read()
    numbers = [line["call"] for line in lines if line["message"] == "line"]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == sent
    told = [int(line["message"].split()[0]) for line in lines if line["level"] == "warning"]
    assert sum(told) == handler.lost == lost
    assert len(numbers) + lost == sent + 1


def test_the_end_does_not_wait_for_a_reader_that_has_stopped() -> None:
    with piped(most=10_000) as (handler, _, _):
        for number in range(3000):
            handler.handle(record("line", call=number))
        handler.close()  # would hang
        handler.close()


class LastWords(LineHandler):
    """Gets a record, and its end, in the moment in which its thread has found nothing more."""

    def _lines(self) -> list[str]:
        lines = super()._lines()
        if not lines and not self._closing.is_set():
            self.handle(record("last"))
            self._closing.set()
            self._wake.set()
        return lines


def test_what_comes_right_before_the_end_is_written() -> None:
    reader, writer = os.pipe()
    handler = LastWords(writer, JsonFormatter())
    handler.handle(record("first"))
    handler._thread.join(PATIENCE)
    assert not handler._thread.is_alive()
    handler.close()
    with os.fdopen(reader, "rb") as stream:
        lines = [json.loads(line)["message"] for line in stream]
    assert lines == ["first", "last"]


def test_a_reader_that_is_gone_disturbs_nobody() -> None:
    reader, writer = os.pipe()
    handler = LineHandler(writer, JsonFormatter())
    os.close(reader)
    handler.handle(record("line"))
    wait_for(lambda: handler.lost == 1)
    handler.handle(record("line"))
    wait_for(lambda: handler.lost == 2)
    handler.close()


def test_a_record_that_has_no_text_is_a_line_all_the_same() -> None:
    with piped() as (handler, reader, _):
        handler.handle(record("%d", "no number"))
        handler.handle(record("line"))
        handler.close()
        assert [line["message"] for line in read_all(reader)()] == [
            "a record without a text",
            "line",
        ]


# ---- Of a server --------------------------------------------------------------------------------


def test_bytes_and_address(server: Running, tmp_path: Path) -> None:
    request = pb.PerftRequest(items=[pb.PerftItem(depth=1)])
    streamed = pb.StreamPerftRequest(batch=request)
    with log_lines(tmp_path) as lines:
        answer = server.call("Perft", request, pb.PerftResponse)
        answers = list(server.talk("StreamPerft", [streamed, streamed]))
    unary, stream = lines.calls
    assert unary["request_bytes"] == request.ByteSize()
    assert unary["response_bytes"] == answer.ByteSize()
    assert stream["request_bytes"] == 2 * streamed.ByteSize()
    assert stream["response_bytes"] == sum(map(len, answers))
    assert unary["peer"].startswith("127.0.0.1:")
    assert unary["milliseconds"] > 0


def test_a_fault_has_its_traceback_beside_the_line_of_its_call(
    server: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(*_: Any) -> Any:
        raise RuntimeError("what went wrong")

    monkeypatch.setitem(convert.READERS, "Perft", fault)
    call: Any = server.channel.unary_unary(QUERY + "Perft")
    with log_lines(tmp_path) as lines, pytest.raises(grpc.RpcError) as raised:
        call(b"", timeout=PATIENCE)
    assert failure(raised.value)[0] is grpc.StatusCode.INTERNAL
    said, ended = lines.all
    assert "what went wrong" in said["traceback"]
    assert said["call"] == ended["call"]
    assert (ended["code"], ended["level"]) == ("INTERNAL", "error")


SECRET = "51f0c0ffee"


def test_what_callers_send_is_not_in_the_log(server: Running, tmp_path: Path) -> None:
    metadata = (("authorization", f"Bearer {SECRET}"), ("user-agent", SECRET), ("x", SECRET * 100))
    item = pb.PerftItem(position=SECRET)
    analyse = pb.AnalyseItem(player=f"ext:cmd={SECRET}")
    with log_lines(tmp_path) as lines:
        server.call("Perft", pb.PerftRequest(items=[item]), pb.PerftResponse, metadata=metadata)
        for path, request in (
            (QUERY + "Analyse", pb.AnalyseRequest(items=[analyse], fail_fast=True)),
            (QUERY + "Perft", pb.PerftRequest(rules=SECRET, items=[item])),
            (f"/{SECRET}/{SECRET}", pb.PerftRequest()),
        ):
            call: Any = server.channel.unary_unary(path)
            with pytest.raises(grpc.RpcError):
                call(request.SerializeToString(), timeout=PATIENCE, metadata=metadata)
    assert len(lines.calls) == 4
    assert SECRET not in lines.text


SERVE = [sys.executable, "-m", "chase_fast", "serve", "--metrics", "off"]


def serving(folder: Path, *words: str, shell: str = '"$@"') -> tuple[subprocess.Popen[bytes], str]:
    """A server as a process that a line of a shell starts, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        target = f"127.0.0.1:{free.getsockname()[1]}"
    command = [*SERVE, "--listen", target, "--data", str(folder), *words]
    process = subprocess.Popen(
        ["sh", "-c", f"exec {shell}", "sh", *command], stderr=subprocess.PIPE
    )
    with grpc.insecure_channel(target) as channel:
        grpc.channel_ready_future(channel).result(PATIENCE)
    return process, target


def ask(target: str, times: int) -> None:
    with grpc.insecure_channel(target) as channel:
        call: Any = channel.unary_unary("/chase.v1.SystemService/GetVersion")
        for _ in range(times):
            call(b"", timeout=PATIENCE)


def test_a_server_goes_on_although_nobody_reads_its_log(tmp_path: Path) -> None:
    process, target = serving(tmp_path)
    try:
        ask(target, 1000)  # some 300 KB of lines, where a pipe holds 64
        process.terminate()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.communicate()


def test_a_server_goes_on_without_standard_error(tmp_path: Path) -> None:
    process, target = serving(tmp_path, shell='"$@" 2>&-')
    try:
        ask(target, 10)
        process.terminate()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("words", "begin", "calls"),
    [
        ([], '{"time": "', 3),
        (["--log-level", "warning"], "", 0),
        (["--log", "text"], "20", 3),
    ],
)
def test_the_log_is_as_it_was_asked_for(
    tmp_path: Path, words: list[str], begin: str, calls: int
) -> None:
    process, target = serving(tmp_path, *words)
    try:
        ask(target, 3)
        process.terminate()
        said = process.communicate(timeout=PATIENCE)[1].decode().splitlines()
    finally:
        process.kill()
    assert process.returncode == 0
    assert len([line for line in said if "SystemService.GetVersion" in line]) == calls
    assert all(line.startswith(begin) for line in said)
    assert len(said) == (calls and calls + 2), said  # its beginning and its end
