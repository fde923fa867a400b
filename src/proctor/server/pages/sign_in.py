"""Signing in: a one-time link on this machine, names and passwords elsewhere; sessions, and tokens against forgery."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

from aiohttp import web

from proctor.core.person import Person
from proctor.server.pages.templates import TEMPLATES

if TYPE_CHECKING:
    from proctor.server.pages.desk import DeskPool

__all__ = ["FORM", "FORM_TOKEN", "VISITOR", "SignIn", "said_of", "say"]

# What is known of a request once it has come through the door.
VISITOR: Final[web.RequestKey[Person | None]] = web.RequestKey("visitor", Person)
FORM: Final = web.RequestKey("form", dict[str, list[str]])
FORM_TOKEN: Final = web.RequestKey("form_token", str)

_COOKIE: Final = "proctor_session"
_SAID: Final = "proctor_said"
_OPEN: Final = ("/ui/static/", "/ui/sign-in", "/ui/enter")
_TRIES: Final = 10  # wrong passwords in five minutes, by address and by name
_PERIOD: Final = 300.0
_MAX_FORM: Final = 1_000_000


class SignIn:
    """Knows who asks. The token of a form is made from the session: another site cannot know it."""

    def __init__(self, desks: DeskPool) -> None:
        self.desks = desks
        self._wrong: dict[str, deque[float]] = {}

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Add the pages where people come and go."""
        router.add_get("/sign-in", self._form)
        router.add_post("/sign-in", self._check)
        router.add_get("/enter", self._enter)
        router.add_post("/enter", self._use_link)
        router.add_post("/sign-out", self._leave)

    async def admitted(self, request: web.Request, handler: Any) -> web.StreamResponse:
        """Answer a request of somebody who is signed in; lead others to the door."""
        key = request.cookies.get(_COOKIE, "")
        visitor = await self.desks.run(lambda desk: desk.people.visitor(key, time.time())) if key else None
        request[VISITOR] = visitor
        request[FORM_TOKEN] = _form_token(key) if visitor else ""
        if request.method == "POST":
            request[FORM] = await _read_form(request)
        if visitor is None and not request.path.startswith(_OPEN):
            if request.path == "/ui/live":
                return web.Response(status=401)
            return _moved(f"/ui/sign-in?next={quote(request.path_qs, safe='')}" if request.method == "GET" else
                          "/ui/sign-in")  # fmt: skip
        if request.method == "POST" and visitor is not None:
            given = (request[FORM].get("form_token") or [""])[0]
            if not hmac.compare_digest(given.encode(), request[FORM_TOKEN].encode()):
                return web.Response(status=403, text="The form is out of date. Go back, load the page again.")
        answer: web.StreamResponse = await handler(request)
        return answer

    async def _form(self, request: web.Request) -> web.StreamResponse:
        return await self._shown(request, "")

    async def _shown(self, request: web.Request, message: str, status: int = 200) -> web.StreamResponse:
        has_people = await self.desks.run(lambda desk: bool(desk.people.list()))
        body = TEMPLATES.render(
            "sign_in.html", title="Sign in", message=message, has_people=has_people, next=_next(request), nav=(),
            page=None, visitor=None, live="", form_token="", said="", now=time.time(),
        )  # fmt: skip
        return web.Response(status=status, body=body.encode(), content_type="text/html", charset="utf-8")

    async def _check(self, request: web.Request) -> web.StreamResponse:
        form: dict[str, list[str]] = request[FORM]
        name, password = (form.get("name") or [""])[0][:60], (form.get("password") or [""])[0][:1000]
        places = (f"address {request.remote}", f"name {name}")
        if any(self._is_busy(place) for place in places):
            return await self._shown(request, "Too many tries. Wait five minutes.", 429)
        person = await self.desks.run(lambda desk: desk.people.check(name, password))
        if person is None:
            for place in places:
                self._wrong.setdefault(place, deque()).append(time.time())
            return await self._shown(request, "Name or password is wrong.", 401)
        return await self._begun(request, person)

    def _is_busy(self, place: str) -> bool:
        tries, since = self._wrong.get(place, deque()), time.time() - _PERIOD
        while tries and tries[0] < since:
            tries.popleft()
        if not tries:
            self._wrong.pop(place, None)
        return len(tries) >= _TRIES

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """Show a button: a program that looks ahead at links must not use up the only visit."""
        body = TEMPLATES.render(
            "enter.html", title="Sign in", key=request.query.get("key", "")[:100], next=_next(request), nav=(),
            page=None, visitor=None, live="", form_token="", said="", now=time.time(),
        )  # fmt: skip
        return web.Response(body=body.encode(), content_type="text/html", charset="utf-8")

    async def _use_link(self, request: web.Request) -> web.StreamResponse:
        key = (request[FORM].get("key") or [""])[0]
        person = await self.desks.run(lambda desk: desk.people.use_link(key, time.time()))
        if person is None:
            return await self._shown(request, "The link was used or is too old. `proctor people link` makes one.", 401)
        return await self._begun(request, person)

    async def _begun(self, request: web.Request, person: Person) -> web.StreamResponse:
        old = request.cookies.get(_COOKIE, "")
        if old:
            await self.desks.run(lambda desk: desk.people.end_session(old))
        key = await self.desks.run(lambda desk: desk.people.begin_session(person, time.time()))
        answer = _moved(_next(request))
        _set(answer, _COOKIE, key, request)
        return answer

    async def _leave(self, request: web.Request) -> web.StreamResponse:
        key = request.cookies.get(_COOKIE, "")
        await self.desks.run(partial(_end, key))
        answer = _moved("/ui/sign-in")
        answer.del_cookie(_COOKIE, path="/ui")
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


def _end(key: str, desk: Any) -> None:
    desk.people.end_session(key)


def _form_token(key: str) -> str:
    return hmac.new(key.encode(), b"form", hashlib.sha256).hexdigest()


def _set(answer: web.Response, name: str, value: str, request: web.Request) -> None:
    answer.set_cookie(
        name, value, path="/ui", httponly=True, samesite="Strict", secure=request.secure, max_age=14 * 86_400
    )


def _moved(to: str) -> web.Response:
    return web.Response(status=303, headers={"Location": to})


def _next(request: web.Request) -> str:
    """Return where to go after signing in: a page of the dashboard, nothing else."""
    form = request.get(FORM) or {}
    wanted = (form.get("next") or [request.query.get("next", "")])[0]
    return wanted if wanted.startswith("/ui/") and "\\" not in wanted and wanted.isprintable() else "/ui/"


async def _read_form(request: web.Request) -> dict[str, list[str]]:
    if request.content_type != "application/x-www-form-urlencoded":
        return {}
    data = await request.post()
    return {name: [each for each in data.getall(name) if isinstance(each, str)] for name in data}
