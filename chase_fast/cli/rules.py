"""``chase-fast rules``: the options of R12, the named rules, and what a rule set means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from chase_fast import Position, Rules
from chase_fast.cli.options import JsonOption
from chase_fast.cli.output import Column, say, say_json, say_table
from chase_fast.errors import InvalidRulesError


@dataclass(frozen=True, slots=True)
class Option:
    """An option of R12.

    Attributes:
        values: The texts allowed, or one text that says which; the default comes first.
        about: What it decides.
        meanings: For each value what it means; the only key None takes the value at ``{}``.
    """

    values: tuple[str, ...]
    about: str
    meanings: dict[str | None, str]


OPTIONS = {
    "reserve": Option(
        ("1", "0 to 16"),
        "spare dice of each side at the start",
        {None: "each side starts with {} spare dice"},
    ),
    "recycle": Option(
        ("yes", "no"),
        "whether captured dice become spare dice",
        {
            "yes": "a captured die becomes a spare die of its owner",
            "no": "captured dice are out of the game, so splits use up the reserve",
        },
    ),
    "chain": Option(
        ("no", "yes"),
        "whether a capturing die may capture again",
        {
            "no": "a move takes at most the dice it lands on, or reaches by bumps and exits",
            "yes": "a die that captured directly may go on capturing in the same turn",
        },
    ),
    "handout": Option(
        ("lowest", "any"),
        "which dice may be raised when pips are due",
        {
            "lowest": "pips due go to a die of the lowest value",
            "any": "pips due go to any die below 6 that the owner chooses",
        },
    ),
    "setup": Option(
        ("123454321", "nine values"),
        "the home row from each player's own left; each 1 to 6",
        {None: "the home row reads {} from each player's own left"},
    ),
    "wrap": Option(
        ("yes", "no"),
        "whether the left and the right edge are joined",
        {
            "yes": "the left and the right edge are joined",
            "no": "nothing crosses the left and the right edge",
        },
    ),
    "ricochet": Option(
        ("yes", "no"),
        "whether dice bounce off the top and the bottom row",
        {
            "yes": "dice bounce off the top and the bottom row",
            "no": "nothing goes over the top and the bottom row",
        },
    ),
    "repetition": Option(
        ("threefold", "moves", "none"),
        "when repetition is a draw",
        {
            "threefold": "a position that occurs for the third time is a draw",
            "moves": "a draw when the last 12 turns are three times the same 4",
            "none": "no draw by repetition",
        },
    ),
}

PRESETS = {
    "standard": "the default of every option",
    "rulebook": "knows no draw by repetition",
    "russian": "series of captures, as some rule texts have it",
    "wikipedia": "pips due go to dice of the owner's choice",
}


def rules(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Rules or options to explain; default: list them all."),
    ] = None,
    more: Annotated[
        list[str] | None,
        typer.Option("--rules", "-r", metavar="TEXT", help="Rules to explain; the same as NAME."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """List the options and the named rules, or explain some.

    Rules are written as a name, as options such as reserve=2,chain=yes, or both:
    russian,reserve=0. All commands take such a text after --rules.
    """
    wanted = [*(names or ()), *(more or ())]
    # Everything is read before anything is printed.
    found = [OPTIONS.get(name) or _read(name) for name in wanted]
    if json:
        say_json(
            _listing()
            if not found
            else [_explained(*pair) for pair in zip(wanted, found, strict=True)]
        )
        return
    if not found:
        _say_listing()
    for number, (name, item) in enumerate(zip(wanted, found, strict=True)):
        if number:
            say("")
        if isinstance(item, Option):
            _say_option(name, item)
        else:
            _say_rules(item)


def value_text(value: object) -> str:
    """The value of an option as `Rules.parse` reads it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def meaning(field: str, value: str) -> str:
    """What a value of an option means."""
    meanings = OPTIONS[field].meanings
    if None not in meanings:
        return meanings[value]
    words = meanings[None].format(value)
    return words.removesuffix("dice") + "die" if words.endswith(" 1 spare dice") else words


def _read(text: str) -> Rules:
    try:
        return Rules.parse(text)
    except InvalidRulesError as error:
        if "=" in text or "," in text:
            raise typer.BadParameter(str(error), param_hint="NAME") from error
        known = ", ".join((*PRESETS, *OPTIONS))
        raise typer.BadParameter(
            f"there are no rules and no option {text!r}; there are {known}, and rules made of "
            "options, such as reserve=2,chain=yes",
            param_hint="NAME",
        ) from error


def _say_listing() -> None:
    say_table(
        [
            Column("option", style="bold"),
            Column("values, default first", fold=True),
            Column("decides (R12)", fold=True),
        ],
        ([field, ", ".join(option.values), option.about] for field, option in OPTIONS.items()),
    )
    say("")
    say_table(
        [Column("name", style="bold"), Column("differs from standard in"), Column("", fold=True)],
        (
            [name, "nothing" if text == "standard" else text, PRESETS[name]]
            for name, text in Rules.PRESETS.items()
        ),
    )


def _say_option(name: str, option: Option) -> None:
    say(f"{name}: {option.about} (R12)")
    for number, value in enumerate(option.values):
        default = ", the default" if number == 0 else ""
        words = option.meanings.get(value)
        said = meaning(name, value) if words is None and number == 0 else words
        say(f"  {name}={value}{default}" + (f": {said}" if said else ""))


def _say_rules(item: Rules) -> None:
    names = [name for name, text in Rules.PRESETS.items() if text == str(item)]
    also = [name for name in names if name != str(item)]
    say(f"{item}" + (f" (called {', '.join(also)})\n" if also else "\n"))
    standard = Rules()
    say_table(
        [Column("option", style="bold"), Column("value"), Column(""), Column("means", fold=True)],
        (
            [
                field,
                value_text(value),
                "" if value == getattr(standard, field) else "*",
                meaning(field, value_text(value)),
            ]
            for field, value in item.as_dict().items()
        ),
    )
    say(f"\n* differs from standard. Each side shows {item.total} pips.")
    say(f"start  {Position.start(item).cfen}\ndigest {item.digest}")


def _listing() -> dict[str, Any]:
    return {
        "options": {
            field: {
                "default": option.values[0],
                "values": list(option.values) if None not in option.meanings else option.values[1],
                "about": option.about,
            }
            for field, option in OPTIONS.items()
        },
        "presets": dict(Rules.PRESETS),
    }


def _explained(name: str, item: Option | Rules) -> dict[str, Any]:
    if isinstance(item, Option):
        return {"option": name, **_listing()["options"][name]}
    return {
        "rules": str(item),
        "options": {field: value_text(value) for field, value in item.as_dict().items()},
        "meanings": {
            field: meaning(field, value_text(value)) for field, value in item.as_dict().items()
        },
        "total": item.total,
        "digest": item.digest,
        "start": Position.start(item).cfen,
    }
