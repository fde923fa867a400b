"""The OpenAPI 3.1 document of `proctor serve`: what it takes from agents, and what it says of what is stored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from proctor import __version__
from proctor.core.alert_record import AlertRecord, RuleLimit, RuleStatus
from proctor.core.conversation_summary import ConversationSummary
from proctor.core.event import Event
from proctor.core.schema import schema_of
from proctor.core.trajectory import Trajectory
from proctor.server.ingest.read_api import API_DOCUMENT_PATH

__all__ = ["api_document"]

_ERROR: Final = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message"],
            "properties": {
                "message": {"type": "string"},
                "field": {"type": "string"},
                "hint": {"type": "string", "description": "What sets it right."},
            },
        }
    },
}
_STATUS: Final = {"type": "object", "properties": {"code": {"type": "integer"}, "message": {"type": "string"}}}
_TAKEN: Final = {
    "type": "object",
    "required": ["accepted", "rejected"],
    "properties": {
        "accepted": {"type": "integer"},
        "rejected": {"type": "integer"},
        "duplicates": {"type": "integer", "description": "Events that were stored before."},
        "problems": {"type": "array", "items": {}},
    },
}
_WINDOW: Final = {
    "type": "object",
    "required": ["start", "step", "turns", "conversations"],
    "properties": {
        "start": {"type": "number", "description": "Seconds since 1970."},
        "step": {"type": "number"},
        "turns": {"type": "integer"},
        "conversations": {"type": "integer"},
        "events": {"type": "object"},
        "signals": {"type": "object"},
        "p50": {"type": ["number", "null"]},
        "p95": {"type": ["number", "null"]},
    },
}
_TIME: Final = {"type": "string", "description": "A time: 2026-11-17T15:00:00Z, or seconds since 1970."}
_TEXT: Final = {"type": "string"}
_LIMIT: Final = {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}
_FILTERS: Final = ("customer", "intent", "outcome", "signal", "model", "version", "source")


@cache
def api_document() -> bytes:
    """Return the document as JSON."""
    schemas: dict[str, Any] = {"Error": _ERROR, "Taken": _TAKEN, "Window": _WINDOW}
    paths = {**_reads(schemas), **_writes(schemas)}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Proctor serve", "version": __version__, "license": {"name": "Apache-2.0"}},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],  # without tokens in the settings, only this machine may ask
    }
    return json.dumps(document, ensure_ascii=False).encode()


def _reads(schemas: dict[str, Any]) -> dict[str, Any]:
    alert, status, limit, summary, trajectory = (
        _noun(kind, schemas) for kind in (AlertRecord, RuleStatus, RuleLimit, ConversationSummary, Trajectory)
    )
    period = {"since": _TIME, "until": _TIME}
    session = {"name": "session", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    state = {"enum": ["open", "all"]}
    step = {"enum": [60, 3600, 86400], "default": 60, "description": "Seconds of a window."}
    found = {**{name: _TEXT for name in _FILTERS}, **period, "limit": _LIMIT}
    one = _object(
        summary={"oneOf": [summary, {"type": "null"}]}, conversation={"oneOf": [trajectory, {"type": "null"}]}
    )
    details = _read("One conversation with all its turns", one, {})
    details["parameters"] = [session]
    details["responses"]["404"] = _answer("There is no such conversation", {"$ref": "#/components/schemas/Error"})
    windows = _read(
        "Counts by window of time",
        _object(windows=_list({"$ref": "#/components/schemas/Window"})),
        {**period, "step": step, "by": {"const": "intent"}, "intent": _TEXT},
    )
    text = {"content": {"text/plain": {"schema": _TEXT}}, "description": "Figures in the text format of Prometheus"}
    return {
        "/api/alerts": {
            "get": _read(
                "Alerts, the newest first",
                _object(alerts=_list(alert)),
                {"state": state, "since": _TIME, "limit": _LIMIT},
            )
        },
        "/api/rules": {
            "get": _read(
                "The state of every alert rule, and the smallest spike it sees",
                _object(rules=_list(status), limits=_list(limit)),
                {},
            )
        },
        "/api/conversations": {
            "get": _read(
                "Conversations by what is known of them",
                _object(conversations=_list({"type": "object"})),
                {"q": {"type": "string", "description": "Words of a turn, in any language."}, **found},
            )
        },
        "/api/conversations/{session}": {"get": details},
        "/api/windows": {"get": windows},
        "/api/figures": {"get": _read("What the server has done since its start", {"type": "object"}, {})},
        "/metrics": {"get": {**_read("Figures for Prometheus", {}, {}), "responses": {"200": text, **_refused()}}},
        "/healthz": {"get": _health()},
        API_DOCUMENT_PATH: {"get": _read("This document", {"type": "object"}, {})},
    }


def _writes(schemas: dict[str, Any]) -> dict[str, Any]:
    event = _noun(Event, schemas)
    turns = {
        "application/json": {"schema": {"oneOf": [event, _list(event)]}},
        "application/x-ndjson": {"schema": {"type": "string", "description": "One event on each line."}},
    }
    some = {"application/json": {"schema": {"type": "object"}}}
    otlp = {
        "application/json": {"schema": {"type": "object"}},
        "application/x-protobuf": {"schema": {"type": "string", "format": "binary"}},
    }
    taken = {"$ref": "#/components/schemas/Taken"}
    paths: dict[str, Any] = {
        "/v1/turns": {"post": _write("Events: one, a list, or one on each line", turns, taken, wrong=taken)},
        "/api/public/scores": {"post": _write("A score of the Langfuse SDK", some, {"type": "object"})},
        "/feedback": {"post": _write("Feedback of the LangSmith SDK", some, {"type": "object"})},
        "/runs/batch": {"post": _write("Runs of the LangSmith SDK", some, {"type": "object"}, status="202")},
        "/runs": {"post": _write("One run of the LangSmith SDK", some, {"type": "object"}, status="202")},
    }
    for name, what in (("traces", "Spans"), ("logs", "Log events"), ("metrics", "Metrics, of which none is kept")):
        made = _write(f"{what} by OTLP", otlp, {"type": "object"}, wrong=_STATUS)
        for status in ("200", "400"):
            made["responses"][status]["content"]["application/x-protobuf"] = {
                "schema": {"type": "string", "format": "binary"}
            }
        paths[f"/v1/{name}"] = {"post": made}
    return paths


def _read(summary: str, schema: Mapping[str, Any], query: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "summary": summary,
        "parameters": [{"name": name, "in": "query", "schema": each} for name, each in query.items()],
        "responses": {"200": _answer("Found", schema), **_refused()},
    }


def _health() -> dict[str, Any]:
    schema = _object(status={"enum": ["ok", "trouble"]})
    return {
        "summary": "Whether events are taken",
        "security": [],
        "responses": {"200": _answer("They are", schema), "503": _answer("They are not", schema)},
    }


def _write(
    summary: str,
    bodies: Mapping[str, Any],
    schema: Mapping[str, Any],
    *,
    status: str = "200",
    wrong: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    error = {"$ref": "#/components/schemas/Error"}
    refused = error if wrong is None else {"anyOf": [error, wrong]}
    return {
        "summary": summary,
        "requestBody": {"required": True, "content": dict(bodies)},
        "responses": {
            status: _answer("It is on disk", schema),
            **_refused(),
            "400": _answer("The body cannot be read, or nothing in it", refused),
            "413": _answer("The body is too large", error),
            "415": _answer("The body has another format or encoding", error),
            "422": _answer("Nothing in it could be taken", error),
            "429": _answer("The source sends too much; send again", error),
            "503": _answer("It could not be written; send again", error),
        },
    }


def _refused() -> dict[str, Any]:
    error = {"$ref": "#/components/schemas/Error"}
    return {
        "400": _answer("A parameter is wrong", error),
        "401": _answer("The token is missing or wrong", error),
        "403": _answer("The Host or the Origin is wrong", error),
    }


def _answer(description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": dict(schema)}}}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _list(of: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(of)}


def _noun(kind: type[Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Add the schema of a noun and of those in it; further keys are allowed, as nouns grow."""
    made = json.loads(json.dumps(schema_of(kind)).replace("#/$defs/", "#/components/schemas/"))
    for name, schema in made["$defs"].items():
        schemas[name] = _open(schema)
    return {"$ref": made["$ref"]}


def _open(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _open(each) for key, each in schema.items() if key != "additionalProperties" or each is not False}
    return [_open(each) for each in schema] if isinstance(schema, Sequence) and not isinstance(schema, str) else schema
