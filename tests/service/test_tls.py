"""Encryption: who is let in, what files are refused, and that changed ones are taken up."""

from __future__ import annotations

import asyncio
import base64
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from chase_service.client import AsyncClient, Client
from chase_service.reload import FileError
from chase_service.server import Options
from chase_service.tls import TlsFiles, server_credentials
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from hypothesis import given
from hypothesis import strategies as st

from tests.service.certificates import (
    DAY,
    HOST,
    Folder,
    code_of,
    curve,
    new_channel,
    now,
    own,
    pem,
    reaches,
)
from tests.service.running import Running, running, start_fault

pytestmark = pytest.mark.no_core

KEY = curve()
CERT = own(KEY)
EDWARDS = ed25519.Ed25519PrivateKey.generate()
P521 = curve(ec.SECP521R1)
RSA = rsa.generate_private_key(65537, 2048)
SHORT = rsa.generate_private_key(65537, 1024)
LATE = own(KEY, begins=now() - 5 * DAY)
EARLY = own(KEY, begins=now() + DAY)


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def other() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def folder(tmp_path: Path, ca: trustme.CA) -> Folder:
    made = Folder(tmp_path, client_ca=True)
    made.put(ca.issue_cert(HOST))
    made.put_client_ca(ca)
    return made


@pytest.fixture
def encrypted(folder: Folder) -> Iterator[Running]:
    with running(tls=TlsFiles(folder.files.cert, folder.files.key)) as server:
        yield server


@pytest.fixture
def mutual(folder: Folder) -> Iterator[Running]:
    with running(tls=folder.files) as server:
        yield server


def root(ca: trustme.CA) -> bytes:
    data: bytes = ca.cert_pem.bytes()
    return data


# ---- Who is let in ------------------------------------------------------------------------------


def test_clients_that_know_the_root(encrypted: Running, ca: trustme.CA, tmp_path: Path) -> None:
    file = tmp_path / "root.pem"
    file.write_bytes(root(ca))
    for pem_or_file in (root(ca), file, str(file)):
        with Client(encrypted.target, ca=pem_or_file) as client:
            assert client.perft([("", 1)]) == [46]

    async def ask() -> Any:
        async with AsyncClient(encrypted.target, ca=file) as client:
            games = client.play_games("random", "random", openings=2)
            return await client.perft([("", 1)]), len([game async for game in games])

    assert asyncio.run(ask()) == ([46], 4)


def test_clients_that_do_not(encrypted: Running, ca: trustme.CA, other: trustme.CA) -> None:
    assert not reaches(encrypted.target, root(other))
    assert code_of(encrypted.channel) is grpc.StatusCode.UNAVAILABLE  # in plain text
    assert reaches(encrypted.target, root(ca))


def test_callers_need_a_certificate(mutual: Running, ca: trustme.CA, other: trustme.CA) -> None:
    right, wrong = ca.issue_cert("me@example.org"), other.issue_cert("me@example.org")
    late = ca.issue_cert("me@example.org", not_before=now() - 3 * DAY, not_after=now() - DAY)
    assert reaches(mutual.target, root(ca), right)
    for leaf in (None, wrong, late):
        assert not reaches(mutual.target, root(ca), leaf)
    cert = b"".join(blob.bytes() for blob in right.cert_chain_pems)
    key = right.private_key_pem.bytes()
    with Client(mutual.target, ca=root(ca), cert=cert, key=key) as client:
        assert client.perft([("", 1)]) == [46]


def test_a_chain_is_sent(tmp_path: Path, ca: trustme.CA) -> None:
    between = ca.create_child_ca()
    folder = Folder(tmp_path)
    folder.put(between.issue_cert(HOST))
    with running(tls=folder.files) as server:
        assert reaches(server.target, root(ca))


