"""The factories of the OpenAI wire, and everything that can go wrong on it."""

from __future__ import annotations

import asyncio
import socket
import traceback
from email.utils import formatdate
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from proctor.core.chat import Message, Request
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
from proctor.core.sockets import Kit, Model
from proctor.models.openai import azure, compatible, llamacpp, ollama, openai, openrouter, vllm
from tests.tables import table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.models.conftest import KitOf, Served

ASK = Request(messages=(Message(role="user", content="Hi"),))
KEY = "proj-Zx81-very-secret"
ANSWER = {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}


# --- where the request goes -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("factory", "env", "header"),
    [
        (openai, {"OPENAI_API_KEY": KEY}, KEY),
        (openrouter, {"OPENROUTER_API_KEY": KEY}, KEY),
        (compatible, {"SHOP_KEY": KEY}, KEY),
        (compatible, {"OPENAI_API_KEY": KEY}, None),
        (ollama, {"OPENAI_API_KEY": KEY}, None),
        (vllm, {}, None),
        (llamacpp, {}, None),
    ],
)
async def test_each_provider_sends_its_own_key_and_no_other(
    kit_of: KitOf, served: Served, factory: Callable[[Kit], Model], env: dict[str, str], header: str | None
) -> None:
    served.says(ANSWER)
    settings = {"model": "m", "base_url": f"{served.url}/v1/"}
    if "SHOP_KEY" in env:
        settings["api_key_env"] = "SHOP_KEY"
    model = factory(kit_of(settings, env))
    assert isinstance(model, Model)
    assert model.name == f"{factory.__name__}:m"
    assert (await model.complete(ASK)).text == "Hello"
    assert served.requests[0].path == "/v1/chat/completions"
    assert served.requests[0].headers.get("Authorization") == (header and f"Bearer {header}")


@table(
    ("factory", "where"),
    [
        (openai, "https://api.openai.com/v1"),
        (openrouter, "https://openrouter.ai/api/v1"),
        (ollama, "http://127.0.0.1:11434/v1"),
        (vllm, "http://127.0.0.1:8000/v1"),
        (llamacpp, "http://127.0.0.1:8080/v1"),
    ],
)
def test_each_provider_knows_its_own_address(kit_of: KitOf, factory: Callable[[Kit], Any], where: str) -> None:
    model = factory(kit_of({"model": "m", "api_key": KEY}))
    assert model.spec["base_url"] == where
    assert model.spec["provider"] == factory.__name__


def test_the_address_may_come_from_the_environment(kit_of: KitOf) -> None:
    env = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://proxy.test/v1"}
    model: Any = openai(kit_of({"model": "m"}, env))
    assert model.spec["base_url"] == "http://proxy.test/v1"
    model = openai(kit_of({"model": "m", "base_url": "http://told.test/v1"}, env))
    assert model.spec["base_url"] == "http://told.test/v1"


@pytest.mark.parametrize(
    ("settings", "path", "sent_model"),
    [
        ({}, "/openai/v1/chat/completions", "gpt"),
        ({"deployment": "prod one"}, "/openai/v1/chat/completions", "prod one"),
        ({"api_version": "preview"}, "/openai/v1/chat/completions?api-version=preview", "gpt"),
        (
            {"api_version": "2024-10-21", "deployment": "prod one"},
            "/openai/deployments/prod%20one/chat/completions?api-version=2024-10-21",
            "prod one",
        ),
        ({"api": "responses"}, "/openai/v1/responses", "gpt"),
        (
            {"api": "responses", "api_version": "2025-03-01-preview"},
            "/openai/responses?api-version=2025-03-01-preview",
            "gpt",
        ),
    ],
)
async def test_azure_has_two_paths(
    kit_of: KitOf, served: Served, settings: dict[str, str], path: str, sent_model: str
) -> None:
    served.says({**ANSWER, "output": [{"type": "message", "content": []}]})
    env = {"AZURE_OPENAI_ENDPOINT": f"{served.url}/", "AZURE_OPENAI_API_KEY": KEY}
    model = azure(kit_of({"model": "gpt", **settings}, env))
    assert model.name == "azure:gpt"
    await model.complete(ASK)
    sent = served.requests[0]
    assert sent.raw_path == path
    assert sent.headers["api-key"] == KEY
    assert "Authorization" not in sent.headers
    assert served.bodies[0]["model"] == sent_model


