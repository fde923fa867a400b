"""The dashboard as an application below /ui: routes of all pages, security headers, signing in, live updates."""

from __future__ import annotations

import asyncio
import gzip
import logging
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Final

from aiohttp import web

from proctor.core.errors import InputError, NotFoundError, ProctorError
from proctor.core.person import Person
from proctor.server.pages import views
from proctor.server.pages.live import LiveFeed
from proctor.server.pages.page import Download, Missing, Page, PageRequest, Redirect, Reply, Route, View
from proctor.server.pages.page_stores import PageStorePool, PageStores
from proctor.server.pages.sign_in import FORM, FORM_TOKEN, VISITOR, SignIn, own_address, said_of, say
from proctor.server.pages.table import csv_lines
from proctor.server.pages.templates import TEMPLATES, static_files

if TYPE_CHECKING:
    from proctor.config import Config

__all__ = ["PREFIX", "add_dashboard", "make_dashboard", "pages"]

READ_AT: Final = web.RequestKey("read_at", float)  # when a page began to read its stores

PREFIX: Final = "/ui"
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer a form would come from the origin "null"
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
_log = logging.getLogger(__name__)


def pages() -> list[Page]:
    """Return every page, in the order of the navigation."""
    names = [f"{views.__name__}.{each.name}" for each in iter_modules(views.__path__)]
    found = [import_module(name) for name in names if _may_be_page(name)]
    return sorted((module.PAGE for module in found if hasattr(module, "PAGE")), key=lambda page: page.order)


def _may_be_page(name: str) -> bool:
    """Return whether a module may have a ``PAGE``; what pages load later is not loaded at the start."""
    spec = find_spec(name)
    source = getattr(spec.loader, "get_source", lambda _: None)(name) if spec is not None else None
    return source is None or "\nPAGE" in source


def add_dashboard(app: web.Application, dashboard: web.Application) -> None:
    """Put the dashboard into a server; its front door leads there."""

    async def front_door(request: web.Request) -> web.StreamResponse:
        raise web.HTTPFound(f"{PREFIX}/")

    app.router.add_get("/", front_door)
    app.router.add_get(PREFIX, front_door)
    app.add_subapp(PREFIX, dashboard)


def make_dashboard(config: Config, *, limits: Callable[[], Any] | None = None) -> web.Application:
    """Return the dashboard of a project; ``limits`` returns the smallest spike that each alert rule sees."""
    return Dashboard(config, limits=limits).app


