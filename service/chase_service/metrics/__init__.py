"""Figures of a server for Prometheus: counted as calls end, read when they are asked for."""

from __future__ import annotations

from chase_service.metrics.metrics import Metrics, Sources
from chase_service.metrics.monitor import Monitor

__all__ = ["Metrics", "Monitor", "Sources"]
