"""The messages API over the wire: what is sent, and what is made of the answer."""

from __future__ import annotations

import json
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from proctor.core.chat import Message, Request, Sampling, Tool, ToolCall, Usage
from proctor.core.errors import (
    ConfigError,
    ModelError,
    OverloadedError,
    RateLimitedError,
    RefusedError,
    RejectedError,
    ReplyError,
    UnknownModelError,
)
from proctor.core.sockets import Model
from proctor.models.anthropic import anthropic

if TYPE_CHECKING:
    from tests.models.conftest import KitOf, Served

ASK = Request(messages=(Message(role="system", content="Be brief."), Message(role="user", content="Hi")))
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
KEY = "ant-Zx81-very-secret"


def answer(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    said = content or ({"type": "text", "text": "Hello"},)
    return {"id": "m1", "type": "message", "model": "claude-x-1", "content": said, "stop_reason": "end_turn", **more}


@pytest.fixture
def model_of(kit_of: KitOf, served: Served) -> Any:
    def make(**settings: Any) -> Model:
        served.says(answer())
        return anthropic(kit_of({"model": "claude-x", "base_url": served.url, **settings}, {"ANTHROPIC_API_KEY": KEY}))

    return make


async def test_a_plain_question(model_of: Any, served: Served) -> None:
    model = model_of()
    reply = await model.complete(ASK)
    assert isinstance(model, Model)
    assert model.name == "anthropic:claude-x"
    assert (reply.text, reply.finish, reply.model, reply.extra) == ("Hello", "stop", "claude-x-1", {"id": "m1"})
    sent = served.requests[0]
    assert sent.path == "/v1/messages"
    assert (sent.headers["x-api-key"], sent.headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert "Authorization" not in sent.headers
    assert served.bodies == [
        {
            "model": "claude-x",
            "max_tokens": 1024,
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
            "system": "Be brief.",
        }
    ]


async def test_sampling_and_extra_fields(model_of: Any, served: Served) -> None:
    model = model_of(max_tokens=50, stop=["END"], top_p=0.9, temperature=1, version="2027-01-01", body={"top_k": 5})
    await model.complete(Request(messages=ASK.messages[1:], sampling=Sampling(temperature=0.0, seed=1)))
    sent = served.bodies[0]
    del sent["messages"]
    assert sent == {
        "model": "claude-x",
        "max_tokens": 50,
        "temperature": 0.0,
        "top_p": 0.9,
        "stop_sequences": ["END"],
        "top_k": 5,
    }
    assert served.requests[0].headers["anthropic-version"] == "2027-01-01"


async def test_tools_go_out_and_calls_come_back(model_of: Any, served: Served) -> None:
    model = model_of()
    use = {"type": "tool_use", "id": "tu_1", "name": "find", "input": {"q": 1}}
    served.says(answer({"type": "text", "text": "Looking."}, use, stop_reason="tool_use"))
    parameters = {"type": "object", "properties": {"q": {"type": "integer"}}}
    tools = (Tool(name="find", description="Finds.", parameters=parameters), Tool(name="ping"))
    reply = await model.complete(Request(messages=ASK.messages, tools=tools))
    assert served.bodies[0]["tools"] == [
        {"name": "find", "description": "Finds.", "input_schema": parameters},
        {"name": "ping", "input_schema": {"type": "object", "properties": {}}},
    ]
    assert "tool_choice" not in served.bodies[0]
    assert (reply.text, reply.finish) == ("Looking.", "tool_calls")
    assert reply.tool_calls == (ToolCall(name="find", arguments={"q": 1}, id="tu_1"),)


async def test_a_conversation_goes_out_by_turns(model_of: Any, served: Served) -> None:
    calls = (
        ToolCall(name="find", arguments={"q": 1}, id="call.1", result="5"),
        ToolCall(name="buy", id="call.2", error="sold out"),
    )
    messages = (
        Message(role="system", content="One."),
        Message(role="user", content="Price?"),
        Message(role="user", content="Quick."),
        Message(role="assistant", tool_calls=calls),
        Message(role="system", content="Two."),
        Message(role="user", content="Well?"),
    )
    await model_of().complete(Request(messages=messages))
    assert served.bodies[0]["system"] == "One.\n\nTwo."
    assert served.bodies[0]["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Price?"}, {"type": "text", "text": "Quick."}]},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "call_1", "name": "find", "input": {"q": 1}},
                {"type": "tool_use", "id": "call_2", "name": "buy", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "5"},
                {"type": "tool_result", "tool_use_id": "call_2", "content": "sold out", "is_error": True},
                {"type": "text", "text": "Well?"},
            ],
        },
    ]


# --- JSON -------------------------------------------------------------------------------------------


async def test_a_schema_is_asked_for_by_a_tool_that_must_be_called(model_of: Any, served: Served) -> None:
    model = model_of()
    use = {"type": "tool_use", "id": "t", "name": "verdict", "input": {"a": "é"}}
    served.says(answer(use, stop_reason="tool_use"))
    reply = await model.complete(Request(messages=ASK.messages, schema=SCHEMA, schema_name="verdict"))
    sent = served.bodies[0]
    assert sent["tools"] == [{"name": "verdict", "description": "Give the answer.", "input_schema": SCHEMA}]
    assert sent["tool_choice"] == {"type": "tool", "name": "verdict"}
    assert (json.loads(reply.text), reply.finish, reply.tool_calls) == ({"a": "é"}, "stop", ())


