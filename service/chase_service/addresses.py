"""Addresses as gRPC writes them."""

from __future__ import annotations

import ipaddress
from urllib.parse import unquote

__all__ = ["host_of", "is_loopback"]


def host_of(peer: str) -> str:
    """The address of a caller without its port: ``ipv4:127.0.0.1:5000`` is at ``127.0.0.1``."""
    kind, _, rest = peer.partition(":")
    if kind not in ("ipv4", "ipv6"):
        return peer
    return unquote(rest.rpartition(":")[0]).removeprefix("[").removesuffix("]")


def is_loopback(host: str) -> bool:
    """Whether a host, a name or an address, is this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False
