"""The server of `proctor serve`: receives, acknowledges what is on disk, and watches in the background."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, Final

from aiohttp import web

from proctor.core.errors import ProctorError, StoreError
from proctor.server.admission import admit
from proctor.server.ingest.answers import (
    JSON,
    PROTOBUF,
    json_answer,
    otlp_answer,
    otlp_error,
    refusal,
    retry_later,
)
from proctor.server.ingest.commit_queue import CommitQueue, QueueFullError, RequestBatch
from proctor.server.ingest.multipart_runs import read_multipart
from proctor.server.ingest.read_api import API_DOCUMENT_PATH, ReadApi
from proctor.server.ingest.request_batches import (
    feedback_batch,
    json_batch,
    langfuse_scores_batch,
    otlp_batch,
    runs_batch,
)
from proctor.server.ingest.request_body import json_bytes, json_object, read_body
from proctor.server.ingest.source_tokens import SourceRates, SourceTokens
from proctor.server.ingest.write_health import WriteHealth
from proctor.wiring.ingest_settings import IngestSettings
from proctor.workflows.monitor.intake import Intake

__all__ = ["IngestServer", "make_app"]

_SETTLE_EVERY: Final = 0.25  # seconds
_INDEX_EVERY: Final = 1.0
_TICK_EVERY: Final = 5.0
_ROTATE_EVERY: Final = 3600.0  # a file of the log is sealed when it has ended
_LINES: Final = frozenset(
    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}
)
_ENCODINGS: Final = frozenset({"", "identity", "gzip", "deflate"})
_READ_PATHS: Final = ("/api/alerts", "/api/rules", "/api/conversations", "/api/windows", "/api/figures", "/metrics")
_UNREADABLE: Final = "the body %s"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Tick = Callable[[], Awaitable[Any]]
Asked = Callable[[], bool]
_log = logging.getLogger(__name__)


def _no() -> bool:
    return False


def make_app(
    intake: Intake,
    settings: IngestSettings,
    *,
    reader: ReadApi | None = None,
    tick: Tick | None = None,
    is_indexed: Asked = _no,
) -> web.Application:
    """Return the server as an application.

    ``tick`` asks the alert rules, ``is_indexed`` says whether another process brings the history up to the log.
    """
    server = IngestServer(intake, settings, reader=reader or ReadApi(intake), tick=tick, is_indexed=is_indexed)
    door = admit(_turned_away, hosts=settings.hosts, origins=settings.origins)
    app = web.Application(
        client_max_size=settings.max_bytes,
        middlewares=[door, server.admitted],
        handler_args={"auto_decompress": False},  # it takes a body that is cut off for a whole one
    )
    for stem in ("", "/api/public/otel", "/otel"):  # plain OTLP, and where the SDKs of Langfuse and LangSmith send it
        app.router.add_post(f"{stem}/v1/traces", server.traces)
        app.router.add_post(f"{stem}/v1/logs", server.logs)
        app.router.add_post(f"{stem}/v1/metrics", server.metrics_ignored)
    app.router.add_post("/v1/turns", server.turns)
    app.router.add_post("/v1/events", server.turns)
    app.router.add_post("/api/public/scores", server.langfuse_scores)
    app.router.add_get("/info", server.langsmith_info)
    app.router.add_post("/runs/multipart", server.runs_multipart)
    app.router.add_post("/runs/batch", server.runs_of_batch)
    app.router.add_post("/runs", server.one_run)
    app.router.add_patch("/runs/{id}", server.one_run)
    app.router.add_post("/feedback", server.feedback)
    app.router.add_get("/healthz", server.health)
    server.reader.add_routes(app.router)
    app.cleanup_ctx.append(server.running)
    return app


class IngestServer:
    """Receives requests; each is answered when what it holds is on disk."""

    def __init__(
        self,
        intake: Intake,
        settings: IngestSettings,
        *,
        reader: ReadApi,
        tick: Tick | None = None,
        is_indexed: Asked = _no,
    ) -> None:
        self.intake = intake
        self.settings = settings
        self.reader = reader
        self.tick = tick
        self.is_indexed = is_indexed
        self.queue = CommitQueue(intake, max_bytes=settings.max_waiting_bytes)
        self.tokens = SourceTokens(settings.tokens, read_token=settings.read_token)
        self.rates = SourceRates(settings.rate)
        self.counts: Counter[tuple[str, str]] = Counter()
        reader.counts = self.counts
        self.writes = WriteHealth(intake.store)
        self._troubles: dict[str, str] = {}  # by the background task that has it

    # --- around every request ------------------------------------------------------------------------

    @web.middleware
    async def admitted(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check token, encoding and rate; return errors as JSON."""
        path = request.path
        is_open = path in ("/healthz", "/", API_DOCUMENT_PATH) or path.startswith("/ui")  # people sign in to the pages
        if not is_open and (turned := self._turned_away(request)) is not None:
            return turned
        try:
            return await handler(request)
        except web.HTTPRequestEntityTooLarge:
            hint = "send less at once, or raise `max_bytes` under `monitor: {ingest: …}`"
            return refusal(413, f"the body has more than {self.settings.max_bytes:,} bytes", hint=hint)
        except web.HTTPMethodNotAllowed as error:
            allowed = ", ".join(sorted(error.allowed_methods))
            return refusal(405, f"{path} takes {allowed}", headers={"Allow": allowed})
        except web.HTTPNotFound:
            return refusal(404, f"there is nothing at {path}", hint="docs/ingest.md lists what there is")
        except web.RequestPayloadError:
            return refusal(400, "the body cannot be unpacked", hint="is it whole, and what Content-Encoding says?")
        except QueueFullError:
            self.counts["refused", "overload"] += 1
            return retry_later(503, "more waits to be written than is allowed; send again", 1)
        except StoreError as error:
            return self._store_failed(request, error)

    def _store_failed(self, request: web.Request, error: StoreError) -> web.StreamResponse:
        self.counts["refused", "store"] += 1
        _log.error("%s", error)
        if request.method == "GET":  # nothing was sent, and what is received may be on disk all the same
            return retry_later(503, f"the store cannot be read: {error.message}; ask again", 5)
        return retry_later(503, "the store cannot be written; send again", 5)

    def _turned_away(self, request: web.Request) -> web.StreamResponse | None:
        if request.method == "GET" and request.path.startswith(_READ_PATHS):
            if self.tokens.may_read(request):
                return None
            hint = "send the read token as a bearer token; it is `read_token` under `monitor: {ingest: …}`"
            return refusal(401, "the token is missing or wrong", hint=hint, headers={"WWW-Authenticate": "Bearer"})
        source = self.tokens.source(request)
        if source is None and not self.tokens.is_open:
            self.counts["refused", "token"] += 1
            hint = "send `Authorization: Bearer TOKEN`, or `X-Proctor-Token: TOKEN`"
            return refusal(401, "the token is missing or wrong", hint=hint, headers={"WWW-Authenticate": "Bearer"})
        if request.headers.get("Content-Encoding", "").lower() not in _ENCODINGS:
            return refusal(415, "the body has an unknown encoding", hint="send it plain or with gzip")
        if wait := self.rates.wait(source or ""):
            self.counts["refused", "rate"] += 1
            return retry_later(429, f"the source sends more than {self.settings.rate:g} records a second", wait)
        return None

    async def _put(self, request: web.Request, kind: str, read: Callable[[bytes], RequestBatch]) -> RequestBatch:
        body = await read_body(request, self.settings.max_bytes)
        try:
            batch = await self.queue.put(lambda: read(body), len(body))
        except StoreError as error:
            self.writes.failed(error)
            raise
        if batch.accepted:
            self.writes.worked()
        self.rates.charge(self.tokens.source(request) or "", batch.records)
        self.counts[kind, "accepted"] += batch.accepted
        self.counts[kind, "rejected"] += batch.rejected
        self.counts[kind, "ignored"] += batch.ignored
        return batch

    # --- OTLP ----------------------------------------------------------------------------------------

    async def traces(self, request: web.Request) -> web.StreamResponse:
        """Take spans."""
        return await self._otlp(request, "trace")

    async def logs(self, request: web.Request) -> web.StreamResponse:
        """Take log events: messages of older conventions, and evaluation results. Others are counted as ignored."""
        return await self._otlp(request, "logs")

    async def _otlp(self, request: web.Request, kind: str) -> web.StreamResponse:
        as_json = request.content_type == JSON
        if not as_json and request.content_type not in (PROTOBUF, "application/octet-stream"):
            return refusal(415, f"OTLP is {PROTOBUF} or {JSON}")
        source = self.tokens.source(request)
        try:
            batch = await self._put(
                request, kind, lambda body: otlp_batch(self.intake, kind, body, source, as_json=as_json)
            )
        except (ValueError, ProctorError) as error:
            if isinstance(error, StoreError):
                raise
            self.counts[kind, "unreadable"] += 1
            return otlp_error(_UNREADABLE % error, as_json=as_json)
        return otlp_answer(kind, batch, as_json=as_json)

    async def metrics_ignored(self, request: web.Request) -> web.StreamResponse:
        """Accept metrics and keep none, so that SDKs which always send them stay quiet."""
        await request.read()
        self.counts["metrics", "ignored"] += 1
        return json_answer({}) if request.content_type == JSON else web.Response(content_type=PROTOBUF)

    # --- plain JSON ----------------------------------------------------------------------------------

    async def turns(self, request: web.Request) -> web.StreamResponse:
        """Take events as JSON: one, a list, or one on each line. The good are kept, the others named."""
        source = self.tokens.source(request)
        lines = request.content_type in _LINES
        try:
            batch = await self._put(request, "events", lambda body: json_batch(self.intake, body, source, lines=lines))
        except ValueError as error:
            self.counts["events", "unreadable"] += 1
            return refusal(400, _UNREADABLE % error, hint="send a JSON object, a list, or application/x-ndjson")
        told: dict[str, Any] = {"accepted": batch.accepted, "rejected": batch.rejected}
        if batch.duplicates:
            told["duplicates"] = batch.duplicates
        if batch.problems:
            told["problems"] = batch.problems
        return json_answer(told, status=400 if batch.rejected and not batch.accepted else 200)

    # --- Langfuse and LangSmith ----------------------------------------------------------------------

    async def langfuse_scores(self, request: web.Request) -> web.StreamResponse:
        """Take scores of the Langfuse SDK."""
        return await self._scores(request, langfuse_scores_batch)

    async def feedback(self, request: web.Request) -> web.StreamResponse:
        """Take feedback of the LangSmith SDK."""
        return await self._scores(request, feedback_batch)

    async def _scores(
        self, request: web.Request, read: Callable[..., tuple[RequestBatch, list[str]]]
    ) -> web.StreamResponse:
        source, ids = self.tokens.source(request), list[str]()

        def take(body: bytes) -> RequestBatch:
            batch, found = read(self.intake, body, source)
            ids.extend(found)
            return batch

        try:
            batch = await self._put(request, "scores", take)
        except ValueError as error:
            return refusal(400, _UNREADABLE % error)
        if batch.rejected and not batch.spans:
            return refusal(400, batch.why)
        return json_answer({"id": ids[0] if ids else None})

    async def langsmith_info(self, request: web.Request) -> web.StreamResponse:
        """Tell the LangSmith SDK what this server takes."""
        limits = {
            "use_multipart_endpoint": True,
            "size_limit": 100,
            "size_limit_bytes": min(20_971_520, self.settings.max_bytes),
            "scale_up_qsize_trigger": 1000,
            "scale_up_nthreads_limit": 16,
            "scale_down_nempty_trigger": 4,
        }
        return json_answer({"version": "0.12.0", "batch_ingest_config": limits, "instance_flags": {}})

    async def runs_multipart(self, request: web.Request) -> web.StreamResponse:
        """Take runs and feedback of the LangSmith SDK."""
        source, kind = self.tokens.source(request), request.headers.get("Content-Type", "")

        def take(body: bytes) -> RequestBatch:
            parts = read_multipart(kind, body)
            batch = runs_batch(self.intake, parts.runs.values(), source)
            for each in parts.feedback:
                scored, _ = feedback_batch(self.intake, json_bytes(each), source)
                batch.spans += scored.spans
                batch.rejected += scored.rejected
            batch.rejected += parts.rejected
            batch.why = batch.why or parts.why
            return batch

        return await self._runs(request, take)

    async def runs_of_batch(self, request: web.Request) -> web.StreamResponse:
        """Take runs of older LangSmith SDKs: `{post: […], patch: […]}`."""
        source = self.tokens.source(request)

        def take(body: bytes) -> RequestBatch:
            data = json_object(body)
            return runs_batch(self.intake, [*(data.get("post") or ()), *(data.get("patch") or ())], source)

        return await self._runs(request, take)

    async def one_run(self, request: web.Request) -> web.StreamResponse:
        """Take one new run, or the update of one."""
        source, key = self.tokens.source(request), request.match_info.get("id")
        return await self._runs(
            request,
            lambda body: runs_batch(self.intake, [{**({"id": key} if key else {}), **json_object(body)}], source),
        )

    async def _runs(self, request: web.Request, take: Callable[[bytes], RequestBatch]) -> web.StreamResponse:
        try:
            batch = await self._put(request, "runs", take)
        except ValueError as error:
            self.counts["runs", "unreadable"] += 1
            return refusal(400, _UNREADABLE % error)
        if batch.rejected and not batch.spans:
            return refusal(422, batch.why)
        told = {"rejected": batch.rejected, "message": batch.why} if batch.rejected else {}
        return json_answer({"message": "Runs accepted", **told}, status=202)

    # --- health and the background -------------------------------------------------------------------

    async def health(self, request: web.Request) -> web.StreamResponse:
        """Say whether events are taken, and what waits; nothing about their content."""
        figures, failure = self.intake.figures(), await self.writes.trouble()
        trouble = failure or "; ".join(dict.fromkeys(self._troubles.values()))
        told = {
            "status": "trouble" if trouble else "ok",
            "waiting_traces": figures.waiting_traces,
            "lag_seconds": round(figures.lag, 3),
            "waiting_bytes": self.queue.waiting_bytes,
        }
        return json_answer({**told, **({"trouble": trouble} if trouble else {})}, status=503 if failure else 200)

    async def running(self, app: web.Application) -> AsyncIterator[None]:
        """Run the background tasks while the application does; write what is complete at the end."""
        self.queue.start()
        work = [
            asyncio.create_task(self._every("settle", _SETTLE_EVERY, partial(asyncio.to_thread, self.intake.settle))),
            asyncio.create_task(self._every("index", _INDEX_EVERY, partial(asyncio.to_thread, self._index))),
            asyncio.create_task(
                self._every("rotate", _ROTATE_EVERY, partial(asyncio.to_thread, self.intake.log.rotate))
            ),
        ]
        if self.tick is not None:
            work.append(asyncio.create_task(self._every("tick", _TICK_EVERY, self.tick)))
        yield
        for task in work:
            task.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        await asyncio.to_thread(self._finish)

    def _finish(self) -> None:
        self.queue.stop()
        with contextlib.suppress(StoreError):
            self.intake.settle(at_once=True)
            self._index()

    def _index(self) -> None:
        if not self.is_indexed():
            self.intake.index()

    async def _every(self, name: str, seconds: float, work: Callable[[], Awaitable[Any]]) -> None:
        """Do something again and again; a failure is reported until the same work succeeds."""
        while True:
            await asyncio.sleep(seconds)
            try:
                await work()
                self._troubles.pop(name, None)
            except StoreError as error:
                self._troubles[name] = error.message
                _log.error("%s", error)
                await asyncio.sleep(1)
            except Exception as error:  # the others must go on
                self._troubles[name] = type(error).__name__
                _log.exception("the background task failed")
                await asyncio.sleep(1)


def _turned_away(request: web.Request, status: int, message: str, hint: str) -> web.StreamResponse:
    return refusal(status, message, hint=hint)
