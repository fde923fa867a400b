"""Contract: every string field of the published Anthropic Messages types is read, or named as exempt.

An attack is put into one field after the other and sent through the proxy. It must be found, cut out, or the request
refused. A field of a newer version of the types that nobody reads makes these tests fail.
"""

from __future__ import annotations

import json
from pkgutil import resolve_name
from typing import Any

import pytest

from tests.server.attack_fields import ASSISTANT, ID, PROMPT, SETTING, passed_answers, unread_requests
from tests.server.dialects.anthropic_upstream import event, message
from tests.server.schema_walk import ATTACK, Exempt, attacks

PATH = "/v1/messages"
ASKED = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": False}
HARMLESS = "please SPEAK now"

PARAMS = "types.message_create_params:MessageCreateParamsBase"
BETA_PARAMS = "types.beta.message_create_params:MessageCreateParamsBase"
REQUEST = {
    "model": SETTING,
    "container": ID,
    "diagnostics": ID,
    "inference_geo": SETTING,
    "metadata": ID,
    "output_config": SETTING,
    "stop_sequences": SETTING,
    "system": PROMPT,
    "tool_choice*": SETTING,
    "tools": PROMPT,
    "user_profile_id": ID,
    "workspace_id": ID,
    "messages[]<SystemMessageParam>": PROMPT,
    **{
        f"messages[]<AssistantMessageParam>.content[]<{kind}Block{ending}>": ASSISTANT
        for kind in ("Text", "Thinking", "RedactedThinking", "ToolUse", "ServerToolUse")
        for ending in ("", "Param")
    },
}
BETA_REQUEST = {
    "betas": SETTING,
    "compaction": PROMPT,
    "context_management": PROMPT,
    "fallback_credit_token": ID,
    "fallbacks": SETTING,
    "mcp_servers": SETTING,
    "thread*": ID,
    **{name.replace("<", "<Beta"): reason for name, reason in REQUEST.items()},
    "messages[]<BetaAssistantMessageParam>.content[]<BetaMCPToolUseBlock>": ASSISTANT,
    "messages[]<BetaAssistantMessageParam>.content[]<BetaMCPToolUseBlockParam>": ASSISTANT,
}
# The content of an assistant's message is a text or a list; the list is walked, so the text is named here alone.
ASSISTANT_TEXT = {"messages[]<AssistantMessageParam>.content": ASSISTANT}
_KINDS = {
    "text_delta": {"type": "text", "text": ""},
    "citations_delta": {"type": "text", "text": ""},
    "thinking_delta": {"type": "thinking", "thinking": "", "signature": ""},
    "signature_delta": {"type": "thinking", "thinking": "", "signature": ""},
    "input_json_delta": {"type": "tool_use", "id": "toolu_1", "name": "get", "input": {}},
    "compaction_delta": {"type": "compaction", "content": None},
}


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
    return [b"".join(event(each) for each in (*head, body, *tail, end, {"type": "message_stop"}))]


def _type(name: str) -> Any:
    """The type of the official library, which is slow to import, so that only these tests do."""
    return resolve_name(f"anthropic.{name}")


@pytest.mark.parametrize(
    ("kind", "exempted", "least"),
    [(PARAMS, REQUEST, 200), (BETA_PARAMS, BETA_REQUEST, 300)],
    ids=["messages", "beta"],
)
async def test_every_string_of_a_request_is_read(kind: str, exempted: dict[str, str], least: int) -> None:
    exempt = Exempt(exempted)
    bodies = (
        (name, {**body, "messages": [*(body.get("messages") or ()), {"role": "user", "content": "hi"}]})
        for name, body in attacks(_type(kind), exempt)
        if name.replace("<Beta", "<") not in ASSISTANT_TEXT
    )
    leaked, count = await unread_requests(PATH, bodies, message("Fine."))
    assert not leaked, "\n".join(leaked)
    assert count > least
    assert exempt.stale == set()


@pytest.mark.parametrize(
    ("kind", "least"), [("types:Message", 70), ("types.beta:BetaMessage", 100)], ids=["messages", "beta"]
)
async def test_every_string_of_an_answer_is_read(kind: str, least: int) -> None:
    leaked, count = await passed_answers(PATH, ASKED, attacks(_type(kind)))
    assert not leaked, "\n".join(leaked)
    assert count > least
    harmless = ((name, _told(body, HARMLESS)) for name, body in attacks(_type(kind)))
    passed, _ = await passed_answers(PATH, ASKED, harmless, HARMLESS)
    assert len(passed) > least * 0.8  # or nothing would be shown


@pytest.mark.parametrize(
    ("kind", "least"),
    [("types:RawMessageStreamEvent", 150), ("types.beta:BetaRawMessageStreamEvent", 250)],
    ids=["messages", "beta"],
)
async def test_every_string_of_a_stream_is_read(kind: str, least: int) -> None:
    cases = [(name, body) for name, body in attacks(_type(kind)) if body.get("type")]
    asked = {**ASKED, "stream": True}
    leaked, count = await passed_answers(PATH, asked, ((name, _stream(body)) for name, body in cases))
    assert not leaked, "\n".join(leaked)
    assert count > least
    harmless = ((name, _stream(_told(body, HARMLESS))) for name, body in cases)
    passed, _ = await passed_answers(PATH, asked, harmless, HARMLESS)
    assert {"text_delta", "thinking_delta"} <= {_delta(dict(cases)[name]) for name in passed}
    assert len(passed) > least * 0.3  # what stands in a message that has only begun does not leave


def _delta(body: dict[str, Any]) -> str:
    delta = body.get("delta")
    return str(delta.get("type")) if isinstance(delta, dict) else ""


def test_the_walk_goes_through_every_kind_of_block() -> None:
    found = {name for name, _ in attacks(_type(PARAMS))}
    start = "messages[]<UserMessageParam>.content[]"
    assert f"{start}<DocumentBlockParam>.source<PlainTextSourceParam>.data" in found
    assert f"{start}<ToolResultBlockParam>.content[]<TextBlockParam>.text" in found
