"""Read what is stored, as JSON: alerts, rules with the smallest spike each sees, conversations, windows, figures."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from aiohttp import web

from proctor.core.codec import encode
from proctor.core.decode import closest
from proctor.core.errors import InputError
from proctor.core.rollup_cell import RollupCell
from proctor.server.ingest.answers import json_answer, refusal
from proctor.store.history import History
from proctor.store.scoring_progress import SCORING_FILE, ScoringProgress
from proctor.workflows.monitor.intake import Intake

__all__ = ["API_DOCUMENT_PATH", "AlertReader", "ReadApi"]

API_DOCUMENT_PATH: Final = "/api/openapi.json"

_MAX_LIMIT: Final = 1000
_DAY: Final = 86_400.0
_METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_CONVERSATION_FILTERS: Final = ("customer", "intent", "outcome", "signal", "model", "version", "source")
_SEARCH_FILTERS: Final = ("intent", "outcome", "signal")
_PERIOD: Final = ("since", "until", "limit")


class AlertReader(Protocol):
    """What the API shows of alerts; the store of alerts has it."""

    def alerts(self, *, open_only: bool = False, since: float | None = None, limit: int = 1000) -> Sequence[Any]:
        """Return alerts, the newest first."""

    def status(self) -> Sequence[Any]:
        """Return the state of every rule."""


class ReadApi:
    """Answers questions about what is stored. Queries of the history run on a thread, so that receiving goes on."""

    def __init__(
        self,
        intake: Intake,
        history: History | None = None,
        *,
        alerts: AlertReader | None = None,
        limits: Callable[[], Sequence[Any]] | None = None,
        metrics: Callable[[], str] | None = None,
    ) -> None:
        self.intake = intake
        self.history = history or intake.history
        self.alerts = alerts
        self.limits = limits
        self.metrics = metrics
        self.counts: Counter[tuple[str, str]] = Counter()

    def add_routes(self, router: web.UrlDispatcher) -> None:
        """Add the paths of the API."""
        asked = ("q", *_CONVERSATION_FILTERS, *_PERIOD)
        router.add_get("/api/alerts", self._answered(self._alerts, "state", "since", "limit", here=True))
        router.add_get("/api/rules", self._answered(self._rules, here=True))
        router.add_get("/api/conversations", self._answered(self._conversations, *asked))
        router.add_get("/api/conversations/{session:.+}", self._answered(self._conversation))
        router.add_get("/api/windows", self._answered(self._windows, "since", "until", "step", "by", "intent"))
        router.add_get("/api/figures", self._answered(self._figures))
        router.add_get("/metrics", self.exposition)
        router.add_get(API_DOCUMENT_PATH, self.document)

    def _answered(
        self, read: Callable[[web.Request], Any], *known: str, here: bool = False
    ) -> Callable[[web.Request], Any]:
        """Return a handler that takes the ``known`` parameters; ``here``: on this thread, which owns the alerts."""

        async def answered(request: web.Request) -> web.StreamResponse:
            try:
                _check_parameters(request, known)
                made = read(request) if here else await asyncio.to_thread(read, request)
            except InputError as error:
                return refusal(400, error.message, field=error.field, hint=error.hint)
            return refusal(404, "there is no such conversation") if made is None else json_answer(made)

        return answered

    def _alerts(self, request: web.Request) -> Any:
        state = request.query.get("state")
        if state not in (None, "open", "all"):
            raise InputError(f"there is no state {state[:20]!r}", field="state", hint="use `open` or `all`")
        if self.alerts is None:
            return {"alerts": []}
        is_open = state == "open"
        found = self.alerts.alerts(open_only=is_open, since=_time(request, "since"), limit=_limit(request))
        return {"alerts": [encode(each) for each in found]}

    def _rules(self, request: web.Request) -> Any:
        status = [encode(each) for each in self.alerts.status()] if self.alerts is not None else []
        limits = [encode(each) for each in self.limits()] if self.limits is not None else []
        return {"rules": status, "limits": limits}

    def _conversations(self, request: web.Request) -> Any:
        wanted = {name: request.query[name] for name in _CONVERSATION_FILTERS if name in request.query}
        if text := request.query.get("q"):
            return self._found(request, text, wanted)
        found = self.history.indexer.conversations.find(
            since=_time(request, "since"), until=_time(request, "until"), limit=_limit(request), **_any(wanted)
        )
        return {"conversations": [encode(each) for each in found]}

    def _found(self, request: web.Request, text: str, wanted: dict[str, str]) -> Any:
        for name in wanted:
            if name not in _SEARCH_FILTERS:
                hint = f"a search by text takes {', '.join(_SEARCH_FILTERS)}; leave out `{name}` or `q`"
                raise InputError(f"`{name}` cannot be asked together with `q`", field=name, hint=hint)
        found = self.history.search(
            text, since=_time(request, "since"), until=_time(request, "until"), limit=_limit(request), **_any(wanted)
        )
        return {
            "conversations": [{**encode(each.conversation), "time": each.time, "text": each.text} for each in found]
        }

    def _conversation(self, request: web.Request) -> Any:
        session = request.match_info["session"]
        summary = self.history.indexer.conversations.get(session)
        told = self.history.conversation(session)
        if summary is None and told is None:
            return None
        return {
            "summary": encode(summary) if summary is not None else None,
            "conversation": encode(told) if told is not None else None,
        }

    def _windows(self, request: web.Request) -> Any:
        now = time.time()
        since, until = _time(request, "since") or now - _DAY, _time(request, "until") or now
        try:
            step = int(request.query.get("step", "60"))
            cells = self.history.indexer.rollups.cells(
                since, until, step=step, total="by" not in request.query, intent=request.query.get("intent")
            )
        except ValueError as error:
            raise InputError(str(error), field="step", hint="give `step` in seconds: 60, 3600 or 86400") from None
        return {"windows": [_window(cell) for cell in cells]}

    def _figures(self, request: web.Request) -> Any:
        counts: dict[str, dict[str, int]] = {}
        for (kind, what), count in sorted(self.counts.items()):
            counts.setdefault(kind, {})[what] = count
        return {**asdict(self.intake.figures()), "requests": counts, **self._scoring()}

    def _scoring(self) -> dict[str, Any]:
        """Return how far the background scoring lags behind, if anything is scored here."""
        if not (self.intake.store / SCORING_FILE).exists():
            return {}
        with ScoringProgress(self.intake.store) as progress:
            return {"scoring": asdict(progress.figures(time.time()))}

    async def document(self, request: web.Request) -> web.StreamResponse:
        """Return the OpenAPI document of this server."""
        from proctor.server.ingest.openapi import api_document  # noqa: PLC0415 - few ask for it

        return web.Response(body=api_document(), content_type="application/json")

    async def exposition(self, request: web.Request) -> web.StreamResponse:
        """Return the figures in the text format of Prometheus."""
        lines = [_ingest_metrics(self.intake, self.counts)]
        if self.metrics is not None:
            lines.append(self.metrics())
        return web.Response(body="".join(lines).encode(), headers={"Content-Type": _METRICS_TYPE})


def _window(cell: RollupCell) -> dict[str, Any]:
    return {
        "start": cell.start,
        "step": cell.step,
        **{name: value for name, value in cell.slice._asdict().items() if value},
        "turns": cell.turns,
        "conversations": cell.conversations,
        "events": cell.events,
        "signals": cell.signals,
        "p50": cell.quantile(0.5),
        "p95": cell.quantile(0.95),
        "csat": cell.csat,
        "confidence": cell.confidence,
        "cost": cell.cost,
    }


def _ingest_metrics(intake: Intake, counts: Counter[tuple[str, str]]) -> str:
    figures = intake.figures()
    made = [
        *_family("proctor_ingest_events_total", "counter", "Events written, by kind.", "kind", figures.by_kind),
        *_family("proctor_ingest_duplicates_total", "counter", "Events sent again.", "", figures.duplicates),
        *_family("proctor_ingest_waiting_traces", "gauge", "Traces that are not complete.", "", figures.waiting_traces),
        *_family("proctor_ingest_waiting_spans", "gauge", "Spans kept for their trace.", "", figures.waiting_spans),
        *_family("proctor_ingest_lag_seconds", "gauge", "Age of the oldest incomplete trace.", "", figures.lag),
        *_family(
            "proctor_ingest_unreadable_traces_total", "counter", "Traces that cannot be read.", "",
            figures.unreadable_traces,
        ),
    ]  # fmt: skip
    made += ["# HELP proctor_ingest_records_total Records received.", "# TYPE proctor_ingest_records_total counter"]
    made += [
        f'proctor_ingest_records_total{{kind="{kind}",result="{what}"}} {count}'
        for (kind, what), count in sorted(counts.items())
    ]
    return "\n".join(made) + "\n"


def _family(name: str, kind: str, about: str, label: str, value: Any) -> list[str]:
    head = [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
    if not label:
        return [*head, f"{name} {value}"]
    return [*head, *(f'{name}{{{label}="{each}"}} {count}' for each, count in sorted(value.items()))]


def _any(given: dict[str, str]) -> dict[str, Any]:
    return dict(given)


def _check_parameters(request: web.Request, known: Sequence[str]) -> None:
    """Refuse a parameter that would be ignored: its answer would look like the one that was asked for."""
    for name in request.query:
        if name in known:
            continue
        guess = closest(name, known)
        takes = f"this path takes {', '.join(known)}" if known else "this path takes no parameters"
        hint = f"did you mean `{guess}`?" if guess else takes
        raise InputError(f"there is no parameter {name[:50]!r}", field=name[:50], hint=hint)


def _limit(request: web.Request) -> int:
    given = request.query.get("limit", "100")
    if not given.isdecimal() or not 1 <= int(given) <= _MAX_LIMIT:
        raise InputError(f"limit must be between 1 and {_MAX_LIMIT}, not {given[:20]}", field="limit")
    return int(given)


def _time(request: web.Request, name: str) -> float | None:
    given = request.query.get(name)
    if given is None:
        return None
    try:
        return float(given)
    except ValueError:
        pass
    try:
        made = datetime.fromisoformat(given)
    except ValueError:
        hint = "write 2026-11-17T15:00:00Z, or seconds since 1970"
        raise InputError(f"{name} is no time", field=name, hint=hint) from None
    return (made if made.tzinfo else made.replace(tzinfo=UTC)).timestamp()
