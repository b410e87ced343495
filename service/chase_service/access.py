"""The one place that decides who may call what, before anything of a request is read.

What it does not know is for admins alone, so that a service that is forgotten here is closed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import grpc
from grpc_health.v1 import health

from chase_service.refusal import Reason, Refusal
from chase_service.rpc import REFLECTION, Gate, refusing, unauthenticated
from chase_service.tokens import TOKEN, Role, Tokens

__all__ = ["ROLES", "Access"]

ROLES: Final[dict[str, Role]] = {
    "chase.v1.QueryService": Role.QUERY,
    "chase.v1.GamesService": Role.QUERY,
    "chase.v1.SystemService": Role.QUERY,
    "chase.v1.JobsService": Role.JOB,
}
"""The role that calls of a service need, by its full name."""

# What watches over servers has no token.
_OPEN: Final = health.SERVICE_NAME
# All versions of reflection: clients ask for a later one first, and go on to the one that is there
# if they are told that it is not.
_ANY_ROLE: Final = REFLECTION.removeprefix("/")

_KEY: Final = "authorization"
_SCHEME: Final = b"bearer "
# More is no token of ours, and need not be hashed.
_LONGEST: Final = 512


class Access(grpc.aio.ServerInterceptor):
    """Lets calls with the right token in, and answers the others.

    Args:
        tokens: Gives the tokens as they are now.
        gate: Answers what is refused.
    """

    def __init__(self, tokens: Callable[[], Tokens], gate: Gate) -> None:
        self._tokens = tokens
        self._gate = gate

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Gives gRPC the handler of a call, or one that refuses it."""
        details: Any = handler_call_details
        service = details.method.removeprefix("/").rpartition("/")[0]
        if service == _OPEN:
            TOKEN.set(None)
            return await continuation(handler_call_details)
        token = self._tokens().find(_sent(details.invocation_metadata))
        TOKEN.set(token)
        if token is None:
            return refusing(unauthenticated, self._gate, details.method)
        role = ROLES.get(service, Role.ADMIN)
        if not service.startswith(_ANY_ROLE) and not token.may(role):
            return refusing(lambda: _forbidden(role), self._gate, details.method)
        return await continuation(handler_call_details)


def _sent(metadata: Sequence[tuple[str, str | bytes]]) -> bytes:
    """The token that came with a call; empty, which is none, if it is not exactly one."""
    values = [value for key, value in metadata if key == _KEY]
    if len(values) != 1:
        return b""
    value = values[0].encode(errors="replace") if isinstance(values[0], str) else values[0]
    if len(value) > _LONGEST or value[: len(_SCHEME)].lower() != _SCHEME:
        return b""
    return value[len(_SCHEME) :].strip(b" ")


def _forbidden(role: Role) -> Refusal:
    return Refusal(Reason.ROLE_MISSING, f"the token has not the role {role}, which this call needs")
