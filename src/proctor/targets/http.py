"""A target behind HTTP."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from proctor.core.attack import Observation, Plant
from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.codec import dumps
from proctor.core.decode import decode
from proctor.core.errors import ModelError, TimedOutError
from proctor.core.sockets import Conversation, Http, HttpReply, Kit
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.world import Snapshot
from proctor.targets.answer import chat_messages, turn_of
from proctor.targets.http_settings import TargetHttpSettings, check_settings, reply_paths, request_of, secrets_in
from proctor.targets.http_world import WorldCall, WorldRequest, compile_request, tables_of
from proctor.targets.paths import Path, PathMissingError, find
from proctor.targets.play_case import LONGEST_RAW, AnswerError, drive
from proctor.targets.stream_reply import STREAM_PATHS, is_stream, read_stream
from proctor.targets.template import Filler, compile_template
from proctor.text.redact import redact, redact_data

__all__ = ["HttpTarget", "connect"]

NAMES = ("text", "session", "messages", "history", "inputs", "page", "case", "sample", "turn", "world")
_OF_SESSION = ("session", "messages", "history")  # what makes a new session known to the agent
_REFUSALS = (400, 404, 409, 422)  # statuses with which an agent refuses an address of a plant
_MAX_WAIT_SECONDS = 30.0
_RETRY_STATUSES = (429, 503)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpTarget:
    """An agent behind HTTP, called with the OpenAI chat format or a JSON template."""

    name: str
    settings: TargetHttpSettings = field(repr=False)
    http: Http = field(repr=False)
    url: Filler = field(repr=False)
    body: Filler = field(repr=False)
    headers: Filler = field(repr=False)
    session: Filler = field(repr=False)
    reply: Mapping[str, Path] = field(repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    plant: WorldCall | None = field(default=None, repr=False)
    snapshot: WorldCall | None = field(default=None, repr=False)

    @property
    def shows(self) -> tuple[Observation, ...]:
        """Words; tools if the reply says where they are, and state if it can be read."""
        written = self.settings.reply is not None and self.settings.reply.tool_calls is not None
        more: tuple[tuple[Observation, bool], ...] = (("tools", written), ("state", self.snapshot is not None))
        return ("words", *(name for name, shown in more if shown))

    @property
    def spec(self) -> Mapping[str, Any]:
        """The address and request format, with the names of headers but not their values."""
        parts = urlsplit(self.settings.http)
        return {
            "http": f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}",
            "method": self.settings.method,
            "model": self.settings.model,
            "request": redact_data(self.settings.request, self.secrets),
            "reply": {name: list(map(str, path)) for name, path in self.reply.items()},
            "headers": sorted(self.settings.headers),
        }

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        """Run the case turn by turn."""
        return await drive(case, lambda: self.begin(case, sample=sample), target=self.name)

    def begin(self, case: Case, *, sample: int = 0) -> Conversation:
        """Begin a conversation turn by turn."""
        return _Conversation(self, case, sample)


class _Conversation:
    """The messages so far and their session."""

    def __init__(self, target: HttpTarget, case: Case, sample: int) -> None:
        self._target = target
        self._messages = list(case.history)
        self._turns = 0
        self._fixed: dict[str, Any] = {
            "world": uuid.uuid4().hex,
            "history": chat_messages(case.history),
            "inputs": case.inputs,
            "page": case.page,
            "sample": sample,
            "case": {
                "id": case.id,
                "intent": case.intent,
                "tags": list(case.tags),
                "description": case.description,
                "metadata": case.metadata,
            },
        }
        self._begin_session()

    def _begin_session(self) -> None:
        self.session = str(self._target.session({**self._fixed, "session": uuid.uuid4().hex}))

    @property
    def _beside(self) -> dict[str, Any]:
        """The values for a request beside the conversation."""
        messages = chat_messages(self._messages)
        return {**self._fixed, "text": "", "session": self.session, "messages": messages, "turn": self._turns}

    async def plant(self, plant: Plant) -> None:
        """Ask the agent to put a text into its world; a status that refuses it is a ``ValueError``."""
        call = self._target.plant
        if call is None:
            raise AnswerError("the target has no request `plant`", hint="add `plant: {http: …}` to its settings")
        given = {"channel": plant.channel, "at": plant.at, "text": plant.text}
        reply = await self._send({**self._beside, "plants": [given]}, call)
        if reply.status in _REFUSALS:
            said = self._safe(reply.body[:500].decode(errors="replace")).strip()
            raise ValueError(f"the agent answered with status {reply.status}{f': {said}' if said else ''}")
        if not 200 <= reply.status < 300:
            raise self._target_error(f"the agent answered with status {reply.status}", reply, hint=None)

    async def snapshot(self) -> Snapshot | None:
        """Ask the agent for its state."""
        call = self._target.snapshot
        if call is None:
            return None
        reply = await self._send(self._beside, call)
        if not 200 <= reply.status < 300:
            raise self._target_error(f"the agent answered with status {reply.status}", reply, hint=None)
        try:
            return tables_of(json.loads(reply.body), call.reply)
        except (ValueError, RecursionError) as error:
            raise self._target_error(f"the state is not JSON: {error}", reply, hint=None) from None

    async def new_session(self) -> None:
        """Begin a new session: another id, and no messages before."""
        target = self._target
        if not target.settings.names & set(_OF_SESSION):
            hint = "put {{ session }} or {{ messages }} into the request"
            raise AnswerError("no session id is sent to the agent, so no new session can begin", hint=hint)
        if (target.plant or target.snapshot) and "world" not in target.settings.names:
            hint = "put {{ world }} into `request`, `headers` or the address"
            raise AnswerError("a new session would be a new world: the agent knows its world by the session", hint=hint)
        self._messages = []
        self._fixed["history"] = []
        self._begin_session()

    async def say(self, text: str) -> Turn:
        self._messages.append(Message(role="user", content=text))
        values = {
            **self._fixed,
            "text": text,
            "session": self.session,
            "messages": chat_messages(self._messages),
            "turn": self._turns,
        }
        reply = await self._send(values)
        try:
            turn = self._read(reply, text)
        except AnswerError as error:
            raise self._target_error(error.message, reply, hint=error.hint) from None
        self._messages.append(Message(role="assistant", content=turn.answer))
        self._turns += 1
        return turn

    async def _send(self, values: Mapping[str, Any], call: WorldCall | None = None) -> HttpReply:
        """Send one request, and retry a few times if the agent asks to wait."""
        target, settings = self._target, self._target.settings
        method = call.method if call else settings.method
        fill = call.body if call else target.body
        body = None if method == "GET" or fill is None else dumps(fill(values))
        headers = _checked(target.headers(values))
        url = str(call.url(values) if call else target.url(values))
        for attempt in range(settings.retries + 1):
            try:
                reply = await target.http.request(method, url, headers=headers, body=body, timeout=settings.timeout)
            except ModelError as error:
                kind: Literal["timeout", "target"] = "timeout" if isinstance(error, TimedOutError) else "target"
                raw = self._safe(getattr(error, "raw", "")) or None
                raise AnswerError(self._safe(error.message), kind=kind, raw=raw, hint=error.hint) from None
            wait = _wait(reply, attempt)
            if reply.status not in _RETRY_STATUSES or attempt == settings.retries or wait > _MAX_WAIT_SECONDS:
                return reply
            await asyncio.sleep(wait)
        raise AssertionError("unreachable: the last attempt returns")

    def _read(self, reply: HttpReply, asked: str) -> Turn:
        if not 200 <= reply.status < 300:
            raise AnswerError(f"the agent answered with status {reply.status}", hint=_status_mend(reply.status))
        found = self._streamed(reply) if is_stream(reply) else self._found(reply)
        if (session := found.pop("session", None)) is not None:
            self.session = str(session)
        found["answer"] = _words(found.get("answer"))
        found["latency"] = reply.latency
        return turn_of(found, asked)

    def _found(self, reply: HttpReply) -> dict[str, Any]:
        try:
            data = json.loads(reply.body)
        except (ValueError, RecursionError) as error:
            raise AnswerError(f"the reply is not JSON: {error}") from None
        found: dict[str, Any] = {}
        for name, path in self._target.reply.items():
            try:
                found[name] = find(data, path)
            except PathMissingError as error:
                if name == "answer":
                    raise AnswerError(f"the answer was not found: {error}", hint="check `reply.answer`") from None
        return found

    def _streamed(self, reply: HttpReply) -> dict[str, Any]:
        settings = self._target.settings
        paths = dict(self._target.reply)
        if settings.request is None:
            own = settings.reply
            paths.update({name: path for name, path in STREAM_PATHS.items() if getattr(own, name, None) is None})
        streamed = read_stream(reply, paths, whole=settings.stream == "whole")
        return {**streamed.found, "first_token": streamed.first_token}

    def _target_error(self, message: str, reply: HttpReply, *, hint: str | None) -> AnswerError:
        raw = reply.body[:64_000].decode(errors="replace")
        # Redact before truncating: half a secret is still one.
        return AnswerError(self._safe(message), raw=self._safe(raw)[:LONGEST_RAW], hint=hint)

    def _safe(self, text: str) -> str:
        return redact(text, self._target.secrets)


def _words(value: Any) -> str:
    """Return the answer as text: a content list is joined; an answer with only tool calls is empty."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in value]
        texts = [part for part in parts if isinstance(part, str)]
        if len(texts) == len(parts):
            return "\n".join(texts)
    raise AnswerError(f"the answer is {type(value).__name__}, not text", hint="check `reply.answer`")


