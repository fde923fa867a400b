from __future__ import annotations

import base64
from typing import Any

import aiohttp
from yarl import URL

from proctor.server.proxy.app import make_app
from proctor.server.proxy.routes import route_of
from proctor.server.upstream import place_of
from tests.server.dialects.anthropic_upstream import message
from tests.server.gates import REPLY, make_guard
from tests.server.upstream import completion, proxied, running, says
from tests.tables import table

ASKED = {"model": "m", "messages": [{"role": "user", "content": "ATTACK"}]}


@table(
    "path",
    [
        "/v1/messages",
        "//v1/./messages",
        "/v1/x/../messages",
        "/V1/Messages/",
        "/v1/%6dessages",
        "/v1/%256dessages",
        "/v1%2Fmessages",
        "/v1/messages;x=1",
        "/v1\\messages",
        "/anthropic/v1/messages?beta=true",
        "/openai/deployments/gpt/chat/completions?api-version=1",
        "/api/chat",
        "/API//chat/",
        "/ollama/api/chat",
    ],
)
async def test_no_spelling_of_a_path_leads_around_the_gates(path: str) -> None:
    guard, _ = make_guard()
    for others in ("refuse", "pass"):
        async with proxied(guard, others=others) as (upstream, address, client):
            async with client.post(URL(address + path, encoded=True), json=ASKED) as answer:
                assert REPLY in await answer.text()
            assert upstream.asked == []


@table(
    ("method", "path"),
    [
        ("POST", "/v1beta/models/gemini-3:generateContent"),
        ("POST", "/v1beta/models/gemini-3:streamGenerateContent"),
        ("POST", "/v1/threads/t1/messages"),
        ("POST", "/v1/threads/t1/runs"),
        ("POST", "/v1/threads"),
        ("POST", "/v1/assistants"),
        ("POST", "/v1/batches"),
        ("POST", "/v1/messages/batches"),
        ("GET", "/v1/messages/batches/b1/results"),
        ("POST", "/v1/realtime/sessions"),
        ("POST", "/v1/files"),
        ("GET", "/v1/files/f1/content"),
        ("POST", "/v1/responses/r1/cancel"),
        ("GET", "/v1/responses/r1/input_items"),
        ("POST", "/v1/models"),
        ("POST", "/model/claude/invoke"),
        ("POST", "/completion"),
        ("POST", "/api/pull"),
        ("POST", "/v1/messages/../embeddings"),
        ("POST", "/v1/%65mbeddings/%2e%2e/embeddings"),
        ("GET", "/v1/chat/completions/c1/messages"),
    ],
)
async def test_whatever_is_not_listed_is_refused_with_the_setting_that_opens_it(method: str, path: str) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        async with client.request(method, URL(address + path, encoded=True), json={}) as answer:
            assert answer.status == 403
            text = await answer.text()
            assert "not guarded" in text
            assert "guard: {proxy: {allow: ['" in text
        assert upstream.asked == []


@table(
    ("method", "path"),
    [
        ("GET", "/v1/models"),
        ("HEAD", "/v1/models"),
        ("GET", "/v1/models/meta-llama/Llama-3"),
        ("GET", "/v1/models/meta-llama%2FLlama-3"),
        ("GET", "/openai/v1/models/"),
        ("GET", "/models"),
        ("POST", "/v1/embeddings"),
        ("POST", "/openai/deployments/e/embeddings?api-version=1"),
        ("POST", "/v1/moderations"),
        ("GET", "/v1/files?purpose=x"),
        ("POST", "/v1/messages/count_tokens"),
        ("GET", "/api/tags"),
        ("GET", "/api/version"),
        ("POST", "/api/show"),
        ("GET", "/health"),
        ("POST", "/v1/rerank"),
        ("GET", "/v1/files/f1/content"),
        ("DELETE", "/own/a/b"),
    ],
)
async def test_what_is_listed_passes(method: str, path: str) -> None:
    guard, _ = make_guard()
    allow = ("POST /v1/rerank", "GET /v1/files/*/content", "/own/**")
    async with proxied(guard, allow=allow) as (upstream, address, client):
        upstream.say = says({"fine": True})
        async with client.request(method, URL(address + path, encoded=True)) as answer:
            assert answer.status == 200
        assert upstream.asked[0][1] == path


