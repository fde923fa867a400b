"""The OpenAPI 3.1 document of the sidecar, generated from its request classes."""

from __future__ import annotations

import json
from typing import Any

from proctor import __version__
from proctor.core.schema import schema_of
from proctor.server.sidecar.requests import QUESTIONS, UnmaskRequest

__all__ = ["description"]

_SUMMARIES = {
    "input": "Words of the customer, before the agent reads them",
    "tool_call": "A tool that the agent wants to call, before it is called",
    "tool_result": "What a tool or a document says, before the agent reads it",
    "output": "A draft answer, before the customer reads it",
}
_TEXT = {"type": ["string", "null"]}
_FINDING = {
    "type": "object",
    "description": "One thing that was found. `start` and `end` point into the text that was sent (a result that is no "
    "text is written as JSON first: go by `text` there). They count code points, as Python does; with `offsets: utf16` "
    "in the question they count UTF-16 units, as Java, JavaScript and C# do.",
    "required": ["kind"],
    "properties": {
        "kind": {"type": "string"},
        "detector": {"type": "string"},
        "start": {"type": "integer"},
        "end": {"type": "integer"},
        "text": {"type": "string"},
        "confidence": {"type": "number"},
        "severity": {"enum": ["low", "medium", "high", "critical"]},
        "reason": {"type": "string"},
    },
}
_VERDICT = {
    "type": "object",
    "description": "What was decided. With `redact`, `text` is what may go on; with `block` and `escalate`, `reply` is "
    "what the customer may be told instead.",
    "required": ["session", "action", "gate", "reason", "text", "broken", "findings"],
    "properties": {
        "session": {"type": "string"},
        "action": {"enum": ["allow", "redact", "block", "escalate"]},
        "gate": {"type": "string"},
        "by": {**_TEXT, "description": "The gate that decided."},
        "reason": {"type": "string"},
        "text": _TEXT,
        "reply": {"type": "string"},
        "broken": {"type": "boolean", "description": "A gate failed or ran out of time."},
        "busy": {"type": "boolean", "description": "The guard is over capacity; the same step may pass later."},
        "borderline": {"type": "boolean"},
        "confirm": {
            "type": "boolean",
            "description": "The call needs a yes: ask the customer, and send it again with `confirmed: true`.",
        },
        "anomaly": {"type": "boolean", "description": "The call is unusual for this agent or customer."},
        "latency": {"type": ["number", "null"], "description": "Seconds."},
        "version": {"type": "string", "description": "Names the settings in force."},
        "findings": {"type": "array", "items": {"$ref": "#/components/schemas/Finding"}},
        "shadow": {"type": "object", "description": "What would have been decided, when the guard only watches."},
    },
}
_PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["message"],
    "properties": {
        "message": {"type": "string"},
        "field": {"type": "string"},
        "hint": {"type": "string", "description": "What sets it right."},
        "mend": {"type": "string", "deprecated": True, "description": "The old name of `hint`, with the same text."},
    },
}
_ALL = {"type": "array", "items": _PROBLEM, "description": "Where several things are wrong: all of them."}
_WRONG = {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {**_PROBLEM, "properties": {**_PROBLEM["properties"], "problems": _ALL}}},
}


def description(*, secured: bool = False) -> dict[str, Any]:
    """Return the whole document; ``secured`` means that callers must send a token."""
    schemas: dict[str, Any] = {"Verdict": _VERDICT, "Finding": _FINDING, "Error": _WRONG}
    paths: dict[str, Any] = {f"/v1/{point}": {"post": _question(point, schemas)} for point in QUESTIONS}
    paths["/v1/restore"] = {"post": _restore(schemas)}
    paths |= _others()
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "Proctor guard", "version": __version__, "license": {"name": "Apache-2.0"}},
        "paths": paths,
        "components": {"schemas": schemas},
    }
    if secured:
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
        for path in ("/v1/health", "/openapi.json"):
            paths[path]["get"]["security"] = []
        for path, methods in paths.items():
            if path not in ("/v1/health", "/openapi.json"):
                for operation in methods.values():
                    operation["responses"]["401"] = _error("The token is missing or wrong")
    return document


def _question(point: str, schemas: dict[str, Any]) -> dict[str, Any]:
    verdict = _json("The verdict", {"$ref": "#/components/schemas/Verdict"})
    busy = _json("The guard is over capacity: blocked, ask again", {"$ref": "#/components/schemas/Verdict"})
    return _asked(QUESTIONS[point], schemas, point, _SUMMARIES[point], {"200": verdict, "503": busy})


def _restore(schemas: dict[str, Any]) -> dict[str, Any]:
    schemas["Restored"] = {
        "type": "object",
        "required": ["session", "text"],
        "properties": {"session": {"type": "string"}, "text": {"type": "string"}},
    }
    answers = {
        "200": _json("The text as the customer may read it", {"$ref": "#/components/schemas/Restored"}),
        "403": _error(
            "The settings do not allow it (`guard: {serve: {restore: true}}` does), or the session belongs to a"
            " customer whom the question does not name"
        ),
    }
    summary = "A text with the customer's own data in place of the placeholders of the session"
    return _asked(UnmaskRequest, schemas, "restore", summary, answers)


def _asked(
    kind: type[Any], schemas: dict[str, Any], name: str, summary: str, answers: dict[str, Any]
) -> dict[str, Any]:
    made = schema_of(kind)
    for each, schema in made["$defs"].items():
        schemas[each] = json.loads(json.dumps(schema).replace("#/$defs/", "#/components/schemas/"))
    body = {"$ref": made["$ref"].replace("#/$defs/", "#/components/schemas/")}
    return {
        "operationId": name,
        "summary": summary,
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": {
            **answers,
            "400": _error("The body is wrong: which field, and how to fix it"),
            "413": _error("The body is too large"),
        },
    }


def _others() -> dict[str, Any]:
    whatever = {"type": "object"}
    id = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    reloaded = {
        "type": "object",
        "required": ["reloaded"],
        "properties": {"reloaded": {"type": "boolean"}, "trouble": _TEXT},
    }
    return {
        "/v1/health": {"get": _get("health", "Whether the guard is well", whatever)},
        "/v1/stats": {"get": _get("stats", "How often each point came to which action since the start", whatever)},
        "/v1/reload": {
            "post": {
                "operationId": "reload",
                "summary": "Read proctor.yaml again",
                "responses": {
                    "200": _json("The new settings are in force", reloaded),
                    "409": _json("The new settings cannot be used; the old ones hold", reloaded),
                },
            }
        },
        "/v1/sessions/{id}": {
            "delete": {
                "operationId": "forget",
                "summary": "Forget a session",
                "parameters": [id],
                "responses": {"204": {"description": "It is forgotten, or was not known"}},
            }
        },
        "/openapi.json": {"get": _get("describe", "This document", whatever)},
    }


def _get(name: str, summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"operationId": name, "summary": summary, "responses": {"200": _json(summary, schema)}}


def _json(what: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": what, "content": {"application/json": {"schema": schema}}}


def _error(what: str) -> dict[str, Any]:
    return _json(what, {"$ref": "#/components/schemas/Error"})
