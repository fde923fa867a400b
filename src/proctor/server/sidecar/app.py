"""The guard as a small HTTP service for agents in any language: JSON in, a verdict out."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

from proctor import __version__
from proctor.core.codec import dumps
from proctor.core.decode import decode
from proctor.core.errors import InputError, MalformedError, Problem
from proctor.core.verdict import STOPS, Verdict
from proctor.guard.capacity import is_busy
from proctor.guard.session import Session
from proctor.server.admission import admit
from proctor.server.error_body import error_body
from proctor.server.session_names import check_name
from proctor.server.sidecar.openapi import description
from proctor.server.sidecar.requests import QUESTIONS, UnmaskRequest, text_of
from proctor.server.sidecar.utf16_offsets import in_utf16
from proctor.server.unmask import restored
from proctor.server.verdict_json import RETRY_AFTER, verdict_json
from proctor.server.wire.strict_json import load_object
from proctor.wiring.guard import Guard

__all__ = ["MOST_BYTES", "make_app"]

MOST_BYTES: Final = 4_000_000
_HINT_LENGTH: Final = "send less at once, or raise `most_bytes` under `guard: {serve: …}` in proctor.yaml"
_MOST_PROBLEMS: Final = 20
_OPEN: Final = frozenset({"/v1/health", "/openapi.json"})
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def make_app(
    guard: Guard,
    *,
    token: str | None = None,
    most_bytes: int = MOST_BYTES,
    restore: bool = False,
    hosts: Sequence[str] = (),
    origins: Sequence[str] = (),
    warning: str | None = None,
) -> web.Application:
    """Return the sidecar as an application; with a ``token``, callers send it as ``Authorization: Bearer``.

    ``restore`` lets callers replace placeholders by the customer's own data. ``hosts`` and ``origins`` are allowed host
    names and web origins; ``warning`` is shown by the health endpoint.
    """
    sidecar = Sidecar(guard=guard, token=token, most_bytes=most_bytes, restore=restore, warning=warning)
    door = admit(_turned_away, token=token, hosts=hosts, origins=origins, bearer=True, open_paths=_OPEN)
    app = web.Application(client_max_size=most_bytes, middlewares=[door, sidecar.admitted])
    for point in QUESTIONS:
        app.router.add_post(f"/v1/{point}", sidecar.asked)
    app.router.add_post("/v1/restore", sidecar.restored)
    app.router.add_get("/v1/health", sidecar.health)
    app.router.add_get("/v1/stats", sidecar.stats)
    app.router.add_post("/v1/reload", sidecar.reload)
    app.router.add_delete("/v1/sessions/{id:(?s:.+)}", sidecar.forget)
    app.router.add_get("/openapi.json", sidecar.describe)
    app.cleanup_ctx.append(sidecar.warmed)
    return app


@dataclass(slots=True, kw_only=True)
class Sidecar:
    """Answers requests about steps. Sessions are kept in the guard under the caller's names."""

    guard: Guard
    token: str | None = None
    most_bytes: int = MOST_BYTES
    restore: bool = False
    warning: str | None = None
    decisions: Counter[tuple[str, str]] = field(default_factory=Counter)

    async def warmed(self, app: web.Application) -> AsyncIterator[None]:
        """Load the models before the first request."""
        await self.guard.warm()
        yield

    @web.middleware
    async def admitted(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Return errors of a request as JSON."""
        try:
            return await handler(request)
        except web.HTTPRequestEntityTooLarge:
            return _wrong(413, f"the body has more than {self.most_bytes:,} bytes", hint=_HINT_LENGTH)
        except web.HTTPMethodNotAllowed as error:
            allowed = ", ".join(sorted(error.allowed_methods))
            return _wrong(405, f"{request.path} takes {allowed}", headers={"Allow": allowed})
        except web.HTTPNotFound:
            return _wrong(404, f"there is nothing at {request.path}", hint="GET /openapi.json lists what there is")

    async def asked(self, request: web.Request) -> web.StreamResponse:
        """Return the verdict on one step."""
        point = request.path.rpartition("/")[2]
        heard = await self._heard(QUESTIONS[point], request)
        if isinstance(heard, web.StreamResponse):
            return heard
        question, session = heard
        verdict = await _verdict(point, question, session)
        busy = is_busy(verdict)
        self.decisions[point, "busy" if busy else verdict.action] += 1
        if question.offsets == "utf16":
            verdict = in_utf16(verdict, text_of(question))
        told = {"session": session.id, **verdict_json(verdict)}
        if verdict.action in STOPS:
            told["reply"] = session.refusal(verdict)
        return _answer(told, status=503, headers=RETRY_AFTER) if busy else _answer(told)

    async def restored(self, request: web.Request) -> web.StreamResponse:
        """Return a text with placeholders replaced by the customer's own data, if the settings allow it."""
        if not self.restore:
            hint = "set `guard: {serve: {restore: true}}` in proctor.yaml and start again"
            return _wrong(403, "values are not given back here", hint=hint)
        heard = await self._heard(UnmaskRequest, request)
        if isinstance(heard, web.StreamResponse):
            return heard
        question, session = heard
        if question.customer != session.customer:
            hint = "name the `customer` that the session belongs to"
            return _wrong(403, "the session belongs to a customer", field="customer", hint=hint)
        return _answer({"session": session.id, "text": restored(question.text, session.own())})

    async def health(self, request: web.Request) -> web.StreamResponse:
        """Return the health of the guard, and details for operators."""
        told = {"warning": self.warning} if self.warning else {}
        return _answer({"status": "ok", "proctor": __version__, **self.guard.health, **told})

    async def stats(self, request: web.Request) -> web.StreamResponse:
        """Return the counts of actions per point since the start."""
        points: dict[str, dict[str, int]] = {point: {} for point in QUESTIONS}
        for (point, action), count in sorted(self.decisions.items()):
            points[point][action] = count
        return _answer({"decisions": points, "sessions": self.guard.health["sessions"]})

    async def reload(self, request: web.Request) -> web.StreamResponse:
        """Read proctor.yaml again; if it is invalid, the old settings stay in force."""
        read = self.guard.reload()
        return _answer({"reloaded": read, "trouble": self.guard.trouble}, status=200 if read else 409)

    async def forget(self, request: web.Request) -> web.StreamResponse:
        """Forget a session; without a customer, the sessions of all customers with this name."""
        self.guard.end(request.match_info["id"], customer=request.query.get("customer"))
        return web.Response(status=204)

    async def describe(self, request: web.Request) -> web.StreamResponse:
        """Return the OpenAPI document."""
        return _answer(description(secured=self.token is not None))

    async def _heard(self, kind: type[Any], request: web.Request) -> tuple[Any, Session] | web.StreamResponse:
        """Return the parsed request and its session, or an error response."""
        try:
            question = decode(kind, await load_object(await request.read()), strict=True, as_json=True)
            session, customer = check_name("session", question.session), check_name("customer", question.customer)
        except MalformedError as error:
            return _malformed(error.problems)
        except InputError as error:
            return _wrong(400, error.message, field=error.field, hint=error.hint)
        except ValueError as error:
            return _wrong(400, f"the body {error}", hint="send one JSON object")
        try:
            return question, self.guard.session(session, customer=customer)
        except InputError as error:
            status = 403 if kind is UnmaskRequest else 400  # the session belongs to another customer
            return _wrong(status, error.message, field=error.field, hint=error.hint)


async def _verdict(point: str, asked: Any, session: Session) -> Verdict:
    if point == "input":
        return await session.input(asked.text, metadata=asked.metadata)
    if point == "tool_call":
        return await session.tool_call(
            asked.name,
            asked.arguments,
            intents=asked.intents,
            confirmed=asked.confirmed,
            id=asked.id,
            metadata=asked.metadata,
        )
    if point == "tool_result":
        return await session.tool_result(
            asked.name, asked.result, asked.arguments, id=asked.id, metadata=asked.metadata
        )
    return await session.output(asked.draft, sources=asked.sources, section=asked.section, metadata=asked.metadata)


def _answer(data: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(status=status, body=dumps(data), content_type="application/json", headers=headers)


def _turned_away(request: web.Request, status: int, message: str, hint: str) -> web.StreamResponse:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return _wrong(status, message, hint=hint, headers=headers)


def _malformed(problems: Sequence[Problem]) -> web.Response:
    """Return an error response with the first problem; several problems are also listed."""
    told = [error_body(each.message, field=each.where, hint=each.hint) for each in problems[:_MOST_PROBLEMS]]
    return _answer({"error": {**told[0], **({"problems": told} if len(told) > 1 else {})}}, status=400)


def _wrong(
    status: int,
    message: str,
    *,
    field: str | None = None,
    hint: str | None = None,
    headers: dict[str, str] | None = None,
) -> web.Response:
    return _answer({"error": error_body(message, field=field, hint=hint)}, status=status, headers=headers)