async def test_azure_names_the_token_limit_by_its_version(kit_of: KitOf, served: Served) -> None:
    served.says(ANSWER)
    for version, name in [("2024-06-01", "max_tokens"), ("2024-10-21", "max_completion_tokens")]:
        told = {"model": "m", "base_url": served.url, "api_key": KEY, "api_version": version, "max_tokens": 5}
        await azure(kit_of(told)).complete(ASK)
        assert served.bodies[-1][name] == 5


async def test_azure_at_the_full_v1_address(kit_of: KitOf, served: Served) -> None:
    served.says(ANSWER)
    await azure(kit_of({"model": "m", "base_url": f"{served.url}/openai/v1", "api_key": KEY})).complete(ASK)
    assert served.requests[0].path == "/openai/v1/chat/completions"


async def test_a_login_and_a_query_in_the_address_are_used_and_not_shown(kit_of: KitOf, served: Served) -> None:
    served.says(ANSWER)
    url = served.url.replace("http://", "http://ann:hunter22@") + "/v1?code=hunter33"
    model: Any = compatible(kit_of({"model": "m", "base_url": url}))
    await model.complete(ASK)
    assert served.requests[0].headers["Authorization"].startswith("Basic ")
    assert served.requests[0].query["code"] == "hunter33"
    assert model.spec["base_url"] == f"{served.url}/v1"
    assert "hunter" not in f"{model!r} {model.spec}"


# --- settings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("factory", "variable"),
    [(openai, "OPENAI_API_KEY"), (azure, "AZURE_OPENAI_API_KEY"), (openrouter, "OPENROUTER_API_KEY")],
)
def test_a_missing_key_is_told_at_once(kit_of: KitOf, factory: Callable[[Kit], Model], variable: str) -> None:
    with pytest.raises(ConfigError) as caught:
        factory(kit_of({"model": "m", "base_url": "http://h/"}))
    assert f"set {variable}" in str(caught.value)


@pytest.mark.parametrize(("factory", "hint"), [(azure, "AZURE_OPENAI_ENDPOINT"), (compatible, "set `base_url`")])
def test_a_missing_address_is_told_at_once(kit_of: KitOf, factory: Callable[[Kit], Model], hint: str) -> None:
    with pytest.raises(ConfigError, match="no address") as caught:
        factory(kit_of({"model": "m", "api_key": KEY}))
    assert hint in str(caught.value.hint)


@table(
    ("settings", "words"),
    [
        ({"modle": "m"}, "did you mean `model`"),
        ({"model": "m", "api": "chats"}, "did you mean 'chat'"),
        ({"model": "m", "structured": "xml"}, "native, json_object, prompt"),
        ({"model": "m", "api": "responses", "seed": 1}, "seed is not possible"),
        ({"model": "m", "api_version": "1"}, "unknown key"),
    ],
)
def test_wrong_settings_are_told_at_once(kit_of: KitOf, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        openai(kit_of({**settings, "api_key": KEY}))


def test_the_spec_tells_models_apart_and_keeps_no_secret(kit_of: KitOf) -> None:
    settings = {"model": "m", "api_key": KEY, "temperature": 0, "seed": 1, "body": {"reasoning_effort": "low"}}
    model: Any = openai(kit_of(settings))
    assert model.spec == {
        "provider": "openai",
        "base_url": "https://api.openai.com/v1",
        "api": "chat",
        "structured": "native",
        "model": "m",
        "temperature": 0.0,
        "seed": 1,
        "body": {"reasoning_effort": "low"},
    }


# --- what goes wrong --------------------------------------------------------------------------------


async def failing(kit_of: KitOf, url: str, factory: Callable[[Kit], Model] = openai, **settings: Any) -> ModelError:
    """The error of one call, after looking for the key everywhere it might show."""
    told = {"model": "gpt-x", "base_url": f"{url}/v1", "api_key": KEY, "headers": {"X-Team": KEY}, **settings}
    model = factory(kit_of(told))
    with pytest.raises(ModelError) as caught:
        await model.complete(ASK)
    error = caught.value
    shown = [repr(model), str(error), repr(error), str(error.__dict__), *traceback.format_exception(error)]
    assert KEY not in "\n".join(shown)
    assert error.hint
    return error


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_nothing_listens(kit_of: KitOf) -> None:
    port = free_port()
    error = await failing(kit_of, f"http://127.0.0.1:{port}", ollama)
    assert type(error) is UnreachableError
    assert f"127.0.0.1:{port}: connection refused" in str(error)
    assert "ollama serve" in str(error)


async def test_the_server_hangs(kit_of: KitOf, served: Served) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(60)
        return web.Response()

    served.answer = answer
    error = await failing(kit_of, served.url, timeout=0.2)
    assert type(error) is TimedOutError
    assert "0.2 s" in str(error)


async def test_the_connection_drops(kit_of: KitOf, served: Served) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "100"})
        await response.prepare(request)
        await response.write(b'{"choices": [')
        assert request.transport is not None
        request.transport.abort()
        return response

    served.answer = answer
    assert type(await failing(kit_of, served.url)) is UnreachableError


