"""Rules as a value: fields, text, identity, refusals, instruction sets."""

from __future__ import annotations

import copy
import hashlib
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chase_fast as cf
from chase_fast import InvalidRulesError, Position, Rules

DEFAULTS = {
    "reserve": 1,
    "recycle": True,
    "chain": False,
    "handout": "lowest",
    "setup": "123454321",
    "wrap": True,
    "ricochet": True,
    "repetition": "threefold",
}

FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "reserve": st.integers(0, 16),
    "recycle": st.booleans(),
    "chain": st.booleans(),
    "handout": st.sampled_from(["lowest", "any"]),
    "setup": st.text("123456", min_size=9, max_size=9),
    "wrap": st.booleans(),
    "ricochet": st.booleans(),
    "repetition": st.sampled_from(["threefold", "moves", "none"]),
}
some_fields = st.fixed_dictionaries({}, optional=FIELDS)


def test_defaults_are_the_standard_game() -> None:
    rules = Rules()
    assert rules.as_dict() == DEFAULTS
    assert list(rules.as_dict()) == list(Rules.FIELDS)
    assert rules.total == 25
    assert str(rules) == "standard"
    assert repr(rules) == "Rules()"


@given(some_fields)
def test_every_field_is_kept(fields: dict[str, Any]) -> None:
    rules = Rules(**fields)
    assert rules.as_dict() == DEFAULTS | fields
    assert {name: type(value) for name, value in rules.as_dict().items()} == {
        name: type(value) for name, value in DEFAULTS.items()
    }
    assert rules.total == sum(map(int, rules.setup))


@given(some_fields)
def test_text_repr_and_pickle_give_equal_rules(fields: dict[str, Any]) -> None:
    rules = Rules(**fields)
    assert Rules.parse(str(rules)) == rules
    assert eval(repr(rules), {"Rules": Rules}) == rules
    for again in (pickle.loads(pickle.dumps(rules)), copy.copy(rules), copy.deepcopy(rules)):
        assert again == rules
        assert hash(again) == hash(rules)
        assert again.digest == rules.digest


@given(some_fields, some_fields)
def test_rules_are_equal_by_value(one: dict[str, Any], two: dict[str, Any]) -> None:
    a, b = Rules(**one), Rules(**two)
    same = DEFAULTS | one == DEFAULTS | two
    assert (a == b) is same
    assert (str(a) == str(b)) is same
    assert (a.digest == b.digest) is same
    if same:
        assert hash(a) == hash(b)


def test_rules_differ_from_other_things() -> None:
    assert Rules() != "standard"
    assert Rules() not in (None, 1, DEFAULTS)


def test_named_rules() -> None:
    assert Rules.PRESETS == {
        "standard": "standard",
        "rulebook": "repetition=none",
        "russian": "chain=yes",
        "wikipedia": "handout=any",
    }
    for name, text in Rules.PRESETS.items():
        assert Rules.parse(name) == Rules.parse(text)
    assert Rules.parse("rulebook") == Rules(repetition="none")
    assert Rules.parse("russian") == Rules(chain=True)
    assert Rules.parse("wikipedia") == Rules(handout="any")


def test_text_in_any_order_prints_in_the_order_of_the_fields() -> None:
    rules = Rules.parse("russian,wrap=no,reserve=2")
    assert rules == Rules(reserve=2, chain=True, wrap=False)
    assert str(rules) == "reserve=2,chain=yes,wrap=no"
    assert repr(rules) == "Rules(reserve=2, chain=True, wrap=False)"


def test_digest_is_of_all_fields_spelled_out() -> None:
    spelled_out = (
        "reserve=2,recycle=yes,chain=no,handout=lowest,setup=123454321,"
        "wrap=yes,ricochet=no,repetition=threefold"
    )
    digest = Rules(reserve=2, ricochet=False).digest
    assert digest == hashlib.sha256(spelled_out.encode()).hexdigest()[:16]


def test_digest_of_the_standard_rules_never_changes() -> None:
    assert Rules().digest == "83ea661b92179cee"


def test_hashes_spread() -> None:
    many = [
        Rules(reserve=reserve, setup=f"1234543{last}1") for reserve in range(17) for last in "12"
    ]
    assert len({hash(rules) for rules in many}) == len(many)


def test_replace_changes_some_fields() -> None:
    rules = Rules(reserve=3, chain=True)
    assert rules.replace(chain=False, setup="222222222") == Rules(reserve=3, setup="222222222")
    assert rules == Rules(reserve=3, chain=True)
    with pytest.raises(InvalidRulesError, match="no rule 'spares', only reserve, recycle, chain"):
        rules.replace(spares=2)


@pytest.mark.parametrize("number", [2, np.int8(2), np.uint64(2), np.array(2)])
def test_reserve_may_be_any_integer_type(number: Any) -> None:
    assert Rules(reserve=number) == Rules(reserve=2)


def test_yes_and_no_may_be_of_numpy() -> None:
    flag: Any = np.bool_(True)
    assert Rules(chain=flag) == Rules(chain=True)


WRONG: list[tuple[str, Any, str]] = [
    *[("reserve", value, "an int from 0 to 16") for value in (-1, 17, 256, 2**64, 10**5000)],
    *[("reserve", value, "an int from 0 to 16") for value in (True, np.True_, 1.0, "1", None, [1])],
    *[
        (field, value, "True or False")
        for field in ("recycle", "chain", "wrap", "ricochet")
        for value in (0, 1, "yes", None, 1.0)
    ],
    *[("handout", value, "one of 'lowest', 'any'") for value in ("Any", "", 0, None, "x" * 10**6)],
    *[("repetition", value, "'threefold', 'moves', 'none'") for value in (3, "twofold", None)],
    *[
        ("setup", value, "9 digits from 1 to 6")
        for value in (123454321, "12345432", "1234543211", "023454321", "723454321", None)
    ],
    # digits of other scripts, a surrogate, nine characters of which one is a NUL
    *[("setup", value, "9 digits from 1 to 6") for value in ("١23454321", "\ud80023454321")],
    ("setup", "12345432\0", "9 digits from 1 to 6"),
]