@pytest.mark.parametrize(
    "key",
    [KEY, curve(ec.SECP384R1), RSA],
    ids=["P-256", "P-384", "RSA"],
)
def test_kinds_of_keys(tmp_path: Path, key: Any) -> None:
    files = TlsFiles(tmp_path / "cert", tmp_path / "key")
    files.cert.write_bytes(own(key))
    files.key.write_bytes(pem(key))
    with running(tls=files) as server:
        assert reaches(server.target, files.cert.read_bytes())


# ---- Changes ------------------------------------------------------------------------------------


def test_a_new_certificate_is_taken_up(
    encrypted: Running, folder: Folder, ca: trustme.CA, other: trustme.CA
) -> None:
    with new_channel(encrypted.target, root(ca)) as before:
        assert code_of(before) is grpc.StatusCode.OK
        folder.put(other.issue_cert(HOST))
        assert reaches(encrypted.target, root(other))
        assert not reaches(encrypted.target, root(ca))
        assert code_of(before) is grpc.StatusCode.OK


def mismatched(folder: Folder, ca: trustme.CA) -> None:
    folder.put_key(ca.issue_cert(HOST))


def expired(folder: Folder, ca: trustme.CA) -> None:
    folder.put(ca.issue_cert(HOST, not_before=now() - 3 * DAY, not_after=now() - DAY))


def torn(folder: Folder, ca: trustme.CA) -> None:
    folder.files.cert.write_bytes(folder.files.cert.read_bytes()[:200])


def missing(folder: Folder, ca: trustme.CA) -> None:
    folder.files.key.unlink()


def no_roots(folder: Folder, ca: trustme.CA) -> None:
    assert folder.files.client_ca is not None
    folder.files.client_ca.write_bytes(b"")


@pytest.mark.parametrize("harm", [mismatched, expired, torn, missing, no_roots])
def test_a_broken_file_keeps_the_old_ones(
    mutual: Running, folder: Folder, ca: trustme.CA, other: trustme.CA,
    harm: Callable[[Folder, trustme.CA], None], caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    leaf = ca.issue_cert("me@example.org")
    assert reaches(mutual.target, root(ca), leaf)
    with caplog.at_level(logging.WARNING, "chase_service"):
        harm(folder, other)
        for _ in range(3):
            assert reaches(mutual.target, root(ca), leaf)
    (record,) = caplog.records  # said once
    assert str(folder.files.cert.parent) in record.getMessage()
    folder.put_client_ca(ca)
    folder.put(other.issue_cert(HOST))
    assert reaches(mutual.target, root(other), leaf)


def test_new_roots_of_callers_are_taken_up(
    mutual: Running, folder: Folder, ca: trustme.CA, other: trustme.CA
) -> None:
    old, new = ca.issue_cert("me@example.org"), other.issue_cert("me@example.org")
    assert [reaches(mutual.target, root(ca), leaf) for leaf in (old, new)] == [True, False]
    folder.put_client_ca(other)
    assert [reaches(mutual.target, root(ca), leaf) for leaf in (old, new)] == [False, True]


# ---- What is refused at the start ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("cert", "key", "roots", "said"),
    [
        (None, pem(KEY), CERT, r"cannot read \S+/cert: No such file"),
        (CERT, None, CERT, r"cannot read \S+/key: No such file"),
        (CERT, pem(KEY), None, r"cannot read \S+/roots: No such file"),
        (b"", pem(KEY), CERT, r"\S+/cert has no certificates"),
        (b"\xff\x00", pem(KEY), CERT, r"\S+/cert has no certificates"),
        (pem(KEY), pem(KEY), CERT, r"\S+/cert has no certificates"),
        (CERT, b"", CERT, r"\S+/key has no private key"),
        (CERT, CERT, CERT, r"\S+/key has no private key"),
        (CERT, pem(KEY, b"password"), CERT, r"\S+/key is encrypted"),
        (CERT, pem(curve()), CERT, r"\S+/key is not that of the first certificate in \S+/cert"),
        (own(curve()) + CERT, pem(KEY), CERT, "is not that of the first certificate"),
        (LATE, pem(KEY), CERT, r"\S+/cert has expired, on \d{4}-"),
        (EARLY, pem(KEY), CERT, r"\S+/cert is not valid before \d{4}-"),
        (own(EDWARDS), pem(EDWARDS), CERT, "another kind than expected: RSA"),
        (own(P521), pem(P521), CERT, "another kind than expected: RSA"),
        (own(SHORT), pem(SHORT), CERT, "RSA of at least 2048 bits"),
        (CERT, pem(KEY), b"", r"\S+/roots has no certificates"),
        (CERT, pem(KEY), LATE + EARLY, r"\S+/roots has no certificate that is valid now"),
    ],
)
def test_files_that_are_refused(
    tmp_path: Path, cert: bytes | None, key: bytes | None, roots: bytes | None, said: str
) -> None:
    files = TlsFiles(tmp_path / "cert", tmp_path / "key", tmp_path / "roots")
    for name, data in (("cert", cert), ("key", key), ("roots", roots)):
        if data is not None:
            (tmp_path / name).write_bytes(data)
    with pytest.raises(FileError, match=said):
        server_credentials(files)
    assert re.search(said, start_fault(Options(tls=files)))


