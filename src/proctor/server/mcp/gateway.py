"""The MCP gateway: check tool calls of the agent and every string of the server."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.verdict import Verdict
from proctor.guard.session import Session
from proctor.server.mcp.lists import DroppedTools, Lists
from proctor.server.mcp.messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    REFUSED,
    cause,
    error,
    id_key,
    is_id,
    message_ids,
    problem,
    read_message,
    written,
)
from proctor.server.mcp.scan import Scanner
from proctor.server.wire.stream_events import listed
from proctor.wiring.guard import Guard
from proctor.wiring.server_settings import McpSettings

__all__ = ["Gateway", "Passed", "State", "new_state"]

_MOST_PENDING: Final = 10_000
_LARGE: Final = 1_000_000  # bytes; larger messages are parsed in a thread
_REMEMBERED: Final = frozenset({"tools/call", "resources/read", "prompts/get"})  # later calls may depend on them
_GUARD: Final = "refused by the guard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """The outcome of a message: what is forwarded, and what is returned to the sender.

    ``errors`` are separate messages to the agent, for requests whose answer cannot be read.
    """

    on: bytes | None = None
    back: bytes | None = None
    errors: tuple[bytes, ...] = ()


@dataclass(slots=True, kw_only=True)
class State:
    """The state of one session: its steps, verdicts on texts of its server, dropped tools."""

    session: Session
    scanner: Scanner
    dropped: DroppedTools = field(default_factory=DroppedTools)


def new_state(guard: Guard, settings: McpSettings) -> State:
    """Return the state of a new session."""
    session = guard.session(customer=settings.customer)
    return State(session=session, scanner=Scanner(guard=guard, session=session))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A pending request of the agent."""

    id: Any
    method: str
    name: str


class Gateway:
    """The gateway between an agent and a server on one connection. Messages are JSON-RPC without line ends.

    Forwarded messages are serialized again from the parsed data, so that both readers see the same.
    """

    def __init__(
        self,
        *,
        guard: Guard,
        session: Session | None = None,
        settings: McpSettings | None = None,
        state: State | None = None,
    ) -> None:
        self.guard, self.settings = guard, settings or McpSettings()
        if state is None and session is not None:
            state = State(session=session, scanner=Scanner(guard=guard, session=session))
        self.state = state or new_state(guard, self.settings)
        self.lists = Lists(guard=guard, settings=self.settings, scanner=self.state.scanner, dropped=self.state.dropped)
        self.pending: OrderedDict[Hashable, _Asked] = OrderedDict()

    async def from_agent(self, raw: bytes) -> Passed:
        """Process a message of the agent. Unreadable parts get an error; the rest of a batch is forwarded."""
        try:
            message = await _read(raw)
        except ValueError as failure:
            ids = dict.fromkeys(message_ids(raw).requests) or (None,)
            answers = [error(id, PARSE_ERROR, f"the message {failure}") for id in ids]
            return Passed(back=written(answers if len(answers) > 1 else answers[0]))
        on: list[Any] = []
        back: list[Any] = []
        for each in message if isinstance(message, list) else [message]:
            goes, answer = await self._asked(each)
            if goes:
                on.append(each)
            elif answer is not None:
                back.append(answer)
        return Passed(on=_put_together(message, on), back=_put_together(message, back))

    async def from_server(self, raw: bytes) -> Passed:
        """Process a message of the server. If unreadable, each request it may answer gets an error."""
        try:
            message = await _read(raw)
        except ValueError as failure:
            return self._unreadable(raw, failure)
        on: list[Any] = []
        back: list[Any] = []
        for each in message if isinstance(message, list) else [message]:
            goes, answer = await self._told(each)
            if goes is not None:
                on.append(goes)
            if answer is not None:
                back.append(answer)
        return Passed(on=_put_together(message, on), back=_put_together(message, back))

    async def document(self, raw: bytes) -> bytes | None:
        """Return a document of the server that is not a message, as forwarded; None if it is stopped."""
        try:
            read = await _read(raw)
        except ValueError:
            return None
        return written(read) if await self.state.scanner.scan(read, "document") else None

    def left(self, why: str) -> list[bytes]:
        """Return errors for all pending requests that will not be answered."""
        gone, self.pending = self.pending, OrderedDict()
        return [written(error(each.id, REFUSED, why)) for each in gone.values()]

    def _unreadable(self, raw: bytes, failure: ValueError) -> Passed:
        seen, why = message_ids(raw), f"the server's message {cause(failure)}"
        hit = [key for id in seen.answers if (key := id_key(id)) in self.pending]
        if seen.unknown and not hit:
            hit = list(self.pending)
        gone = [asked for key in dict.fromkeys(hit) if (asked := self.pending.pop(key, None)) is not None]
        known: Sequence[Any] = [each.id for each in gone] or [None]
        # Requests of the server need an answer too; only those that are certainly requests get one.
        requests = [id for id in seen.requests if id not in seen.answers]
        back = [error(id, PARSE_ERROR, f"the message {cause(failure)}") for id in requests]
        return Passed(
            errors=tuple(written(error(id, PARSE_ERROR, why)) for id in known),
            back=written(back if len(back) > 1 else back[0]) if back else None,
        )

    async def _asked(self, message: Any) -> tuple[bool, dict[str, Any] | None]:
        """Return whether a message of the agent is forwarded, and the answer if it is not."""
        wrong = problem(message)
        if wrong is not None:
            return False, error(
                message.get("id") if isinstance(message, dict) else None, INVALID_REQUEST, f"it {wrong}"
            )
        method, params, id = message.get("method"), message.get("params"), message.get("id")
        if method is None:
            return True, None
        if method == "tools/call":
            verdict = await self._call(params, id)
            if verdict is not None:
                return False, _refusal(message, verdict)
        params = params if isinstance(params, dict) else {}
        if method == "notifications/cancelled":
            self.pending.pop(id_key(params.get("requestId")), None)
        if "id" in message:
            name = str(params.get("name") or params.get("uri") or "")
            self.pending[id_key(id)] = _Asked(id, method, name)
            while len(self.pending) > _MOST_PENDING:
                self.pending.popitem(last=False)
        return True, None

    async def _call(self, params: Any, id: Any) -> Verdict | None:
        """Return the verdict that refuses a call; None if it is forwarded."""
        if not isinstance(params, dict) or not isinstance(params.get("name"), str):
            return _broken("the call does not name a tool")
        meta = params["_meta"] if isinstance(params.get("_meta"), dict) else {}
        arguments = params.get("arguments")
        if arguments is not None and not isinstance(arguments, dict):
            return _broken("the arguments are not an object")
        if params["name"] in self.state.dropped:
            return _broken("its description was stopped by the guard, so it was removed from the list of tools")
        verdict = await self.state.session.tool_call(
            params["name"],
            arguments or {},
            intents=tuple(str(each) for each in listed(meta.get("proctor/intents"))) or self.settings.intents,
            confirmed=meta.get("proctor/confirmed") is True,
            id=str(id) if id is not None else None,
        )
        return None if verdict.action == "allow" else verdict

    async def _told(self, message: Any) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        """Return a message of the server as forwarded, and the answer to the server, if any."""
        if isinstance(message, dict):
            _without_nulls(message)
        wrong = problem(message)
        id = message.get("id") if isinstance(message, dict) else None
        asked = self.pending.get(id_key(id)) if is_id(id) else None
        if wrong is not None:
            self.pending.pop(id_key(id), None)
            return error(asked.id if asked else None, INVALID_REQUEST, f"the server's message {wrong}"), None
        if "method" in message:
            if await self.state.scanner.scan(message, message["method"][:60]):
                return message, None
            return None, error(id, REFUSED, _GUARD) if is_id(id) else None
        self.pending.pop(id_key(id), None)
        return await self._answered(message, asked), None

    async def _answered(self, message: dict[str, Any], asked: _Asked | None) -> dict[str, Any]:
        method, result = asked.method if asked else "", message.get("result")
        own = {(id(message), "id")} if asked else set()  # the agent chose the id
        if isinstance(result, dict):
            own |= await self.lists.read(result)
        told_by = ToolCall(name=asked.name or "tool", id=str(asked.id)) if asked and method in _REMEMBERED else None
        call = told_by if isinstance(result, dict) else None
        if await self.state.scanner.scan(message, method or "tool", skip=own, call=call):
            return message
        reply = self.state.session.refusal(Verdict(action="block"))
        known = asked.id if asked else _plain_id(message.get("id"))
        if "error" in message:
            code = message["error"].get("code") if isinstance(message["error"], dict) else None
            return error(known, code if type(code) is int else REFUSED, "the server's error was withheld by the guard")
        return _withheld(known, method, result, f"{reply} (withheld by the guard)")


