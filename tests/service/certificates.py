"""Certificates for tests, in files as an operator has them."""

from __future__ import annotations

import datetime as dt
import ipaddress
from pathlib import Path
from typing import Any

import grpc
import trustme
from chase_service.tls import TlsFiles
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import NameOID

from tests.service.running import PATIENCE

HOST = "127.0.0.1"
DAY = dt.timedelta(days=1)


def now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def own(key: Any, *, begins: dt.datetime | None = None) -> bytes:
    """A certificate that vouches for itself, for two days; in PEM."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    begins = begins or now() - DAY
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + 2 * DAY)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(HOST))]),
            critical=False,
        )
        .sign(key, None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM)


def pem(key: Any, password: bytes | None = None) -> bytes:
    """A private key in PEM."""
    locked: Any = (
        serialization.NoEncryption()
        if password is None
        else serialization.BestAvailableEncryption(password)
    )
    data: bytes = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked
    )
    return data


def curve(kind: type[ec.EllipticCurve] = ec.SECP256R1) -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(kind())


class Folder:
    """The files of a server, as `TlsFiles`."""

    def __init__(self, folder: Path, *, client_ca: bool = False) -> None:
        self.files = TlsFiles(
            folder / "cert.pem", folder / "key.pem", folder / "client-ca.pem" if client_ca else None
        )

    def put(self, leaf: trustme.LeafCert) -> None:
        """A certificate with its key, in the order in which a renewal writes them."""
        self.files.cert.write_bytes(chain(leaf))
        self.put_key(leaf)

    def put_key(self, leaf: trustme.LeafCert) -> None:
        self.files.key.write_bytes(leaf.private_key_pem.bytes())
        self.files.key.chmod(0o600)

    def put_client_ca(self, ca: trustme.CA) -> None:
        assert self.files.client_ca is not None
        self.files.client_ca.write_bytes(ca.cert_pem.bytes())


def chain(leaf: trustme.LeafCert) -> bytes:
    return b"".join(blob.bytes() for blob in leaf.cert_chain_pems)


def new_channel(target: str, root: bytes, leaf: trustme.LeafCert | None = None) -> grpc.Channel:
    """A connection of its own, which shares nothing with another channel."""
    pair = (None, None) if leaf is None else (leaf.private_key_pem.bytes(), chain(leaf))
    credentials = grpc.ssl_channel_credentials(root, *pair)
    return grpc.secure_channel(target, credentials, [("grpc.use_local_subchannel_pool", 1)])


def code_of(channel: grpc.Channel) -> grpc.StatusCode:
    """What becomes of a call."""
    call: Any = channel.unary_unary("/chase.v1.SystemService/GetVersion")
    code: grpc.StatusCode = call.future(b"", timeout=PATIENCE).code()
    return code


def reaches(target: str, root: bytes, leaf: trustme.LeafCert | None = None) -> bool:
    """Whether a new connection comes about."""
    with new_channel(target, root, leaf) as channel:
        code = code_of(channel)
    assert code in (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE)
    return code is grpc.StatusCode.OK
