"""What a server tells Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from chase_service.figures import Done, EngineFigures
from chase_service.metrics.histogram import Histogram
from chase_service.metrics.lag import LoopLag
from chase_service.watch import OTHER, Ended

__all__ = ["Metrics", "Sources"]

# Seconds of a call: from an answer on the loop to the longest that one may take.
_BOUNDS: Final = (
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
    1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 180.0, 600.0,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Sources:
    """What is asked when figures are wanted. In another thread; none may wait for the loop.

    Attributes:
        build: What is served: names and values.
        running: Calls under way.
        engine: How the engine stands.
        done: What was done.
        jobs: Jobs by state, empty where there are none.
        lost_lines: Lines of the log that were lost.
    """

    build: Mapping[str, str]
    running: Callable[[], int]
    engine: Callable[[], EngineFigures]
    done: Done
    jobs: Callable[[], Mapping[str, int]]
    lost_lines: Callable[[], int]


class _Method:
    """Figures of one method. Written by the thread of the loop, read by any."""

    def __init__(self) -> None:
        self.codes = {"OK": 0}
        self.seconds = Histogram(_BOUNDS)
        self.good = 0
        self.failed = 0


class Metrics(Collector):
    """A `chase_service.watch.Watcher` that counts, and what reads the counts.

    Args:
        methods: Of the contract: all that there will be figures of, but for `OTHER`.
        sources: All other figures.

    Attributes:
        registry: What is told.
        lag: Of the loop; to be started and stopped.
    """

    def __init__(self, methods: Iterable[str], sources: Sources) -> None:
        self.lag = LoopLag()
        self._methods = {method: _Method() for method in (*methods, OTHER)}
        self._sources = sources
        self.registry = CollectorRegistry(auto_describe=True)
        self.registry.register(self)
        ProcessCollector(registry=self.registry)

    def items(self, method: str, items: int, failed: int) -> None:
        """See `Watcher`."""
        figures = self._methods[method]
        figures.good += items - failed
        figures.failed += failed

    def ended(self, call: Ended) -> None:
        """See `Watcher`."""
        figures = self._methods[call.method]
        figures.codes[call.code] = figures.codes.get(call.code, 0) + 1
        figures.seconds.add(call.seconds)

    def collect(self) -> Iterator[Metric]:
        """All figures, as the library asks for them."""
        sources = self._sources
        yield InfoMetricFamily("chase_build", "What is served.", dict(sources.build))
        yield from self._calls()
        yield _gauge("chase_calls_running", "Calls under way.", sources.running())
        yield from _engine(sources.engine())
        done = sources.done
        yield _counter("chase_games", "Games played to their end, for calls and jobs.", done.games)
        yield _counter("chase_nodes", "Nodes of analyses.", done.nodes)
        jobs = GaugeMetricFamily("chase_jobs", "Jobs that there are.", labels=["state"])
        for state, number in sources.jobs().items():
            jobs.add_metric([state], number)
        yield jobs
        lag = self.lag.seconds
        yield HistogramMetricFamily(
            "chase_event_loop_lag_seconds", "How late the event loop is, looked at ten times a "
            "second.", buckets=lag.buckets(), sum_value=lag.total,
        )  # fmt: skip
        yield _counter(
            "chase_log_lines_lost", "Lines of the log that nobody took.", sources.lost_lines()
        )

    def _calls(self) -> Iterator[Metric]:
        calls = CounterMetricFamily(
            "chase_calls", "Calls that have ended.", labels=["method", "code"]
        )
        seconds = HistogramMetricFamily(
            "chase_call_seconds", "Seconds from request to answer.", labels=["method"]
        )
        items = CounterMetricFamily(
            "chase_items", "Items answered in batches, and games sent.",
            labels=["method", "result"],
        )  # fmt: skip
        for name, figures in self._methods.items():
            for code, number in list(figures.codes.items()):
                calls.add_metric([name, code], number)
            seconds.add_metric([name], figures.seconds.buckets(), figures.seconds.total)
            items.add_metric([name, "ok"], figures.good)
            items.add_metric([name, "error"], figures.failed)
        yield from (calls, seconds, items)


def _engine(figures: EngineFigures) -> Iterator[Metric]:
    yield _counter("chase_engine_batches", "Engine calls on threads.", figures.batches)
    yield _counter("chase_engine_merged", "Portions of work in these calls.", figures.merged)
    yield _counter(
        "chase_engine_inline", "Portions of work done on the event loop.", figures.inline
    )
    yield _counter(
        "chase_engine_retried", "Engine calls whose portions were tried again, apart.",
        figures.retried,
    )  # fmt: skip
    yield _gauge("chase_engine_stuck", "Threads that do not come back.", figures.stuck)
    yield _gauge("chase_engine_busy_threads", "Threads that work.", figures.busy_threads)
    yield _gauge("chase_queue_items", "Portions of work that wait.", figures.queued_items)
    yield _gauge("chase_queue_bytes", "Bytes of the requests that wait.", figures.queued_bytes)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(name, text, value=value)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)
