"""Reads what a server tells of itself: its metrics and its log."""

from __future__ import annotations

import json
import logging
import os
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chase_service.log import JsonFormatter, LineHandler
from prometheus_client.parser import text_string_to_metric_families

from tests.service.running import PATIENCE, Running

Figures = dict[tuple[str, ...], float]


def page(server: Running) -> str:
    """The page that Prometheus reads."""
    url = f"http://127.0.0.1:{server.server.metrics_port}/metrics"
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        text: str = answer.read().decode()
    return text


def scraped(server: Running) -> Figures:
    """All figures by name, and values of the labels in the order of their names."""
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(page(server))
        for sample in family.samples
    }


def risen(before: Figures, after: Figures, name: str) -> Counter[tuple[str, ...]]:
    """By how much figures of a name have risen, by their labels; without those that have not."""
    return Counter(
        {
            key[1:]: int(value - before.get(key, 0))
            for key, value in after.items()
            if key[0] == name and value != before.get(key, 0)
        }
    )


class Lines:
    """Lines of a log, there when the block has ended that wrote them."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def text(self) -> str:
        return self._path.read_text(encoding="ascii")

    @property
    def all(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [line for line in self.all if line["message"] == "call"]


@contextmanager
def log_lines(folder: Path) -> Iterator[Lines]:
    """Writes what the service logs in this process, as the command does."""
    path = folder / "log"
    handler = LineHandler(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY), JsonFormatter())
    logger = logging.getLogger("chase_service")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield Lines(path)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
        handler.close()