class Dashboard:
    """Answers for all pages: each request is done on the thread of its stores, and rendered there."""

    def __init__(self, config: Config, *, limits: Callable[[], Any] | None = None) -> None:
        self.pool = PageStorePool(config, limits=limits)
        self.sign_in = SignIn(self.pool)
        self.live = LiveFeed(self.pool)
        self.pages = pages()
        self.app = web.Application(middlewares=[self._secured])
        router = self.app.router
        router.add_get("/static/{name}", self._static)
        router.add_get("/live", self.live.stream)
        self.sign_in.add_routes(router)
        for page in self.pages:
            for route in page.routes:
                router.add_route(route.method, route.path, self._answering(page, route))
        self.app.on_shutdown.append(self._let_go)  # before the server waits for open requests
        self.app.on_cleanup.append(self._close)

    async def _let_go(self, app: web.Application) -> None:
        await self.live.close()

    async def _close(self, app: web.Application) -> None:
        await self.pool.close()

    @web.middleware
    async def _secured(self, request: web.Request, handler: Any) -> web.StreamResponse:
        """Let in only who is signed in, check the form's token, and set the headers that keep a page to itself."""
        try:
            answer: web.StreamResponse = await self.sign_in.admitted(request, handler)
        except web.HTTPNotFound:
            answer = await self._failed(request, 404, "There is no such page.", "")
        except web.HTTPMethodNotAllowed:
            answer = await self._failed(request, 405, "That cannot be done here.", "")
        except web.HTTPRequestEntityTooLarge:
            answer = await self._failed(request, 413, "The form is too large.", "")
        except web.HTTPException as other:  # redirects
            other.headers.update(_HEADERS)
            raise
        except ProctorError as error:
            _log.error("%s", error)
            answer = await self._failed(request, 503, error.message, error.hint or "")
        except Exception:
            _log.exception("a page failed")
            answer = await self._failed(request, 500, "This page has a fault.", "The log of the server says more.")
        if not answer.prepared:
            answer.headers.update(_HEADERS)
            answer.headers.setdefault("Cache-Control", "no-store")
        return answer

    def _answering(self, page: Page, route: Route) -> Callable[[web.Request], Any]:
        async def answered(request: web.Request) -> web.StreamResponse:
            visitor = request[VISITOR]
            assert visitor is not None  # the door lets nobody else in
            if not visitor.may(route.role):
                return await self._failed(
                    request, 403, f"Only {route.role}s may do that.", "Ask an admin for the role."
                )
            page_request = await _asked(request, visitor)
            try:
                status, headers, body = await self.pool.run(partial(self._made, page, route, page_request, request))
            except NotFoundError as error:
                return await self._failed(request, 404, error.message, error.hint or "")
            except InputError as error:
                return await self._failed(request, 400, error.message, error.hint or "")
            except ProctorError as error:
                _log.error("%s", error)
                return await self._failed(request, 503, error.message, error.hint or "")
            if status == web.HTTPSeeOther.status_code:
                moved = web.Response(status=status, headers={"Location": headers["Location"]})
                say(moved, headers.get("said", ""))
                return moved
            answer = web.Response(status=status, body=body, headers=headers)
            answer.enable_compression()
            if said_of(request):
                say(answer, "")
            return answer

        return answered

    def _made(
        self, page: Page, route: Route, page_request: PageRequest, request: web.Request, stores: PageStores
    ) -> tuple[int, dict[str, str], bytes]:
        """Answer and render, on the thread of its stores."""
        request[READ_AT] = time.time()
        reply: Reply = route.answer(stores, page_request)
        match reply:
            case Redirect():
                return web.HTTPSeeOther.status_code, {"Location": own_address(reply.to), "said": reply.said}, b""
            case Download():
                return 200, _file_headers(reply.name, reply.media), _whole(reply)
            case Missing():
                raise NotFoundError(reply.what, hint=reply.hint or None)
            case View():
                return self._shown(page, page_request, request, reply)

    def _shown(
        self, page: Page, page_request: PageRequest, request: web.Request, view: View
    ) -> tuple[int, dict[str, str], bytes]:
        if name := page_request.text("csv"):
            if name not in view.tables:
                raise NotFoundError(f"there is no table {name[:40]!r} on this page")
            whole = Download(name=f"{name}.csv", media="text/csv; charset=utf-8", body=csv_lines(view.tables[name]))
            return 200, _file_headers(whole.name, whole.media), _whole(whole)
        if name := page_request.text("svg"):
            if name not in view.charts:
                raise NotFoundError(f"there is no chart {name[:40]!r} on this page")
            drawn = view.charts[name].svg(inline=False).encode()
            return 200, _file_headers(f"{name}.svg", "image/svg+xml"), drawn
        body = TEMPLATES.render(
            view.template, **self.frame(request, page_request.visitor, page=page, title=view.title, live=view.live),
            ask=page_request, tables=view.tables, charts=view.charts, **view.data,
        )  # fmt: skip
        return view.status, {"Content-Type": "text/html; charset=utf-8"}, body.encode("utf-8", "replace")

    def frame(
        self, request: web.Request, visitor: Person | None, *, page: Page | None, title: str, live: Any = ()
    ) -> dict[str, Any]:
        """Return what the frame of every page needs."""
        return {
            "nav": self.pages, "page": page, "title": title, "visitor": visitor, "live": ",".join(live),
            "form_token": request.get(FORM_TOKEN, ""), "said": said_of(request), "now": time.time(),
            "read_at": request.get(READ_AT, 0.0),
        }  # fmt: skip

    async def _failed(self, request: web.Request, status: int, message: str, hint: str) -> web.StreamResponse:
        visitor = request.get(VISITOR)
        given = self.frame(request, visitor, page=None, title=message)
        body = await asyncio.to_thread(partial(TEMPLATES.render, "failed.html", **given, message=message, hint=hint))
        body_bytes = body.encode("utf-8", "replace")
        return web.Response(status=status, body=body_bytes, content_type="text/html", charset="utf-8")

    async def _static(self, request: web.Request) -> web.StreamResponse:
        """Return a file that pages load; its address changes with its content."""
        name = request.match_info["name"]
        if name not in static_files():
            raise web.HTTPNotFound
        media, body, _ = static_files()[name]
        headers = {"Content-Type": f"{media}; charset=utf-8", "Cache-Control": "public, max-age=31536000, immutable"}
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
            body = _packed(name, body)
        return web.Response(body=body, headers=headers)


_packs: Final[dict[str, bytes]] = {}


def _packed(name: str, body: bytes) -> bytes:
    if name not in _packs:
        _packs[name] = gzip.compress(body, 9)
    return _packs[name]


async def _asked(request: web.Request, visitor: Person) -> PageRequest:
    form = request.get(FORM) or {}
    return PageRequest(
        at=request.path,
        path=dict(request.match_info),
        query={name: request.query.getall(name) for name in request.query},
        form=form,
        visitor=visitor,
        now=time.time(),
    )


def _file_headers(name: str, media: str) -> dict[str, str]:
    safe = "".join(each if each.isascii() and (each.isalnum() or each in "._-") else "_" for each in name)
    return {"Content-Type": media, "Content-Disposition": f'attachment; filename="{safe}"'}


def _whole(file: Download) -> bytes:
    return file.body if isinstance(file.body, bytes) else b"".join(file.body)
