"""Weight files: the evaluation as data, one JSON file for a set of rules.

``{"rules": "standard", "scale": 950.0, "weights": {"dice_0": 0, ...}, "made_by": {...}}``:
`weights` has an integer for each of `FEATURES`, in thousandths of a die; logistic(score / scale)
is the expected result; `made_by` tells how it was tuned.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from chase_fast._arguments import shown
from chase_fast._core import FEATURES, MAX_WEIGHT, Evaluator, Rules
from chase_fast.errors import ChaseError

_MAX_BYTES: Final = 1 << 20
_MAX_SCALE: Final = 1e9
_MOST_NAMED: Final = 5  # missing or unknown weights that a message names
_FOLDER: Final = Path(__file__).parents[1] / "weights"


class WeightsError(ChaseError, ValueError):
    """A weight file that cannot be read; says which and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of an evaluation.

    Attributes:
        values: One for each of `FEATURES`, thousandths of a die.
        scale: logistic(score / scale) is the expected result of the side to act.
        rules: Text of the rules that they were tuned for.
        name: Of the file, without its folder if it belongs to the package.
    """

    values: tuple[int, ...]
    scale: float
    rules: str
    name: str

    def evaluator(self, rules: Rules) -> Evaluator:
        """Made ready for some rules."""
        return Evaluator(rules, self.values)


def file_name(rules: Rules) -> str:
    """Name of the file for some rules: ``chain-yes.json`` for ``chain=yes``; "," becomes "_"."""
    return str(rules).replace("=", "-").replace(",", "_") + ".json"


def load_weights(rules: Rules, path: str | os.PathLike[str] | None = None) -> Weights:
    """The weights for some rules.

    Args:
        rules: Their own file is taken, or that of the same rules with threefold repetition, or
            the one of the standard rules.
        path: A file to read instead, or, where there is no such file, the name of one of the
            package, such as ``standard``.

    Raises:
        WeightsError: The file cannot be read or is no weight file.
    """
    if path is not None and path in _own_names() and not Path(path).exists():
        path = _FOLDER / f"{os.fspath(path)}.json"
        return _parse(path.read_bytes(), path.name)
    if path is not None:
        try:
            file_path = Path(path)
            if file_path.exists() and not (file_path.is_file() or file_path.is_dir()):
                raise ValueError("is no regular file")  # a pipe might never end
            with file_path.open("rb") as file:
                data = file.read(_MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise WeightsError(f"weight file {os.fspath(path)!r}: {reason}") from None
        return _parse(data, os.fspath(path))
    for known in (rules, rules.replace(repetition="threefold"), Rules()):
        name = file_name(known)
        known_file = _FOLDER / name
        if known_file.is_file():
            return _parse(known_file.read_bytes(), name)
    raise WeightsError("the package holds no weights for the standard rules")


def _own_names() -> set[str]:
    return {file.stem for file in _FOLDER.glob("*.json")}


def save_weights(
    path: str | os.PathLike[str], weights: Mapping[str, int], scale: float, rules: Rules,
    made_by: Mapping[str, Any],
) -> None:  # fmt: skip
    """Writes a weight file.

    Raises:
        OSError: It cannot be written.
    """
    import json  # costs import time

    data = {
        "rules": str(rules),
        "scale": round(scale, 3),
        "made_by": dict(made_by),
        "weights": {name: weights[name] for name in FEATURES},
    }
    Path(path).write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


def _parse(data: bytes, name: str) -> Weights:
    import json  # costs import time

    def fail(reason: str) -> WeightsError:
        return WeightsError(f"weight file {name!r}: {reason}")

    if len(data) > _MAX_BYTES:
        raise fail(f"is longer than {_MAX_BYTES} bytes")
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise fail(f"is not JSON: {error}") from None
    if not isinstance(content, dict) or not isinstance(content.get("weights"), dict):
        raise fail('expected an object with "rules", "scale" and "weights"')
    given = content["weights"]
    missing = [feature for feature in FEATURES if feature not in given]
    unknown = [feature for feature in given if feature not in FEATURES]
    if missing or unknown:
        reasons = [*(f"no {f}" for f in missing), *(f"unknown {shown(f)}" for f in unknown)]
        more = f" and {len(reasons) - _MOST_NAMED} more" if len(reasons) > _MOST_NAMED else ""
        wrong = ", ".join(reasons[:_MOST_NAMED]) + more
        raise fail(f"weights: {wrong}")
    for feature in FEATURES:
        value = given[feature]
        if type(value) is not int or not -MAX_WEIGHT <= value <= MAX_WEIGHT:
            raise fail(f"{feature} must be an integer from {-MAX_WEIGHT} to {MAX_WEIGHT}")
    scale = content.get("scale")
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale <= _MAX_SCALE:
        raise fail(f"scale must be a number above 0, at most {_MAX_SCALE:g}")
    rules = content.get("rules")
    if not isinstance(rules, str):
        raise fail("rules must be a text")
    try:
        rules = str(Rules.parse(rules))
    except ChaseError as error:
        raise fail(f"rules: {error}") from None
    return Weights(tuple(given[feature] for feature in FEATURES), float(scale), rules, name)
