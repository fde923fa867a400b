"""Map an HTTP status to a ``ModelError`` with a hint."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from proctor.core.errors import (
    ModelError,
    OverloadedError,
    RateLimitedError,
    RefusedError,
    RejectedError,
    ReplyError,
    UnknownModelError,
)
from proctor.text.redact import redact

__all__ = ["failure", "retry_after", "said"]

_MAX_MESSAGE_CHARS = 300
_MAX_BODY_BYTES = 8_000
_RAW_CHARACTERS = 2_000
_NO_CREDIT = re.compile(
    r"insufficient_quota|insufficient credits|billing_hard_limit|credit balance is too low|exceeded your current quota",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content_filter|content_policy_violation|ResponsibleAIPolicyViolation", re.IGNORECASE)
_NO_SUCH_MODEL = re.compile(
    r"model_not_found|DeploymentNotFound|not a valid model|model identifier is invalid|invalid model name",
    re.IGNORECASE,
)
# Complaints of a 400, and the setting that fixes each.
_KNOWN_COMPLAINTS = (
    (
        re.compile("max_completion_tokens' instead|use 'max_completion_tokens", re.I),
        "set `token_field: max_completion_tokens`",
    ),
    (re.compile("max_completion_tokens", re.I), "set `token_field: max_tokens`"),
    (re.compile("response_format|json_schema|text.format|structured output", re.I), "set `structured: prompt`"),
    (re.compile("temperature|top_p", re.I), "take this sampling setting out: the model does not allow it"),
    (
        re.compile("context.?length|maximum context|too long|too many tokens|context window", re.I),
        "shorten the input, or choose a model with a larger context",
    ),
)


def failure(
    status: int,
    headers: Mapping[str, str],
    body: bytes | str,
    *,
    who: str,
    secrets: Iterable[str],
    hints: Mapping[str, str],
    meant: int | None = None,
) -> ModelError:
    """Return the error for a status other than success.

    ``who`` names the model in the message. ``hints`` has the provider's own advice under ``key`` and ``model``.
    ``meant`` is the standard status to use if the provider's differs.
    """
    known = tuple(secrets)
    message = said(body, known)
    text = f"{who}: HTTP {status}" + (f": {message}" if message else "")
    raw = body if isinstance(body, str) else body[:_MAX_BODY_BYTES].decode("utf-8", "replace")
    error = _kind(meant or status, raw)(text)
    error.status = status
    error.hint = _hint(error, meant or status, message, headers, hints)
    if isinstance(error, (RateLimitedError, OverloadedError)):
        error.retry_after = retry_after(headers)
    if isinstance(error, RejectedError) and _FILTERED.search(raw):
        error.cause = "content filter"
    if isinstance(error, ReplyError):
        error.raw = redact(raw, known)[:_RAW_CHARACTERS]
    return error


def _kind(status: int, raw: str) -> type[ModelError]:
    if status == 402 or (status in (400, 403, 429) and _NO_CREDIT.search(raw)):
        return RefusedError  # waiting does not restore credit, so this 429 must not be retried
    if status == 429:
        return RateLimitedError
    if status in (401, 403):
        return RefusedError
    if status == 404 or (status == 400 and _NO_SUCH_MODEL.search(raw)):
        return UnknownModelError
    if status in (408, 409, 425) or (status >= 500 and status != 501):
        return OverloadedError
    return RejectedError if status >= 300 else ReplyError


def _hint(
    error: ModelError, status: int, message: str, headers: Mapping[str, str], hints: Mapping[str, str]
) -> str | None:
    if isinstance(error, RefusedError):
        return "add credit to the account" if status not in (401, 403) else hints.get("key")
    if isinstance(error, UnknownModelError):
        return hints.get("model", "check `model` and `base_url`")
    if isinstance(error, RateLimitedError):
        return "lower the number in flight, or ask the provider for a higher limit"
    if isinstance(error, OverloadedError):
        return "try again later, or see the server's own log"
    if status < 400:
        elsewhere = headers.get("location", "").split("?")[0]
        return f"set `base_url` to where the server now is{f': {redact(elsewhere)}' if elsewhere else ''}"
    found = next((hint for pattern, hint in _KNOWN_COMPLAINTS if pattern.search(message)), None)
    return found or "see what the server says, and the model's settings"


# --- the server's message ---------------------------------------------------------------------------


def said(body: bytes | str, secrets: Iterable[str]) -> str:
    """Return the message in an error body: one line, at most 300 characters, without secrets."""
    text = body if isinstance(body, str) else body[:100_000].decode("utf-8", "replace")
    try:
        found = _message_in(json.loads(text))
    except (ValueError, RecursionError):
        found = None
    plain = found if found is not None else re.sub(r"<[^<>]{0,500}>", " ", text[:4_000])
    line = " ".join(redact(plain[:4_000], secrets).split())
    return line if len(line) <= _MAX_MESSAGE_CHARS else line[: _MAX_MESSAGE_CHARS - 1] + "…"


def _message_in(data: Any) -> str | None:
    """Return the message, in any of the shapes servers use; ``None`` if there is none."""
    if isinstance(data, str):
        return data
    if isinstance(data, list):
        return next((text for item in data if (text := _message_in(item))), None)
    if not isinstance(data, Mapping):
        return None
    for key in ("error", "message", "Message", "detail", "msg", "error_description"):
        if (text := _message_in(data.get(key))) is not None:
            return text
    return None


# --- how long to wait -------------------------------------------------------------------------------


def retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return the seconds to wait that the server's headers request; ``None`` if they do not.

    A point in time is measured against the server's own ``Date``, so that a wrong local clock does no harm.
    """
    clock = _moment(headers.get("date")) if now is None else now
    clock = time.time() if clock is None else clock
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return max(0.0, milliseconds / 1000)
    if (told := headers.get("retry-after")) is not None and (wait := _wait(told, clock)) is not None:
        return wait
    return _reset(headers, clock)


def _reset(headers: Mapping[str, str], clock: float) -> float | None:
    """Return the wait of rate-limit headers: the longest among exhausted limits, else the shortest of all."""
    used_up: list[float] = []
    others: list[float] = []
    for name, value in headers.items():
        if "ratelimit" not in name or "reset" not in name or (wait := _wait(value, clock)) is None:
            continue
        left = _number(headers.get(name.replace("reset", "remaining")))
        (used_up if left == 0 else others).append(wait)
    return max(used_up) if used_up else min(others, default=None)


def _wait(text: str, clock: float) -> float | None:
    """Return the seconds from now: a number, a duration like ``6m0s``, a Unix time, or a date."""
    number = _number(text)
    if number is not None:
        if number > 1e11:
            number /= 1000  # a Unix time in milliseconds
        return max(0.0, number - clock if number > 1e9 else number)
    if (duration := _duration(text)) is not None:
        return duration
    moment = _moment(text)
    return None if moment is None else max(0.0, moment - clock)


_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")


def _duration(text: str) -> float | None:
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        return None
    units = (86_400, 3_600, 60, 1, 0.001)
    return sum(float(part) * unit for part, unit in zip(found.groups(), units, strict=True) if part)


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text else None
    except ValueError:
        return None
    return number if number is not None and math.isfinite(number) else None


def _moment(text: str | None) -> float | None:
    """Return a Unix time from an HTTP or ISO date."""
    if not text:
        return None
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        # HTTP dates are in GMT even without a zone.
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None
