"""The responses API over the wire: what is sent, and what is made of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from proctor.core.chat import Message, Request, Sampling, Tool, ToolCall, Usage
from proctor.core.errors import ReplyError
from proctor.core.sockets import Model
from proctor.models.openai import openai

if TYPE_CHECKING:
    from tests.models.conftest import KitOf, Served

ASK = Request(messages=(Message(role="system", content="Be brief."), Message(role="user", content="Hi")))
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}


def answer(*output: dict[str, Any], **more: Any) -> dict[str, Any]:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]}
    return {"id": "r1", "model": "m-2026", "status": "completed", "error": None, "output": output or [said], **more}


@pytest.fixture
def model_of(kit_of: KitOf, served: Served) -> Any:
    def make(**settings: Any) -> Model:
        served.says(answer())
        told = {"model": "m", "base_url": f"{served.url}/v1", "api_key": "key-1234", "api": "responses", **settings}
        return openai(kit_of(told))

    return make


async def test_a_plain_question(model_of: Any, served: Served) -> None:
    reply = await model_of().complete(ASK)
    assert (reply.text, reply.finish, reply.model, reply.extra) == ("Hello", "stop", "m-2026", {"id": "r1"})
    assert served.requests[0].path == "/v1/responses"
    assert served.bodies == [
        {
            "model": "m",
            "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
            "store": False,
        }
    ]


async def test_sampling_and_extra_fields(model_of: Any, served: Served) -> None:
    model = model_of(temperature=0.5, top_p=0.9, max_tokens=50, body={"reasoning": {"effort": "low"}})
    asked = Sampling(temperature=0.0, seed=4, extra={"reasoning": {"summary": "auto"}})
    await model.complete(Request(messages=ASK.messages[1:], sampling=asked))
    sent = served.bodies[0]
    del sent["input"]
    assert sent == {
        "model": "m",
        "store": False,
        "temperature": 0.0,
        "top_p": 0.9,
        "max_output_tokens": 50,
        "reasoning": {"effort": "low", "summary": "auto"},
    }


async def test_the_answer_is_cut_at_a_stop_sequence(model_of: Any) -> None:
    assert (await model_of(stop=["lo", "el"]).complete(ASK)).text == "H"
    assert (await model_of(stop=["zz"]).complete(ASK)).text == "Hello"


async def test_tools_go_out_and_calls_come_back(model_of: Any, served: Served) -> None:
    model = model_of()
    served.says(
        answer(
            {"type": "reasoning", "summary": []},
            {"type": "function_call", "call_id": "a", "name": "find", "arguments": '{"q": 1}'},
            {"type": "function_call", "call_id": "b", "name": "find", "arguments": "{oops"},
        )
    )
    reply = await model.complete(Request(messages=ASK.messages[1:], tools=(Tool(name="find", description="Finds."),)))
    assert served.bodies[0]["tools"] == [
        {
            "type": "function",
            "name": "find",
            "description": "Finds.",
            "parameters": {"type": "object", "properties": {}},
            "strict": False,
        }
    ]
    assert reply.finish == "tool_calls"
    assert reply.tool_calls[0] == ToolCall(name="find", arguments={"q": 1}, id="a")
    assert "{oops" in str(reply.tool_calls[1].error)


async def test_a_conversation_with_tools_goes_out_whole(model_of: Any, served: Served) -> None:
    call = ToolCall(name="find", arguments={"q": 1}, id="x")
    messages = (
        Message(role="user", content="Price?"),
        Message(role="assistant", content="Looking.", tool_calls=(call,)),
        Message(role="tool", content="5", tool_call_id="x"),
    )
    await model_of().complete(Request(messages=messages))
    assert served.bodies[0]["input"] == [
        {"role": "user", "content": "Price?"},
        {"role": "assistant", "content": "Looking."},
        {"type": "function_call", "call_id": "x", "name": "find", "arguments": '{"q":1}'},
        {"type": "function_call_output", "call_id": "x", "output": "5"},
    ]


async def test_a_schema_is_asked_for_natively_beside_the_users_own_fields(model_of: Any, served: Served) -> None:
    model = model_of(body={"text": {"verbosity": "low"}})
    await model.complete(Request(messages=ASK.messages, schema=SCHEMA, schema_name="verdict"))
    assert served.bodies[0]["text"] == {
        "format": {"type": "json_schema", "name": "verdict", "schema": SCHEMA, "strict": True},
        "verbosity": "low",
    }


async def test_a_schema_is_asked_for_in_words(model_of: Any, served: Served) -> None:
    await model_of(structured="prompt").complete(Request(messages=ASK.messages, schema=SCHEMA))
    await model_of(structured="json_object").complete(Request(messages=ASK.messages, schema=SCHEMA))
    await model_of().complete(Request(messages=ASK.messages, schema={"type": "array"}))
    assert [sent.get("text") for sent in served.bodies] == [None, {"format": {"type": "json_object"}}, None]
    for sent in served.bodies:
        assert "Answer with JSON only" in sent["input"][1]["content"]


@pytest.mark.parametrize(
    ("reason", "finish"), [("max_output_tokens", "length"), ("content_filter", "content_filter"), (None, "incomplete")]
)
async def test_an_incomplete_answer_says_why(model_of: Any, served: Served, reason: str | None, finish: str) -> None:
    model = model_of()
    served.says({**answer(), "status": "incomplete", "incomplete_details": {"reason": reason}, "output": []})
    reply = await model.complete(ASK)
    assert (reply.text, reply.finish) == ("", finish)


async def test_a_refusal_is_told_as_one(model_of: Any, served: Served) -> None:
    model = model_of()
    served.says(answer({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}))
    reply = await model.complete(ASK)
    assert (reply.text, reply.finish) == ("No.", "refusal")


async def test_usage_with_cached_and_reasoning_tokens(model_of: Any, served: Served) -> None:
    model = model_of()
    usage = {
        "input_tokens": 100,
        "output_tokens": 20,
        "input_tokens_details": {"cached_tokens": 64},
        "output_tokens_details": {"reasoning_tokens": 12},
    }
    served.says(answer(usage=usage))
    assert (await model.complete(ASK)).usage == Usage(input=100, output=20, cached_input=64, reasoning=12)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"output": None},
        {"output": []},
        {"output": [], "status": "failed", "error": {"code": "server_error", "message": "broke"}},
        {"output": [], "status": "cancelled"},
    ],
)
async def test_an_answer_without_an_answer(model_of: Any, served: Served, data: object) -> None:
    model = model_of()
    served.says(data)
    with pytest.raises(ReplyError) as caught:
        await model.complete(ASK)
    assert caught.value.raw
