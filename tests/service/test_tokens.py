"""The file of tokens and what is made of it, without a server."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path
from typing import Any

import pytest
from chase_service.reload import FileError
from chase_service.tokens import Role, new_token, tokens_of_file
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.no_core

NAMES = st.from_regex(r"[A-Za-z0-9._-]{1,64}", fullmatch=True)
ROLES = st.lists(st.sampled_from(list(Role)), min_size=1, max_size=5)
HASH = "sha256:" + hashlib.sha256(b"secret").hexdigest()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tokens") / "tokens"


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    path.chmod(0o600)
    return path


@given(
    st.dictionaries(NAMES, ROLES, max_size=20),
    st.lists(st.sampled_from(["", "  ", "# a comment", "\t# x y z"])),
    st.binary(max_size=80),
)
def test_a_file_holds_what_was_made(
    path: Path, wanted: dict[str, list[Role]], between: list[str], foreign: bytes
) -> None:
    made = [new_token(name, roles) for name, roles in wanted.items()]
    lines = [line for token, _ in made for line in (*between, token.line)]
    tokens = tokens_of_file(written(path, "\n".join(lines))).value()
    for token, text in made:
        assert tokens.find(text.encode()) == token
        assert text not in token.line
        assert all(token.may(role) for role in wanted[token.name])
        assert token.may(Role.QUERY) is bool({Role.QUERY, Role.ADMIN} & set(wanted[token.name]))
        # The text of the file is no token.
        assert tokens.find(token.digest) is tokens.find(token.digest.hex().encode()) is None
    assert tokens.find(foreign) is None


def test_texts_are_never_the_same() -> None:
    texts = {new_token("a", [Role.QUERY])[1] for _ in range(100)}
    assert len(texts) == 100
    assert all(len(bytes.fromhex(text)) == 32 for text in texts)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ann query", "line 3: 2 words"),
        (f"ann query job {HASH}", "line 3: 4 words"),
        ("ann query secret", "line 3: the last word"),
        (f"ann query {HASH[:-1]}", "line 3: the last word"),
        (f"ann query {HASH.upper()}", "line 3: the last word"),
        (f"ann query sha256:{hashlib.sha256(b'').hexdigest()}", "line 3: .*the hash of no text"),
        (f"ann root {HASH}", "line 3: the second word, expected query, job, admin"),
        (f"ann query, {HASH}", "line 3: the second word"),
        (f"ann QUERY {HASH}", "line 3: the second word"),
        (f"an/n query {HASH}", "line 3: the first word"),
        (f"{'n' * 65} query {HASH}", "line 3: the first word"),
        (f"first query {HASH}", "line 3: a second token of the name or the text of first"),
        (
            f"ann query {HASH}\nbob query {HASH}",
            "line 4: a second token of the name or the text of bob",
        ),
    ],
)
def test_lines_that_are_refused(path: Path, line: str, said: str) -> None:
    first, _ = new_token("first", [Role.QUERY])
    with pytest.raises(FileError, match=said) as raised:
        tokens_of_file(written(path, f"# tokens\n{first.line}\n{line}\n"))
    assert str(path) in str(raised.value)
    assert "secret" not in str(raised.value)


def test_no_more_than_a_thousand(path: Path) -> None:
    lines = [f"n{number} query sha256:{number:064x}" for number in range(1001)]
    tokens_of_file(written(path, "\n".join(lines[:1000])))
    with pytest.raises(FileError, match="line 1001: more than 1000"):
        tokens_of_file(written(path, "\n".join(lines)))


@pytest.mark.parametrize("mode", [0o602, 0o620, 0o666])
def test_a_file_that_others_write(path: Path, mode: int) -> None:
    written(path, f"ann query {HASH}").chmod(mode)
    with pytest.raises(FileError, match="can be written by others"):
        tokens_of_file(path)


@pytest.mark.parametrize("data", [b"\xff\xfe", "ann query".encode("utf-16")])
def test_a_file_that_is_no_text(path: Path, data: bytes) -> None:
    with pytest.raises(FileError, match="is not UTF-8 text"):
        tokens_of_file(written(path, data))


@pytest.mark.parametrize(("name", "roles"), [("", ["query"]), ("a b", ["query"]), ("a", [])])
def test_tokens_that_are_not_made(name: str, roles: list[Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        new_token(name, roles)


@pytest.mark.parametrize("sent", [0, 3, 9, None])
def test_all_are_compared_wherever_it_stands(
    path: Path, sent: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [new_token(f"n{number}", [Role.QUERY]) for number in range(10)]
    tokens = tokens_of_file(written(path, "\n".join(token.line for token, _ in made))).value()
    compared: list[bytes] = []
    compare = hmac.compare_digest

    def noted(a: bytes, b: bytes) -> bool:
        compared.append(a)
        return compare(a, b)

    monkeypatch.setattr(hmac, "compare_digest", noted)
    found = tokens.find(b"foreign" if sent is None else made[sent][1].encode())
    assert found == (None if sent is None else made[sent][0])
    assert compared == [token.digest for token, _ in made]
