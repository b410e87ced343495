"""Who may call what: the file of tokens. Knows neither gRPC nor the engine.

A line each: a name, roles, and the SHA-256 of the token. So the file tells nobody a token. Tokens
are 256 random bits, which no list of likely passwords has, so that a plain hash is enough.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from chase_service.reload import Content, FileError, Reloaded

__all__ = ["TOKEN", "Role", "Token", "Tokens", "new_token", "tokens_of_file"]

_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_DIGEST: Final = re.compile(r"sha256:([0-9a-f]{64})")
# Each is compared with, in each call.
_MOST: Final = 1000
# What an unset variable gives; whoever sends no token would have it.
_EMPTY: Final = hashlib.sha256().hexdigest()


class Role(StrEnum):
    """What a token lets its bearer call."""

    QUERY = "query"
    """Queries, games, and what the server tells of itself."""
    JOB = "job"
    """Jobs, of those that exist its own."""
    ADMIN = "admin"
    """Everything, and the jobs of all."""


@dataclass(frozen=True, slots=True)
class Token:
    """A line of the file.

    Attributes:
        name: Of the bearer.
        roles: At least one.
        digest: SHA-256 of the token, 32 bytes.
    """

    name: str
    roles: frozenset[Role]
    digest: bytes

    def may(self, role: Role) -> bool:
        """Whether it has a role, by itself or since admin has them all."""
        return role in self.roles or Role.ADMIN in self.roles

    @property
    def line(self) -> str:
        """It as a line of the file."""
        roles = ",".join(role for role in Role if role in self.roles)
        return f"{self.name} {roles} sha256:{self.digest.hex()}"


TOKEN: Final[ContextVar[Token | None]] = ContextVar("token")
"""That of the call under way, None if it may be made without; not set where nobody asks for one."""


class Tokens:
    """All tokens of a server."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tuple(tokens)
        self._known = frozenset(tokens)

    def __contains__(self, token: Token) -> bool:
        """Whether a token that was found is still there, with the same roles."""
        return token in self._known

    def find(self, text: bytes) -> Token | None:
        """The token that a caller sent. Its time tells neither whether nor where it was found."""
        digest = hashlib.sha256(text).digest()
        found = None
        for token in self._tokens:
            if hmac.compare_digest(token.digest, digest):
                found = token
        return found


def new_token(name: str, roles: Sequence[Role]) -> tuple[Token, str]:
    """A token, and its text, which is not kept anywhere.

    Args:
        name: Of the bearer: 1 to 64 letters, digits, dots, - and _.
        roles: At least one.

    Raises:
        ValueError: Another name, or no role.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"name is {name!r:.80}, expected 1 to 64 letters, digits, dots, - and _")
    if not roles:
        raise ValueError("there is no role, expected query, job or admin")
    text = secrets.token_hex(32)
    return Token(name, frozenset(roles), hashlib.sha256(text.encode()).digest()), text


def tokens_of_file(path: Path) -> Reloaded[Tokens]:
    """The tokens of a file, read anew when it has changed.

    Raises:
        FileError: It cannot be read, others may write it, or a line is not as described.
    """
    return Reloaded("tokens", [path], lambda contents: _read(contents[0]))


def _read(content: Content) -> Tokens:
    path, data, mode = content
    if mode & 0o022:
        raise FileError(f"{path} can be written by others (mode {mode:o}); chmod go-w would do")
    try:
        lines = data.decode("utf-8").splitlines()
    except UnicodeDecodeError:
        raise FileError(f"{path} is not UTF-8 text") from None
    found: list[Token] = []
    taken: set[str | bytes] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            token = _token(line)
            if not taken.isdisjoint((token.name, token.digest)):
                raise ValueError(f"a second token of the name or the text of {token.name}")
            if len(found) == _MOST:
                raise ValueError(f"more than {_MOST} tokens")
        except ValueError as error:
            raise FileError(f"{path}, line {number}: {error}") from None
        taken |= {token.name, token.digest}
        found.append(token)
    return Tokens(found)


def _token(line: str) -> Token:
    """The token of a line. What stands in a line is not told: it may be a secret, misplaced.

    Raises:
        ValueError: It has none.
    """
    words = line.split()
    if len(words) != 3:
        raise ValueError(f"{len(words)} words, expected NAME ROLES sha256:DIGEST")
    name, roles, hashed = words
    if not _NAME.fullmatch(name):
        raise ValueError("the first word, expected 1 to 64 letters, digits, dots, - and _")
    digest = _DIGEST.fullmatch(hashed)
    if digest is None:
        raise ValueError("the last word, expected sha256: and 64 hex digits (chase-fast token)")
    if digest[1] == _EMPTY:
        raise ValueError("the last word, which is the hash of no text at all")
    try:
        parsed = frozenset(Role(role) for role in roles.split(","))
    except ValueError:
        raise ValueError("the second word, expected query, job, admin with commas") from None
    return Token(name, parsed, bytes.fromhex(digest[1]))
