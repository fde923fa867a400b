"""The chat completions API of OpenAI and compatible servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.core.chat import Message, Reply, Request, Tool, ToolCall, Usage
from proctor.core.codec import dumps
from proctor.models.json_mode import is_object_schema, plain_name, strict_schema, with_instruction
from proctor.models.openai_settings import OpenAISettings, Provider
from proctor.models.transcript import read_call, settled
from proctor.models.wire import Wire, count, merged, sampling

__all__ = ["ChatCompletions"]

_FINISH = {"tool_calls": "tool_calls", "function_call": "tool_calls", "max_tokens": "length", "end_turn": "stop"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatCompletions:
    """A model behind a chat completions API.

    With ``structured: prompt`` or ``json_object``, or if the native mode does not support the schema, the
    instruction to answer in JSON is added to the messages here, where the server's abilities are known.
    """

    name: str
    provider: Provider = field(repr=False)
    settings: OpenAISettings
    spec: Mapping[str, Any] = field(repr=False)
    wire: Wire = field(repr=False, compare=False)

    @property
    def tells_cost(self) -> bool:
        """Whether each reply reports its cost."""
        return self.provider.tells_cost

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request."""
        data, latency = await self.wire.post(self.payload(request))
        return self._read(data, latency)

    def payload(self, request: Request) -> dict[str, Any]:
        """Return the JSON body of a request."""
        settings = self.settings
        drawn = sampling(request, settings, settings.seed)
        messages, wanted = request.messages, None
        if request.schema is not None:
            messages, wanted = self._asked_for_json(request, request.schema)
        payload: dict[str, Any] = {
            "model": settings.model,
            "messages": [_message(message) for message in settled(messages)],
        }
        optional = {
            "temperature": drawn.temperature,
            "top_p": drawn.top_p,
            settings.token_field or self.provider.limits_by: drawn.max_tokens,
            "stop": list(drawn.stop) or None,
            "seed": drawn.seed,
            "tools": [_tool(tool) for tool in request.tools] or None,
            "response_format": wanted,
        }
        payload.update((key, value) for key, value in optional.items() if value is not None)
        return merged(merged(payload, settings.body), drawn.extra)

    def _asked_for_json(
        self, request: Request, schema: Mapping[str, Any]
    ) -> tuple[tuple[Message, ...], dict[str, Any] | None]:
        mode = self.settings.structured
        if mode == "native" and (self.provider.any_schema or is_object_schema(schema)):
            sent, strict = strict_schema(schema, keep_lengths=self.provider.keeps_lengths)
            named = {"name": plain_name(request.schema_name), "schema": sent, "strict": strict}
            return request.messages, {"type": "json_schema", "json_schema": named}
        wanted = {"type": "json_object"} if mode == "json_object" and is_object_schema(schema) else None
        return with_instruction(request.messages, schema), wanted

    def _read(self, data: Mapping[str, Any], latency: float) -> Reply:
        choices = data.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, Mapping) else None
        if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
            self.wire.unusable("an answer without choices", data)
        if choice.get("error") and not message.get("content"):
            self.wire.unusable("an error in place of an answer", data)
        calls = _calls(message)
        text, finish = _text(message.get("content")), str(choice.get("finish_reason") or "unknown")
        finish = _FINISH.get(finish, finish)
        if calls and finish in ("stop", "unknown"):
            finish = "tool_calls"  # some servers report only "stop"
        if refusal := message.get("refusal"):
            text, finish = _text(refusal), "refusal"
        usage = data.get("usage")
        told = usage if isinstance(usage, Mapping) else {}
        return Reply(
            text=text,
            tool_calls=calls,
            usage=_usage(told),
            finish=finish,
            latency=latency,
            model=str(data.get("model") or self.settings.model),
            cost=_cost(told) if self.provider.tells_cost else None,
            extra=_extra(data, message),
        )


def _message(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.tool_call_id or "", "content": message.content}
    said: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.name:
        said["name"] = plain_name(message.name)
    if message.tool_calls:
        said["content"] = message.content or None
        said["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": dumps(call.arguments).decode()},
            }
            for call in message.tool_calls
        ]
    return said


def _tool(tool: Tool) -> dict[str, Any]:
    function: dict[str, Any] = {
        "name": tool.name,
        "parameters": tool.parameters or {"type": "object", "properties": {}},
    }
    if tool.description:
        function["description"] = tool.description
    return {"type": "function", "function": function}


def _calls(message: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    written = message.get("tool_calls")
    if not isinstance(written, list):
        return ()
    calls = []
    for call in written:
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            calls.append(read_call(function.get("name"), function.get("arguments"), call.get("id")))
    return tuple(calls)


def _text(content: object) -> str:
    """Return the text of a message, which some servers send in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return ""


def _usage(told: Mapping[str, Any]) -> Usage:
    asked, answered = told.get("prompt_tokens_details"), told.get("completion_tokens_details")
    return Usage(
        input=count(told.get("prompt_tokens")),
        output=count(told.get("completion_tokens")),
        cached_input=count(asked.get("cached_tokens")) if isinstance(asked, Mapping) else 0,
        reasoning=count(answered.get("reasoning_tokens")) if isinstance(answered, Mapping) else 0,
    )


def _cost(told: Mapping[str, Any]) -> float | None:
    cost = told.get("cost")
    return float(cost) if isinstance(cost, (int, float)) and not isinstance(cost, bool) and cost >= 0 else None


def _extra(data: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields worth keeping for debugging one answer."""
    kept = {key: data[key] for key in ("id", "system_fingerprint") if isinstance(data.get(key), str)}
    for key in ("reasoning_content", "reasoning"):
        if isinstance(thought := message.get(key), str) and thought:
            kept["reasoning"] = thought
            break
    return kept