async def test_beside_the_callers_tools_any_may_be_called(model_of: Any, served: Served) -> None:
    model = model_of()
    use = {"type": "tool_use", "id": "t", "name": "answer", "input": {"q": 1}}
    served.says(answer(use, stop_reason="tool_use"))
    reply = await model.complete(Request(messages=ASK.messages, schema=SCHEMA, tools=(Tool(name="answer"),)))
    assert served.bodies[0]["tool_choice"] == {"type": "any"}
    assert [tool["name"] for tool in served.bodies[0]["tools"]] == ["answer", "answer_answer"]
    assert (reply.finish, reply.tool_calls[0].name) == ("tool_calls", "answer")


async def test_a_model_that_thinks_is_not_forced(model_of: Any, served: Served) -> None:
    model = model_of(body={"thinking": {"type": "enabled", "budget_tokens": 2000}})
    served.says(answer({"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": '{"a": "x"}'}))
    reply = await model.complete(Request(messages=ASK.messages, schema=SCHEMA))
    assert served.bodies[0]["tool_choice"] == {"type": "auto"}
    assert (reply.text, reply.extra["reasoning"]) == ('{"a": "x"}', "Hm.")


async def test_a_schema_is_asked_for_in_words(model_of: Any, served: Served) -> None:
    await model_of(structured="prompt").complete(Request(messages=ASK.messages, schema=SCHEMA))
    await model_of().complete(Request(messages=ASK.messages, schema={"type": "array"}))
    for sent in served.bodies:
        assert "tools" not in sent
        assert "Answer with JSON only" in sent["messages"][0]["content"][0]["text"]


# --- answers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("tool_use", "tool_calls"),
        ("refusal", "refusal"),
        ("pause_turn", "pause_turn"),
        (None, "unknown"),
    ],
)
async def test_stop_reasons(model_of: Any, served: Served, told: str | None, finish: str) -> None:
    model = model_of()
    served.says(answer(stop_reason=told))
    assert (await model.complete(ASK)).finish == finish


async def test_usage_counts_all_that_went_in(model_of: Any, served: Served) -> None:
    model = model_of()
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 20,
    }
    served.says(answer(usage=usage))
    reply = await model.complete(ASK)
    assert reply.usage == Usage(input=130, output=5, cached_input=100)
    assert reply.extra["cache_write"] == 20


@pytest.mark.parametrize("data", [{}, {"content": None}, {"type": "error", "error": {"message": "broke"}}])
async def test_an_answer_without_an_answer(model_of: Any, served: Served, data: object) -> None:
    model = model_of()
    served.says(data)
    with pytest.raises(ReplyError):
        await model.complete(ASK)


async def test_an_empty_answer_is_an_answer(model_of: Any, served: Served) -> None:
    model = model_of()
    served.says({**answer(), "content": []})
    assert (await model.complete(ASK)).text == ""


# --- what goes wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind", "name"),
    [
        (400, RejectedError, "invalid_request_error"),
        (401, RefusedError, "authentication_error"),
        (403, RefusedError, "permission_error"),
        (404, UnknownModelError, "not_found_error"),
        (413, RejectedError, "request_too_large"),
        (429, RateLimitedError, "rate_limit_error"),
        (500, OverloadedError, "api_error"),
        (529, OverloadedError, "overloaded_error"),
    ],
)
async def test_errors(model_of: Any, served: Served, status: int, kind: type[ModelError], name: str) -> None:
    model = model_of()
    body = {"type": "error", "error": {"type": name, "message": f"no: {KEY}"}}
    served.says(body, status=status, headers={"retry-after": "4"})
    with pytest.raises(ModelError) as caught:
        await model.complete(ASK)
    error = caught.value
    assert type(error) is kind
    assert (error.status, error.message) == (status, f"anthropic:claude-x: HTTP {status}: no: ***")
    if isinstance(error, (RateLimitedError, OverloadedError)):
        assert error.retry_after == 4.0
    if status == 401:
        assert error.hint == "check the key in ANTHROPIC_API_KEY"
    shown = [repr(model), str(error), repr(error), *traceback.format_exception(error)]
    assert KEY not in "".join(shown)


def test_a_missing_key_and_a_wrong_setting_are_told_at_once(kit_of: KitOf) -> None:
    with pytest.raises(ConfigError, match="set ANTHROPIC_API_KEY"):
        anthropic(kit_of({"model": "claude-x"}))
    with pytest.raises(ConfigError, match="seed: unknown key"):
        anthropic(kit_of({"model": "claude-x", "seed": 1}, {"ANTHROPIC_API_KEY": KEY}))


def test_the_spec(kit_of: KitOf) -> None:
    model: Any = anthropic(kit_of({"model": "claude-x", "temperature": 0}, {"ANTHROPIC_API_KEY": KEY}))
    assert model.spec == {
        "provider": "anthropic",
        "base_url": "https://api.anthropic.com",
        "api": "messages",
        "structured": "native",
        "version": "2023-06-01",
        "model": "claude-x",
        "temperature": 0.0,
    }
