"""The positions of the vectors, as tests of searches want them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from chase_fast._core import Evaluator, Position, Rules
from chase_fast.agents.weights import load_weights

VECTORS = Path(__file__).parents[1] / "golden" / "vectors"


def _cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (VECTORS / name).read_text().splitlines()]


def mixed_positions(seed: int, repetition: str = "none") -> list[Position]:
    """The unfinished positions in random order, one of each rule set in turn.

    Args:
        seed: Of the order.
        repetition: Takes the place of the rules' own.
    """
    chance = random.Random(seed)
    by_rules: dict[str, list[Position]] = {}
    for case in _cases("positions.jsonl") + _cases("special.jsonl"):
        rules = Rules(**case["rules"])
        position = Position.parse(case["cfen"], rules.replace(repetition=repetition))
        if position.winner is None:
            by_rules.setdefault(str(rules), []).append(position)
    queues = list(by_rules.values())
    for queue in queues:
        chance.shuffle(queue)
    mixed = []
    while queues:
        mixed += [queue.pop() for queue in queues]
        queues = [queue for queue in queues if queue]
    return mixed


def shipped_evaluator(rules: Rules) -> Evaluator:
    """The evaluator that players of these rules have by default."""
    return load_weights(rules).evaluator(rules)
