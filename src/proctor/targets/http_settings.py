"""Settings of an HTTP agent: its request, and the paths in its reply."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

from proctor.core.errors import MalformedError, Problem
from proctor.targets.http_world import WorldRequest, names_in
from proctor.targets.paths import Path, parse_path

__all__ = ["ReplyPaths", "TargetHttpSettings", "check_settings", "reply_paths", "request_of", "secrets_in"]

_PUBLIC_HEADERS = ("accept", "accept-language", "content-type", "user-agent")
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPaths:
    """The paths of fields in the reply, dotted such as ``data.items[0].text``.

    Only ``answer`` is required. ``session`` is the agent's own session id, sent back with the next message.
    """

    SHORTHAND = "answer"

    answer: str | None = None
    tool_calls: str | None = None
    sources: str | None = None
    intents: str | None = None
    confidence: str | None = None
    escalation: str | None = None
    session: str | None = None
    usage: str | None = None
    cost: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetHttpSettings:
    """An agent's address, its request format and where its answer is.

    ``http`` is the address. Without ``request`` the OpenAI chat format is used. ``request`` is the JSON to send; its
    texts may contain ``{{ text }}``, ``{{ session }}``, ``{{ messages }}``, ``{{ history }}``, ``{{ inputs.x }}``, ``{{
    page }}``, ``{{ case.id }}``, ``{{ sample }}`` and ``{{ turn }}``; so may the address, the headers and ``session``.
    ``reply`` is the path of the answer. ``retries`` counts the further attempts if the agent returns 429 or 503.
    ``timeout`` is in seconds. A reply of server-sent events or JSON lines is read event by event, with ``reply`` as
    paths into one event; ``stream`` asks for it in the OpenAI format, and with ``whole`` each event has the text so
    far. For attacks, ``plant`` and ``snapshot`` are requests that put texts into the world of a conversation and read
    its state; ``{{ world }}`` names that world in them and in the request.
    """

    http: str = field(repr=False)
    shape: Literal["openai"] | None = None
    model: str | None = None
    request: Any = field(default=None, repr=False)
    reply: ReplyPaths | None = None
    method: Literal["POST", "PUT", "PATCH", "GET"] = "POST"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    session: str | None = None
    timeout: float = 60.0
    retries: int = 3
    stream: bool | Literal["whole"] = False
    plant: WorldRequest | None = None
    snapshot: WorldRequest | None = None

    @property
    def names(self) -> frozenset[str]:
        """The names in the templates of the conversation's request."""
        return names_in(self.http, request_of(self), dict(self.headers))


_OPENAI_REPLY = {
    "answer": "choices[0].message.content",
    "tool_calls": "choices[0].message.tool_calls",
    "usage": "usage",
}


def check_settings(settings: TargetHttpSettings) -> None:
    """Check that the settings are consistent.

    Raises:
        MalformedError: naming every problem.
    """
    problems = []
    if not settings.http.startswith(("http://", "https://")):
        problems.append(Problem(("http",), "expected an address", "begin it with https:// or http://"))
    if settings.request is not None and settings.shape is not None:
        problems.append(Problem(("shape",), "`shape` and `request` exclude each other", "remove one of them"))
    if settings.request is not None and (settings.reply is None or settings.reply.answer is None):
        problems.append(Problem(("reply",), "is missing", "say where the answer is: `reply: data.text`"))
    if settings.timeout <= 0:
        problems.append(Problem(("timeout",), "must be more than 0 seconds"))
    if (settings.plant or settings.snapshot) and not settings.names & {"world", "session"}:
        key = "plant" if settings.plant else "snapshot"
        hint = "put {{ world }} into `request`, `headers` or the address: each attempt has a world of its own"
        problems.append(Problem((key,), "the agent is not told which world is meant", hint))
    if not 0 <= settings.retries <= 10:
        problems.append(Problem(("retries",), "must be from 0 to 10"))
    if problems:
        raise MalformedError(problems)


def request_of(settings: TargetHttpSettings) -> Any:
    """Return the JSON to send, with its placeholders."""
    if settings.request is not None:
        return settings.request
    model = {"model": settings.model} if settings.model else {}
    streaming = {"stream": True} if settings.stream else {}
    return {**model, **streaming, "messages": "{{ messages }}"}


def reply_paths(settings: TargetHttpSettings) -> dict[str, Path]:
    """Return the paths of fields in the reply.

    Raises:
        MalformedError: one of them is not a path.
    """
    written: dict[str, str] = {} if settings.request is not None else dict(_OPENAI_REPLY)
    for name in ReplyPaths.__slots__:
        path = getattr(settings.reply, name) if settings.reply else None
        if path is not None:
            written[name] = path
    made: dict[str, Path] = {}
    for name, path in written.items():
        try:
            made[name] = parse_path(path)
        except ValueError as error:
            raise MalformedError([Problem(("reply", name), str(error))]) from None
    return made


def secrets_in(settings: TargetHttpSettings) -> tuple[str, ...]:
    """Return the values that must not be shown: header values, and values in the address."""
    found: list[str] = []
    for name, value in settings.headers.items():
        if name.lower() not in _PUBLIC_HEADERS:
            found += [value, *_PLACEHOLDER.sub(" ", value).split()]
    beside = [each.http for each in (settings.plant, settings.snapshot) if each]
    for address in (settings.http, *beside):
        parts = urlsplit(address)
        found += [value for _, value in parse_qsl(parts.query) if "{{" not in value]
        found += [parts.password or "", parts.username or ""]
    return tuple(secret for secret in found if secret)
