"""What the stub says: right answers for nine items in ten, and a judge that knows which those are.

The truth lies in the numbers: item ``n`` costs ``3 n + 1``. Every tenth answer is one too high, so a
judge that is shown the right answer to the right question passes 450 of 500 and 180 of 200. A harness
that mixes cases up, or judges an error text, gets another count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["envelope", "question", "reference", "reply_to", "true_passes"]

_QUESTION = re.compile(r"does item (\d+) cost")
_ANSWER = re.compile(r"item (\d+) costs (\d+)")
_PASS_WORDS = frozenset({"pass", "passed", "correct", "yes", "y", "true", "good", "c", "a", "right"})


def question(number: int) -> str:
    """The input of a case."""
    return f"What does item {number} cost in the shop today? Answer in one sentence."


def reference(number: int) -> str:
    """The true price, for the rubric's eyes; worded so that it cannot be taken for an answer."""
    return f"{3 * number + 1} credits"


def true_passes(cases: int) -> int:
    """How many of the first so many cases are answered rightly."""
    return sum(number % 10 != 9 for number in range(cases))


def reply_to(request: Mapping[str, Any]) -> dict[str, Any]:
    """The assistant's message for a chat completions request."""
    prompt = "\n".join(_text(message.get("content")) for message in request["messages"])
    if answers := _ANSWER.findall(prompt):
        number, price = answers[-1]
        return _verdict(request, prompt, passed=int(price) == 3 * int(number) + 1)
    asked = _QUESTION.search(prompt)
    if asked is None:
        return {"role": "assistant", "content": "I do not know."}
    number = int(asked.group(1))
    price = 3 * number + (2 if number % 10 == 9 else 1)
    return {"role": "assistant", "content": f"In the shop item {number} costs {price} credits today."}


def envelope(message: Mapping[str, Any], model: str) -> bytes:
    """The message as a whole chat completions reply."""
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    return _encode(
        {
            "id": "chatcmpl-stub",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }
    )


def _verdict(request: Mapping[str, Any], prompt: str, *, passed: bool) -> dict[str, Any]:
    """The judgement in the form the request asks for: a schema, a tool call, a grade or plain JSON."""
    if tools := request.get("tools"):
        called = tools[0]["function"]
        arguments = json.dumps(_filled(called["parameters"], passed))
        call = {"id": "call_1", "type": "function", "function": {"name": called["name"], "arguments": arguments}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    schema = (request.get("response_format") or {}).get("json_schema", {}).get("schema")
    if schema is not None:
        return {"role": "assistant", "content": json.dumps(_filled(schema, passed))}
    if "GRADE:" in prompt:
        return {"role": "assistant", "content": f"{_because(passed)}\n\nGRADE: {'C' if passed else 'I'}"}
    plain = {"reason": _because(passed), "pass": passed, "score": 10 if passed else 0}
    return {"role": "assistant", "content": json.dumps(plain)}


def _filled(schema: Mapping[str, Any], passed: bool) -> Any:
    """A value that fits the schema and says pass or fail."""
    if "enum" in schema:
        words = [word for word in schema["enum"] if str(word).lower() in _PASS_WORDS]
        others = [word for word in schema["enum"] if word not in words]
        return (words or schema["enum"])[0] if passed else (others or schema["enum"])[-1]
    if alternatives := schema.get("anyOf"):
        return _filled(alternatives[0], passed)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: _filled(each, passed) for name, each in schema.get("properties", {}).items()}
    if kind == "boolean":
        return passed
    if kind in ("number", "integer"):
        return schema.get("maximum", 1) if passed else schema.get("minimum", 0)
    if kind == "array":
        return []
    return _because(passed)


def _because(passed: bool) -> str:
    return "The price is the one in the list." if passed else "The price is not the one in the list."


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content)
    return content or ""


def _encode(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
