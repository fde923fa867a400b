"""Build the data that a webhook or a function receives for an escalated step."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from typing import Any, Final

from proctor.core.codec import encode
from proctor.core.event import Event
from proctor.store.guard_log import without_words
from proctor.store.guard_names import Found
from proctor.store.mask_decisions import Masker, masked

__all__ = ["SCHEMA", "escalation_of", "signature"]

_KEPT_VERDICT: Final = ("gate", "action", "reason", "broken")
_TEXT: Final = {"type": "string"}
_FINDING: Final[Mapping[str, Any]] = {
    "type": "object",
    "required": ["kind"],
    "properties": {
        "kind": _TEXT,
        "detector": _TEXT,
        "text": _TEXT,
        "reason": _TEXT,
        "start": {"type": "integer"},
        "end": {"type": "integer"},
        "confidence": {"type": "number"},
        "severity": {"enum": ["low", "medium", "high", "critical"]},
    },
}
SCHEMA: Final[Mapping[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Escalation",
    "type": "object",
    "required": ["type", "version", "id", "time", "point", "cause", "findings", "content"],
    "properties": {
        "type": {"const": "proctor.escalation"},
        "version": {"const": 1},
        "id": {"type": "string", "description": "The decision's id in the guard's log; the same in every attempt."},
        "time": {"type": "string", "format": "date-time"},
        "session": {"type": ["string", "null"]},
        "customer": {"type": ["string", "null"], "description": "A pseudonym when `content` is masked."},
        "point": {"enum": ["input", "tool_call", "tool_result", "output"]},
        "intents": {"type": "array", "items": _TEXT},
        "turn": {"type": ["integer", "null"]},
        "draft": {
            "type": ["string", "null"],
            "description": "The text that was held back: the draft answer, the customer's words or the tool's result.",
        },
        "call": {"type": ["object", "null"], "properties": {"name": _TEXT, "arguments": {"type": "object"}}},
        "cause": {
            "type": "object",
            "required": ["gate", "reason"],
            "properties": {
                "gate": {"type": "string", "description": "The gate that decided."},
                "reason": _TEXT,
                "kinds": {"type": "array", "items": _TEXT},
                "broken": {"type": "boolean", "description": "The gate failed, and its on_failure escalates."},
            },
        },
        "findings": {"type": "array", "items": _FINDING},
        "gates": {"type": "array", "items": {"type": "object"}, "description": "What each gate decided."},
        "settings": {"type": "string", "description": "The version of the guard's settings."},
        "content": {"enum": ["masked", "full"]},
    },
}


def escalation_of(event: Event, *, names: Found, name: Callable[[str], str], full: bool) -> dict[str, Any]:
    """Return the escalation as JSON-like data.

    Texts are masked as in the guard's log unless ``full``. ``names`` are the personal names found in them; if the
    search for names failed, the texts are left out. ``name`` returns the customer's pseudonym.
    """
    if full:
        row = _plain_row(event)
    else:
        if names is None:
            event, names = without_words(event, "nobody could look for names in them"), ()
        row = masked(event, Masker(event, entities=names), name=name)
    told = row.get("metadata") or {}
    verdict = row.get("verdict") or {}
    parts = [part for part in told.get("parts", ()) if isinstance(part, Mapping)]
    findings = list(verdict.get("findings") or [each for part in parts for each in part.get("findings") or ()])
    return {
        "type": "proctor.escalation",
        "version": 1,
        "id": str(row.get("id") or ""),
        "time": str(row["time"]),
        "session": row.get("session"),
        "customer": row.get("customer"),
        "point": row.get("name"),
        "intents": [str(each) for each in told.get("intents") or ()],
        "turn": told.get("turn"),
        "draft": told.get("text"),
        "call": told.get("call"),
        "cause": {
            "gate": str(verdict.get("by") or verdict.get("gate") or ""),
            "reason": str(verdict.get("reason") or ""),
            "kinds": list(dict.fromkeys(str(each.get("kind", "")) for each in findings)),
            "broken": bool(verdict.get("broken")),
        },
        "findings": findings,
        "gates": [{key: part[key] for key in _KEPT_VERDICT if key in part} for part in parts],
        "settings": str(verdict.get("version") or ""),
        "content": "full" if full else "masked",
    }


def signature(secret: str, time: int, body: bytes) -> str:
    """Return the value of ``X-Proctor-Signature``: the time, and the HMAC-SHA256 of time and body."""
    signed = hmac.new(secret.encode(), f"{time}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={time},v1={signed}"


def _plain_row(event: Event) -> dict[str, Any]:
    row: dict[str, Any] = encode(event)
    verdict = event.verdict
    if verdict is not None:
        row["verdict"] = {**encode(verdict), "by": verdict.by or verdict.gate}
    metadata = {key: value for key, value in event.metadata.items() if key != "parts"}
    parts = [encode(part) for part in event.metadata.get("parts", ())]
    row["metadata"] = {**encode(metadata), "parts": parts}
    return row
