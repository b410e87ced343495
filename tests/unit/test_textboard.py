"""Boards as text: read back, measured and compared with the position and the rules."""

import io
import re
import unicodedata
from typing import Any, get_args

import pytest

from chase_fast._core import Kind, Position, Rules, Side, cell_name, parse_cell
from chase_fast._geometry import Orientation
from chase_fast.errors import ArgumentError, ChaseError, IllegalMoveError, NotationError
from chase_fast.textboard import text_board, use_colour, use_unicode
from tests.golden import pictures, refresh
from tests.unit.scenes import Scene, scenes

START = Position.start()
SCENES = scenes(games=1, every=4)
SIDES: tuple[Orientation, ...] = get_args(Orientation)
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def draw(scene: Scene, **options: Any) -> str:
    return text_board(scene.position, last_move=scene.move, before=scene.before, **options)


def rows(text: str) -> list[str]:
    """The lines of the nine rows, the topmost first."""
    return text.split("\n")[2:11]


def cells(text: str) -> dict[str, str]:
    """The four characters of each cell: the sign before it and what stands on it."""
    found = {}
    columns = text.split("\n")[1].split()
    for line in rows(text):
        inside = re.fullmatch(r"([a-i]) +[:|](.{36}) [:|] +\1", line)
        assert inside is not None, line
        for number, column in enumerate(columns):
            found[inside[1] + column] = inside[2][4 * number : 4 * number + 4]
    return found


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("orientation", SIDES)
def test_dice_are_read_back(orientation: Orientation, unicode: bool) -> None:
    for scene in SCENES:
        found = cells(draw(scene, orientation=orientation, unicode=unicode))
        assert len(found) == 81
        board = [0] * 81
        for name, text in found.items():
            die = re.fullmatch(r".(?:\[([1-6])\]|<([1-6])>)", text)
            if die is not None:
                board[parse_cell(name)] = int(die[1] or 0) - int(die[2] or 0)
            elif name == "e5":
                assert text[1:] == ("\N{LIGHT SHADE}" * 3 if unicode else "###")
            else:
                assert text[1] == text[3] == " "
        assert board == scene.position.board.tolist()


@pytest.mark.parametrize("unicode", [True, False])
def test_every_character_is_one_column_wide(unicode: bool) -> None:
    for scene in SCENES:
        text = draw(scene, unicode=unicode)
        assert unicode or text.isascii()
        for character in set(text) - {"\n"}:
            # N and Na: never wide, not even where "ambiguous" characters are.
            assert unicodedata.east_asian_width(character) in ("N", "Na"), character
            assert unicodedata.category(character)[0] not in "CM", character


@pytest.mark.parametrize("orientation", SIDES)
def test_rows_stand_half_a_cell_apart(orientation: Orientation) -> None:
    lines = text_board(START, orientation=orientation).split("\n")
    assert len(lines) == 13
    assert all(line == line.rstrip() for line in lines)
    middle = [line for line in lines[2:11] if len(line) == 47]
    assert len(middle) == 9
    letters = "ihgfedcba" if orientation == "red" else "abcdefghi"
    for line, letter in zip(middle, letters, strict=True):
        assert line[0] == line[-1] == letter
        # Rows a, c, e, g, i stand further right for red (R1), further left after the half turn.
        right = (letter in "acegi") == (orientation == "red")
        assert line.index(":") == (5 if right else 3)
        assert line.rindex(":") == line.index(":") + 38
    for heading, row in ((lines[1], middle[0]), (lines[11], middle[-1])):
        digits = [place for place, character in enumerate(heading) if character.isdigit()]
        values = [place for place, character in enumerate(row) if character.isdigit()]
        assert digits == values
        numbers = heading.split()
        assert numbers == sorted(numbers, reverse=orientation == "blue")


def test_orientation_is_a_half_turn() -> None:
    for scene in SCENES:
        red, blue = (draw(scene, orientation=side) for side in SIDES)
        assert cells(red) == cells(blue)
        lines, turned = red.split("\n"), blue.split("\n")
        assert turned[0] == lines[12]
        assert turned[12] == lines[0]


def test_colour_only_adds_escape_sequences() -> None:
    for scene in SCENES:
        plain = draw(scene)
        coloured = draw(scene, colour=True)
        assert "\x1b" not in plain
        assert ANSI.sub("", coloured) == plain
        pairs = re.findall(r"\x1b\[([0-9;]+)m([^\x1b]+)\x1b\[0m", coloured)
        assert len(pairs) == coloured.count("\x1b") / 2
        dice = {text[0]: style for style, text in pairs if re.fullmatch(r"\[\d\]|<\d>", text)}
        assert len(set(dice.values())) == len(dice)


def test_last_move_is_marked() -> None:
    for scene in SCENES:
        found = cells(draw(scene, unicode=False))
        signs = {name: text[0] for name, text in found.items() if text[0] != " "}
        paths = {name for name, text in found.items() if text[1:] == " : "}
        trace = scene.before.trace(scene.move)
        if scene.move.kind is Kind.MOVE:
            captured = {cell_name(step.target) for step in trace if step.captured}
            landed = {
                cell_name(step.target) for step in trace if step.kind != "ray" and not step.captured
            }
            ray = [cell_name(step.target) for step in trace if step.kind == "ray"]
            landed |= {ray[-1]} - captured - {"e5"}
            origin = {cell_name(trace[0].origin)} - landed - captured
            assert {name for name, sign in signs.items() if sign == "x"} == captured
            assert {name for name, sign in signs.items() if sign == ">"} == landed
            assert {name for name, sign in signs.items() if sign == "o"} == origin
            assert set(signs.values()) <= set("xo>")
            passed = set(ray[:-1]) - landed - captured - origin
            assert paths == {name for name in passed if found[name][2] not in "123456"}
        else:
            changed = {scene.move.cell, scene.move.other} - {None}
            assert signs == {cell_name(cell): "=" for cell in changed if cell is not None}
            assert not paths