@table("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "GET"])
async def test_other_methods_do_not_open_a_guarded_path(method: str) -> None:
    guard, _ = make_guard()
    async with proxied(guard, others="pass", allow=("/v1/messages", "/api/chat")) as (upstream, address, client):
        for path in ("/v1/messages", "/v1/completions", "/api/chat", "/api/generate"):
            async with client.request(method, address + path, json=ASKED) as answer:
                assert answer.status == 405
                assert answer.headers["Allow"] == "POST"
        if method != "GET":
            async with client.request(method, address + "/v1/chat/completions", json=ASKED) as answer:
                assert answer.status == 405
        assert upstream.asked == []


async def test_signs_that_end_a_path_are_not_let_through_as_a_part_of_it() -> None:
    guard, _ = make_guard()
    async with proxied(guard, others="pass") as (upstream, address, client):
        for sign in ("%3F", "%23", "%00", "%0a"):
            async with client.post(URL(f"{address}/v1/messages{sign}x", encoded=True), json=ASKED) as answer:
                assert answer.status in (400, 404)
        assert upstream.asked == []


def test_the_api_is_that_of_the_path_at_the_upstream() -> None:
    assert route_of("POST", "/v1/chat/completions", (), "/completions") == ("guarded", "chat/completions")
    assert route_of("POST", "/api/chat", (), "/chat") == ("guarded", "api/chat")
    assert route_of("GET", "/v1/responses/r1") == ("kept", "responses")


async def test_an_upstream_with_a_path_is_routed_by_the_whole_path() -> None:
    guard, _ = make_guard()
    async with (
        running(make_app(guard, "http://127.0.0.1:1/api")) as address,
        aiohttp.ClientSession() as client,
        client.post(f"{address}/chat", json={**ASKED, "stream": False}) as answer,
    ):
        assert (await answer.json())["message"]["content"] == REPLY
    guard.close()


@table(
    ("upstream", "place"),
    [
        ("http://user:pa%20ss@127.0.0.1:1/secret-path?key=secret-query", "127.0.0.1:1"),
        ("https://user:secret@api.example.com/v1", "api.example.com"),
        ("http://[::1]:8080/x", "[::1]:8080"),
        ("http://u:secret@:9", "the upstream"),
    ],
)
def test_only_host_and_port_of_an_address_are_told(upstream: str, place: str) -> None:
    assert place_of(upstream) == place


@table("path", ["/v1/chat/completions", "/v1/messages", "/api/chat", "/v1/models"])
async def test_no_error_tells_the_password_of_the_upstream(path: str) -> None:
    guard, _ = make_guard()
    upstream = "http://user:secret-word@127.0.0.1:1/secret-path"
    body: dict[str, Any] = {"messages": [{"role": "user", "content": "hi"}], "model": "m"}
    async with running(make_app(guard, upstream)) as address, aiohttp.ClientSession() as client:
        method = "GET" if path == "/v1/models" else "POST"
        headers = {"Authorization": "Bearer k"}
        async with client.request(method, address + path, json=body, headers=headers) as answer:
            text = await answer.text()
            assert answer.status == 502
            assert "no connection to 127.0.0.1:1" in text
            assert "secret" not in text + str(answer.headers)
            assert "user:" not in text
    guard.close()


async def test_the_password_of_the_address_is_the_one_that_the_upstream_gets() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, _, client):
        upstream.say = says(completion())
        address = upstream.url.replace("http://", "http://user:secret@")
        async with running(make_app(guard, address)) as place:
            for path, method in (("/v1/chat/completions", "POST"), ("/v1/models", "GET")):
                body = {"messages": [{"role": "user", "content": "hi"}]}
                headers = {"Authorization": "Bearer k", "X-Api-Key": "k2"}
                async with client.request(method, place + path, json=body, headers=headers) as answer:
                    assert answer.status == 200
                sent = upstream.asked[-1][2]
                assert sent["Authorization"] == "Basic " + base64.b64encode(b"user:secret").decode()
                assert sent["X-Api-Key"] == "k2"


async def test_failures_have_the_shape_of_their_api() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(message("Fine."))
        async with client.post(f"{address}/v1/messages", data=b"{") as answer:
            told = await answer.json()
            assert (told["type"], told["error"]["type"]) == ("error", "invalid_request_error")
        async with client.post(f"{address}/api/chat", data=b"{") as answer:
            assert (await answer.json())["error"].startswith("the body is not JSON")
        async with client.post(f"{address}/v1/completions", data=b"{") as answer:
            assert (await answer.json())["error"]["message"].startswith("the body is not JSON")
