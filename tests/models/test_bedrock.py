"""Converse over the wire, through boto3 against a local server that speaks its REST shape."""

from __future__ import annotations

import asyncio
import importlib
import json
import socket
import traceback
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from proctor.core.chat import Message, Request, Sampling, Tool, ToolCall, Usage
from proctor.core.errors import (
    ConfigError,
    ModelError,
    OverloadedError,
    RateLimitedError,
    RefusedError,
    RejectedError,
    ReplyError,
    TimedOutError,
    UnknownModelError,
    UnreachableError,
)
from proctor.core.sockets import Model
from proctor.models.bedrock import Bedrock, bedrock

if TYPE_CHECKING:
    from tests.models.conftest import KitOf, Served

SECRET = "aws/Zx81+very-secret"
ENV = {"AWS_ACCESS_KEY_ID": "AKIAEXAMPLEEXAMPLE00", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "eu-central-1"}
ASK = Request(messages=(Message(role="system", content="Be brief."), Message(role="user", content="Hi")))
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}

ModelOf = Callable[..., Bedrock]


def answer(*content: dict[str, Any], stop: str = "end_turn", **more: Any) -> dict[str, Any]:
    said = list(content) or [{"text": "Hello"}]
    return {"output": {"message": {"role": "assistant", "content": said}}, "stopReason": stop, **more}


@pytest.fixture(autouse=True)
def _no_aws_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
async def model_of(kit_of: KitOf, served: Served) -> AsyncIterator[ModelOf]:
    made: list[Bedrock] = []

    def make(env: dict[str, str] | None = None, **settings: Any) -> Bedrock:
        if served.answer is None:
            served.says(answer())
        told = {"model": "acme.claude-v9:0", "endpoint_url": served.url, **settings}
        model = bedrock(kit_of(told, ENV if env is None else env))
        assert isinstance(model, Bedrock)
        made.append(model)
        return model

    yield make
    for model in made:
        await model.close()


async def test_a_plain_question(model_of: ModelOf, served: Served) -> None:
    served.says(answer(usage={"inputTokens": 9, "outputTokens": 3, "totalTokens": 12}, metrics={"latencyMs": 5}))
    model = model_of()
    assert isinstance(model, Model)
    assert model.name == "bedrock:acme.claude-v9:0"
    reply = await model.complete(ASK)
    assert (reply.text, reply.finish, reply.usage) == ("Hello", "stop", Usage(input=9, output=3))
    assert reply.latency > 0
    sent = served.requests[0]
    assert (sent.method, sent.path) == ("POST", "/model/acme.claude-v9:0/converse")
    assert "/eu-central-1/bedrock/aws4_request" in sent.headers["Authorization"]
    assert served.bodies == [
        {"messages": [{"role": "user", "content": [{"text": "Hi"}]}], "system": [{"text": "Be brief."}]}
    ]


async def test_sampling_and_extra_fields(model_of: ModelOf, served: Served) -> None:
    model = model_of(
        temperature=0.5, top_p=0.9, max_tokens=50, stop=["END"], body={"additionalModelRequestFields": {"a": 1}}
    )
    asked = Sampling(temperature=0.0, seed=1, extra={"top_k": 5})
    await model.complete(Request(messages=ASK.messages[1:], sampling=asked))
    sent = served.bodies[0]
    assert sent["inferenceConfig"] == {"temperature": 0.0, "topP": 0.9, "maxTokens": 50, "stopSequences": ["END"]}
    assert sent["additionalModelRequestFields"] == {"top_k": 5, "a": 1}


async def test_tools_go_out_and_calls_come_back(model_of: ModelOf, served: Served) -> None:
    use = {"toolUseId": "t1", "name": "find", "input": {"q": 1, "r": [1.5, None]}}
    served.says(answer({"text": "Looking."}, {"toolUse": use}, stop="tool_use"))
    parameters = {"type": "object", "properties": {"q": {"type": "integer"}}}
    tools = (Tool(name="find", description="Finds.", parameters=parameters), Tool(name="ping"))
    reply = await model_of().complete(Request(messages=ASK.messages, tools=tools))
    assert served.bodies[0]["toolConfig"] == {
        "tools": [
            {"toolSpec": {"name": "find", "description": "Finds.", "inputSchema": {"json": parameters}}},
            {"toolSpec": {"name": "ping", "inputSchema": {"json": {"type": "object", "properties": {}}}}},
        ]
    }
    assert (reply.text, reply.finish) == ("Looking.", "tool_calls")
    assert reply.tool_calls == (ToolCall(name="find", arguments={"q": 1, "r": [1.5, None]}, id="t1"),)


