"""``chase-fast remote``: certificates and tokens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from chase_service.tokens import Role, new_token

from tests.service.certificates import HOST, Folder, chain
from tests.service.remotely import ran, remote
from tests.service.running import Running, running


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Path]]:
    """A server that wants certificates and tokens, and the folder with those of its callers."""
    folder = tmp_path_factory.mktemp("guarded")
    files, ca = Folder(folder, client_ca=True), trustme.CA()
    files.put(ca.issue_cert(HOST))
    files.put_client_ca(ca)
    (folder / "ca.pem").write_bytes(ca.cert_pem.bytes())
    leaf = ca.issue_cert("caller")
    (folder / "mine.pem").write_bytes(chain(leaf))
    (folder / "mine.key").write_bytes(leaf.private_key_pem.bytes())
    lines = []
    for role in (Role.QUERY, Role.JOB):
        made, text = new_token(role.name.lower(), [role])
        lines.append(f"{made.line}\n")
        (folder / f"{made.name}.token").write_text(f"{text}\n")
    (folder / "tokens").write_text("".join(lines))
    (folder / "binary").write_bytes(b"\xff\xfe")
    with running(data=folder / "data", tls=files.files, tokens=folder / "tokens") as started:
        yield started, folder


CERTIFICATES = ["--ca", "ca.pem", "--cert", "mine.pem", "--key", "mine.key"]


def as_caller(guarded: tuple[Running, Path], *words: str) -> tuple[int, bytes, str]:
    server, folder = guarded
    known = {path.name for path in folder.iterdir()}
    return remote(server, *(str(folder / word) if word in known else word for word in words))


def test_certificates_and_tokens(guarded: tuple[Running, Path]) -> None:
    asked = ["playout", "20", *CERTIFICATES, "--token-file", "query.token"]
    assert as_caller(guarded, *asked)[:2] == ran("playout", "20")[:2]
    # A token that may not ask for the version still reaches its jobs.
    assert as_caller(guarded, "jobs", *CERTIFICATES, "--token-file", "job.token")[0] == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([*CERTIFICATES], 2, "token"),
        ([*CERTIFICATES, "--token-file", "job.token"], 2, "role"),
        ([*CERTIFICATES, "--token-file", "binary"], 2, "holds no token"),
        ([*CERTIFICATES, "--token-file", "nowhere"], 2, "cannot read"),
        ([*CERTIFICATES[:4], "--token-file", "query.token"], 2, "cert and key go together"),
        ([*CERTIFICATES[:2], "--token-file", "query.token"], 1, "trusted connection"),
        (["--token-file", "query.token", "--server", "example.org:1"], 2, "in plain text"),
    ],
)
def test_callers_that_are_not_let_in(
    guarded: tuple[Running, Path], words: list[str], code: int, said: str
) -> None:
    got = as_caller(guarded, "playout", "20", *words)
    assert got[:2] == (code, b"")
    assert said in got[2]
    assert "Traceback" not in got[2]
