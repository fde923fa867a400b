"""Anthropic's messages API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proctor.core.chat import Message, Reply, Request, Tool, ToolCall, Usage
from proctor.core.codec import dumps
from proctor.core.sockets import Kit, Model
from proctor.models.json_mode import answer_tool, is_object_schema, with_instruction
from proctor.models.settings import HttpSettings, address, find_key, read_settings, spec_of
from proctor.models.transcript import FAILED, plain_id, read_call, settled
from proctor.models.wire import Wire, count, merged, open_wire, sampling

__all__ = ["Anthropic", "AnthropicSettings", "anthropic"]

_VERSION = "2023-06-01"
_MAX_TOKENS = 1024
_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicSettings(HttpSettings):
    """Settings of a Claude model; ``structured: native`` requests JSON by a tool that the model has to call."""

    structured: Literal["native", "prompt"] = "native"
    version: str = _VERSION


def anthropic(kit: Kit) -> Model:
    """Anthropic's Claude models."""
    settings = read_settings(AnthropicSettings, kit)
    where = address(kit, settings.base_url or kit.env("ANTHROPIC_BASE_URL") or "https://api.anthropic.com")
    key, source = find_key(kit, settings, default_env="ANTHROPIC_API_KEY", required=True)
    wire = open_wire(
        kit,
        settings,
        who=f"anthropic:{settings.model}",
        url=where.at("/messages" if where.shown.endswith("/v1") else "/v1/messages"),
        headers={**where.headers, **({"x-api-key": key} if key else {}), "anthropic-version": settings.version},
        secrets=where.secrets,
        hints={"key": f"check the key in {source}", "model": "check `model` and `base_url`"},
    )
    spec = spec_of(
        settings,
        provider="anthropic",
        base_url=where.shown,
        api="messages",
        structured=settings.structured,
        version=settings.version,
    )
    return Anthropic(name=wire.who, settings=settings, spec=spec, wire=wire)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anthropic:
    """A model behind the messages API.

    JSON is requested natively by a tool with the schema as its input, which the model must call; its input
    is returned as the reply's text. With ``structured: prompt``, or for a schema that is not of an object,
    the instruction to answer in JSON is added to the messages. The API has no seed.
    """

    name: str
    settings: AnthropicSettings
    spec: Mapping[str, Any] = field(repr=False)
    wire: Wire = field(repr=False, compare=False)

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request."""
        data, latency = await self.wire.post(self.payload(request))
        return self._read(data, latency, answer_tool(request) if self._by_tool(request) else None)

    def payload(self, request: Request) -> dict[str, Any]:
        """Return the JSON body of a request."""
        settings = self.settings
        drawn = sampling(request, settings)
        messages = request.messages
        tools = [_tool(tool) for tool in request.tools]
        choice: dict[str, Any] | None = None
        if request.schema is not None and self._by_tool(request):
            name = answer_tool(request)
            tools.append({"name": name, "description": "Give the answer.", "input_schema": request.schema})
            choice = self._choice(name, alone=not request.tools)
        elif request.schema is not None:
            messages = with_instruction(messages, request.schema)
        payload: dict[str, Any] = {
            "model": settings.model,
            "max_tokens": drawn.max_tokens or _MAX_TOKENS,
            "messages": _turns(settled(messages)),
        }
        optional = {
            "system": "\n\n".join(m.content for m in messages if m.role == "system" and m.content) or None,
            "temperature": drawn.temperature,
            "top_p": drawn.top_p,
            "stop_sequences": list(drawn.stop) or None,
            "tools": tools or None,
            "tool_choice": choice,
        }
        payload.update((key, value) for key, value in optional.items() if value is not None)
        return merged(merged(payload, settings.body), drawn.extra)

    def _by_tool(self, request: Request) -> bool:
        return self.settings.structured == "native" and request.schema is not None and is_object_schema(request.schema)

    def _choice(self, name: str, *, alone: bool) -> dict[str, Any]:
        """Return the tool choice: the answer's tool, or any if the caller has tools of its own."""
        thinking = self.settings.body.get("thinking")
        if isinstance(thinking, Mapping) and thinking.get("type") != "disabled":
            return {"type": "auto"}  # a model that thinks must not be forced to call a tool
        return {"type": "tool", "name": name} if alone else {"type": "any"}

    def _read(self, data: Mapping[str, Any], latency: float, answers_by: str | None) -> Reply:
        blocks = data.get("content")
        if not isinstance(blocks, list):
            self.wire.unusable("an answer without content", data)
        text, thought, calls, answer = _content(blocks, answers_by)
        reason = str(data.get("stop_reason") or "unknown")
        finish = _FINISH.get(reason, reason)
        if answer is not None:
            text = answer
            finish = "stop" if finish == "tool_calls" and not calls else finish
        told = data.get("usage")
        told = told if isinstance(told, Mapping) else {}
        extra = {"id": data.get("id"), "reasoning": thought, "cache_write": count(told.get(_WRITTEN))}
        return Reply(
            text=text,
            tool_calls=calls,
            usage=_usage(told),
            finish=finish,
            latency=latency,
            model=str(data.get("model") or self.settings.model),
            extra={key: value for key, value in extra.items() if value},
        )


def _turns(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Convert messages to alternating user and assistant turns: neighbours of the same role are merged."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        side = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if turns and turns[-1]["role"] == side:
            turns[-1]["content"].extend(blocks)
        else:
            turns.append({"role": side, "content": blocks})
    return turns


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        result: dict[str, Any] = {"type": "tool_result", "tool_use_id": plain_id(message.tool_call_id)}
        if message.content:
            result["content"] = message.content
        if message.extra.get(FAILED):
            result["is_error"] = True
        return [result]
    blocks: list[dict[str, Any]] = []
    if message.content or not message.tool_calls:
        blocks.append({"type": "text", "text": message.content})
    for call in message.tool_calls:
        blocks.append({"type": "tool_use", "id": plain_id(call.id), "name": call.name, "input": call.arguments})
    return blocks


def _tool(tool: Tool) -> dict[str, Any]:
    said: dict[str, Any] = {
        "name": tool.name,
        "input_schema": tool.parameters or {"type": "object", "properties": {}},
    }
    if tool.description:
        said["description"] = tool.description
    return said


def _content(blocks: list[Any], answers_by: str | None) -> tuple[str, str, tuple[ToolCall, ...], str | None]:
    """Return the text, the reasoning, the tool calls, and the input of the answer's own tool."""
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[ToolCall] = []
    answer: str | None = None
    for block in blocks:
        kind = block.get("type") if isinstance(block, Mapping) else None
        if kind == "text":
            texts.append(str(block.get("text") or ""))
        elif kind == "thinking":
            thoughts.append(str(block.get("thinking") or ""))
        elif kind == "tool_use" and block.get("name") == answers_by:
            answer = dumps(block.get("input")).decode()
        elif kind == "tool_use":
            calls.append(read_call(block.get("name"), block.get("input"), block.get("id")))
    return "".join(texts), "".join(thoughts), tuple(calls), answer


_READ, _WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"


def _usage(told: Mapping[str, Any]) -> Usage:
    # The API counts cached tokens separately; here ``input`` is all input tokens, as for other providers.
    read = count(told.get(_READ))
    return Usage(
        input=count(told.get("input_tokens")) + read + count(told.get(_WRITTEN)),
        output=count(told.get("output_tokens")),
        cached_input=read,
    )
