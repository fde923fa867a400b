"""Contract: every string field of the published chat completions and responses types is read, or named as exempt.

An attack is put into one field after the other and sent through the proxy. It must be found, cut out, or the request
refused. A field of a newer version of the types that nobody reads makes these tests fail.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pkgutil import resolve_name
from typing import Any

import pytest

from tests.server.attack_fields import ASSISTANT, ECHO, ID, PROMPT, SETTING, passed_answers, unread_requests
from tests.server.dialects.responses_upstream import message, response
from tests.server.schema_walk import Exempt, attacks
from tests.server.upstream import completion

CHAT_REQUEST = {
    "model": SETTING,
    "audio": SETTING,
    "function_call": SETTING,
    "functions": PROMPT,
    "logit_bias": SETTING,
    "metadata": "kept with the completion for the developer; the model does not read it",
    "moderation": SETTING,
    "prompt_cache_key": ID,
    "response_format*": SETTING,
    "safety_identifier": ID,
    "stop": SETTING,
    "tool_choice*": SETTING,
    "tools": PROMPT,
    "user": ID,
    "messages[]<ChatCompletionDeveloperMessageParam>": PROMPT,
    "messages[]<ChatCompletionSystemMessageParam>": PROMPT,
    "messages[]<ChatCompletionAssistantMessageParam>": ASSISTANT,
}
RESPONSES_REQUEST = {
    "model": SETTING,
    "context_management": SETTING,
    "conversation*": ID,
    "instructions": PROMPT,
    "metadata": "kept with the response for the developer; the model does not read it",
    "moderation": SETTING,
    "previous_response_id": ID,
    "prompt.id": ID,
    "prompt.version": ID,
    "prompt_cache_key": ID,
    "prompt_cache_options": SETTING,
    "reasoning": SETTING,
    "safety_identifier": ID,
    "text": SETTING,
    "tool_choice*": SETTING,
    "tools": PROMPT,
    "user": ID,
    "input[]<ResponseOutputMessageParam>": ASSISTANT,
    "input[]<ResponseFunctionToolCallParam>": ASSISTANT,
    "input[]<ResponseCustomToolCallParam>": ASSISTANT,
    "input[]<ResponseComputerToolCallParam>": ASSISTANT,
    "input[]<ToolSearchCall>": ASSISTANT,
    "input[]<LocalShellCall>": ASSISTANT,
    "input[]<ShellCall>": ASSISTANT,
    "input[]<ApplyPatchCall>": ASSISTANT,
    "input[]<McpApprovalRequest>": ASSISTANT,
}
CHAT_ANSWER = {"metadata": ECHO}
RESPONSES_ANSWER = {
    "instructions": ECHO,
    "metadata": ECHO,
    "prompt": ECHO,
    "prompt_cache_key": ECHO,
    "safety_identifier": ECHO,
    "text": ECHO,
    "tool_choice*": ECHO,
    "tools": ECHO,
    "user": ECHO,
}


def _type(name: str) -> Any:
    """The type of the official library, which is slow to import, so that only these tests do."""
    return resolve_name(f"openai.types.{name}")


def _events(*bodies: dict[str, Any]) -> list[bytes]:
    told = [f"event: {body['type']}\ndata: {json.dumps(body)}\n\n" for body in bodies if body.get("type")]
    return [each.encode() for each in told]


async def test_every_string_of_a_chat_request_is_read() -> None:
    exempt = Exempt(CHAT_REQUEST)
    base = {"messages": [{"role": "user", "content": "hi"}]}
    found = attacks(_type("chat.completion_create_params:CompletionCreateParamsNonStreaming"), exempt)
    cases = ((name, {**body, "messages": body["messages"] or base["messages"]}) for name, body in found)
    leaked, count = await unread_requests("/v1/chat/completions", cases, completion())
    assert not leaked, "\n".join(leaked)
    assert count > 15
    assert exempt.stale == set()


async def test_every_string_of_a_responses_request_is_read() -> None:
    exempt = Exempt(RESPONSES_REQUEST)
    cases = attacks(_type("responses.response_create_params:ResponseCreateParamsNonStreaming"), exempt)
    leaked, count = await unread_requests("/v1/responses", cases, response([message("Fine.")]))
    assert not leaked, "\n".join(leaked)
    assert count > 250
    assert exempt.stale == set()


async def test_every_string_of_a_chat_completion_is_read() -> None:
    exempt = Exempt(CHAT_ANSWER)
    asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    leaked, count = await passed_answers("/v1/chat/completions", asked, attacks(_type("chat:ChatCompletion"), exempt))
    assert not leaked, "\n".join(leaked)
    assert count > 30
    assert exempt.stale == set()


@pytest.mark.parametrize("ends", [True, False])
async def test_every_string_of_a_streamed_chat_completion_is_read(ends: bool) -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
    last = [b"data: [DONE]\n\n"] if ends else []
    cases = ((name, [_data(body), *last]) for name, body in attacks(_type("chat:ChatCompletionChunk")))
    leaked, count = await passed_answers("/v1/chat/completions", asked, cases)
    assert not leaked, "\n".join(leaked)
    assert count > 25


def _data(body: Any) -> bytes:
    return f"data: {json.dumps(body)}\n\n".encode()


async def test_every_string_of_a_response_is_read() -> None:
    exempt = Exempt(RESPONSES_ANSWER)
    asked = {"model": "m", "input": "hi"}
    cases = attacks(_type("responses:Response"), exempt)
    leaked, count = await passed_answers("/v1/responses", asked, cases)
    assert not leaked, "\n".join(leaked)
    assert count > 350
    assert exempt.stale == set()


async def test_every_string_of_a_streamed_response_is_read() -> None:
    exempt = Exempt(_of_events(RESPONSES_ANSWER))
    asked = {"model": "m", "input": "hi", "stream": True}
    cases = ((name, _events(body)) for name, body in attacks(_type("responses:ResponseStreamEvent"), exempt))
    leaked, count = await passed_answers("/v1/responses", asked, cases)
    assert not leaked, "\n".join(leaked)
    assert count > 1500
    assert exempt.stale == set()


def _of_events(reasons: dict[str, str]) -> dict[str, str]:
    kinds = ("Created", "InProgress", "Queued", "Completed", "Incomplete", "Failed")
    found = {f"<Response{kind}Event>.response.{name}": reason for kind in kinds for name, reason in reasons.items()}
    same = "the same type, read by the same code, is walked in the created and the completed response"
    return found | {
        f"<Response{kind}Event>.response.output": same for kind in ("InProgress", "Queued", "Incomplete", "Failed")
    }


def _names(found: Sequence[tuple[str, Any]]) -> set[str]:
    return {name for name, _ in found}


def test_the_walk_goes_through_every_kind_of_item() -> None:
    found = _names(list(attacks(_type("responses:Response"))))
    assert "output[]<ResponseOutputMessage>.content[]<ResponseOutputText>.text" in found
    assert "output[]<LocalShellCall>.action.command[]" in found
    assert "output[]<McpCall>.output" in found
