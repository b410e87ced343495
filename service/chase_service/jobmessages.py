"""Between the messages of jobs and what `chase_service.jobs` knows them as."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from chase_service._pb.chase.v1 import jobs_service_pb2 as pb
from chase_service.jobs import Job, Kind, State, Work
from chase_service.limits import Limits
from chase_service.players import Players
from chase_service.queries import rules_of
from chase_service.refusal import Refusal, invalid, over_limit

__all__ = ["job_message", "page_of", "read_request_id", "read_spec", "token_after"]

_Kinds = pb.TournamentJob | pb.SprtJob | pb.BalanceJob | pb.SelfPlayJob

_DEFAULT_OPENING_TURNS: Final = 4
_MOST_OPENING_TURNS: Final = 100
# Openings of a job are all kept in memory, some 12 bytes a turn.
_MOST_DRAWN_TURNS: Final = 4_000_000
_DEFAULT_TURNS: Final = 1000
_MOST_TURNS: Final = 100_000
_DEFAULT_ERROR: Final = 0.05
_LEAST_ERROR: Final = 1e-9
_DEFAULT_MARGIN: Final = 0.02
_MOST_PLAYERS: Final = 64
_MOST_VARIANTS: Final = 64
_MOST_STRENGTHS: Final = 16
_LEVELS: Final = ("turns", "dynamics")
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PAGE: Final = 20
_MOST_PAGE: Final = 100
_TOKEN: Final = re.compile(r"([0-5]) ([0-9]{1,18})")


def read_request_id(text: str) -> str:
    """The caller's own id of a job, which may be empty.

    Raises:
        Refusal: INVALID_FIELD.
    """
    if text and not _REQUEST_ID.fullmatch(text):
        raise invalid("request_id", "request_id: expected 1 to 64 letters, digits, - and _")
    return text


def read_spec(given: pb.JobSpec, limits: Limits, players: Players) -> tuple[bytes, Work]:
    """What a job is to do.

    Args:
        given: As the caller has it.
        limits: Of the server.
        players: Reads their texts.

    Returns:
        The spec with its defaults filled in, as bytes, and what it asks for.

    Raises:
        Refusal: As the contract has it.
    """
    spec = pb.JobSpec()
    spec.CopyFrom(given)
    # They would be kept, and make every answer that tells of the job as large as its request.
    spec.DiscardUnknownFields()
    kind = spec.WhichOneof("kind")
    if kind is None:
        raise invalid("spec", "spec: expected tournament, sprt, balance or self_play")
    read = _Reader(spec.seed, f"spec.{kind}", limits, players)
    if kind == "tournament":
        work = read.tournament(spec.tournament)
    elif kind == "sprt":
        work = read.sprt(spec.sprt)
    elif kind == "balance":
        work = read.balance(spec.balance)
    else:
        work = read.self_play(spec.self_play)
    if work.games > limits.games:
        what = "the number of games"
        raise over_limit(f"spec.{kind}.pairs", work.games, "games", limits.games, what=what)
    work.check_openings(f"spec.{kind}")
    return spec.SerializeToString(deterministic=True), work


class _Reader:
    """Reads the kinds of jobs, and fills in the defaults of their messages."""

    def __init__(self, seed: int, field: str, limits: Limits, players: Players) -> None:
        self._seed = seed
        self._field = field
        self._limits = limits
        self._players = players

    def tournament(self, job: pb.TournamentJob) -> Work:
        job.rules = self._rules(job.rules, "rules")
        players = self._many(job.players, "players", 2, _MOST_PLAYERS)
        return self._common(job, "tournament", [job.rules], players)

    def sprt(self, job: pb.SprtJob) -> Work:
        job.rules = self._rules(job.rules, "rules")
        named = {"player_a": job.player_a, "player_b": job.player_b}
        texts = [self._player(text, name) for name, text in named.items()]
        self._different(texts, "player_b")
        job.alpha = job.alpha or _DEFAULT_ERROR
        job.beta = job.beta or _DEFAULT_ERROR
        for name, value in (("alpha", job.alpha), ("beta", job.beta)):
            if not _LEAST_ERROR <= value < 0.5:
                raise self._invalid(name, f"{value:g}, expected 1e-9 or more, and below 0.5")
        for name, value in (("elo0", job.elo0), ("elo1", job.elo1)):
            if not -200 <= value <= 200:
                raise self._invalid(name, f"{value:g}, expected -200 to 200")
        if not job.elo0 < job.elo1:
            raise self._invalid("elo1", f"{job.elo1:g}, expected more than elo0, {job.elo0:g}")
        work = self._common(job, "sprt", [job.rules], list(named.values()))
        return replace(
            work, elo0=job.elo0, elo1=job.elo1, alpha=job.alpha, beta=job.beta,
            normalized=job.normalized,
        )  # fmt: skip

    def balance(self, job: pb.BalanceJob) -> Work:
        if not 1 <= len(job.variants) <= _MOST_VARIANTS:
            raise self._number("variants", len(job.variants), 1, _MOST_VARIANTS)
        variants = [self._rules(text, f"variants[{n}]") for n, text in enumerate(job.variants)]
        self._different(variants, "variants")
        job.variants[:] = variants
        players = self._many(job.players, "players", 1, _MOST_STRENGTHS)
        if len(job.levels) > len(_LEVELS):
            raise self._number("levels", len(job.levels), 0, len(_LEVELS))
        for level in job.levels:
            if level not in _LEVELS:
                raise self._invalid("levels", f"expected some of {', '.join(_LEVELS)}")
        job.levels[:] = [level for level in _LEVELS if level in job.levels]
        job.margin = job.margin or _DEFAULT_MARGIN
        if not 0 < job.margin < 0.5:
            raise self._invalid("margin", f"{job.margin:g}, expected above 0 and below 0.5")
        work = self._common(job, "balance", variants, players)
        return replace(work, levels=tuple(job.levels), margin=job.margin)

    def self_play(self, job: pb.SelfPlayJob) -> Work:
        job.rules = self._rules(job.rules, "rules")
        self._player(job.player, "player")
        work = self._common(job, "selfplay", [job.rules], [job.player])
        return replace(work, decisions=job.with_decisions)

    def _common(self, job: _Kinds, kind: Kind, rules: Sequence[str], players: list[str]) -> Work:
        limit = self._limits.pairs
        if job.pairs < 1:
            raise self._number("pairs", job.pairs, 1, limit)
        if job.pairs > limit:
            raise over_limit(f"{self._field}.pairs", job.pairs, "pairs", limit)
        if not job.HasField("opening_turns"):
            job.opening_turns = _DEFAULT_OPENING_TURNS
        if job.opening_turns > _MOST_OPENING_TURNS or job.opening_turns % 2:
            raise self._invalid(
                "opening_turns",
                f"{job.opening_turns}, expected an even number up to {_MOST_OPENING_TURNS}",
            )
        openings = job.pairs * _sets_of_openings(rules)
        if openings * job.opening_turns > _MOST_DRAWN_TURNS:
            raise self._invalid(
                "opening_turns",
                f"{job.opening_turns} for {openings} openings, expected at most "
                f"{_MOST_DRAWN_TURNS} in all of them",
            )
        job.max_turns = job.max_turns or _DEFAULT_TURNS
        if job.max_turns > _MOST_TURNS:
            raise self._number("max_turns", job.max_turns, 1, _MOST_TURNS)
        return Work(
            kind=kind, rules=tuple(rules), players=tuple(players), pairs=job.pairs, seed=self._seed,
            opening_turns=job.opening_turns, max_turns=job.max_turns,
        )  # fmt: skip

    def _rules(self, text: str, name: str) -> str:
        try:
            return str(rules_of(text))
        except Refusal as refusal:
            raise Refusal(refusal.reason, refusal.message, field=f"{self._field}.{name}") from None

    def _player(self, text: str, name: str) -> str:
        """The text that says the same as others that mean the same player."""
        return str(self._players.read(text, f"{self._field}.{name}"))

    def _many(self, texts: Sequence[str], name: str, least: int, most: int) -> list[str]:
        if not least <= len(texts) <= most:
            raise self._number(name, len(texts), least, most)
        self._different([self._player(one, f"{name}[{n}]") for n, one in enumerate(texts)], name)
        return list(texts)

    def _different(self, texts: Sequence[str], name: str) -> None:
        if len(set(texts)) < len(texts):
            raise self._invalid(name, "the same is there twice")

    def _number(self, name: str, value: int, least: int, most: int) -> Refusal:
        return self._invalid(name, f"{value}, expected {least} to {most}")

    def _invalid(self, name: str, message: str) -> Refusal:
        field = f"{self._field}.{name}"
        return invalid(field, f"{field}: {message}")


def _sets_of_openings(rules: Sequence[str]) -> int:
    """Variants that begin as the first one does share their openings; others have their own."""
    first, *others = [rules_of(text).setup for text in rules]
    return 1 + sum(setup != first for setup in others)


# ---- Jobs as they stand -----------------------------------------------------------------------


def job_message(job: Job, *, files: bool = True) -> pb.Job:
    """A job for callers."""
    message = pb.Job(
        job_id=job.id,
        request_id=job.request_id,
        owner=job.owner,
        spec=pb.JobSpec.FromString(job.spec),
        state=int(job.state),  # type: ignore[arg-type]  # its number
        sequence=job.sequence,
        games_done=job.games_done,
        games_total=job.games_total,
        create_time=_time(job.created),
        start_time=_time(job.started),
        end_time=_time(job.ended),
        message=job.message,
    )
    if files:
        message.files.extend(
            pb.JobFile(name=one.name, bytes=one.bytes, sha256=one.sha256) for one in job.files
        )
    return message


def _time(nanoseconds: int) -> Timestamp | None:
    if not nanoseconds:
        return None
    found = Timestamp()
    found.FromNanoseconds(nanoseconds)
    return found


def page_of(request: pb.ListJobsRequest) -> tuple[int | None, State | None, int]:
    """Number of the job before which a page begins, the state, and the size of the page.

    Raises:
        Refusal: INVALID_FIELD.
    """
    size = request.page_size or _PAGE
    if size > _MOST_PAGE:
        raise invalid("page_size", f"page_size is {size}, expected 1 to {_MOST_PAGE}")
    if request.state and int(request.state) not in set(map(int, State)):
        raise invalid("state", f"state is {request.state}, which is none")
    state = State(request.state) if request.state else None
    if not request.page_token:
        return None, state, size
    try:
        found = _TOKEN.fullmatch(base64.urlsafe_b64decode(request.page_token).decode("ascii"))
    except (binascii.Error, ValueError):
        found = None
    if found is None or int(found[1]) != request.state:
        raise invalid("page_token", "page_token is not that of a page before, of the same state")
    return int(found[2]), state, size


def token_after(job: Job, state: State | None) -> str:
    """For the page that follows this job."""
    return base64.urlsafe_b64encode(f"{int(state or 0)} {job.number}".encode()).decode()