async def test_a_conversation_goes_out_by_turns(model_of: ModelOf, served: Served) -> None:
    calls = (
        ToolCall(name="find", arguments={"q": ("a", 1)}, id="x.1", result="5"),
        ToolCall(name="buy", id="x.2", error="sold out"),
    )
    messages = (
        Message(role="user", content="Price?"),
        Message(role="assistant", content="Wait.", tool_calls=calls),
        Message(role="user", content="Well?"),
    )
    await model_of().complete(Request(messages=messages, tools=(Tool(name="find"), Tool(name="buy"))))
    assert served.bodies[0]["messages"] == [
        {"role": "user", "content": [{"text": "Price?"}]},
        {
            "role": "assistant",
            "content": [
                {"text": "Wait."},
                {"toolUse": {"toolUseId": "x_1", "name": "find", "input": {"q": ["a", 1]}}},
                {"toolUse": {"toolUseId": "x_2", "name": "buy", "input": {}}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "x_1", "content": [{"text": "5"}]}},
                {"toolResult": {"toolUseId": "x_2", "content": [{"text": "sold out"}], "status": "error"}},
                {"text": "Well?"},
            ],
        },
    ]


async def test_a_schema_is_asked_for_by_a_tool_that_must_be_called(model_of: ModelOf, served: Served) -> None:
    use = {"toolUseId": "t", "name": "verdict", "input": {"a": "é"}}
    served.says(answer({"toolUse": use}, stop="tool_use"))
    model = model_of()
    reply = await model.complete(Request(messages=ASK.messages, schema=SCHEMA, schema_name="verdict"))
    config = served.bodies[0]["toolConfig"]
    assert config["toolChoice"] == {"tool": {"name": "verdict"}}
    assert config["tools"][0]["toolSpec"]["inputSchema"] == {"json": SCHEMA}
    assert (json.loads(reply.text), reply.finish, reply.tool_calls) == ({"a": "é"}, "stop", ())
    await model.complete(Request(messages=ASK.messages, schema=SCHEMA, tools=(Tool(name="ping"),)))
    assert served.bodies[1]["toolConfig"]["toolChoice"] == {"any": {}}


async def test_a_schema_is_asked_for_in_words(model_of: ModelOf, served: Served) -> None:
    await model_of(structured="prompt").complete(Request(messages=ASK.messages, schema=SCHEMA))
    await model_of().complete(Request(messages=ASK.messages, schema={"type": "array"}))
    for sent in served.bodies:
        assert "toolConfig" not in sent
        assert "Answer with JSON only" in sent["messages"][0]["content"][0]["text"]


# Making a boto3 client is slow, so one model goes through all of them.
STOP_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "content_filtered": "content_filter",
    "guardrail_intervened": "content_filter",
    "something_new": "something_new",
}


async def test_stop_reasons(model_of: ModelOf, served: Served) -> None:
    model = model_of()
    for told, finish in STOP_REASONS.items():
        served.says(answer(stop=told))
        assert (await model.complete(ASK)).finish == finish


async def test_thoughts_and_cached_tokens(model_of: ModelOf, served: Served) -> None:
    usage = {
        "inputTokens": 1,
        "outputTokens": 2,
        "totalTokens": 3,
        "cacheReadInputTokens": 10,
        "cacheWriteInputTokens": 4,
    }
    thought = {"reasoningContent": {"reasoningText": {"text": "Hm."}}}
    served.says(answer(thought, {"text": "Hello"}, usage=usage))
    reply = await model_of().complete(ASK)
    assert (reply.text, reply.extra) == ("Hello", {"reasoning": "Hm."})
    assert reply.usage == Usage(input=15, output=2, cached_input=10)


async def test_fifty_are_in_flight_at_once(model_of: ModelOf, served: Served) -> None:
    together, all_here = 50, asyncio.Event()

    async def late(request: web.Request) -> web.StreamResponse:
        if len(served.requests) >= together:
            all_here.set()
        await all_here.wait()
        return web.json_response(answer())

    served.answer = late
    model = model_of(timeout=30)
    replies = await asyncio.gather(*(model.complete(ASK) for _ in range(together)))
    assert [reply.text for reply in replies] == ["Hello"] * together


# --- what goes wrong --------------------------------------------------------------------------------


async def failing(model: Bedrock) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await model.complete(ASK)
    error = caught.value
    shown = [repr(model), str(model.spec), str(error), repr(error), *traceback.format_exception(error)]
    assert SECRET not in "".join(shown)
    assert error.hint
    return error


ERRORS: list[tuple[str, int, type[ModelError]]] = [
    ("ThrottlingException", 429, RateLimitedError),
    ("ServiceQuotaExceededException", 400, RateLimitedError),
    ("ModelNotReadyException", 429, OverloadedError),
    ("ModelTimeoutException", 408, OverloadedError),
    ("ModelErrorException", 424, OverloadedError),
    ("ServiceUnavailableException", 503, OverloadedError),
    ("InternalServerException", 500, OverloadedError),
    ("AccessDeniedException", 403, RefusedError),
    ("UnrecognizedClientException", 403, RefusedError),
    ("ExpiredTokenException", 403, RefusedError),
    ("ValidationException", 400, RejectedError),
    ("ResourceNotFoundException", 404, UnknownModelError),
]


