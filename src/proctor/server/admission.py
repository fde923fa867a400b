"""Check token, Host and Origin of a request before anything else is read."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, Collection
from typing import Any, Final
from urllib.parse import urlsplit

from aiohttp import web

__all__ = ["TOKEN_HEADER", "Refused", "admit", "is_loopback", "is_shown"]

TOKEN_HEADER: Final = "X-Proctor-Token"  # noqa: S105 - the name of a header
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Refused = Callable[[web.Request, int, str, str], web.StreamResponse]


def admit(
    refused: Refused,
    *,
    token: str | None = None,
    hosts: Collection[str] = (),
    origins: Collection[str] = (),
    bearer: bool = False,
    open_paths: Collection[str] = (),
) -> Any:
    """Return a middleware that rejects requests with a wrong token, host or origin.

    A web page of another site can make a browser send requests here. Such requests have its ``Origin``, or with DNS
    rebinding its ``Host``. ``hosts`` and ``origins`` are allowed in addition. With a ``token`` callers must send it in
    ``X-Proctor-Token``, or with ``bearer`` also as a bearer token; ``open_paths`` need none. ``refused`` builds the
    response from status, message and hint.
    """

    @web.middleware
    async def admitted(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not _is_address(request.headers.get("Host", "")):
            hint = "send the name and port of this server, e.g. `localhost:8080`"
            return refused(request, 400, "the Host of the request is no address", hint)
        if (wrong := _wrong_place(request, hosts, origins)) is not None:
            return refused(request, 403, *wrong)
        if token is not None and request.path not in open_paths and not is_shown(request, token, bearer=bearer):
            also = " or `Authorization: Bearer TOKEN`" if bearer else ""
            return refused(
                request, 401, "the token is missing or wrong", f"send the header `{TOKEN_HEADER}: TOKEN`{also}"
            )
        return await handler(request)

    return admitted


def is_shown(request: web.Request, token: str, *, bearer: bool = False) -> bool:
    """Return whether a request has the token."""
    shown = [request.headers.get(TOKEN_HEADER, "")]
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    if bearer and kind.lower() == "bearer":
        shown.append(given)
    return any([hmac.compare_digest(each.strip().encode("utf-8", "replace"), token.encode()) for each in shown])


def is_loopback(host: str) -> bool:
    """Return whether a name or address can only be this machine."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _wrong_place(request: web.Request, hosts: Collection[str], origins: Collection[str]) -> tuple[str, str] | None:
    """Return what is wrong with the host or origin of a request, and a hint."""
    host = request.headers.get("Host")
    if host is not None and _is_local(request) and not _is_known(host, hosts):
        hint = "use 127.0.0.1 or localhost, or list the name under `hosts` of this server in proctor.yaml"
        return "the Host of the request is no name of this machine", hint
    origin = request.headers.get("Origin")
    if origin is not None and origin.lower() not in {each.lower() for each in origins}:
        if host is None or urlsplit(origin).netloc.lower() != host.lower():
            hint = "list it under `origins` of this server in proctor.yaml if the page is yours"
            return "the request comes from a web page of another origin", hint
    elif origin is None and request.headers.get("Sec-Fetch-Site") == "cross-site":
        return "the request comes from a web page of another site", "ask from a program, or from a page of this server"
    return None


def _is_address(host: str) -> bool:
    """Return whether a Host is one that a URL can have: aiohttp reads it late, wherever a page asks for its own."""
    try:
        urlsplit(f"//{host}").port  # noqa: B018 - raises for a port that is none
    except ValueError:
        return False
    return True


def _is_local(request: web.Request) -> bool:
    """Return whether the request came over the loopback address."""
    name = request.transport.get_extra_info("sockname") if request.transport is not None else None
    return isinstance(name, tuple) and is_loopback(str(name[0]))


def _is_known(host: str, hosts: Collection[str]) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return is_loopback(name) or name in {each.lower() for each in hosts} or host.lower() in {h.lower() for h in hosts}
