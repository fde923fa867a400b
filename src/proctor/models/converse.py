"""Bedrock's Converse format: build requests and parse replies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from proctor.core.chat import Message, Reply, Request, Sampling, ToolCall, Usage
from proctor.core.codec import dumps
from proctor.models.json_mode import answer_tool
from proctor.models.transcript import FAILED, plain_id, read_call, settled
from proctor.models.wire import count

__all__ = ["arguments", "reply"]

_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
}


def arguments(request: Request, messages: tuple[Message, ...], drawn: Sampling, *, by_tool: bool) -> dict[str, Any]:
    """Return the arguments of one Converse call; ``by_tool`` requests the schema by a tool that must be called."""
    call: dict[str, Any] = {"messages": _turns(settled(messages))}
    if system := [{"text": m.content} for m in messages if m.role == "system" and m.content]:
        call["system"] = system
    inference = {
        "maxTokens": drawn.max_tokens,
        "temperature": drawn.temperature,
        "topP": drawn.top_p,
        "stopSequences": list(drawn.stop) or None,
    }
    if told := {key: value for key, value in inference.items() if value is not None}:
        call["inferenceConfig"] = told
    tools = [_tool(tool.name, tool.description, tool.parameters) for tool in request.tools]
    choice: dict[str, Any] = {}
    if by_tool:
        name = answer_tool(request)
        choice = {"toolChoice": {"any": {}} if tools else {"tool": {"name": name}}}
        tools.append(_tool(name, "Give the answer.", request.schema or {}))
    if tools:
        call["toolConfig"] = {"tools": tools, **choice}
    if drawn.extra:
        call["additionalModelRequestFields"] = _plain(drawn.extra)
    return call


def reply(data: Mapping[str, Any], *, answers_by: str | None, model: str, latency: float) -> Reply | None:
    """Parse the reply in a Converse answer; ``None`` if it has no message."""
    output = data.get("output")
    message = output.get("message") if isinstance(output, Mapping) else None
    blocks = message.get("content") if isinstance(message, Mapping) else None
    if not isinstance(blocks, list):
        return None
    text, calls, answer = _content(blocks, answers_by)
    reason = str(data.get("stopReason") or "unknown")
    finish = _FINISH.get(reason, reason)
    if answer is not None:
        text = answer
        finish = "stop" if finish == "tool_calls" and not calls else finish
    told = data.get("usage")
    thought = "".join(_thought(block) for block in blocks)
    return Reply(
        text=text,
        tool_calls=calls,
        usage=_usage(told if isinstance(told, Mapping) else {}),
        finish=finish,
        latency=latency,
        model=model,
        extra={"reasoning": thought} if thought else {},
    )


def _plain(value: object) -> Any:
    """Convert to plain dicts and lists, since boto3 accepts nothing else."""
    return json.loads(dumps(value))


def _turns(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Convert messages to user and assistant turns: neighbours of the same role are merged."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        side = "assistant" if message.role == "assistant" else "user"
        if turns and turns[-1]["role"] == side:
            turns[-1]["content"].extend(_blocks(message))
        else:
            turns.append({"role": side, "content": _blocks(message)})
    return turns


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        result: dict[str, Any] = {"toolUseId": plain_id(message.tool_call_id), "content": [{"text": message.content}]}
        if message.extra.get(FAILED):
            result["status"] = "error"
        return [{"toolResult": result}]
    blocks: list[dict[str, Any]] = []
    if message.content or not message.tool_calls:
        blocks.append({"text": message.content})
    for call in message.tool_calls:
        use = {"toolUseId": plain_id(call.id), "name": call.name, "input": _plain(call.arguments)}
        blocks.append({"toolUse": use})
    return blocks


def _tool(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    schema = _plain(parameters) or {"type": "object", "properties": {}}
    spec: dict[str, Any] = {"name": name, "inputSchema": {"json": schema}}
    if description:
        spec["description"] = description
    return {"toolSpec": spec}


def _content(blocks: list[Any], answers_by: str | None) -> tuple[str, tuple[ToolCall, ...], str | None]:
    """Return the text, the tool calls, and the input of the answer's own tool."""
    texts: list[str] = []
    calls: list[ToolCall] = []
    answer: str | None = None
    for block in blocks:
        texts.append(str(block.get("text") or ""))
        use = block.get("toolUse")
        if not isinstance(use, Mapping):
            continue
        if answers_by is not None and use.get("name") == answers_by:
            answer = dumps(use.get("input")).decode()
        else:
            calls.append(read_call(use.get("name"), use.get("input"), use.get("toolUseId")))
    return "".join(texts), tuple(calls), answer


def _thought(block: Mapping[str, Any]) -> str:
    thinking = block.get("reasoningContent")
    text = thinking.get("reasoningText") if isinstance(thinking, Mapping) else None
    return str(text.get("text") or "") if isinstance(text, Mapping) else ""


def _usage(told: Mapping[str, Any]) -> Usage:
    # The API counts cached tokens separately; here ``input`` is all input tokens, as for other providers.
    read, written = count(told.get("cacheReadInputTokens")), count(told.get("cacheWriteInputTokens"))
    return Usage(
        input=count(told.get("inputTokens")) + read + written,
        output=count(told.get("outputTokens")),
        cached_input=read,
    )