@pytest.mark.parametrize(
    ("cfen", "rules", "move", "story"),
    [
        (START.cfen, "standard", "a5NE", "Red a5NE: a5-b6-c6-d7-e7-f8"),
        (START.cfen, "standard", "a1W", "Red a1W: a1~a9, push a9-a8-a7-a6-a5-a4-a3-a2-a1"),
        (START.cfen, "standard", "a3=5,a4=2", "Red a3=5,a4=2: a3 +2, a4 -2"),
        (
            "1bcdedcb1/9/9/9/5a3/4a4/5B3/9/A1CDEDCBA r - 1/1",
            "standard",
            "c6NW",
            "Red c6NW: c6-d6-e5, left 1 e5-d5x1, right 1 e5-e6x1",
        ),
        (
            "fBf6/8b/7aB/1d5b1/6F2/7F1/3A5/7dE/3C5 b - 3/3",
            "standard",
            "f2NW",
            "Blue f2NW: f2-g1-h1~i9^h9, push h9-g8-f8-e7x6",
        ),
        ("1bcdedcb1/9/9/9/5A3/4A4/9/9/A1CDEDCBA b - 0/3", "standard", "+i8", "Blue +i8: i8 +2"),
    ],
)
def test_last_line_tells_the_decision(cfen: str, rules: str, move: str, story: str) -> None:
    before = Position.parse(cfen, Rules.parse(rules))
    text = text_board(before.apply(move), last_move=move, before=before)
    assert text.split("\n")[13] == f"  {story}"


def test_player_lines() -> None:
    for scene in SCENES:
        position = scene.position
        lines = draw(scene, unicode=False).split("\n")
        for side, line in ((Side.BLUE, lines[0]), (Side.RED, lines[12])):
            parts = re.fullmatch(r"([> ]) (Red |Blue) (\[\]|<>)  (.*)", line)
            assert parts is not None
            notes = parts[4].split(", ")
            assert notes[0] == f"{position.spare[side]} spare"
            acts = position.winner is None and side is position.side_to_act
            assert (parts[1] == ">") == ("to act" in notes) == acts
            assert ("has won" in notes) == (position.winner is side)
            due = [note for note in notes if note.endswith(" due")]
            lacks = position.rules.total - position.pips[side]
            shown = lacks > 0 and position.winner is None
            assert [int(note.split()[0]) for note in due] == ([lacks] if shown else [])
            assert not acts or lacks == position.pips_due
            series = [note for note in notes if note.startswith("capturing with ")]
            assert len(series) == (acts and position.capturing is not None)


def test_capturing_die_is_named() -> None:
    before = Position.parse(
        "3b5/3ba4/1e4E2/8c/1B6c/1e4BA1/9/C2Bd2F1/7D1 r - 17/17",
        Rules.parse("chain=yes,reserve=16"),
    )
    series = before.apply("g7SW")
    assert text_board(series).endswith("[]  17 spare, to act, capturing with b5")
    assert text_board(series.apply("stop"), last_move="stop", before=series).endswith("  Red stop")


def test_sides_of_a_board_without_wrap_are_bars() -> None:
    plain, walled = (
        text_board(Position.start(Rules.parse(rules))) for rules in ("standard", "wrap=no")
    )
    assert walled == plain.replace(":", "|")


class Stream(io.StringIO):
    """A stream that is a terminal or not."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("environment", "terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"TERM": "xterm-256color"}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": "0"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"FORCE_COLOR": ""}, False, False),
        ({"CLICOLOR_FORCE": "1"}, False, True),
        ({"CLICOLOR_FORCE": "0"}, False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, False, True),
    ],
)
def test_use_colour(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], terminal: bool, expected: bool
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert use_colour(Stream(terminal=terminal)) is expected


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("utf-8", True), ("utf-16", True), ("ascii", False), ("latin-1", False), ("cp437", False)],
)
def test_use_unicode(encoding: str, expected: bool) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    assert use_unicode(stream) is expected
    board = text_board(START.apply("a1W"), last_move="a1W", before=START, unicode=expected)
    stream.write(board)


def test_use_unicode_of_a_stream_without_encoding() -> None:
    assert use_unicode(io.StringIO())


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"orientation": "Red"}, ArgumentError, "orientation is 'Red', expected one of 'red'"),
        ({"last_move": "a9NE"}, ArgumentError, "last_move is given without before"),
        ({"before": START}, ArgumentError, "before is given without last_move"),
        ({"last_move": "a9NE", "before": START}, ArgumentError, "not to the position drawn"),
        ({"last_move": "a5E", "before": START}, IllegalMoveError, "blocked at a6 (R6)"),
        ({"last_move": "a5", "before": START}, NotationError, "offset"),
    ],
)
def test_refusals_name_what_is_wrong(
    options: dict[str, Any], error: type[ChaseError], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)) as caught:
        text_board(START, **options)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "name", [f"{n}.txt" for n, c in pictures.CASES.items() if c.text is not None]
)
def test_golden_texts(name: str) -> None:
    kept = (refresh.folder("pictures") / name).read_text(encoding="utf-8")
    assert pictures.files()[name] == kept, "see python -m tests.golden.refresh"


def test_golden_folder_holds_nothing_else() -> None:
    kept = {path.name for path in refresh.folder("pictures").iterdir()}
    assert kept == pictures.files().keys()
