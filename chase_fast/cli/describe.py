"""Positions and decisions as JSON and in words, the same in all commands."""

from __future__ import annotations

from typing import Any

from chase_fast import Game, Kind, Move, Position, Side, TraceStep, cell_name


def side_name(side: Side) -> str:
    """``red`` or ``blue``."""
    return side.name.lower()


def position_json(game: Game) -> dict[str, Any]:
    """The current position of a game; ``docs/cli.md`` lists the keys."""
    position, outcome = game.position, game.outcome
    winner = outcome.winner if outcome is not None else None
    return {
        "cfen": position.cfen,
        "rules": str(position.rules),
        "side_to_act": side_name(position.side_to_act),
        "capturing": None if position.capturing is None else cell_name(position.capturing),
        "pips_due": position.pips_due,
        "spare": _by_side(position.spare),
        "dice": _by_side(position.dice),
        "pips": _by_side(position.pips),
        "legal_decisions": len(game.legal_moves),
        "winner": None if winner is None else side_name(winner),
        "termination": None if outcome is None else outcome.termination,
    }


def state_words(game: Game) -> str:
    """Who has to act and what, or how the game ended."""
    position, outcome = game.position, game.outcome
    if outcome is not None:
        if outcome.winner is None:
            return f"drawn ({outcome.termination})"
        return f"{side_name(outcome.winner)} has won ({outcome.termination})"
    options = len(game.legal_moves)
    words = f"{side_name(position.side_to_act)} to act, {options} legal decisions"
    if options == 1:
        words = words[:-1]
    if position.pips_due:
        words += f", {position.pips_due} pips due"
    if position.capturing is not None:
        words += f", may go on capturing with {cell_name(position.capturing)}"
    return words


def last_decision(game: Game) -> dict[str, Any]:
    """The last decision, as the pictures take it."""
    if not game.moves:
        return {}
    return {"last_move": game.moves[-1], "before": game.positions[-2]}


def decision_json(position: Position, move: Move) -> dict[str, Any]:
    """A legal decision of a position; ``docs/cli.md`` lists the keys."""
    after = position.apply(move)
    return {
        "text": str(move),
        "code": move.code,
        "kind": move.kind.name.lower(),
        "cell": _cell(move.cell),
        "direction": None if move.direction is None else move.direction.name,
        "other": _cell(move.other),
        "value": move.value,
        "other_value": move.other_value,
        "steps": [_step_json(step) for step in position.trace(move)],
        "events": position.events(move),
        "after": after.cfen,
        "winner": None if after.winner is None else side_name(after.winner),
    }


def effect_words(position: Position, move: Move) -> str:
    """What a legal decision does beyond moving one die."""
    events, after = position.events(move), position.apply(move)
    words = [
        f"takes {step.captured} on {cell_name(step.target)}"
        for step in position.trace(move)
        if step.captured
    ]
    if events["split"]:
        words.append("splits")
    elif events["refused"]:
        words.append("does not split: no spare die")
    elif events["entered"]:
        words.append("leaves the chamber whole")
    if events["bumps"]:
        words.append(f"bumps {events['bumps']}")
    if move.kind == Kind.DISTRIBUTION and after.pips_due:
        words.append(f"{after.pips_due} still due")
    if after.winner is not None:
        words.append("wins" if after.winner == position.side_to_act else "loses")
    elif after.capturing is not None:
        words.append("may capture again")
    return ", ".join(words)


def _by_side(pair: tuple[int, int]) -> dict[str, int]:
    return {side_name(side): pair[side] for side in Side}


def _cell(cell: int | None) -> str | None:
    return None if cell is None else cell_name(cell)


def _step_json(step: TraceStep) -> dict[str, Any]:
    return {
        "kind": step.kind,
        "from": cell_name(step.origin),
        "to": cell_name(step.target),
        "direction": step.direction.name,
        "value": step.value,
        "wraps": step.wraps,
        "ricochets": step.ricochets,
        "captured": step.captured,
    }