def _wait(reply: HttpReply, attempt: int) -> float:
    """Return the seconds to wait: what the agent requests, or a doubling wait."""
    asked = reply.headers.get("retry-after", "").strip()
    if asked.replace(".", "", 1).isdigit():
        return float(asked)
    if asked:
        try:
            when = parsedate_to_datetime(asked)
        except ValueError:
            return float(0.5 * 2**attempt)
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        return max(0.0, (when - datetime.now(UTC)).total_seconds())
    return float(0.5 * 2**attempt)


def _status_mend(status: int) -> str | None:
    hints = {
        401: "check the key in the target's headers",
        403: "check the key in the target's headers",
        404: "check the address of the target",
        405: "check the target's `method`",
        429: "run with fewer cases in flight (-j), or raise the agent's limit",
    }
    return hints.get(status)


def _checked(headers: Mapping[str, Any]) -> dict[str, str]:
    for name, value in headers.items():
        if "\r" in str(value) or "\n" in str(value):
            raise AnswerError(f"the header {name} cannot hold a line break")
    return {"Content-Type": "application/json", **{name: str(value) for name, value in headers.items()}}


def connect(kit: Kit) -> HttpTarget:
    """An agent behind HTTP: OpenAI chat format, or any JSON request and reply."""
    settings = decode(TargetHttpSettings, kit.settings, strict=True)
    check_settings(settings)
    return HttpTarget(
        name=kit.name,
        settings=settings,
        http=kit.http,
        url=compile_template(settings.http, NAMES, ("http",), quote=_quoted),
        body=compile_template(request_of(settings), NAMES, ("request",)),
        headers=compile_template(settings.headers, NAMES, ("headers",)),
        session=compile_template(settings.session or "{{ session }}", (*NAMES[3:], "session"), ("session",)),
        reply=reply_paths(settings),
        secrets=secrets_in(settings),
        plant=_beside(settings.plant, "plant"),
        snapshot=_beside(settings.snapshot, "snapshot"),
    )


def _beside(settings: WorldRequest | None, key: str) -> WorldCall | None:
    if settings is None:
        return None
    names = (*NAMES, "plants") if key == "plant" else NAMES
    return compile_request(settings, names, key, quote=_quoted)


def _quoted(text: str) -> str:
    return quote(text, safe="", errors="replace")