async def test_a_reply_of_10_megabytes(kit_of: KitOf, served: Served) -> None:
    served.says(f'{{"echo": "{KEY}", "x": "' + "y" * 10_000_000 + '"}')
    error = await failing(kit_of, served.url, headers={})
    assert isinstance(error, ReplyError)
    assert "8,000,000 bytes" in str(error)
    assert error.raw.startswith('{"echo": "***"')
    assert len(error.raw) <= 2_000
    large = await failing(kit_of, served.url, max_bytes=20_000_000)
    assert "without choices" in str(large)


async def test_a_200_that_is_not_json(kit_of: KitOf, served: Served) -> None:
    served.says(f"<html>Welcome, {KEY}</html>")
    error = await failing(kit_of, served.url)
    assert isinstance(error, ReplyError)
    assert error.raw == "<html>Welcome, ***</html>"
    assert "base_url" in str(error.hint)


async def test_empty_choices(kit_of: KitOf, served: Served) -> None:
    served.says({"choices": [], "echo": KEY})
    error = await failing(kit_of, served.url)
    assert isinstance(error, ReplyError)
    assert error.raw == '{"choices":[],"echo":"***"}'


async def test_a_wrong_key(kit_of: KitOf, served: Served) -> None:
    served.says({"error": {"message": f"Incorrect API key provided: {KEY}"}}, status=401)
    error = await failing(kit_of, served.url)
    assert type(error) is RefusedError
    assert error.status == 401
    assert error.message == "openai:gpt-x: HTTP 401: Incorrect API key provided: ***"
    assert error.hint == "check the key in api_key"


async def test_a_wrong_key_from_the_environment_names_the_variable(kit_of: KitOf, served: Served) -> None:
    served.says({"error": "no"}, status=401)
    model = openai(kit_of({"model": "m", "base_url": served.url}, {"OPENAI_API_KEY": KEY}))
    with pytest.raises(RefusedError) as caught:
        await model.complete(ASK)
    assert caught.value.hint == "check the key in OPENAI_API_KEY"


async def test_a_model_that_does_not_exist(kit_of: KitOf, served: Served) -> None:
    served.says({"error": {"message": "The model `gpt-x` does not exist", "code": "model_not_found"}}, status=404)
    error = await failing(kit_of, served.url)
    assert type(error) is UnknownModelError
    assert "does not exist" in str(error)
    assert error.hint == "check `model` and `base_url`"
    assert "ollama pull" in str(await failing(kit_of, served.url, ollama))


@pytest.mark.parametrize("status", [429, 503])
async def test_the_wait_as_a_number(kit_of: KitOf, served: Served, status: int) -> None:
    served.says({"error": {"message": "slow down"}}, status=status, headers={"Retry-After": "2.5"})
    error = await failing(kit_of, served.url)
    assert type(error) is (RateLimitedError if status == 429 else OverloadedError)
    assert error.status == status
    assert error.retry_after == 2.5


async def test_the_wait_as_a_date(kit_of: KitOf, served: Served) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        headers = {"Date": formatdate(1000, usegmt=True), "Retry-After": formatdate(1020, usegmt=True)}
        return web.Response(status=429, headers=headers)

    served.answer = answer
    error = await failing(kit_of, served.url)
    assert isinstance(error, RateLimitedError)
    assert error.retry_after == 20.0


async def test_a_wrong_request(kit_of: KitOf, served: Served) -> None:
    served.says({"error": {"message": "Unsupported value: 'temperature'", "param": "temperature"}}, status=400)
    error = await failing(kit_of, served.url)
    assert type(error) is RejectedError
    assert "sampling" in str(error.hint)


async def test_the_key_does_not_go_along_to_another_host(kit_of: KitOf, served: Served) -> None:
    elsewhere = served.url.replace("127.0.0.1", "localhost")
    served.says({}, status=308, headers={"Location": f"{elsewhere}/v1/chat/completions"})
    error = await failing(kit_of, served.url)
    assert type(error) is RejectedError
    assert "localhost" in str(error.hint)
    assert len(served.requests) == 1
