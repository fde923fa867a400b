"""Contract: every string field of the published Anthropic Messages types is read, or named as exempt.

An attack is put into one field after the other and sent through the proxy. It must be found, cut out, or the request
refused. A field of a newer version of the types that nobody reads makes these tests fail.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from anthropic.types import Message, RawMessageStreamEvent
from anthropic.types.beta import BetaMessage, BetaRawMessageStreamEvent
from anthropic.types.beta.message_create_params import MessageCreateParamsBase as BetaMessageCreateParams
from anthropic.types.message_create_params import MessageCreateParamsBase as MessageCreateParams

from proctor.core.step import POINTS
from proctor.core.verdict import Verdict
from proctor.guard.chain import Chain, Post
from proctor.guard.engine import Plan
from proctor.guard.step import Step
from proctor.wiring.guard import Guard
from tests.server.dialects.anthropic_upstream import event, message
from tests.server.gates import REPLY
from tests.server.schema_walk import ATTACK, Exempt, attacks
from tests.server.upstream import proxied, says, streams

PATH = "/v1/messages"
HARMLESS = "please SPEAK now"
_SETTING = "a setting that the developer writes, not the customer"
_ID = "names an account or a stored object; the model does not read it"
_PROMPT = "the developer's own instructions and tools"
_ASSISTANT = "what the model said itself: it was read as output and as tool calls when it left"

REQUEST = {
    "model": _SETTING,
    "container": _ID,
    "diagnostics": _ID,
    "inference_geo": _SETTING,
    "metadata": _ID,
    "output_config": _SETTING,
    "stop_sequences": _SETTING,
    "system": _PROMPT,
    "tool_choice*": _SETTING,
    "tools": _PROMPT,
    "user_profile_id": _ID,
    "workspace_id": _ID,
    "messages[]<SystemMessageParam>": _PROMPT,
    **{
        f"messages[]<AssistantMessageParam>.content[]<{kind}Block{ending}>": _ASSISTANT
        for kind in ("Text", "Thinking", "RedactedThinking", "ToolUse", "ServerToolUse")
        for ending in ("", "Param")
    },
}
BETA_REQUEST = {
    "betas": _SETTING,
    "compaction": _PROMPT,
    "context_management": _PROMPT,
    "fallback_credit_token": _ID,
    "fallbacks": _SETTING,
    "mcp_servers": _SETTING,
    "thread*": _ID,
    **{name.replace("<", "<Beta"): reason for name, reason in REQUEST.items()},
    "messages[]<BetaAssistantMessageParam>.content[]<BetaMCPToolUseBlock>": _ASSISTANT,
    "messages[]<BetaAssistantMessageParam>.content[]<BetaMCPToolUseBlockParam>": _ASSISTANT,
}
# The content of an assistant's message is a text or a list; the list is walked, so the text is named here alone.
ASSISTANT_TEXT = {"messages[]<AssistantMessageParam>.content": _ASSISTANT}
_KINDS = {
    "text_delta": {"type": "text", "text": ""},
    "citations_delta": {"type": "text", "text": ""},
    "thinking_delta": {"type": "thinking", "thinking": "", "signature": ""},
    "signature_delta": {"type": "thinking", "thinking": "", "signature": ""},
    "input_json_delta": {"type": "tool_use", "id": "toolu_1", "name": "get", "input": {}},
    "compaction_delta": {"type": "compaction", "content": None},
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


def _guard() -> Guard:
    chains = {
        point: Chain(point=point, posts=(Post(gate=Attacks(), name="attacks", timeout=30.0),)) for point in POINTS
    }
    return Guard(Plan(chains=chains, replies={"block": REPLY}, log="none"))


async def _answered(answers: Iterator[tuple[str, Any]], *, stream: bool, words: str) -> tuple[list[str], int]:
    """Fields whose words reached the client, and how many fields there were."""
    told: list[str] = []
    count = 0
    asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": stream}
    async with proxied(_guard()) as (upstream, address, client):
        for name, given in answers:
            count += 1
            upstream.say = streams([b"".join(given)]) if stream else says(given)
            async with client.post(address + PATH, json=asked) as reply:
                text = await reply.text()
                assert reply.status in (200, 502), (name, reply.status, text)
            if words in text:
                told.append(name)
    return told, count


def _told(value: Any, words: str) -> Any:
    return json.loads(json.dumps(value).replace(ATTACK, words))


def _stream(body: dict[str, Any]) -> list[bytes]:
    """The event where it may stand in a stream."""
    kind, delta = body["type"], body.get("delta")
    head: list[dict[str, Any]] = [] if kind == "message_start" else [{"type": "message_start", "message": message()}]
    if kind == "content_block_delta" and isinstance(delta, dict):
        head.append({"type": "content_block_start", "index": body["index"], "content_block": _KINDS[delta["type"]]})
    stop = {"type": "content_block_stop", "index": body.get("index")}
    tail: list[dict[str, Any]] = [stop] if kind in ("content_block_delta", "content_block_start") else []
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}
    return [event(each) for each in (*head, body, *tail, end, {"type": "message_stop"})]


@pytest.mark.parametrize(
    ("kind", "exempted", "least"),
    [(MessageCreateParams, REQUEST, 200), (BetaMessageCreateParams, BETA_REQUEST, 300)],
    ids=["messages", "beta"],
)
async def test_every_string_of_a_request_is_read(kind: Any, exempted: dict[str, str], least: int) -> None:
    exempt, leaked, count = Exempt(exempted), [], 0
    base = [{"role": "user", "content": "hi"}]
    async with proxied(_guard()) as (upstream, address, client):
        upstream.say = says(message("Fine."))
        for name, body in attacks(kind, exempt):
            if name in ASSISTANT_TEXT or name.replace("<Beta", "<") in ASSISTANT_TEXT:
                continue
            count += 1
            upstream.asked.clear()
            sent = {**body, "messages": [*(body.get("messages") or ()), *base]}
            async with client.post(address + PATH, json=sent) as reply:
                assert reply.status in (200, 400), (name, reply.status, await reply.text())
            if any(ATTACK.encode() in raw for *_, raw in upstream.asked):
                leaked.append(name)
    assert not leaked, "\n".join(leaked)
    assert count > least
    assert exempt.stale == set()


@pytest.mark.parametrize(("kind", "least"), [(Message, 70), (BetaMessage, 100)], ids=["messages", "beta"])
async def test_every_string_of_an_answer_is_read(kind: Any, least: int) -> None:
    leaked, count = await _answered(attacks(kind), stream=False, words=ATTACK)
    assert not leaked, "\n".join(leaked)
    assert count > least
    harmless = ((name, _told(body, HARMLESS)) for name, body in attacks(kind))
    passed, _ = await _answered(harmless, stream=False, words=HARMLESS)
    assert len(passed) > least * 0.8  # or nothing would be shown


@pytest.mark.parametrize(
    ("kind", "least"), [(RawMessageStreamEvent, 150), (BetaRawMessageStreamEvent, 250)], ids=["messages", "beta"]
)
async def test_every_string_of_a_stream_is_read(kind: Any, least: int) -> None:
    cases = [(name, body) for name, body in attacks(kind) if body.get("type")]
    leaked, count = await _answered(((name, _stream(body)) for name, body in cases), stream=True, words=ATTACK)
    assert not leaked, "\n".join(leaked)
    assert count > least
    harmless = ((name, _stream(_told(body, HARMLESS))) for name, body in cases)
    passed, _ = await _answered(harmless, stream=True, words=HARMLESS)
    assert {"text_delta", "thinking_delta"} <= {_delta(dict(cases)[name]) for name in passed}
    assert len(passed) > least * 0.3  # what stands in a message that has only begun does not leave


def _delta(body: dict[str, Any]) -> str:
    delta = body.get("delta")
    return str(delta.get("type")) if isinstance(delta, dict) else ""


def test_the_walk_goes_through_every_kind_of_block() -> None:
    found = {name for name, _ in attacks(MessageCreateParams)}
    start = "messages[]<UserMessageParam>.content[]"
    assert f"{start}<DocumentBlockParam>.source<PlainTextSourceParam>.data" in found
    assert f"{start}<ToolResultBlockParam>.content[]<TextBlockParam>.text" in found
