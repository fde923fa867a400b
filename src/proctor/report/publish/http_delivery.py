"""Reliable HTTP delivery: retry while a server is busy, and report an error when it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from proctor.core.errors import (
    ModelError,
    OverloadedError,
    RateLimitedError,
    RefusedError,
    RejectedError,
    UnreachableError,
)
from proctor.core.sockets import Http, HttpReply
from proctor.text.redact import redact

__all__ = ["deliver"]

_ATTEMPTS = 5
_BUSY = frozenset({429, 502, 503, 504})  # status codes that OTLP defines as retryable
_LONGEST_WAIT = 30.0


async def deliver(
    http: Http,
    method: str,
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    who: str,
    seconds: float = 30.0,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> HttpReply:
    """Send one request until it is accepted.

    Raises:
        ModelError: the server is unreachable or refused; the message contains no headers.
    """
    for attempt in range(_ATTEMPTS):
        last = attempt == _ATTEMPTS - 1
        try:
            reply = await http.request(method, url, headers=headers, body=body, timeout=seconds)
        except UnreachableError:
            if last:
                raise
            await sleep(_pause(attempt, {}))
            continue
        if 200 <= reply.status < 300:
            return reply
        if last or reply.status not in _BUSY:
            raise _refused(reply, who, tuple(headers.values()))
        await sleep(_pause(attempt, reply.headers))
    raise AssertionError("the last attempt returns or raises")


def _pause(attempt: int, headers: Mapping[str, str]) -> float:
    try:
        asked = float(headers.get("retry-after", ""))
    except ValueError:
        asked = 0.5 * 2.0**attempt
    return min(_LONGEST_WAIT, asked) if asked >= 0 else 0.5  # NaN and negative values are invalid


def _refused(reply: HttpReply, who: str, secrets: tuple[str, ...]) -> ModelError:
    kinds: dict[int, type[ModelError]] = {429: RateLimitedError, 401: RefusedError, 403: RefusedError}
    kind = kinds.get(reply.status, OverloadedError if reply.status >= 500 else RejectedError)
    said = redact(" ".join(reply.body[:2000].decode("utf-8", "replace").split()), secrets)[:300]
    error = kind(f"{who} answered with status {reply.status}" + (f": {said}" if said else ""))
    error.status = reply.status
    error.hint = "check the `headers`" if kind is RefusedError else f"check the address of {who}"
    return error
