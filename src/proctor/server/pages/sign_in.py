"""Signing in: a one-time link on this machine, names and passwords elsewhere; sessions, and tokens against forgery."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from aiohttp import web

from proctor.core.person import Person
from proctor.server.admission import is_loopback
from proctor.server.pages.templates import TEMPLATES
from proctor.store.people import MAX_PASSWORD

if TYPE_CHECKING:
    from proctor.server.pages.page_stores import PageStorePool

__all__ = [
    "FORM",
    "FORM_TOKEN",
    "MAX_FORM",
    "VISITOR",
    "AttemptLimit",
    "SignIn",
    "cookie_name",
    "own_address",
    "said_of",
    "say",
]

# What is known of a request once it has come through the door.
VISITOR: Final[web.RequestKey[Person | None]] = web.RequestKey("visitor", Person)
FORM: Final = web.RequestKey("form", dict[str, list[str]])
FORM_TOKEN: Final = web.RequestKey("form_token", str)
_SAID: Final = "proctor_said"
_STATIC: Final = "/ui/static/{name}"
_DOORS: Final = ("/ui/sign-in", "/ui/enter")  # routes for those who are not signed in
MAX_FORM: Final = 1_000_000  # bytes
_MAX_FIELDS: Final = 1000
_SESSION_SECONDS: Final = 14 * 86_400
_WRONG: Final = (10, 300.0)  # wrong passwords in seconds, by address and by name
_CHANGES: Final = (240, 60.0)  # forms that one person may send in a minute
_MAX_PLACES: Final = 10_000  # names and addresses that are remembered; the oldest are forgotten first


class AttemptLimit:
    """Counts tries. One is counted before it is made, so that many at once are not more than allowed."""

    def __init__(self, most: int, period: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self.period = period
        self._clock = clock
        self._made: dict[str, deque[float]] = {}

    def take(self, *places: str) -> bool:
        """Count a try for each place, and return whether it is allowed; if not, nothing is counted."""
        now = self._clock()
        if any(len(self._recent(place, now)) >= self.most for place in places):
            return False
        for place in places:
            made = self._made.pop(place, None) or deque()
            made.append(now)
            self._made[place] = made  # the newest last
        while len(self._made) > _MAX_PLACES:
            self._made.pop(next(iter(self._made)))
        return True

    def give_back(self, *places: str) -> None:
        """Take the last try back: it was none."""
        for place in places:
            if made := self._made.get(place):
                made.pop()

    def _recent(self, place: str, now: float) -> deque[float]:
        made = self._made.get(place)
        if made is None:
            return deque()
        while made and made[0] <= now - self.period:
            made.popleft()
        return made


def cookie_name(store: Path) -> str:
    """Return the name of the session's cookie: each project has its own, also on another port of this machine."""
    return f"proctor_{hashlib.sha256(str(store.resolve()).encode('utf-8', 'surrogateescape')).hexdigest()[:10]}"


def own_address(wanted: str) -> str:
    """Return an address if it is a page of the dashboard, else that of the first page: no link leads elsewhere."""
    is_ours = wanted.startswith("/ui/") and "\\" not in wanted and wanted.isprintable() and len(wanted) <= 4000
    return wanted if is_ours else "/ui/"


