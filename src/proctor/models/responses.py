"""The responses API of OpenAI and Azure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.core.chat import Message, Reply, Request, Tool, ToolCall, Usage
from proctor.core.codec import dumps
from proctor.models.json_mode import is_object_schema, plain_name, strict_schema, with_instruction
from proctor.models.openai_settings import OpenAISettings, Provider
from proctor.models.transcript import read_call, settled
from proctor.models.wire import Wire, count, merged, sampling

__all__ = ["Responses"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Responses:
    """A model behind a responses API.

    The API has no stop sequences: the answer is cut at the first of them here. It has no seed either, so a
    request's seed is left out. Nothing is stored on the server (``store: false``).
    """

    name: str
    provider: Provider = field(repr=False)
    settings: OpenAISettings
    spec: Mapping[str, Any] = field(repr=False)
    wire: Wire = field(repr=False, compare=False)

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request."""
        data, latency = await self.wire.post(self.payload(request))
        return self._read(data, latency, request.sampling.stop or self.settings.stop)

    def payload(self, request: Request) -> dict[str, Any]:
        """Return the JSON body of a request."""
        settings = self.settings
        drawn = sampling(request, settings)
        messages, wanted = request.messages, None
        if request.schema is not None:
            messages, wanted = self._asked_for_json(request, request.schema)
        payload: dict[str, Any] = {
            "model": settings.model,
            "input": [item for message in settled(messages) for item in _items(message)],
            "store": False,
        }
        optional = {
            "temperature": drawn.temperature,
            "top_p": drawn.top_p,
            "max_output_tokens": drawn.max_tokens,
            "tools": [_tool(tool) for tool in request.tools] or None,
            "text": {"format": wanted} if wanted else None,
        }
        payload.update((key, value) for key, value in optional.items() if value is not None)
        return merged(merged(payload, settings.body), drawn.extra)

    def _asked_for_json(
        self, request: Request, schema: Mapping[str, Any]
    ) -> tuple[tuple[Message, ...], dict[str, Any] | None]:
        mode = self.settings.structured
        if mode == "native" and (self.provider.any_schema or is_object_schema(schema)):
            name = plain_name(request.schema_name)
            sent, strict = strict_schema(schema, keep_lengths=self.provider.keeps_lengths)
            return request.messages, {"type": "json_schema", "name": name, "schema": sent, "strict": strict}
        wanted = {"type": "json_object"} if mode == "json_object" and is_object_schema(schema) else None
        return with_instruction(request.messages, schema), wanted

    def _read(self, data: Mapping[str, Any], latency: float, stops: tuple[str, ...]) -> Reply:
        output = data.get("output")
        if not isinstance(output, list):
            self.wire.unusable("an answer without output", data)
        if data.get("status") in ("failed", "cancelled"):
            self.wire.unusable(f"the answer {data['status']}", data)
        text, refusal, calls = _content(output)
        finish = _finish(data, calls)
        if refusal and not text:
            text, finish = refusal, "refusal"
        if not output and finish == "stop":
            self.wire.unusable("an answer without output", data)
        usage = data.get("usage")
        extra = {"id": data["id"]} if isinstance(data.get("id"), str) else {}
        return Reply(
            text=_cut(text, stops),
            tool_calls=calls,
            usage=_usage(usage if isinstance(usage, Mapping) else {}),
            finish=finish,
            latency=latency,
            model=str(data.get("model") or self.settings.model),
            extra=extra,
        )


def _items(message: Message) -> Iterator[dict[str, Any]]:
    """Yield the input items of one message."""
    if message.role == "tool":
        yield {"type": "function_call_output", "call_id": message.tool_call_id or "", "output": message.content}
        return
    if message.content or not message.tool_calls:
        yield {"role": message.role, "content": message.content}
    for call in message.tool_calls:
        arguments = dumps(call.arguments).decode()
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}


def _tool(tool: Tool) -> dict[str, Any]:
    # Unlike chat completions, this API makes tools strict by default.
    said: dict[str, Any] = {
        "type": "function",
        "name": tool.name,
        "parameters": tool.parameters or {"type": "object", "properties": {}},
        "strict": False,
    }
    if tool.description:
        said["description"] = tool.description
    return said


def _content(output: list[Any]) -> tuple[str, str, tuple[ToolCall, ...]]:
    """Return the text, the refusal and the tool calls among the output items."""
    texts: list[str] = []
    refusals: list[str] = []
    calls: list[ToolCall] = []
    for item in output:
        kind = item.get("type") if isinstance(item, Mapping) else None
        if kind == "function_call":
            calls.append(read_call(item.get("name"), item.get("arguments"), item.get("call_id")))
        elif kind == "message" and isinstance(item.get("content"), list):
            for part in item["content"]:
                if isinstance(part, Mapping):
                    texts.append(str(part.get("text") or "") if part.get("type") == "output_text" else "")
                    refusals.append(str(part.get("refusal") or ""))
    return "".join(texts), "".join(refusals), tuple(calls)


def _finish(data: Mapping[str, Any], calls: tuple[ToolCall, ...]) -> str:
    if data.get("status") == "incomplete":
        details = data.get("incomplete_details")
        reason = str(details.get("reason") or "incomplete") if isinstance(details, Mapping) else "incomplete"
        return {"max_output_tokens": "length"}.get(reason, reason)
    return "tool_calls" if calls else "stop"


def _usage(told: Mapping[str, Any]) -> Usage:
    asked, answered = told.get("input_tokens_details"), told.get("output_tokens_details")
    return Usage(
        input=count(told.get("input_tokens")),
        output=count(told.get("output_tokens")),
        cached_input=count(asked.get("cached_tokens")) if isinstance(asked, Mapping) else 0,
        reasoning=count(answered.get("reasoning_tokens")) if isinstance(answered, Mapping) else 0,
    )


def _cut(text: str, stops: tuple[str, ...]) -> str:
    ends = [at for stop in stops if stop and (at := text.find(stop)) >= 0]
    return text[: min(ends)] if ends else text
