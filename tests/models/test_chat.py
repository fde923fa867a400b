"""Chat completions over the wire: what is sent, and what is made of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from proctor.core.chat import Message, Request, Sampling, Tool, ToolCall, Usage
from proctor.core.errors import ReplyError
from proctor.core.sockets import Model
from proctor.models import openai as openai_wire

if TYPE_CHECKING:
    from tests.models.conftest import KitOf, Served

ASK = Request(messages=(Message(role="system", content="Be brief."), Message(role="user", content="Hi", name="Ann B")))
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}


def answer(message: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": message or {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}
    return {"id": "c1", "model": "m-2026", "choices": [{**choice, **more}]}


@pytest.fixture
def model_of(kit_of: KitOf, served: Served) -> Any:
    def make(provider: str = "compatible", **settings: Any) -> Model:
        served.says(answer())
        factory = getattr(openai_wire, provider)
        told = {"model": "m", "base_url": f"{served.url}/v1", "api_key": "key-1234", **settings}
        model: Model = factory(kit_of(told))
        return model

    return make


async def test_a_plain_question(model_of: Any, served: Served) -> None:
    reply = await model_of().complete(ASK)
    assert (reply.text, reply.finish, reply.model, reply.extra) == ("Hello", "stop", "m-2026", {"id": "c1"})
    assert reply.latency > 0
    assert reply.cost is None
    assert served.bodies == [
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hi", "name": "Ann_B"},
            ],
        }
    ]
    sent = served.requests[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["Authorization"] == "Bearer key-1234"
    assert sent.headers["Content-Type"] == "application/json"


async def test_sampling_and_extra_fields(model_of: Any, served: Served) -> None:
    model = model_of(
        temperature=0.2, top_p=0.9, max_tokens=50, stop=["END"], seed=3, body={"reasoning_effort": "low", "top_k": 5}
    )
    asked = Sampling(temperature=0.0, extra={"top_k": 9})
    await model.complete(Request(messages=ASK.messages[1:], sampling=asked, sample=2))
    sent = served.bodies[0]
    del sent["messages"]
    assert sent == {
        "model": "m",
        "temperature": 0.0,
        "top_p": 0.9,
        "max_tokens": 50,
        "stop": ["END"],
        "seed": 5,
        "reasoning_effort": "low",
        "top_k": 9,
    }


async def test_the_name_of_the_token_limit_is_the_providers_or_the_users(model_of: Any, served: Served) -> None:
    for provider, settings, name in [
        ("openai", {}, "max_completion_tokens"),
        ("vllm", {}, "max_tokens"),
        ("openai", {"token_field": "max_tokens"}, "max_tokens"),
        ("compatible", {"token_field": "max_completion_tokens"}, "max_completion_tokens"),
    ]:
        await model_of(provider, max_tokens=7, **settings).complete(ASK)
        assert served.bodies[-1][name] == 7
        assert len([key for key in served.bodies[-1] if key.startswith("max_")]) == 1


async def test_tools_go_out_and_calls_come_back(model_of: Any, served: Served) -> None:
    model = model_of()
    written = [
        {"id": "a", "type": "function", "function": {"name": "find", "arguments": '{"q": "shoes"}'}},
        {"id": "b", "type": "function", "function": {"name": "find", "arguments": '{"q": '}},
        {"id": "c", "type": "function", "function": {"name": "ping", "arguments": ""}},
        {"nonsense": True},
    ]
    served.says(answer({"role": "assistant", "content": None, "tool_calls": written}, finish_reason="tool_calls"))
    parameters = {"type": "object", "properties": {"q": {"type": "string"}}}
    tools = (Tool(name="find", description="Finds.", parameters=parameters), Tool(name="ping"))
    reply = await model.complete(Request(messages=ASK.messages[1:], tools=tools))
    assert served.bodies[0]["tools"] == [
        {"type": "function", "function": {"name": "find", "description": "Finds.", "parameters": parameters}},
        {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}},
    ]
    assert (reply.text, reply.finish) == ("", "tool_calls")
    first, second, third = reply.tool_calls
    assert first == ToolCall(name="find", arguments={"q": "shoes"}, id="a")
    assert second.arguments == {}
    assert second.error is not None
    assert second.error.endswith('{"q": ')
    assert third == ToolCall(name="ping", id="c")


async def test_a_conversation_with_tools_goes_out_whole(model_of: Any, served: Served) -> None:
    messages = (
        Message(role="user", content="Price?"),
        Message(role="assistant", tool_calls=(ToolCall(name="find", arguments={"q": "é"}, result={"price": 5}),)),
        Message(role="assistant", content="5."),
    )
    await model_of().complete(Request(messages=messages))
    assert served.bodies[0]["messages"] == [
        {"role": "user", "content": "Price?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": '{"q":"é"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": '{"price":5}'},
        {"role": "assistant", "content": "5."},
    ]


# --- JSON -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strict", [True, False])
async def test_a_schema_is_asked_for_natively(model_of: Any, served: Served, strict: bool) -> None:
    schema = SCHEMA if strict else {**SCHEMA, "additionalProperties": True}
    await model_of().complete(Request(messages=ASK.messages, schema=schema, schema_name="my verdict"))
    assert served.bodies[0]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "my_verdict", "schema": schema, "strict": strict},
    }
    assert served.bodies[0]["messages"][1]["content"] == "Hi"


@pytest.mark.parametrize(
    ("mode", "wanted"), [("json_object", {"type": "json_object"}), ("prompt", None)], ids=["json_object", "prompt"]
)
async def test_a_schema_is_asked_for_in_words(model_of: Any, served: Served, mode: str, wanted: object) -> None:
    await model_of(structured=mode).complete(Request(messages=ASK.messages, schema=SCHEMA))
    sent = served.bodies[0]
    assert sent.get("response_format") == wanted
    assert sent["messages"][1]["content"].startswith("Hi\n\nAnswer with JSON only")
    assert '"additionalProperties":false' in sent["messages"][1]["content"]


async def test_a_list_is_asked_for_natively_only_where_that_works(model_of: Any, served: Served) -> None:
    asked = Request(messages=ASK.messages, schema={"type": "array"})
    await model_of("ollama").complete(asked)
    await model_of("openai").complete(asked)
    await model_of("openai", structured="json_object").complete(asked)
    assert "response_format" in served.bodies[0]
    for sent in served.bodies[1:]:
        assert "response_format" not in sent
        assert "Answer with JSON only" in sent["messages"][1]["content"]


# --- answers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "finish"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("tool_calls", "tool_calls"),
        ("function_call", "tool_calls"),
        ("content_filter", "content_filter"),
        ("eos_found", "eos_found"),
        (None, "unknown"),
    ],
)
async def test_finish_reasons(model_of: Any, served: Served, told: str | None, finish: str) -> None:
    model = model_of()
    served.says(answer(finish_reason=told))
    assert (await model.complete(ASK)).finish == finish


async def test_tool_calls_are_a_finish_even_if_the_server_says_stop(model_of: Any, served: Served) -> None:
    model = model_of()
    call = {"id": "a", "function": {"name": "f", "arguments": {"x": 1}}}
    served.says(answer({"content": "", "tool_calls": [call]}))
    reply = await model.complete(ASK)
    assert (reply.finish, reply.tool_calls[0].arguments) == ("tool_calls", {"x": 1})


async def test_a_refusal_is_told_as_one(model_of: Any, served: Served) -> None:
    model = model_of()
    served.says(answer({"role": "assistant", "content": None, "refusal": "I cannot help with that."}))
    reply = await model.complete(ASK)
    assert (reply.text, reply.finish) == ("I cannot help with that.", "refusal")


async def test_text_in_parts_and_thoughts_beside_it(model_of: Any, served: Served) -> None:
    model = model_of()
    parts = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}, "?"]
    served.says(answer({"content": parts, "reasoning_content": "Hm."}))
    reply = await model.complete(ASK)
    assert (reply.text, reply.extra["reasoning"]) == ("Hello", "Hm.")


async def test_usage_with_cached_and_reasoning_tokens(model_of: Any, served: Served) -> None:
    model = model_of("openrouter")
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 12},
        "cost": 0.0125,
    }
    served.says({**answer(), "usage": usage})
    reply = await model.complete(ASK)
    assert reply.usage == Usage(input=100, output=20, cached_input=64, reasoning=12)
    assert reply.cost == 0.0125


@pytest.mark.parametrize("usage", [None, [], "x", {"prompt_tokens": None, "prompt_tokens_details": None}])
async def test_usage_that_is_not_told(model_of: Any, served: Served, usage: object) -> None:
    model = model_of()
    served.says({**answer(), "usage": usage})
    assert (await model.complete(ASK)).usage == Usage()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"choices": []},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"content": ""}, "error": {"message": "upstream", "code": 502}}]},
    ],
)
async def test_an_answer_without_an_answer(model_of: Any, served: Served, data: object) -> None:
    model = model_of()
    served.says(data)
    with pytest.raises(ReplyError) as caught:
        await model.complete(ASK)
    assert "choices" in caught.value.raw or caught.value.raw == "{}"
    assert str(caught.value).startswith("compatible:m: an ")
