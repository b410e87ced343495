"""The command rules."""

from __future__ import annotations

import chase_fast as cf
from chase_fast.cli.rules import OPTIONS, PRESETS, meaning, value_text
from tests.unit.command_line import Cli


def test_rules_lists_everything(cli: Cli) -> None:
    out = cli("rules").out
    for name in (*cf.Rules.FIELDS, *cf.Rules.PRESETS):
        assert any(line.split()[:1] == [name] for line in out.splitlines()), name
    document = cli("rules", "--json").json
    assert list(document["options"]) == list(cf.Rules.FIELDS)
    assert document["presets"] == cf.Rules.PRESETS
    for field, value in cf.Rules().as_dict().items():
        assert document["options"][field]["default"] == value_text(value)


def test_every_option_and_value_is_explained() -> None:
    assert list(OPTIONS) == list(cf.Rules.FIELDS)
    assert list(PRESETS) == list(cf.Rules.PRESETS)
    for field, option in OPTIONS.items():
        if None in option.meanings:
            continue
        assert set(option.values) == set(option.meanings)
        for value in option.values:
            rules = cf.Rules.parse(f"{field}={value}")
            assert value_text(getattr(rules, field)) == value
            assert meaning(field, value)
    assert meaning("reserve", "1") == "each side starts with 1 spare die"
    assert meaning("reserve", "16") == "each side starts with 16 spare dice"


def test_rules_explains_a_set(cli: Cli) -> None:
    rules = cf.Rules.parse("russian,reserve=0")
    done = cli("rules", "russian,reserve=0")
    assert done.out.startswith(f"{rules}\n")
    assert rules.digest in done.out
    assert cf.Position.start(rules).cfen in done.out
    changed = [line.split()[0] for line in done.out.splitlines() if "  * " in line]
    assert changed == ["reserve", "chain"]
    assert done == cli("rules", "--rules", "russian,reserve=0")
    assert cli("rules", "chain=yes").out.startswith("chain=yes (called russian)\n")
    (document,) = cli("rules", "russian,reserve=0", "--json").json
    assert document["rules"] == str(rules)
    assert document["options"]["chain"] == "yes"
    assert document["total"] == 25
    assert document["digest"] == rules.digest
    assert list(document["meanings"]) == list(cf.Rules.FIELDS)


def test_rules_explains_options(cli: Cli) -> None:
    out = cli("rules", "handout", "reserve").out
    assert "handout=lowest, the default: pips due go to a die of the lowest value" in out
    assert "handout=any: " in out
    assert "reserve=0 to 16" in out
    documents = cli("rules", "handout", "standard", "--json").json
    assert documents[0] == {
        "option": "handout",
        "default": "lowest",
        "values": ["lowest", "any"],
        "about": OPTIONS["handout"].about,
    }
    assert documents[1]["rules"] == "standard"
