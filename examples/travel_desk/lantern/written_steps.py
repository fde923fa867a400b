"""Tools for a model that cannot call them: each step is JSON that a schema permits, a call or the answer.

A small model seldom calls a tool in the form that its server reads. Where the server can hold it to a schema, every
step is valid. The list of tools is a few lines of text, so that the prompt is short.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from proctor.core.chat import Message, Reply, Request, Sampling, Tool, ToolCall
from proctor.core.codec import dumps

__all__ = ["step_reply", "step_request"]

_ANSWER = "answer"


def step_request(
    messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling, *, answer_only: bool
) -> Request:
    """The same request in words: the first message names the tools, and the schema permits one step."""
    schema = _schema(() if answer_only else tools)
    rules, *rest = messages
    lines = "\n".join(
        f"- {tool.name}({', '.join(tool.parameters['properties'])}): {tool.description}" for tool in tools
    )
    how = f'\n\nWrite each step as JSON. Use a tool, or answer the customer with "{_ANSWER}":\n{lines}'
    first = replace(rules, content=f"{rules.content}{how}")
    return Request(messages=(first, *map(_in_words, rest)), schema=schema, schema_name="step", sampling=sampling)


def step_reply(reply: Reply) -> Reply:
    """The reply with its step as a call or as text; what is no step stays as it is."""
    try:
        step: Any = json.loads(reply.text)
        name, arguments = step["name"], dict(step["arguments"])
    except (ValueError, TypeError, KeyError):  # cut off at the limit of tokens
        return reply
    if name == _ANSWER:
        return replace(reply, text=str(arguments.get("text", "")))
    return replace(reply, text="", tool_calls=(ToolCall(name=str(name), arguments=arguments),))


def _in_words(message: Message) -> Message:
    if message.role == "tool":
        return Message(role="user", content=f"Result of {message.name}: {message.content}")
    if message.role == "assistant":
        steps = [_step(call.name, call.arguments) for call in message.tool_calls]
        steps += [_step(_ANSWER, {"text": message.content})] if message.content else []
        return Message(role="assistant", content="\n".join(steps))
    return message


def _step(name: str, arguments: Any) -> str:
    return dumps({"name": name, "arguments": dict(arguments)}).decode()


def _schema(tools: Iterable[Tool]) -> dict[str, Any]:
    text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    shapes = [(tool.name, tool.parameters) for tool in tools] + [(_ANSWER, text)]
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {"name": {"const": name}, "arguments": shape},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
            for name, shape in shapes
        ]
    }