async def test_errors_and_each_is_asked_once(model_of: ModelOf, served: Served) -> None:
    model = model_of()
    for code, status, kind in ERRORS:
        headers = {"x-amzn-ErrorType": code, "Retry-After": "3"}
        served.says({"message": f"no {SECRET}"}, status=status, headers=headers)
        error = await failing(model)
        assert type(error) is kind, code
        assert error.status == status
        assert error.message == f"bedrock:acme.claude-v9:0: HTTP {status}: {code}: no ***"
        if isinstance(error, (RateLimitedError, OverloadedError)):
            assert error.retry_after == 3.0
    assert len(served.requests) == len(ERRORS)


async def test_a_wrong_model_identifier_is_an_unknown_model(model_of: ModelOf, served: Served) -> None:
    headers = {"x-amzn-ErrorType": "ValidationException"}
    served.says({"message": "The provided model identifier is invalid."}, status=400, headers=headers)
    error = await failing(model_of())
    assert type(error) is UnknownModelError
    assert error.hint == "check `model` and `region`"


async def test_the_server_hangs(model_of: ModelOf, served: Served) -> None:
    async def late(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(60)
        return web.Response()

    served.answer = late
    error = await failing(model_of(timeout=0.3))
    assert type(error) is TimedOutError
    assert "0.3 s" in str(error)


async def test_a_server_that_trickles_is_late_too(
    model_of: ModelOf, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def trickle(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(600):
            await response.write(b" ")
            await asyncio.sleep(0.05)
        return response

    monkeypatch.setattr("proctor.models.bedrock._GRACE_SECONDS", 0.1)
    served.answer = trickle
    assert type(await failing(model_of(timeout=0.4))) is TimedOutError


async def test_nothing_listens(model_of: ModelOf) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert type(await failing(model_of(endpoint_url=f"http://127.0.0.1:{port}"))) is UnreachableError


async def test_the_connection_drops(model_of: ModelOf, served: Served) -> None:
    async def drop(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    served.answer = drop
    assert type(await failing(model_of())) is UnreachableError


async def test_an_answer_that_cannot_be_used(model_of: ModelOf, served: Served) -> None:
    model = model_of()
    for body in (b"<html>", b"{}", b'{"output": {}}', b'{"output": {"message": {"role": "assistant"}}}'):
        served.says(body)
        assert isinstance(await failing(model), ReplyError), body


async def test_a_field_that_converse_does_not_know(model_of: ModelOf) -> None:
    error = await failing(model_of(body={"nonsense": 1}))
    assert type(error) is RejectedError
    assert "nonsense" in str(error)


async def test_no_credentials(model_of: ModelOf) -> None:
    error = await failing(model_of(env={"AWS_REGION": "eu-central-1"}))
    assert type(error) is RefusedError
    assert "AWS_ACCESS_KEY_ID" in str(error.hint)


def test_no_region(kit_of: KitOf) -> None:
    with pytest.raises(ConfigError) as caught:
        bedrock(kit_of({"model": "m"}))
    assert "AWS_REGION" in str(caught.value.hint)


def test_no_such_profile(kit_of: KitOf) -> None:
    with pytest.raises(ConfigError, match="nobody"):
        bedrock(kit_of({"model": "m", "region": "eu-central-1", "profile": "nobody"}))


def test_no_boto3(kit_of: KitOf, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def without(name: str, package: str | None = None) -> Any:
        if name == "boto3":
            raise ModuleNotFoundError(name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(ConfigError) as caught:
        bedrock(kit_of({"model": "m"}))
    assert caught.value.hint == "pip install 'proctor[bedrock]'"


def test_wrong_settings(kit_of: KitOf) -> None:
    with pytest.raises(ConfigError, match="did you mean `region`"):
        bedrock(kit_of({"model": "m", "regoin": "x"}))
    for name, value, words in [("connections", 0, "connections"), ("timeout", 0, "timeout"), ("model", " ", "empty")]:
        with pytest.raises(ConfigError, match=words):
            bedrock(kit_of({"model": "m", name: value}))


async def test_the_spec(model_of: ModelOf, served: Served) -> None:
    assert model_of(temperature=0, region="us-east-1").spec == {
        "provider": "bedrock",
        "api": "converse",
        "model": "acme.claude-v9:0",
        "region": "us-east-1",
        "base_url": served.url,
        "temperature": 0.0,
        "structured": "native",
    }
