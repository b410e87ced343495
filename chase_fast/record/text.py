r"""The text format of records, in the manner of PGN.

Grammar; lines end in LF or CR LF, tokens are separated by spaces, tabs and line ends::

    record  = 1*( tag line-end ) *blank-line moves
    tag     = "[" name 1*space <"> value <"> "]"
    moves   = [ comment ] *( turn [ comment ] ) result
    turn    = number "." 1*decision             ; turns are numbered 1, 2, 3, ... through the game
    comment = "{" text "}"                      ; no blank line inside
    result  = "1-0" / "0-1" / "1/2-1/2" / "*"   ; equal to the tag Result, last on its line

In a value ``\"`` and ``\\`` stand for a quote and a backslash, ``\n``, ``\r``, ``\t`` and
``\uXXXX`` for what a line cannot hold. In a comment white space counts as one space; ``\s`` is a
space that is kept, ``\}`` a brace, and a backslash at the end of a line joins it to the next one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from chase_fast.errors import ChaseError, RecordError
from chase_fast.game import Game
from chase_fast.record.fields import new_game, new_record
from chase_fast.record.lines import MAX_LINE, MAX_RECORD, Lines
from chase_fast.record.model import OWN_TAGS, RESULTS, Record, check_tag_name, shorten

WIDTH = 80
"""Longest line of moves and comments that is written, in characters."""

_TAG = re.compile(r'\[[ \t]*([^ \t"]+)[ \t]+"((?:[^"\\]|\\.)*)"[ \t]*\][ \t]*')
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.?)")
_TOKEN = re.compile(r"\{|[^ \t{]+")
_COMMENT = re.compile(
    r"(?P<space>[ \t]+)|(?P<plain>[^\\} \t]+)|(?P<join>\\$)|(?P<escape>\\(?:u[0-9A-Fa-f]{4}|.))"
    r"|(?P<end>\})"
)
_NUMBER = re.compile(r"[1-9][0-9]{0,9}\.")

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
_LONG = {code[1]: char for char, code in _SHORT.items()}


# ---- Reading ---------------------------------------------------------------------------------


def read_text(lines: Lines) -> Record | None:
    """The next record, or None at the end.

    Raises:
        RecordError: If it is not sound; the next record begins at ``lines.skip_to_tag()``.
    """
    lines.begin_record()
    line = lines.read()
    while line is not None and not line.strip(" \t"):
        lines.begin_record()
        line = lines.read()
    if line is None:
        return None
    if not line.startswith("["):
        raise lines.error(f'{shorten(line)!r} outside a record; expected a tag as [Red "name"]')
    values: dict[str, str] = {}
    places: dict[str, int] = {}
    while line is not None and line.startswith("["):
        name, value = _read_tag(lines, line)
        _add_tag(lines, values, name, value)
        places[name] = lines.number
        line = lines.read()
    if line is None:
        raise lines.error("the file ends after the tags of a record: no moves and no result")

    def fail(name: str, reason: str) -> RecordError:
        return lines.error(reason, places.get(name))

    game = new_game(values, fail)
    moves = _Moves(lines, game, values["Result"])
    moves.read(line)
    return new_record(game, values, moves.comment, moves.comments, fail)


def _read_tag(lines: Lines, line: str) -> tuple[str, str]:
    match = _TAG.fullmatch(line)
    if not match:
        raise lines.error(f'{shorten(line)!r} is not a tag; expected [Name "value"]')
    try:
        check_tag_name(match[1])
    except RecordError as error:
        raise lines.error(error.reason) from error
    return match[1], _ESCAPE.sub(lambda escape: _unescape(lines, escape[1], '"'), match[2])


def _unescape(lines: Lines, code: str, special: str) -> str:
    """The meaning of a backslash and ``code``; those in ``special`` stand for themselves."""
    if code in _LONG:
        return _LONG[code]
    if code[:1] == "u" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code and code in special:
        return code
    allowed = ", ".join(f"\\{one}" for one in (*special, *sorted(_LONG), "uXXXX"))
    raise lines.error(f"unknown escape \\{code}, expected one of {allowed}")


def _add_tag(lines: Lines, values: dict[str, str], name: str, value: str) -> None:
    for known in (*values, *OWN_TAGS):
        if known.lower() == name.lower() and (known != name or known in values):
            what = f"tag {name} occurs twice" if known in values else f"tag {name}: write {known}"
            raise lines.error(what)
    values[name] = value


class _Moves:
    """Reads the moves of one record, up to its result."""

    def __init__(self, lines: Lines, game: Game, result: str) -> None:
        self._lines = lines
        self._game = game
        self._result = result
        self._numbered = False
        self.comment = ""
        self.comments: dict[int, str] = {}

    def read(self, line: str | None) -> None:
        """Play the moves; ``line`` is the first of them."""
        while line is not None:
            if line.startswith("["):
                self._lines.push_back(line)
                raise self._lines.error("a new record begins before the result of this one")
            place = 0
            while (token := _TOKEN.search(line, place)) is not None:
                place = token.end()
                if token[0] == "{":
                    line, place = self._read_comment(line, place)
                elif token[0] in RESULTS:
                    self._finish(token[0], line[place:])
                    return
                else:
                    self._read_token(token[0])
            line = self._lines.read()
        raise self._lines.error("the file ends before the result of a record")

    def _read_token(self, token: str) -> None:
        turn = self._game.turn_count + 1
        if _NUMBER.fullmatch(token):
            if self._numbered or not self._game.turn_ended:
                raise self._lines.error(f"{token} begins a turn before turn {turn - 1} is complete")
            if int(token[:-1]) != turn:
                raise self._lines.error(f"turn number {token[:-1]}, expected {turn}")
            self._numbered = True
            return
        if self._game.turn_ended and not self._numbered:
            raise self._lines.error(
                f"{shorten(token)!r} without its turn number; expected {turn}. or the result"
            )
        if not self._game.turn_ended and turn - 2 in self.comments:
            raise self._lines.error(
                f"turn {turn - 1} goes on after its comment; a comment follows a whole turn"
            )
        try:
            self._game.push(token)
        except ChaseError as error:
            raise self._lines.error(
                f"turn {turn if self._numbered else turn - 1}, {shorten(token)!r}: {error}"
            ) from error
        self._numbered = False

    def _read_comment(self, line: str, place: int) -> tuple[str, int]:
        """Read up to the closing brace; the line that holds it and the place after it."""
        began = self._lines.number
        turn = self._game.turn_count
        if self._numbered:
            raise self._lines.error(f"a comment stands between {turn + 1}. and its decision")
        if turn - 1 in self.comments or (not turn and self.comment):
            raise self._lines.error("two comments in one place")
        parts: list[str] = []
        space = False
        while True:
            joined = False
            for match in _COMMENT.finditer(line, place):
                if match["end"]:
                    self._add_comment(turn, "".join(parts))
                    return line, match.end()
                if match["join"]:
                    joined = True
                elif match["space"]:
                    space = True
                else:
                    if space and parts:
                        parts.append(" ")
                    space = False
                    escape = match["escape"]
                    parts.append(self._unescape(escape[1:]) if escape else match["plain"])
            space = space or not joined
            following = self._lines.read()
            if following is None or not following.strip(" \t"):
                end = "the file ends" if following is None else "a blank line stands"
                raise self._lines.error(f"{end} inside the comment that begins on line {began}")
            line, place = following, 0

    def _unescape(self, code: str) -> str:
        return " " if code == "s" else _unescape(self._lines, code, "}{")

    def _add_comment(self, turn: int, text: str) -> None:
        if not text:
            raise self._lines.error("empty comment")
        if turn:
            self.comments[turn - 1] = text
        else:
            self.comment = text

    def _finish(self, result: str, rest: str) -> None:
        if self._numbered:
            raise self._lines.error(
                f"the result follows {self._game.turn_count + 1}. without a decision"
            )
        if result != self._result:
            raise self._lines.error(
                f"the moves end in {result}, but the tag Result says {self._result}"
            )
        if rest.strip(" \t"):
            raise self._lines.error(f"{shorten(rest.strip())!r} after the result of the record")


# ---- Writing ---------------------------------------------------------------------------------


def format_text(record: Record) -> str:
    """The record in the text format, ending in a line feed.

    Raises:
        IllegalMoveError: If a decision is not legal at its place.
        RecordError: If the record is wrong in itself or longer than readers accept.
    """
    game = record.to_game()
    said = sum(map(len, (record.comment, *record.comments)))
    if said > MAX_RECORD:
        # Escapes only make it longer, and take their time.
        raise RecordError(f"the record is longer than {MAX_RECORD} bytes")
    tags = [f'[{name} "{_escape_value(value)}"]' for name, value in record.headers.items()]
    for (name, _), tag in zip(record.headers.items(), tags, strict=True):
        if len(tag.encode()) > MAX_LINE:
            raise RecordError(f"tag {name} takes a line longer than {MAX_LINE} bytes")
    text = "\n".join((*tags, "", *_wrap(_units(record, game)), ""))
    if len(text.encode()) > MAX_RECORD:
        raise RecordError(f"the record is longer than {MAX_RECORD} bytes")
    return text


def _units(record: Record, game: Game) -> Iterator[list[str]]:
    """What the lines are filled with: unbroken words, each as the pieces it may be cut into."""
    yield from _comment_units(record.comment)
    for turn, moves in enumerate(game.turns):
        yield [f"{turn + 1}. {moves[0]}"]
        for move in moves[1:]:
            yield [str(move)]
        if turn < len(record.comments):
            yield from _comment_units(record.comments[turn])
    yield [record.result]


def _comment_units(text: str) -> Iterator[list[str]]:
    if not text:
        return
    word = ["{"]
    for place, char in enumerate(text):
        inside = 0 < place < len(text) - 1
        if char == " " and inside and text[place - 1] != " " and text[place + 1] != " ":
            yield word
            word = []
        elif char == " ":
            word.append("\\s")
        else:
            word.append("\\}" if char == "}" else _escape(char))
    yield [*word, "}"]


def _wrap(units: Iterator[list[str]]) -> Iterator[str]:
    """Lines of at most ``WIDTH`` characters; only words of comments are ever cut."""
    line = ""
    for pieces in units:
        length = sum(map(len, pieces))
        if line and len(line) + 1 + length <= WIDTH:
            line += " " + "".join(pieces)
            continue
        if line:
            yield line
        line = ""
        for number, piece in enumerate(pieces):
            # A line that is cut needs room for its backslash.
            room = WIDTH if number == len(pieces) - 1 else WIDTH - 1
            if len(line) + len(piece) > room:
                yield line + "\\"
                line = ""
            line += piece
    yield line


def _escape_value(value: str) -> str:
    return "".join('\\"' if char == '"' else _escape(char) for char in value)


def _escape(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if unicodedata.category(char) == "Cc" or char in "\u2028\u2029\ufeff":
        return f"\\u{ord(char):04X}"
    return char
