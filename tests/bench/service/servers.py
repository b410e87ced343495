"""Servers in processes of their own, and what the system knows of them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from chase_service.config import Config
from chase_service.log import JsonFormatter, logged
from chase_service.server import Options, Server, spare_the_collector

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Process:
    """A server that tells its port on its first line."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", __spec__.name, *arguments]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        self.target = f"127.0.0.1:{int(self._process.stdout.readline())}"
        self._folder = Path(f"/proc/{self._process.pid}")

    def cpu_seconds(self) -> float:
        """Processor time so far, of all threads."""
        fields = (self._folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory(self) -> int:
        """Resident bytes."""
        return int((self._folder / "statm").read_text().split()[1]) * _PAGE

    def descriptors(self) -> int:
        """Open files."""
        return len(list((self._folder / "fd").iterdir()))

    def threads(self) -> int:
        """Threads."""
        return len(list((self._folder / "task").iterdir()))

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(60)


@contextmanager
def chase(**config: Any) -> Iterator[Process]:
    """A server with this configuration and a folder of its own, that counts and logs its calls."""
    with tempfile.TemporaryDirectory() as folder:
        process = Process("chase", folder, json.dumps(config))
        try:
            yield process
        finally:
            process.close()


@contextmanager
def echo(size: int) -> Iterator[Process]:
    """A server of the same shape whose handler does nothing: answers are so many bytes."""
    process = Process("echo", str(size))
    try:
        yield process
    finally:
        process.close()


async def _chase(folder: str, config: str) -> None:
    options = Options(
        listen="127.0.0.1:0", data=Path(folder), config=Config(**json.loads(config)),
        metrics="127.0.0.1:0",
    )  # fmt: skip
    with logged(JsonFormatter(), "INFO"):
        server = Server(options)
        await server.start()
        spare_the_collector()
        await _tell(server.port)
        await server.drain()


async def _echo(size: int) -> None:
    answer = bytes(size)

    async def handler(request: bytes, context: Any) -> bytes:
        return answer

    server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
    methods: dict[str, Any] = {"Echo": grpc.unary_unary_rpc_method_handler(handler)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("Echo", methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await _tell(port)
    await server.stop(None)


async def _tell(port: int) -> None:
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    print(port, flush=True)
    await ending.wait()


if __name__ == "__main__":
    if sys.argv[1] == "echo":
        asyncio.run(_echo(int(sys.argv[2])))
    else:
        asyncio.run(_chase(*sys.argv[2:]))