async def _read(raw: bytes) -> Any:
    return await asyncio.to_thread(read_message, raw) if len(raw) > _LARGE else read_message(raw)


def _put_together(message: Any, parts: list[Any]) -> bytes | None:
    """Return one message, or a batch if a batch came in."""
    if not parts:
        return None
    return written(parts if isinstance(message, list) else parts[0])


def _without_nulls(message: dict[str, Any]) -> None:
    """Remove a null error next to a result, or the reverse, which some servers send."""
    for one, other in (("result", "error"), ("error", "result")):
        if message.get(one) is not None and other in message and message[other] is None:
            del message[other]


def _plain_id(id: Any) -> Any:
    """Return an id that is unknown on this connection; ``None`` if it could contain text."""
    return id if not isinstance(id, str) or (len(id) <= 64 and " " not in id) else None


def _broken(reason: str) -> Verdict:
    return Verdict(action="block", gate="tool_call", reason=reason, broken=True)


def _refusal(message: dict[str, Any], verdict: Verdict) -> dict[str, Any] | None:
    """Return the answer to a refused call; none for a notification."""
    if "id" not in message:
        return None
    params = message.get("params")
    if not isinstance(params, dict):
        return error(message["id"], INVALID_PARAMS, verdict.reason)
    text = f"The call of {params.get('name')} was refused: {verdict.reason}"
    return {"jsonrpc": "2.0", "id": message["id"], "result": _told(text)}


def _withheld(id: Any, method: str, result: Any, text: str) -> dict[str, Any]:
    """Return the answer to a request with a text as its result, or an error if the result type has no text.

    ``method`` may be empty; then the type is inferred from the result.
    """
    shape = result if isinstance(result, dict) else {}
    made: dict[str, Any]
    if method == "resources/read" or (not method and "contents" in shape):
        made = {"contents": [{"uri": "proctor:withheld", "mimeType": "text/plain", "text": text}]}
        made |= {"resultType": "complete"} if "resultType" in shape else {}
        made |= {"ttlMs": 0} if "ttlMs" in shape else {}
        made |= {"cacheScope": "private"} if "cacheScope" in shape else {}
    elif method == "prompts/get" or (not method and "messages" in shape):
        made = {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
        made |= {"resultType": "complete"} if "resultType" in shape else {}
    elif method in ("tools/call", "tasks/result") or (not method and "content" in shape):
        made = _told(text)
    else:
        return error(id, REFUSED, text)
    return {"jsonrpc": "2.0", "id": id, "result": made}


def _told(text: str) -> dict[str, Any]:
    """Return a failed call result; newer protocols require ``resultType``, older ones ignore it."""
    return {"content": [{"type": "text", "text": text}], "isError": True, "resultType": "complete"}
