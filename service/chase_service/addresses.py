"""Addresses as gRPC writes them."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import unquote

__all__ = ["host_of", "is_address", "is_loopback"]


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


def is_address(text: str) -> bool:
    """Whether a text is a host, a colon and a port of 0 to 65535."""
    host, _, port = text.rpartition(":")
    bare = not host.startswith("[") and ":" in host  # of IPv6, whose colons need brackets
    plain = host.isascii() and host.isprintable() and not set(host) & set("/ @")
    return (
        bool(host)
        and plain
        and not bare
        and re.fullmatch("[0-9]{1,5}", port) is not None
        and int(port) < 65536
    )
