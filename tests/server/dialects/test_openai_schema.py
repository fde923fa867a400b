"""Contract: every string field of the published chat completions and responses types is read, or named as exempt.

An attack is put into one field after the other and sent through the proxy. It must be found, cut out, or the request
refused. A field of a newer version of the types that nobody reads makes these tests fail.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses import Response, ResponseStreamEvent
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming

from proctor.core.step import POINTS
from proctor.core.verdict import Verdict
from proctor.guard.chain import Chain, Post
from proctor.guard.engine import Plan
from proctor.guard.step import Step
from proctor.wiring.guard import Guard
from tests.server.dialects.responses_upstream import message, response
from tests.server.gates import REPLY
from tests.server.schema_walk import ATTACK, Exempt, attacks
from tests.server.upstream import completion, proxied, says, streams

_SETTING = "a setting that the developer writes, not the customer"
_ID = "names an account or a stored object; the model does not read it"
_PROMPT = "the developer's own instructions and tools"
_ASSISTANT = "what the model said itself: it was read as output and as tool calls when it left"
_ECHO = "repeats what the developer sent"

CHAT_REQUEST = {
    "model": _SETTING,
    "audio": _SETTING,
    "function_call": _SETTING,
    "functions": _PROMPT,
    "logit_bias": _SETTING,
    "metadata": "kept with the completion for the developer; the model does not read it",
    "moderation": _SETTING,
    "prompt_cache_key": _ID,
    "response_format*": _SETTING,
    "safety_identifier": _ID,
    "stop": _SETTING,
    "tool_choice*": _SETTING,
    "tools": _PROMPT,
    "user": _ID,
    "messages[]<ChatCompletionDeveloperMessageParam>": _PROMPT,
    "messages[]<ChatCompletionSystemMessageParam>": _PROMPT,
    "messages[]<ChatCompletionAssistantMessageParam>": _ASSISTANT,
}
RESPONSES_REQUEST = {
    "model": _SETTING,
    "context_management": _SETTING,
    "conversation*": _ID,
    "instructions": _PROMPT,
    "metadata": "kept with the response for the developer; the model does not read it",
    "moderation": _SETTING,
    "previous_response_id": _ID,
    "prompt.id": _ID,
    "prompt.version": _ID,
    "prompt_cache_key": _ID,
    "prompt_cache_options": _SETTING,
    "reasoning": _SETTING,
    "safety_identifier": _ID,
    "text": _SETTING,
    "tool_choice*": _SETTING,
    "tools": _PROMPT,
    "user": _ID,
    "input[]<ResponseOutputMessageParam>": _ASSISTANT,
    "input[]<ResponseFunctionToolCallParam>": _ASSISTANT,
    "input[]<ResponseCustomToolCallParam>": _ASSISTANT,
    "input[]<ResponseComputerToolCallParam>": _ASSISTANT,
    "input[]<ToolSearchCall>": _ASSISTANT,
    "input[]<LocalShellCall>": _ASSISTANT,
    "input[]<ShellCall>": _ASSISTANT,
    "input[]<ApplyPatchCall>": _ASSISTANT,
    "input[]<McpApprovalRequest>": _ASSISTANT,
}
CHAT_ANSWER = {"metadata": _ECHO}
RESPONSES_ANSWER = {
    "instructions": _ECHO,
    "metadata": _ECHO,
    "prompt": _ECHO,
    "prompt_cache_key": _ECHO,
    "safety_identifier": _ECHO,
    "text": _ECHO,
    "tool_choice*": _ECHO,
    "tools": _ECHO,
    "user": _ECHO,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacks:
    """Blocks every step that has the attack in its text, or in the name or the arguments of its call."""

    name: ClassVar[str] = "attacks"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[str, ...]] = POINTS
    pure: ClassVar[bool] = False

    async def check(self, step: Step) -> Verdict:
        call = json.dumps([step.call.name, dict(step.call.arguments)], default=str) if step.call is not None else ""
        found = ATTACK in step.text or ATTACK in call
        return Verdict(action="block" if found else "allow", gate=self.name)


def make_attack_guard() -> Guard:
    """A guard with the gate at every point."""
    chains = {
        point: Chain(point=point, posts=(Post(gate=Attacks(), name="attacks", timeout=30.0),)) for point in POINTS
    }
    return Guard(Plan(chains=chains, replies={"block": REPLY}, log="none"))


async def _unread_requests(path: str, bodies: Iterator[tuple[str, Any]], answer: Any) -> tuple[list[str], int]:
    """Fields in which an attack reached the upstream, and how many there were."""
    leaked: list[str] = []
    count = 0
    async with proxied(make_attack_guard()) as (upstream, address, client):
        upstream.say = says(answer)
        for name, body in bodies:
            count += 1
            upstream.asked.clear()
            async with client.post(address + path, json=body) as reply:
                assert reply.status in (200, 400), (name, reply.status, await reply.text())
            if any(ATTACK.encode() in raw for *_, raw in upstream.asked):
                leaked.append(name)
    return leaked, count


async def _unread_answers(path: str, asked: Any, answers: Iterator[tuple[str, Any]]) -> tuple[list[str], int]:
    """Fields in which an attack of the upstream reached the client, and how many there were."""
    leaked: list[str] = []
    count = 0
    async with proxied(make_attack_guard()) as (upstream, address, client):
        for name, given in answers:
            count += 1
            upstream.say = streams(given) if isinstance(given, list) else says(given)
            async with client.post(address + path, json=asked) as reply:
                text = await reply.text()
                assert reply.status in (200, 502), (name, reply.status, text)
            if ATTACK in text:
                leaked.append(name)
    return leaked, count


def _events(*bodies: dict[str, Any]) -> list[bytes]:
    told = [f"event: {body['type']}\ndata: {json.dumps(body)}\n\n" for body in bodies if body.get("type")]
    return [each.encode() for each in told]


async def test_every_string_of_a_chat_request_is_read() -> None:
    exempt = Exempt(CHAT_REQUEST)
    base = {"messages": [{"role": "user", "content": "hi"}]}
    found = attacks(CompletionCreateParamsNonStreaming, exempt)
    cases = ((name, {**body, "messages": body["messages"] or base["messages"]}) for name, body in found)
    leaked, count = await _unread_requests("/v1/chat/completions", cases, completion())
    assert not leaked, "\n".join(leaked)
    assert count > 15
    assert exempt.stale == set()


async def test_every_string_of_a_responses_request_is_read() -> None:
    exempt = Exempt(RESPONSES_REQUEST)
    cases = attacks(ResponseCreateParamsNonStreaming, exempt)
    leaked, count = await _unread_requests("/v1/responses", cases, response([message("Fine.")]))
    assert not leaked, "\n".join(leaked)
    assert count > 250
    assert exempt.stale == set()


async def test_every_string_of_a_chat_completion_is_read() -> None:
    exempt = Exempt(CHAT_ANSWER)
    asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    leaked, count = await _unread_answers("/v1/chat/completions", asked, attacks(ChatCompletion, exempt))
    assert not leaked, "\n".join(leaked)
    assert count > 30
    assert exempt.stale == set()


@pytest.mark.parametrize("ends", [True, False])
async def test_every_string_of_a_streamed_chat_completion_is_read(ends: bool) -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
    last = [b"data: [DONE]\n\n"] if ends else []
    cases = ((name, [_data(body), *last]) for name, body in attacks(ChatCompletionChunk))
    leaked, count = await _unread_answers("/v1/chat/completions", asked, cases)
    assert not leaked, "\n".join(leaked)
    assert count > 25


def _data(body: Any) -> bytes:
    return f"data: {json.dumps(body)}\n\n".encode()


async def test_every_string_of_a_response_is_read() -> None:
    exempt = Exempt(RESPONSES_ANSWER)
    asked = {"model": "m", "input": "hi"}
    cases = attacks(Response, exempt)
    leaked, count = await _unread_answers("/v1/responses", asked, cases)
    assert not leaked, "\n".join(leaked)
    assert count > 350
    assert exempt.stale == set()


async def test_every_string_of_a_streamed_response_is_read() -> None:
    exempt = Exempt(_of_events(RESPONSES_ANSWER))
    asked = {"model": "m", "input": "hi", "stream": True}
    cases = ((name, _events(body)) for name, body in attacks(ResponseStreamEvent, exempt))
    leaked, count = await _unread_answers("/v1/responses", asked, cases)
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
    found = _names(list(attacks(Response)))
    assert "output[]<ResponseOutputMessage>.content[]<ResponseOutputText>.text" in found
    assert "output[]<LocalShellCall>.action.command[]" in found
    assert "output[]<McpCall>.output" in found