class SignIn:
    """Knows who asks. The token of a form is made from the session: another site cannot know it."""

    def __init__(self, pool: PageStorePool) -> None:
        self.pool = pool
        self.cookie = cookie_name(pool.store)
        self._wrong = AttemptLimit(*_WRONG)
        self._changes = AttemptLimit(*_CHANGES)

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Add the pages where people come and go."""
        router.add_get("/sign-in", self._form)
        router.add_post("/sign-in", self._check)
        router.add_get("/enter", self._enter)
        router.add_post("/enter", self._use_link)
        router.add_post("/sign-out", self._leave)

    async def admitted(self, request: web.Request, handler: Any) -> web.StreamResponse:
        """Answer a request of somebody who is signed in; lead others to the door."""
        resource = request.match_info.route.resource  # what will answer, not what the address looks like
        place = resource.canonical if resource is not None else ""
        request[VISITOR], request[FORM_TOKEN] = None, ""
        if place == _STATIC:
            return await _answered(handler, request)
        key = request.cookies.get(self.cookie, "")
        visitor = await self.pool.run(lambda stores: stores.people.visitor(key, time.time())) if key else None
        request[VISITOR] = visitor
        request[FORM_TOKEN] = _form_token(key) if visitor else ""
        if visitor is None and place not in _DOORS:
            if place == "/ui/live":
                return web.Response(status=401)
            wanted = f"?next={quote(request.path_qs, safe='')}" if request.method == "GET" else ""
            return _moved(f"/ui/sign-in{wanted}")
        if request.method not in ("GET", "HEAD"):
            turned = await self._turned_away(request, visitor, place)
            if turned is not None:
                return turned
        return await _answered(handler, request)

    async def _turned_away(self, request: web.Request, visitor: Person | None, place: str) -> web.Response | None:
        """Read a form; refuse one that is unreadable, one of too many, or one that another site may have made."""
        who = f"person {visitor.name}" if visitor is not None else f"address {request.remote}"
        if not self._changes.take(who):
            return web.Response(status=429, text="Too many at once. Wait a minute.", headers={"Retry-After": "60"})
        try:
            form = request[FORM] = await _read_form(request)
        except ValueError:
            return web.Response(status=400, text="The form cannot be read.")
        if visitor is None or place in _DOORS:  # the check of Host and Origin came before
            return None
        given = (form.get("form_token") or [""])[0].encode("utf-8", "replace")
        if hmac.compare_digest(given, request[FORM_TOKEN].encode()):
            return None
        return web.Response(status=403, text="The form is out of date. Go back and load the page again.")

    async def _form(self, request: web.Request) -> web.StreamResponse:
        return await self._shown(request, "")

    async def _shown(self, request: web.Request, message: str, status: int = 200) -> web.StreamResponse:
        has_people = await self.pool.run(lambda stores: bool(stores.people.list()))
        # Behind a proxy the browser's own address is not known here.
        is_direct = is_loopback(request.url.host or "") and "X-Forwarded-For" not in request.headers
        address = str(request.url.origin()) if is_direct else ""
        told = {"message": message, "has_people": has_people, "address": address}
        return await _door("sign_in.html", request, status, **told)

    async def _check(self, request: web.Request) -> web.StreamResponse:
        form = request[FORM]
        name, password = (form.get("name") or [""])[0][:60], (form.get("password") or [""])[0]
        places = (f"address {request.remote}", f"name {name}")
        if not self._wrong.take(*places):
            return await self._shown(request, "Too many tries. Wait five minutes.", 429)
        person = None
        if len(password) <= MAX_PASSWORD:
            person = await self.pool.run(lambda stores: stores.people.check(name, password))
        key = await self.pool.run(lambda stores: stores.people.begin_session(person, time.time())) if person else None
        if key is None:
            return await self._shown(request, "Name or password is wrong.", 401)
        self._wrong.give_back(*places)
        return await self._begun(request, key)

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """Show a button: a program that looks ahead at links must not use up the only visit."""
        return await _door("enter.html", request, 200, key=request.query.get("key", "")[:100])

    async def _use_link(self, request: web.Request) -> web.StreamResponse:
        given = (request[FORM].get("key") or [""])[0]
        key = await self.pool.run(lambda stores: stores.people.use_link(given, time.time()))
        if key is None:
            return await self._shown(request, "The link was used or is too old.", 401)
        return await self._begun(request, key)

    async def _begun(self, request: web.Request, key: str) -> web.StreamResponse:
        """Give the browser its new session; the one that it came with ends, whoever had made it."""
        if old := request.cookies.get(self.cookie, ""):
            await self.pool.run(partial(_end, old))
        answer = _moved(_next(request))
        answer.set_cookie(
            self.cookie, key, path="/ui", httponly=True, samesite="Strict", secure=_is_secure(request),
            max_age=_SESSION_SECONDS,
        )  # fmt: skip
        return answer

    async def _leave(self, request: web.Request) -> web.StreamResponse:
        await self.pool.run(partial(_end, request.cookies.get(self.cookie, "")))
        answer = _moved("/ui/sign-in")
        answer.del_cookie(self.cookie, path="/ui")
        return answer


def say(answer: web.StreamResponse, text: str) -> None:
    """Let the next page say something once; with an empty text nothing."""
    if text:
        answer.set_cookie(_SAID, quote(text[:300]), path="/ui", httponly=True, samesite="Strict", max_age=30)
    else:
        answer.del_cookie(_SAID, path="/ui")


def said_of(request: web.Request) -> str:
    """Return what the page before wants said."""
    return unquote(request.cookies.get(_SAID, ""))[:300]


async def _answered(handler: Any, request: web.Request) -> web.StreamResponse:
    answer: web.StreamResponse = await handler(request)
    return answer


async def _door(template: str, request: web.Request, status: int, **given: Any) -> web.Response:
    """Show a page to somebody who is not signed in."""
    frame = {"title": "Sign in", "next": _next(request), "nav": (), "page": None, "visitor": None, "live": "",
             "form_token": "", "said": "", "now": time.time()}  # fmt: skip
    body = await asyncio.to_thread(partial(TEMPLATES.render, template, **frame, **given))
    return web.Response(status=status, body=body.encode("utf-8", "replace"), content_type="text/html", charset="utf-8")


def _end(key: str, stores: Any) -> None:
    stores.people.end_session(key)


def _form_token(key: str) -> str:
    return hmac.new(key.encode("utf-8", "surrogatepass"), b"form", hashlib.sha256).hexdigest()


def _is_secure(request: web.Request) -> bool:
    """Return whether the browser talks TLS, here or with a proxy: it names the scheme of its page in a form."""
    return request.secure or urlsplit(request.headers.get("Origin", "")).scheme == "https"


def _moved(to: str) -> web.Response:
    return web.Response(status=303, headers={"Location": to})


def _next(request: web.Request) -> str:
    """Return where to go after signing in: a page of the dashboard, nothing else."""
    form = request.get(FORM) or {}
    return own_address((form.get("next") or [request.query.get("next", "")])[0])


async def _read_form(request: web.Request) -> dict[str, list[str]]:
    """Return the fields of a form.

    Raises:
        ValueError: it is no form in UTF-8, or has too many fields.
    """
    if request.content_type != "application/x-www-form-urlencoded":
        return {}
    body = bytearray()
    async for part in request.content.iter_chunked(65_536):  # the limit of the server is that of senders
        body += part
        if len(body) > MAX_FORM:
            raise web.HTTPRequestEntityTooLarge(max_size=MAX_FORM, actual_size=len(body))
    text = body.decode("utf-8")
    form: dict[str, list[str]] = {}
    for name, value in parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS):
        form.setdefault(name, []).append(value)
    return form
