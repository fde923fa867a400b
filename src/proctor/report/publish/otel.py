"""OpenTelemetry evaluation events of a run: OTLP log records as JSON over HTTP, without an SDK."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from proctor import __version__
from proctor.core.codec import dumps
from proctor.core.errors import ReplyError
from proctor.core.report import Report
from proctor.core.score import Score
from proctor.core.sockets import Http
from proctor.report.publish.http_delivery import deliver
from proctor.report.publish.published_result import Graded

__all__ = ["EVENT", "OtelSettings", "events", "from_environment", "publish", "requests"]

EVENT = "gen_ai.evaluation.result"  # OpenTelemetry's name, from its conventions for generative AI
_BATCH = 512
_LONGEST = 2000
_INFO, _WARN = 9, 13
_HEX = {"traceId": re.compile("[0-9a-f]{32}"), "spanId": re.compile("[0-9a-f]{16}")}


@dataclass(frozen=True, slots=True, kw_only=True)
class OtelSettings:
    """An OTLP collector over HTTP; ``attributes`` are added to the resource."""

    SHORTHAND = "endpoint"

    endpoint: str = field(default="http://localhost:4318", repr=False)
    service: str = "proctor"
    attributes: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    parts: bool = False
    timeout: float = 30.0

    def __post_init__(self) -> None:
        if not self.endpoint.startswith(("http://", "https://")):
            raise ValueError("endpoint must be an address that begins with http:// or https://")
        if not self.timeout > 0:
            raise ValueError(f"timeout must be more than 0 seconds, not {self.timeout:g}")

    @property
    def url(self) -> str:
        """The URL for log records: OTLP's default path, unless the URL has a path."""
        base, _, query = self.endpoint.partition("?")
        path = base if base.rstrip("/").endswith("/v1/logs") else f"{base.rstrip('/')}/v1/logs"
        return f"{path}?{query}" if query else path


def from_environment(
    settings: OtelSettings, written: Mapping[str, Any], env: Callable[[str], str | None]
) -> OtelSettings:
    """Return the settings completed by OpenTelemetry's environment variables."""
    changes: dict[str, Any] = {}
    if "endpoint" not in written:
        found = env("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT") or env("OTEL_EXPORTER_OTLP_ENDPOINT")
        changes |= {"endpoint": found} if found else {}
    if "headers" not in written:
        pairs = (each.partition("=") for each in (env("OTEL_EXPORTER_OTLP_HEADERS") or "").split(","))
        found_headers = {name.strip(): value.strip() for name, _, value in pairs if name.strip()}
        changes |= {"headers": found_headers} if found_headers else {}
    if "service" not in written and (name := env("OTEL_SERVICE_NAME")):
        changes["service"] = name
    return replace(settings, **changes)


async def publish(report: Report, results: Iterable[Graded], settings: OtelSettings, http: Http) -> int:
    """Send an event per score of every result; return how many were sent.

    Raises:
        ModelError: the collector is unreachable, refused, or rejected some events.
    """
    sent = 0
    headers = {"Content-Type": "application/json", **settings.headers}
    for count, body in requests(report, results, settings):
        reply = await deliver(http, "POST", settings.url, body, headers, who="the collector", seconds=settings.timeout)
        lost, why = _rejected(reply.body)
        if lost:
            raise ReplyError(f"the collector did not keep {lost} of {count} events: {why[:300]}")
        sent += count
    return sent


def requests(report: Report, results: Iterable[Graded], settings: OtelSettings) -> Iterator[tuple[int, bytes]]:
    """Yield the request bodies with their number of events; a large run is never completely in memory."""
    stream = events(report, results, settings)
    resource = {
        "service.name": settings.service,
        "proctor.run.id": report.id,
        "proctor.suite": report.name,
        "proctor.trigger": report.fingerprint.trigger,
        **settings.attributes,
    }
    while batch := list(islice(stream, _BATCH)):
        body = {
            "resourceLogs": [
                {
                    "resource": {"attributes": _attributes(resource)},
                    "scopeLogs": [{"scope": {"name": "proctor", "version": __version__}, "logRecords": batch}],
                }
            ]
        }
        yield len(batch), dumps(body)


def events(report: Report, results: Iterable[Graded], settings: OtelSettings) -> Iterator[dict[str, Any]]:
    """Yield one log record per dimension of each result, and with ``parts`` per part."""
    fallback = report.finished or report.started or datetime.now(UTC)
    now = datetime.now(UTC)
    for each in results:
        for score in each.dimensions:
            yield _event(each, score, score.name, each.time or fallback, now)
            if settings.parts:
                for part in score.parts:
                    yield _event(each, part, f"{score.name}.{part.name}", each.time or fallback, now)


def _event(each: Graded, score: Score, name: str, time: datetime, now: datetime) -> dict[str, Any]:
    told: dict[str, Any] = {"gen_ai.evaluation.name": name}
    if score.value is not None:
        told["gen_ai.evaluation.score.value"] = float(score.value)
    label = score.label if score.passed is None else "pass" if score.passed else "fail"
    if label or score.status == "skipped":
        told["gen_ai.evaluation.score.label"] = label or "not_applicable"
    if score.reason:
        told["gen_ai.evaluation.explanation"] = score.reason[:_LONGEST]
    if each.answer:
        told["gen_ai.response.id"] = each.answer
    if score.status == "error":
        told["error.type"] = "not_scored"
    told |= {
        "proctor.case.id": each.case,
        "proctor.target": each.target,
        "proctor.sample": each.sample,
        "proctor.intent": each.intent,
        "proctor.outcome": each.outcome,
        "proctor.score.producer": score.producer,
    }
    if score.confidence is not None:
        told["proctor.score.confidence"] = float(score.confidence)
    bad = score.status == "error" or score.passed is False
    record: dict[str, Any] = {
        "timeUnixNano": _nanoseconds(time),
        "observedTimeUnixNano": _nanoseconds(now),
        "severityNumber": _WARN if bad else _INFO,
        "severityText": "WARN" if bad else "INFO",
        "eventName": EVENT,
        "attributes": _attributes(told),
    }
    for key, pattern in _HEX.items():
        value = str(each.trace.get(key, "")).lower()
        if pattern.fullmatch(value) and value.strip("0"):
            record[key] = value
    return record


def _nanoseconds(time: datetime) -> str:
    """Return a time in OTLP's JSON encoding: a string, because the number exceeds 53 bits."""
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    whole = aware - datetime(1970, 1, 1, tzinfo=UTC)
    return str(((whole.days * 86_400 + whole.seconds) * 1_000_000 + whole.microseconds) * 1000)


def _attributes(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in told.items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    return {"stringValue": str(value).encode(errors="replace").decode()}


def _rejected(body: bytes) -> tuple[int, str]:
    """Return how many events the collector rejected in a successful response."""
    try:
        found = json.loads(body)["partialSuccess"]
        return int(found.get("rejectedLogRecords") or 0), str(found.get("errorMessage") or "")
    except (ValueError, KeyError, TypeError, AttributeError):  # any other answer means that all were accepted
        return 0, ""