# Numbered, since such values make no names.
@pytest.mark.parametrize(("field", "value", "allowed"), WRONG, ids=map(str, range(len(WRONG))))
def test_wrong_value_names_field_and_what_is_allowed(field: str, value: Any, allowed: str) -> None:
    with pytest.raises(InvalidRulesError) as refused:
        Rules(**{field: value})
    message = str(refused.value)
    assert message.startswith(f"{field} must be ")
    assert allowed in message
    assert len(message) < 200


def test_unknown_field_is_refused_with_the_known_ones() -> None:
    unknown: dict[str, Any] = {"resrve": 2}
    with pytest.raises(InvalidRulesError, match=r"no rule 'resrve', only reserve, .*, repetition"):
        Rules(**unknown)


def test_fields_are_keywords() -> None:
    make: Any = Rules
    with pytest.raises(TypeError, match="by keyword"):
        make(2)


WRONG_TEXTS = [
    "",
    " ",
    "standard ",
    "Standard",
    "chess",
    "reserve",
    "reserve=",
    "reserve=17",
    "reserve=-1",
    "reserve=01",
    "reserve=99999999999999999999",
    "reserve=2,",
    ",reserve=2",
    "reserve=2,,chain=yes",
    "reserve=2, chain=yes",
    "reserve=2,reserve=2",
    "reserve=2,russian",
    "russian,russian",
    "chain=true",
    "chain=Yes",
    "setup=12345432",
    "setup=1234543217",
    "setup=023454321",
    "reserve=2\0",
    "\0",
    "réserve=2",
    "reserve=\ud800",
    "\U0001f3b2",
    "standard" * 200_000,
    "reserve=1," * 200_000,
]


@pytest.mark.parametrize("text", WRONG_TEXTS, ids=map(str, range(len(WRONG_TEXTS))))
def test_wrong_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidRulesError) as refused:
        Rules.parse(text)
    assert 10 < len(str(refused.value)) < 300


@pytest.mark.parametrize("text", [None, b"standard", 1, ["standard"], Rules()])
def test_text_must_be_str(text: Any) -> None:
    with pytest.raises(InvalidRulesError, match="must be a str, not "):
        Rules.parse(text)


def test_text_may_be_of_numpy() -> None:
    assert Rules.parse(np.array(["russian"])[0]) == Rules(chain=True)


@pytest.mark.parametrize("name", [*Rules.FIELDS, "total", "digest", "isa", "anything"])
def test_rules_cannot_be_changed(name: str) -> None:
    rules = Rules()
    with pytest.raises(AttributeError):
        setattr(rules, name, 2)
    assert rules == Rules()


def test_rules_cannot_be_subclassed() -> None:
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("MyRules", (Rules,), {})


def test_many_threads_may_make_rules() -> None:
    def make(number: int) -> tuple[str, int]:
        rules = Rules(reserve=number % 17, chain=number % 2 == 0)
        return str(rules), len(Position.start(rules).legal_moves)

    numbers = list(range(17)) * 12
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(make, numbers))
    assert made == [make(number) for number in numbers]
    assert {moves for _, moves in made} == {46}


# ---- Instruction sets ------------------------------------------------------------------------

ISAS = ("generic", "x86-64-v3")


def test_generic_code_runs_everywhere_and_the_best_is_taken() -> None:
    assert cf.available_isas()[-1] == "generic"
    assert set(cf.available_isas()) <= set(ISAS)


@pytest.mark.parametrize("wanted", ["", "auto"])
def test_by_default_the_best_instruction_set_is_used(
    wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHASE_FAST_ISA", wanted)
    assert Rules(reserve=5).isa == cf.available_isas()[0]
    assert Position.start().rules.isa == cf.available_isas()[0]


@pytest.mark.parametrize("isa", ISAS)
def test_environment_chooses_the_instruction_set(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHASE_FAST_ISA", isa)
    if isa in cf.available_isas():
        assert Rules(reserve=5).isa == isa
        assert Position.start().rules.isa == isa
    else:
        with pytest.raises(cf.ArgumentError, match=f"asks for {isa}, which this processor"):
            Rules(reserve=5)


def test_instruction_set_is_no_part_of_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    best = Rules(reserve=5)
    monkeypatch.setenv("CHASE_FAST_ISA", "generic")
    generic = Rules(reserve=5)
    assert generic == best
    assert hash(generic) == hash(best)
    assert Position.start(generic) == Position.start(best)
    assert hash(Position.start(generic)) == hash(Position.start(best))
    assert Position.start(generic).legal_moves == Position.start(best).legal_moves


@pytest.mark.parametrize(
    "isa", ["avx512", "GENERIC", "generic ", "\udcff", "x" * 5000], ids=map(str, range(5))
)
def test_unknown_instruction_set_is_refused(isa: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = Rules()
    monkeypatch.setenv("CHASE_FAST_ISA", isa)
    for make in (Rules, Position.start):
        with pytest.raises(cf.ArgumentError, match="expected one of auto, generic, x86-64-v3"):
            make()
    assert known.isa in ISAS
