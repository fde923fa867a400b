"""Messages between an agent and a server of tools (MCP): calls are judged, results scanned, the rest left as it is."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.codec import dumps
from proctor.core.verdict import Verdict
from proctor.guard.session import Session
from proctor.guard.step import Step
from proctor.server.conversation import put
from proctor.server.frames import Slot, listed
from proctor.server.strict_json import read_json
from proctor.wiring.guard import Guard
from proctor.wiring.guard_serving import McpSettings

__all__ = ["Gateway", "Passed"]

_MOST_PENDING: Final = 10_000
_SCANNED: Final = frozenset({"tools/call", "resources/read", "prompts/get"})
_NO_TEXT: Final = frozenset({"type", "mimeType", "uri", "blob", "role"})
_PARSE_ERROR, _REFUSED = -32700, -32000


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """What becomes of a message: the bytes that go on, and those that go back to where it came from."""

    on: bytes | None = None
    back: bytes | None = None


@dataclass(slots=True, kw_only=True)
class Gateway:
    """Stands between one agent and one server, for one session. Messages are JSON-RPC without their line ends."""

    guard: Guard
    session: Session
    settings: McpSettings = field(default_factory=McpSettings)
    pending: OrderedDict[bytes, tuple[str, str]] = field(default_factory=OrderedDict)

    async def from_agent(self, raw: bytes) -> Passed:
        """A message of the agent. What cannot be read is not passed on: the server might read it."""
        try:
            message = read_json(raw)
        except ValueError as error:
            return Passed(back=_error(None, _PARSE_ERROR, f"the message {error}"))
        messages = message if isinstance(message, list) else [message]
        refused: dict[int, Verdict] = {}
        for place, each in enumerate(messages):
            verdict = await self._asked(each)
            if verdict is not None:
                refused[place] = verdict
        if not refused:
            return Passed(on=raw)
        answers = [_refusal(each, refused.get(place)) for place, each in enumerate(messages)]
        told = [answer for answer in answers if answer is not None]
        return Passed(back=dumps(told if isinstance(message, list) else told[0]) if told else None)

    async def from_server(self, raw: bytes) -> Passed:
        """A message of the server. What is no JSON goes on as it is: no agent reads it either."""
        try:
            message = read_json(raw)
        except ValueError as error:
            if "twice" in str(error):
                return Passed(on=_error(None, _REFUSED, f"the server's message {error}"))
            return Passed(on=raw)
        messages = message if isinstance(message, list) else [message]
        changed, back = False, None
        for place, each in enumerate(messages):
            if isinstance(each, dict):
                made = await self._answered(each)
                if made is not None:
                    messages[place], changed = made, True
        if not isinstance(message, list) and changed and messages[0].get("method"):
            back = _error(messages[0].get("id"), _REFUSED, "refused by the guard")
            return Passed(back=back)
        return Passed(on=dumps(message if isinstance(message, list) else messages[0]) if changed else raw)

    def left(self, why: str) -> list[bytes]:
        """Errors for every request that will not be answered any more."""
        gone, self.pending = self.pending, OrderedDict()
        return [_error(read_json(id), _REFUSED, why) for id in gone]

    async def _asked(self, message: Any) -> Verdict | None:
        """The verdict that refuses a message of the agent; None when it goes on."""
        if not isinstance(message, dict):
            return None
        method, params = message.get("method"), message.get("params")
        params = params if isinstance(params, dict) else {}
        if method == "notifications/cancelled":
            self.pending.pop(dumps(params.get("requestId")), None)
        if "id" not in message or not isinstance(method, str):
            # A call without an id asks for no answer, and would be made all the same.
            return await self._call(params) if method == "tools/call" else None
        if method == "tools/call":
            verdict = await self._call(params, message["id"])
            if verdict is not None:
                return verdict
        self.pending[dumps(message["id"])] = (method, str(params.get("name") or params.get("uri") or ""))
        while len(self.pending) > _MOST_PENDING:
            self.pending.popitem(last=False)
        return None

    async def _call(self, params: dict[str, Any], id: Any = None) -> Verdict | None:
        meta = params["_meta"] if isinstance(params.get("_meta"), dict) else {}
        arguments = params.get("arguments")
        if arguments is not None and not isinstance(arguments, dict):
            return Verdict(action="block", gate="tool_call", reason="the arguments are not an object", broken=True)
        intents = tuple(str(each) for each in listed(meta.get("proctor/intents"))) or self.settings.intents
        verdict = await self.session.tool_call(
            str(params.get("name") or ""),
            arguments or {},
            intents=intents,
            confirmed=meta.get("proctor/confirmed") is True,
            id=str(id) if id is not None else None,
        )
        return None if verdict.action == "allow" else verdict

    async def _answered(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """A message of the server as it goes on; None when nothing of it changes."""
        if isinstance(message.get("method"), str):
            if message["method"] != "sampling/createMessage" or not isinstance(message.get("params"), dict):
                return None
            verdict = await self._scanned("sampling", list(_texts(message["params"].get("messages"))), None)
            return message if verdict is not None else None
        method, name = self.pending.pop(dumps(message.get("id")), ("", ""))
        result = message.get("result")
        if not isinstance(result, dict):
            return None
        if method == "tools/list" or (not method and isinstance(result.get("tools"), list)):
            return await self._listed(message, result)
        if method and method not in _SCANNED:
            return None
        keys = ("content", "contents", "messages")
        slots = [slot for key in keys for slot in _texts(result.get(key))]
        slots += _texts(result.get("structuredContent"), plain=False)
        verdict = await self._scanned(name or "tool", slots, message.get("id"))
        if verdict is None:
            return None
        if verdict.action != "redact":
            message["result"] = _withheld(method, result, self.session.refusal(verdict), verdict)
        return message

    async def _scanned(self, name: str, slots: Sequence[Slot], id: Any) -> Verdict | None:
        """The verdict on what a server says, when it changes anything; what it masks is masked in place."""
        text = "\n".join(slot.text for slot in slots)
        if not text.strip():
            return None
        verdict = await self.session.tool_result(name, text, id=str(id) if id is not None else None)
        if verdict.action == "allow":
            return None
        if verdict.action == "redact" and verdict.text is not None and not put(slots, verdict.text):
            return None
        return verdict

    async def _listed(self, message: dict[str, Any], result: dict[str, Any]) -> dict[str, Any] | None:
        """The list of tools without those that the matrix lets nobody call for these intents."""
        if not self.settings.hide:
            return None
        tools = listed(result.get("tools"))
        kept = [tool for tool in tools if not isinstance(tool, dict) or await self._may_call(str(tool.get("name")))]
        if len(kept) == len(tools):
            return None
        result["tools"] = kept
        return message

    async def _may_call(self, name: str) -> bool:
        chain = self.guard.plan.chains.get("tool_call")
        step = Step(
            point="tool_call", call=ToolCall(name=name), intents=self.settings.intents, memory=self.session.memory
        )
        gates = [post.gate for post in (chain.posts if chain else ()) if post.gate.name == "permissions"]
        return all([(await gate.check(step)).action == "allow" for gate in gates])


def _texts(value: Any, *, plain: bool = True) -> Iterator[Slot]:
    """Every text in some content; with ``plain``, not what is data in letters: pictures, sounds, kinds, addresses."""
    places = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    sound = isinstance(value, dict) and value.get("type") in ("image", "audio")
    for key, each in places:
        if not isinstance(each, str):
            yield from _texts(each, plain=plain)
        elif not plain or (key not in _NO_TEXT and not (key == "data" and sound)):
            yield Slot("", value, key)


def _withheld(method: str, result: dict[str, Any], reply: str, verdict: Verdict) -> dict[str, Any]:
    """What the agent reads instead of a result; what newer protocols want beside its content is kept."""
    kept = {key: value for key, value in result.items() if key in ("resultType", "ttlMs", "cacheScope")}
    text = f"{reply} (withheld by the guard: {verdict.reason})"
    if method == "resources/read":
        return {**kept, "contents": [{"uri": "proctor:withheld", "mimeType": "text/plain", "text": text}]}
    if method == "prompts/get":
        return {**kept, "messages": [{"role": "user", "content": {"type": "text", "text": text}}]}
    return {**_told(text), **kept}


def _refusal(message: Any, verdict: Verdict | None) -> dict[str, Any] | None:
    """What answers a message that is not passed on; nothing answers one that asks for no answer."""
    if not isinstance(message, dict) or "id" not in message:
        return None
    if verdict is None:
        told = {"code": _REFUSED, "message": "not sent: another message of the same batch was refused"}
        return {"jsonrpc": "2.0", "id": message["id"], "error": told}
    params = message["params"] if isinstance(message.get("params"), dict) else {}
    text = f"The call of {params.get('name')} was refused: {verdict.reason}"
    return {"jsonrpc": "2.0", "id": message["id"], "result": _told(text)}


def _told(text: str) -> dict[str, Any]:
    """A failure as the result of a call; older protocols do not know ``resultType``, newer ones need it."""
    return {"content": [{"type": "text", "text": text}], "isError": True, "resultType": "complete"}


def _error(id: Any, code: int, message: str) -> bytes:
    return dumps({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