@pytest.mark.filterwarnings("ignore::cryptography.utils.CryptographyDeprecationWarning")
@given(
    st.sampled_from(["cert", "key", "roots"]),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 4), st.binary(max_size=4))),
    st.sampled_from([KEY, RSA]),
)
def test_files_with_any_damage(
    tmp_path_factory: pytest.TempPathFactory, name: str, damage: list[tuple[int, int, bytes]],
    key: Any,
) -> None:  # fmt: skip
    """They are refused, or what is damaged does not matter here; nothing else is raised."""
    folder = tmp_path_factory.mktemp("damaged")
    contents = {"cert": own(key), "key": pem(key), "roots": own(key)}
    label = "PRIVATE KEY" if name == "key" else "CERTIFICATE"
    data = bytearray(base64.b64decode(b"".join(contents[name].splitlines()[1:-1])))
    for place, dropped, put in damage:
        place %= len(data) + 1
        data[place : place + dropped] = put
    body = base64.encodebytes(data).decode()
    contents[name] = f"-----BEGIN {label}-----\n{body}-----END {label}-----\n".encode()
    for file, content in contents.items():
        (folder / file).write_bytes(content)
    with suppress(FileError):
        server_credentials(TlsFiles(folder / "cert", folder / "key", folder / "roots"))


def test_a_root_that_has_expired_does_not_disturb_the_others(tmp_path: Path) -> None:
    files = TlsFiles(tmp_path / "cert", tmp_path / "key", tmp_path / "roots")
    files.cert.write_bytes(CERT)
    files.key.write_bytes(pem(KEY))
    (tmp_path / "roots").write_bytes(LATE + CERT)
    server_credentials(files)


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o640, False), (0o644, True)])
def test_a_key_that_all_can_read_is_warned_of(
    tmp_path: Path, mode: int, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    files = TlsFiles(tmp_path / "cert", tmp_path / "key")
    files.cert.write_bytes(CERT)
    files.key.write_bytes(pem(KEY))
    files.key.chmod(mode)
    server_credentials(files)
    assert ("can be read by everybody" in caplog.text) is warned


def test_an_encrypted_address_may_be_beyond_this_machine(tmp_path: Path) -> None:
    files = TlsFiles(tmp_path / "cert", tmp_path / "key")
    # The address is looked at first: here it is let pass, and then there is no file.
    assert "cannot read" in start_fault(Options(listen="0.0.0.0:1", tls=files))
    tokens = tmp_path / "tokens"
    assert "--tls-cert" in start_fault(Options(listen="0.0.0.0:1", tokens=tokens))
