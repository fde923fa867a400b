"""Answers of the ingest server: JSON, OTLP in the sender's encoding, and errors with their hint."""

from __future__ import annotations

import math
from typing import Any, Final

from aiohttp import web

from proctor.core.codec import dumps
from proctor.server.error_body import error_body
from proctor.server.ingest.commit_queue import RequestBatch
from proctor.server.ingest.otlp_protobuf import partial_success

__all__ = ["JSON", "PROTOBUF", "json_answer", "otlp_answer", "otlp_error", "refusal", "retry_later"]

JSON: Final = "application/json"
PROTOBUF: Final = "application/x-protobuf"
_REJECTED: Final = {"trace": "rejectedSpans", "logs": "rejectedLogRecords"}


def json_answer(data: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """Return data as JSON."""
    return web.Response(status=status, body=dumps(data), content_type=JSON, headers=headers)


def refusal(
    status: int,
    message: str,
    *,
    field: str | None = None,
    hint: str | None = None,
    headers: dict[str, str] | None = None,
) -> web.Response:
    """Return an error as JSON."""
    return json_answer({"error": error_body(message, field=field, hint=hint)}, status=status, headers=headers)


def retry_later(status: int, message: str, seconds: float) -> web.Response:
    """Return an answer that asks the sender to wait and send the same again."""
    return refusal(status, message, headers={"Retry-After": str(max(1, math.ceil(seconds)))})


def otlp_answer(kind: str, batch: RequestBatch, *, as_json: bool) -> web.Response:
    """Return the answer to an OTLP export: empty, or the partial success that OTLP defines."""
    if not as_json:
        return web.Response(body=partial_success(kind, batch.rejected, batch.why), content_type=PROTOBUF)
    if not batch.rejected:
        return json_answer({})
    return json_answer({"partialSuccess": {_REJECTED[kind]: str(batch.rejected), "errorMessage": batch.why}})


def otlp_error(message: str, *, as_json: bool) -> web.Response:
    """Return the answer to an export that cannot be read: a google.rpc.Status with the message."""
    if as_json:
        return json_answer({"code": 3, "message": message}, status=400)
    text = message.encode()[:1000]
    size = bytes([len(text)]) if len(text) < 128 else bytes([len(text) & 127 | 128, len(text) >> 7])
    return web.Response(status=400, body=b"\x08\x03\x12" + size + text, content_type=PROTOBUF)
