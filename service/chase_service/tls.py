"""Certificates of the server, by files that may change while it runs."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import grpc
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from chase_service.reload import Content, FileError, Reloaded

__all__ = ["TlsFiles", "server_credentials"]

_log = logging.getLogger("chase_service")

# gRPC takes others, and then fails each handshake.
_CURVES: Final = (ec.SECP256R1, ec.SECP384R1)
_LEAST_BITS: Final = 2048
_KINDS: Final = f"RSA of at least {_LEAST_BITS} bits, or EC on P-256 or P-384"


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Where certificates are, as PEM.

    Attributes:
        cert: That of the server, followed by those between it and the root.
        key: Its private key, not encrypted.
        client_ca: Roots of the certificates that callers must have; None: they need none.
    """

    cert: Path
    key: Path
    client_ca: Path | None = None


def server_credentials(files: TlsFiles) -> grpc.ServerCredentials:
    """Credentials that follow the files: each new connection gets what they are then.

    Raises:
        FileError: A file cannot be read, is not as described, or has expired.
    """
    paths = [path for path in (files.cert, files.key, files.client_ca) if path is not None]
    reloaded = Reloaded("certificates", paths, _configuration)
    first = reloaded.value()
    return grpc.dynamic_ssl_server_credentials(
        first, reloaded.value, require_client_authentication=files.client_ca is not None
    )


def _configuration(contents: Sequence[Content]) -> grpc.ServerCertificateConfiguration:
    cert, key = contents[:2]
    _check_pair(cert, key)
    roots = None
    if len(contents) > 2:
        roots = contents[2].data
        if not any(_fault_of(one) is None for one in _certificates(contents[2])):
            raise FileError(f"{contents[2].path} has no certificate that is valid now")
    if key.mode & 0o004:
        _log.warning("%s can be read by everybody on this machine", key.path)
    return grpc.ssl_server_certificate_configuration([(key.data, cert.data)], roots)


def _check_pair(cert: Content, key: Content) -> None:
    first, *_ = _certificates(cert)
    fault = _fault_of(first)
    if fault is not None:
        raise FileError(f"the certificate in {cert.path} {fault}")
    try:
        secret = load_pem_private_key(key.data, None)
    except TypeError:
        raise FileError(f"the key in {key.path} is encrypted, expected a plain one") from None
    except (ValueError, UnsupportedAlgorithm):
        raise FileError(f"{key.path} has no private key in PEM") from None
    match secret:
        case rsa.RSAPrivateKey():
            usable = secret.key_size >= _LEAST_BITS
        case ec.EllipticCurvePrivateKey():
            usable = isinstance(secret.curve, _CURVES)
        case _:
            usable = False
    if not usable:
        raise FileError(f"the key in {key.path} is of another kind than expected: {_KINDS}")
    try:
        public = first.public_key()
    except (ValueError, UnsupportedAlgorithm):
        raise FileError(f"the certificate in {cert.path} has no readable key") from None
    if secret.public_key() != public:
        raise FileError(
            f"the key in {key.path} is not that of the first certificate in {cert.path}"
        )


def _certificates(content: Content) -> list[x509.Certificate]:
    """At least one."""
    try:
        return x509.load_pem_x509_certificates(content.data)
    except (ValueError, x509.InvalidVersion):
        raise FileError(f"{content.path} has no certificates in PEM") from None


def _fault_of(cert: x509.Certificate) -> str | None:
    """Why a certificate is not valid now."""
    now = datetime.now(UTC)
    if cert.not_valid_after_utc < now:
        return f"has expired, on {cert.not_valid_after_utc:%Y-%m-%d %H:%M} UTC"
    if cert.not_valid_before_utc > now:
        return f"is not valid before {cert.not_valid_before_utc:%Y-%m-%d %H:%M} UTC"
    return None
