"""The engine against the slow model of the rules, over all rule options."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import chase_fast as cf
from tests.property.strategies import engine_position, engine_rules, positions, rule_sets
from tests.reference import RefGame, RefPosition, RefRules, events, half_turn_decision

# The model is slow: fewer tries than the profile in use asks for, and more where that does.
EXAMPLES = settings().max_examples

# The model's words for what a decision did, and the engine's.
EVENTS = {
    "captures": "captures",
    "split": "split",
    "refused": "refused",
    "bumps": "bumps",
    "longest_chain": "longest_chain",
    "ricochets": "ricochets",
    "wraps": "wraps",
}


def assert_same(engine: cf.Position, model: RefPosition) -> list[str]:
    """Everything that both know of a position; returns the decisions, those after it checked."""
    decisions = model.decisions()
    texts = [decision.text for decision in decisions]
    assert engine.cfen == model.cfen
    assert [str(move) for move in engine.legal_moves] == texts
    assert len(engine.legal_moves) == len(texts) <= 6 * model.rules.total
    assert engine.winner == model.winner
    assert engine.pips_due == model.pips_due
    assert engine.side_to_act == model.side
    assert engine._consistent()
    assert engine.zobrist == engine._rehash()
    for decision in decisions:
        after = engine.apply(decision.text)
        assert after.cfen == decision.after.cfen, decision.text
        assert after._consistent(), decision.text
        if decision.move is not None:
            assert_same_events(engine, model, decision.text)
    return texts


def assert_same_events(engine: cf.Position, model: RefPosition, text: str) -> None:
    """What a decision did, and its steps on the board."""
    mine, theirs = engine.events(text), events(model, text)
    assert {name: mine[name] for name in EVENTS} == {
        name: int(theirs[other]) for name, other in EVENTS.items()
    }, text
    trace = engine.trace(text)
    assert sum(step.wraps for step in trace) == mine["wraps"]
    assert sum(step.ricochets for step in trace) == mine["ricochets"]
    assert sum(step.captured > 0 for step in trace) == mine["captures"]
    assert sum(step.kind == "push" for step in trace) == mine["bumps"]


class Play(RuleBasedStateMachine):
    """A game played by both, one decision at a time, taken back now and then."""

    @initialize(rules=rule_sets(), place=st.none() | positions())
    def begin(self, rules: RefRules, place: RefPosition | None) -> None:
        start = RefPosition.start(rules) if place is None else place
        self.model = RefGame(start)
        self.game = cf.Game(engine_position(start))
        self.texts = assert_same(self.game.position, start)

    @precondition(lambda self: not self.model.over)
    @rule(data=st.data())
    def decide(self, data: st.DataObject) -> None:
        # Captures, bumps, entries and exchanges alike, not only the many plain moves.
        text = data.draw(st.sampled_from(self.texts))
        self.model.push(text)
        self.game.push(text)
        self.texts = assert_same(self.game.position, self.model.position)

    @precondition(lambda self: self.model.over)
    @rule(text=st.sampled_from(["a1NE", "+a1", "stop"]))
    def refuse(self, text: str) -> None:
        """Also what is left to do where a position is drawn that has ended already."""
        before = self.game.position
        with pytest.raises(cf.GameOverError):
            self.game.push(text)
        assert self.game.position == before

    @precondition(lambda self: len(self.game.moves) > 0)
    @rule()
    def take_back_and_repeat(self) -> None:
        before = self.game.position
        move = self.game.pop()
        self.game.push(move)
        assert self.game.position == before and hash(self.game.position) == hash(before)

    @invariant()
    def same_outcome(self) -> None:
        if not hasattr(self, "game"):
            return
        outcome = self.game.outcome
        assert (outcome is not None) == self.model.over
        if outcome is not None:
            assert outcome.winner == self.model.winner
            assert str(outcome.termination) == self.model.termination


TestPlay = Play.TestCase
TestPlay.settings = settings(max_examples=EXAMPLES // 4, stateful_step_count=25)


@given(positions())
@settings(max_examples=EXAMPLES * 6 // 10)
def test_any_position(model: RefPosition) -> None:
    assert not model.faults()
    assert_same(engine_position(model), model)


@given(positions())
@settings(max_examples=EXAMPLES * 6 // 10)
def test_half_turn_symmetry(model: RefPosition) -> None:
    """The board turned by 180 degrees, colours swapped, has the turned decisions.

    Without wrap there is no such symmetry: a half turn of the cylinder moves the seam.
    """
    assume(model.rules.wrap)
    position = engine_position(model)
    turned = position.half_turn()
    assert turned.cfen == model.half_turn().cfen
    assert turned.half_turn() == position
    mapped = {half_turn_decision(str(move)): move for move in position.legal_moves}
    assert set(mapped) == {str(move) for move in turned.legal_moves}
    for text, move in mapped.items():
        assert turned.apply(text) == position.apply(move).half_turn()


@given(rule_sets())
def test_start(rules: RefRules) -> None:
    model = RefPosition.start(rules)
    assert cf.Position.start(engine_rules(rules)).cfen == model.cfen
