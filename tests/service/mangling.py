"""Requests that nobody would send who means well, made by chance from one generator.

They are of three kinds: messages that the contract describes, with fields that mean something, or
nearly; valid ones of which bytes were changed; and bytes. None of them holds a text that a fault of
the server would show (`tests.service.offline.TELLTALES`), so that one in an answer is not an echo.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from typing import Any, Final

from chase_service._pb.chase.v1 import games_service_pb2, jobs_service_pb2, query_service_pb2
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

import chase_fast as cf

query, games, jobs = query_service_pb2, games_service_pb2, jobs_service_pb2

GOOD: Final = cf.Position.start().cfen
OVER: Final = "f8/3Af4/4F1C2/5F3/9/4D4/9/1E2e4/5d3 b - 4/6"
_NEXT: Final = cf.Position.start().apply("a1E").cfen

_JUNK: Final = (
    "", "\0", "x", "%s%n", "9/" * 300, "a" * 5000, "ä☺😈", "\u2028\t\r\n", "-1", "../../etc/passwd",
    "1e999", "{}", "'; drop table job; --", "standard ", "\x7f\x80",
)  # fmt: skip
_RULES: Final = (
    "", "", "standard", "russian", "reserve=2", "reserve=2,chain=yes", "reserve=99", "chain=maybe",
    "reserve=2,reserve=3", "handout=any", "wrap=no,ricochet=no",
)  # fmt: skip
_POSITIONS: Final = (
    "", "", GOOD, GOOD, _NEXT, OVER, f"{GOOD} ", GOOD[:-1], GOOD.upper(),
    "abcdedcba/9/9/9/4A4/9/9/9/ABCDEDCBA r", "1bcdedcb1/9/9/9/5a3/4a4/5B3/9/A1CDEDCBA r - 1/1",
    "abcdedcba/9/9/9/3B5/5A3/9/9/C1C1C1D2 r - 4/1", "9/9/9/9/9/9/9/9/9 r",
)  # fmt: skip
_PLAYERS: Final = (
    "random", "greedy", "ab:depth=1,hash=1", "ab:nodes=20,hash=1", "mcts:sims=5,hash=1",
    "ab:depth=2,hash=1,eps=0.5", "", "ab", "mcts", "ab:nodes=99999999999999999999", "ab:depth=0",
    "ab:time=1e9", "ab:hash=4096", "ab:threads=999", "ext:cmd=sh", "ab:weights=/etc/passwd",
    'greedy:eps="0.1"', "mine", "mine:nodes=5", "mine:hash=5", "random:eps=nan", "ab:,,,", "ab:=",
    "AB:depth=1", "ab:depth=1,depth=2", "greedy:temp=1", "ab:table=no,depth=1",
)  # fmt: skip
_DECISIONS: Final = ("a1E", "a5NE", "a1=2,a2=1", "+a1", "stop", "a1SE", "z9E", "a1", "", "a1E ")
_FILES: Final = (
    *["games.parquet"] * 6, "report.html", "../jobs.db", "/etc/passwd", "results/games.parquet",
    "games.parquet\0", "..", ".", "",
)  # fmt: skip
_TOKENS: Final = ("MCA1", "MCAx", "MSA1", "MCA5OTk5OTk5OTk5OTk5OTk5OTk=", "====", "M", "ä", "")
# By the name of the field; what is not here is junk.
_TEXTS: Final = {
    "rules": _RULES,
    "variants": _RULES,
    "position": _POSITIONS,
    "positions": _POSITIONS,
    "player": _PLAYERS,
    "players": _PLAYERS,
    "player_a": _PLAYERS,
    "player_b": _PLAYERS,
    "texts": _DECISIONS,
    "levels": ("turns", "dynamics", "turns", "heat"),
    "name": _FILES,
    "page_token": _TOKENS,
    "request_id": ("a", "b-1", "C_2", "a b", "x" * 65),
    "service": ("", "chase.v1.QueryService", "chase.v1.Nothing"),
}
_CODES: Final = tuple(
    cf.Move.parse(text).code for text in ("a1E", "a5NE", "a1SE", "a1=2,a2=1", "stop")
)
_WHOLE: Final = (0, 1, 1, 2, 3, 4, 7, 8, 50, 51, 100, 400, 4096, 2**16, 2**31 - 1, 2**32 - 1)
_LARGE: Final = (2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1)
_REAL: Final = (0.0, 0.02, 0.05, 0.49, 0.5, 1.0, 5.0, -5.0, 200.0, 201.0, 1e308, 5e-324)
_ODD: Final = (float("nan"), float("inf"), float("-inf"))
_LENGTHS: Final = (0, 1, 1, 1, 2, 2, 3, 5, 8, 9, 70)

# Valid requests by the name of their message, some of which lead far.
_VALID: Final[dict[str, tuple[Message, ...]]] = {
    "LegalDecisionsRequest": (
        query.LegalDecisionsRequest(positions=["", GOOD, "x"], with_texts=True, with_states=True),
    ),
    "ApplyRequest": (
        query.ApplyRequest(positions=["", GOOD], texts=["a1E", "a5NE"], with_states=True),
        query.ApplyRequest(positions=["", OVER], counts=[2, 0], decisions=[_CODES[0], _CODES[1]]),
    ),
    "PerftRequest": (
        query.PerftRequest(
            items=[
                query.PerftItem(depth=2),
                query.PerftItem(depth=1, divide=True, unit=query.PERFT_UNIT_TURN),
            ]
        ),
    ),
    "PlayoutsRequest": (
        query.PlayoutsRequest(items=[query.PlayoutsItem(games=3), query.PlayoutsItem(games=1)]),
    ),
    "StreamPlayoutGamesRequest": (
        query.StreamPlayoutGamesRequest(item=query.PlayoutsItem(games=7, first_game=1), batch=2),
    ),
    "AnalyseRequest": (
        query.AnalyseRequest(
            items=[
                query.AnalyseItem(player="ab:depth=1,hash=1", decisions=[_CODES[0]], lines=3),
                query.AnalyseItem(player="mcts:sims=5,hash=1", position=GOOD),
            ],
            with_texts=True,
        ),
    ),
    "PlayGamesRequest": (
        games.PlayGamesRequest(
            player_a="greedy", player_b="random", max_turns=60, with_decisions=True,
            generated=games.GeneratedOpenings(count=2, turns=3),
        ),
        games.PlayGamesRequest(
            player_a="ab:nodes=20,hash=1", player_b="random", max_turns=30,
            given=games.GivenOpenings(openings=[games.Opening(decisions=_CODES[:1])]),
        ),
    ),
    "CreateJobRequest": tuple(
        jobs.CreateJobRequest(spec=spec)
        for spec in (
            jobs.JobSpec(tournament=jobs.TournamentJob(players=["random", "greedy"], pairs=2)),
            jobs.JobSpec(sprt=jobs.SprtJob(player_a="random", player_b="greedy", elo1=5, pairs=2)),
            jobs.JobSpec(
                balance=jobs.BalanceJob(
                    variants=["", "russian"], players=["random"], pairs=1, levels=["turns"]
                )
            ),
            jobs.JobSpec(seed=1, self_play=jobs.SelfPlayJob(player="random", pairs=3)),
        )
    ),
    "ListJobsRequest": (jobs.ListJobsRequest(page_size=2),),
}  # fmt: skip

_BYTES: Final = (0, 1, 0x7F, 0x80, 0xFE, 0xFF)
# Numbers that lie about lengths, and one with more bytes than numbers have.
_VARINTS: Final = (
    b"\xff\xff\xff\xff\x0f",
    b"\xff" * 9 + b"\x01",
    b"\xff" * 10,
    b"\x80\x00",
    b"\xff",
)


class Mangler:
    """Makes requests.

    Args:
        chance: All that they depend on.
        job_ids: Gives ids of jobs that are there; the first one is that of a job that has ended.
    """

    def __init__(self, chance: random.Random, job_ids: Callable[[], list[str]] = list) -> None:
        self._chance = chance
        self._job_ids = job_ids

    def request(self, kind: type[Message], others: list[type[Message]]) -> bytes:
        """Bytes for a call.

        Args:
            kind: What the call takes.
            others: What other calls take.
        """
        draw = self._chance.random()
        if draw < 0.45:
            return self.message(kind)
        if draw < 0.9:
            data = self.message(kind if draw < 0.85 else self._chance.choice(others))
            for _ in range(self._chance.choice((1, 1, 1, 2, 3, 8))):
                data = self.changed(data, others)
            return data
        return self._chance.randbytes(self._chance.choice((0, 1, 2, 3, 8, 30, 200)))

    def message(self, kind: type[Message]) -> bytes:
        """A message of the contract: a valid one, or one with any fields."""
        made: Any = kind()
        batch = kind.DESCRIPTOR.fields_by_name.get("batch")
        described = kind.DESCRIPTOR
        if batch is not None and batch.message_type is not None:
            described = batch.message_type
        valid = _VALID.get(described.name)
        if valid is None or self._chance.random() < 0.5:
            self._fill(made, kind.DESCRIPTOR)
        else:
            part = made if described is kind.DESCRIPTOR else made.batch
            part.CopyFrom(self._chance.choice(valid))
        data: bytes = made.SerializeToString()
        return data

    # ---- Fields -------------------------------------------------------------------------------

    def _fill(self, message: Any, described: Any) -> None:
        for field in described.fields:
            chosen = field.containing_oneof
            if chosen is not None and self._chance.randrange(len(chosen.fields)):
                continue
            if self._chance.random() < 0.15:
                continue
            if field.is_repeated:
                values = getattr(message, field.name)
                for _ in range(self._chance.choice(_LENGTHS)):
                    if field.message_type is None:
                        values.append(self._value(field))
                    else:
                        self._fill(values.add(), field.message_type)
            elif field.message_type is None:
                setattr(message, field.name, self._value(field))
            else:
                part = getattr(message, field.name)
                part.SetInParent()
                self._fill(part, field.message_type)

    def _value(self, field: FieldDescriptor) -> Any:
        choice = self._chance.choice
        kind = field.cpp_type
        if kind == field.CPPTYPE_STRING:
            return self._text(field.name)
        if kind == field.CPPTYPE_BOOL:
            return choice((False, True))
        if kind in (field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT):
            return choice(_ODD if self._chance.random() < 0.1 else _REAL)
        if kind == field.CPPTYPE_ENUM:
            return choice((0, 1, 2, 3, 4, 5, 9, 2**31 - 1, -1))
        if kind == field.CPPTYPE_UINT64:
            return choice(_LARGE if self._chance.random() < 0.2 else _WHOLE)
        if kind == field.CPPTYPE_INT32:
            return choice((0, 1, -1, 2**31 - 1, -(2**31)))
        if field.name == "decisions" and self._chance.random() < 0.9:
            return choice(_CODES)
        return choice(_WHOLE)

    def _text(self, name: str) -> str:
        if self._chance.random() < 0.1:
            return self._chance.choice(_JUNK)
        if name == "job_id":
            known = self._job_ids()
            return self._chance.choice((*known[:1] * 4, *known, "A" * 26))
        return self._chance.choice(_TEXTS.get(name, _JUNK))

    # ---- Bytes --------------------------------------------------------------------------------

    def changed(self, data: bytes, others: list[type[Message]]) -> bytes:
        """The bytes with one change.

        Args:
            data: Any.
            others: Kinds of messages that may come in between.
        """
        chance = self._chance
        begin = chance.randint(0, len(data))
        end = min(len(data), begin + chance.choice((1, 1, 2, 4, 16, len(data))))
        middle = data[begin:end]
        changes: tuple[Callable[[], bytes], ...] = (
            lambda: bytes(byte ^ 1 << chance.randrange(8) for byte in middle[:1]) + middle[1:],
            lambda: bytes([chance.choice(_BYTES)]) + middle[1:],
            lambda: b"",
            lambda: middle * chance.choice((2, 3, 50)),
            lambda: middle[::-1],
            lambda: middle + chance.randbytes(chance.choice((1, 2, 8))),
            lambda: chance.choice(_VARINTS) + middle,
            lambda: middle + self.message(chance.choice(others)),
            lambda: nested(middle, chance.choice((1, 2, 99, 101, 5000))),
            lambda: grouped(chance.choice((1, 99, 101, 5000))) + middle,
            lambda: bytes([chance.randrange(256)]) + struct.pack("<d", chance.choice(_ODD)),
        )
        return data[:begin] + chance.choice(changes)() + data[end:]


def nested(data: bytes, depth: int, tag: int = 0x0A) -> bytes:
    """Bytes as the field of a field and so on, as deep as asked for."""
    for _ in range(depth):
        size, length = bytearray(), len(data)
        while length > 127:
            size.append(length & 127 | 128)
            length >>= 7
        data = bytes([tag, *size, length]) + data
    return data


def grouped(depth: int, tag: int = 0x0B) -> bytes:
    """Groups within groups, an old form of the wire that every parser still has to know."""
    return bytes([tag] * depth + [tag + 1] * depth)
