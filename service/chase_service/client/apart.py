"""gRPC's part of calls that block, in other threads than the caller's.

Ctrl-C raises in the main thread wherever it is. Where that was within gRPC it broke the notes that
gRPC makes of its calls: the thread of the connection died, and to close it took for ever. So the
caller waits for queues and for nothing else.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from sys import is_finalizing
from typing import Any

from chase_service.channels import Channel

__all__ = ["Apart"]

_Task = Callable[[], object]
_Reply = tuple[Any, Exception | None]


class Apart:
    """Begins calls, and ends them, in a thread of its own. Threads may share it."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        threading.Thread(
            target=_work, args=(self._tasks,), name="calls of a client", daemon=True
        ).start()
        # Handlers of the program's end may still make calls, and close.
        weakref.finalize(self, self._tasks.put, None).atexit = False

    def _put(self, task: _Task) -> None:
        _check_threads()
        self._tasks.put(task)

    def _run(self, task: _Task) -> None:
        replies: SimpleQueue[_Reply] = SimpleQueue()
        self._put(lambda: replies.put(_reply(task)))
        _value(replies)

    def close(self, channel: Channel) -> None:
        """Closes a connection, unless the program has ended, which no other thread outlives."""
        if not is_finalizing():
            self._run(channel.close)

    def answer(self, call: Callable[..., Any], request: bytes, timeout: float | None) -> bytes:
        """The answer of a unary call, which is cancelled if the waiting is broken off.

        Args:
            call: Begins it, and gives its future.
            request: See `call`.
            timeout: Seconds, None for no bound.

        Raises:
            grpc.RpcError: It failed.
            RuntimeError: The client is closed, or the program has ended.
        """
        begun: list[Any] = []
        replies: SimpleQueue[_Reply] = SimpleQueue()

        def begin() -> None:
            begun.append(call(request, timeout=timeout))
            begun[0].add_done_callback(lambda done: replies.put(_reply(done.result)))

        def begin_or_reply() -> None:
            _, error = _reply(begin)
            if error is not None:
                replies.put((None, error))

        try:
            self._put(begin_or_reply)
            answer: bytes = _value(replies)
        except BaseException:
            self._tasks.put(lambda: _cancel(begun))
            raise
        return answer

    @contextmanager
    def answers(
        self, call: Callable[..., Any], request: bytes | Iterable[bytes], timeout: float | None
    ) -> Iterator[Iterator[bytes]]:
        """The answers of a call, none of them read before it is asked for.

        The end of the block cancels what is left of the call. To read them raises `grpc.RpcError`
        where it failed, and RuntimeError once the program has ended.

        Args:
            call: Begins it, and gives an iterator of its answers.
            request: One, or a stream of them, which gRPC reads in a thread of its own.
            timeout: Seconds, None for no bound.

        Raises:
            RuntimeError: The client is closed, or the program has ended.
        """
        begun: list[Any] = []
        asked: SimpleQueue[bool] = SimpleQueue()
        replies: SimpleQueue[_Reply] = SimpleQueue()

        def begin() -> None:
            begun.append(call(request, timeout=timeout))
            threading.Thread(
                target=_read, args=(begun[0], asked, replies), name="answers of a call", daemon=True
            ).start()

        def ask() -> Any:
            _check_threads()
            asked.put(True)
            return _value(replies)

        try:
            self._run(begin)
            yield iter(ask, None)
        finally:
            asked.put(False)
            self._tasks.put(lambda: _cancel(begun))


def _check_threads() -> None:
    """Refuses to wait for other threads where none runs any more."""
    if is_finalizing():
        raise RuntimeError("the program has ended, expected calls before that")


def _work(tasks: SimpleQueue[_Task | None]) -> None:
    while (task := tasks.get()) is not None:
        task()
        del task  # not kept while there is nothing to do


def _read(answers: Iterator[bytes], asked: SimpleQueue[bool], replies: SimpleQueue[_Reply]) -> None:
    while asked.get():
        replies.put(_reply(lambda: next(answers, None)))


def _reply(task: _Task) -> _Reply:
    try:
        return task(), None
    except Exception as error:  # noqa: BLE001 - it is raised where the reply is waited for
        return None, error


def _value(replies: SimpleQueue[_Reply]) -> Any:
    value, error = replies.get()
    if error is not None:
        raise error
    return value


def _cancel(begun: Iterable[Any]) -> None:
    for call in begun:
        call.cancel()
