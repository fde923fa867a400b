from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from yarl import URL

from proctor.guard.chain import Chain, Post
from proctor.guard.engine import Plan
from proctor.guard.gates.pii import Pii
from proctor.server.proxy.app import make_app
from proctor.wiring.guard import Guard
from proctor.wiring.server_settings import ProxySettings
from tests.server.gates import HANDOFF, REPLY, BreaksOnce, make_guard
from tests.server.upstream import chunk, completion, deltas, proxied, read_stream, running, says, streams
from tests.tables import table

CHAT = "/v1/chat/completions"
KEY = {"Authorization": "Bearer sk-very-secret"}


def _ask(*said: str | dict[str, Any], **more: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": each} if isinstance(each, str) else each for each in said]
    return {"model": "m", "messages": messages, **more}


async def test_what_is_harmless_passes_byte_for_byte_with_its_key() -> None:
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion("Hello."), headers={"X-Request-Id": "r1"})
        sent = b'{ "model":"m",  "messages":[{"role":"user","content":"hi"}], "seed": 12345678901234567890123 }'
        async with client.post(address + CHAT, data=sent, headers={**KEY, "X-Own": "1"}) as answer:
            assert await answer.json() == completion("Hello.")
            assert answer.headers["X-Proctor-Verdict"] == "allow"
            assert answer.headers["X-Request-Id"] == "r1"
        method, path, headers, raw = upstream.asked[0]
        assert (method, path, raw) == ("POST", CHAT, sent)
        assert headers["Authorization"] == KEY["Authorization"]
        assert headers["X-Own"] == "1"
    assert kept.texts("input") == ["hi"]
    assert kept.texts("output") == ["Hello."]
    assert "sk-very-secret" not in repr(kept.events)


async def test_a_blocked_message_never_reaches_the_upstream() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        async with client.post(address + CHAT, json=_ask("ATTACK now")) as answer:
            data = await answer.json()
            assert answer.status == 200
            assert answer.headers["X-Proctor-Verdict"].startswith("block; input; words; an attack")
        assert data["choices"][0]["message"]["content"] == REPLY
        assert data["choices"][0]["finish_reason"] == "content_filter"
        assert data["proctor"]["verdicts"][0]["action"] == "block"
        assert upstream.asked == []


async def test_a_blocked_message_is_answered_as_a_stream_when_one_was_asked_for() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        options = {"include_usage": True}
        async with client.post(address + CHAT, json=_ask("ATTACK", stream=True, stream_options=options)) as answer:
            raw = await answer.read()
        text, ends, events = read_stream(raw)
        assert (text, ends) == (REPLY, ["content_filter"])
        assert events[-1]["usage"]["total_tokens"] == 0
        assert raw.endswith(b"data: [DONE]\n\n")
        assert upstream.asked == []


@pytest.mark.parametrize("stream", [False, True])
async def test_an_escalated_message_gets_its_reply_or_only_a_header(stream: bool) -> None:
    body = _ask("my LAWYER says", stream=stream)
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        async with client.post(address + CHAT, json=body) as answer:
            assert HANDOFF in await answer.text()
        assert upstream.asked == []
    guard, _ = make_guard()
    async with proxied(guard, escalate="header") as (upstream, address, client):
        upstream.say = streams(deltas("Fine.")) if stream else says(completion())
        async with client.post(address + CHAT, json=body) as answer:
            assert answer.headers["X-Proctor-Verdict"].startswith("escalate; input")
            assert "Fine" in (await answer.text()).replace('"}', "")
        assert len(upstream.asked) == 1


async def test_the_model_reads_what_was_masked_in_texts_and_in_parts() -> None:
    guard, _ = make_guard()
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    parts = [{"type": "text", "text": "see SECRET-a"}, picture, {"type": "text", "text": "and SECRET-b!"}]
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion())
        async with client.post(
            address + CHAT, json=_ask("I am SECRET-a", {"role": "user", "content": parts})
        ) as answer:
            assert answer.headers["X-Proctor-Verdict"].startswith("redact; input; words")
        first, second = upstream.body()["messages"]
        assert first["content"] == "I am [SECRET]"
        assert second["content"][1] == picture
        assert (
            "".join(part.get("text", "") for part in second["content"]).replace("\n", "") == "see [SECRET]and [SECRET]!"
        )


async def test_an_order_in_two_parts_is_still_one() -> None:
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion())
        parts = [{"type": "text", "text": "AB"}, {"type": "text", "text": "CD"}]
        await client.post(address + CHAT, json=_ask({"role": "user", "content": parts}))
    assert kept.texts("input") == ["AB\nCD"]


@pytest.mark.parametrize("role", ["user", "USER", "visitor"])
async def test_whoever_is_not_known_is_taken_for_the_user(role: str) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        async with client.post(address + CHAT, json=_ask({"role": role, "content": "ATTACK"})) as answer:
            assert (await answer.json())["choices"][0]["message"]["content"] == REPLY
        assert upstream.asked == []


async def test_a_conversation_is_looked_at_once_and_goes_on_as_it_did() -> None:
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion("Hello."))
        talk: list[Any] = [{"role": "system", "content": "ATTACK is what you are told about"}]
        for turn in ("I am SECRET-a", "how are you", "and now"):
            talk.append({"role": "user", "content": turn})
            async with client.post(address + CHAT, json={"model": "m", "messages": talk}) as answer:
                said = await answer.json()
                session = answer.headers["X-Proctor-Session"]
            talk.append({"role": "assistant", "content": said["choices"][0]["message"]["content"]})
        assert upstream.body()["messages"][1]["content"] == "I am [SECRET]"
    assert kept.texts("input") == ["I am SECRET-a", "how are you", "and now"]
    assert {event.session for event in kept.events} == {session}


async def test_a_message_that_was_stopped_stays_out_of_what_the_model_reads() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion())
        await client.post(address + CHAT, json=_ask("ATTACK"))
        answer = {"role": "assistant", "content": REPLY}
        for _ in range(2):
            async with client.post(address + CHAT, json=_ask("ATTACK", answer, "sorry, hello")) as reply:
                assert (await reply.json())["choices"][0]["message"]["content"] == "Fine."
            assert [each["content"] for each in upstream.body()["messages"]] == ["[withheld]", REPLY, "sorry, hello"]


async def test_a_gate_that_broke_is_asked_again() -> None:
    chain = Chain(point="input", posts=(Post(gate=BreaksOnce(), name="breaks", timeout=5.0),))
    guard = Guard(Plan(chains={"input": chain}, replies={"block": REPLY}))
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion())
        headers = {"X-Proctor-Session": "s"}
        for told in (REPLY, "Fine."):
            async with client.post(address + CHAT, json=_ask("hi"), headers=headers) as answer:
                assert (await answer.json())["choices"][0]["message"]["content"] == told


async def test_two_customers_with_the_same_words_are_not_taken_for_one() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion("Hello."))
        sessions = []
        answer = {"role": "assistant", "content": "Hello."}
        for said in (["hi"], ["hi"], ["hi", answer, "I am Ann"], ["hi", answer, "I am Bob"]):
            async with client.post(address + CHAT, json=_ask(*said)) as reply:
                sessions.append(reply.headers["X-Proctor-Session"])
        assert len(set(sessions[:2])) == 2
        assert sessions[2] != sessions[3]


async def test_the_same_request_again_is_the_same_conversation_and_nothing_new() -> None:
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion("Hello."))
        await client.post(address + CHAT, json=_ask("hi"))
        body = _ask("hi", {"role": "assistant", "content": "Hello."}, "what SECRET-x")
        sessions = []
        for _ in range(2):
            async with client.post(address + CHAT, json=body) as reply:
                sessions.append(reply.headers["X-Proctor-Session"])
                assert reply.headers["X-Proctor-Verdict"].startswith("redact")
            assert upstream.body()["messages"][2]["content"] == "what [SECRET]"
        assert len(set(sessions)) == 1
    assert kept.texts("input") == ["hi", "what SECRET-x"]


@table(
    ("headers", "more", "name"),
    [
        ({"X-Proctor-Session": "s1"}, {"user": "u"}, "s1"),
        ({}, {"user": "u"}, "user:u"),
        ({}, {"metadata": {"session": "s2"}, "user": "u"}, "s2"),
        ({}, {"proctor": {"session": "s3"}}, "s3"),
    ],
)
async def test_a_conversation_can_have_a_name(headers: dict[str, str], more: dict[str, Any], name: str) -> None:
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion())
        async with client.post(address + CHAT, json=_ask("hi", **more), headers=headers) as answer:
            assert answer.headers["X-Proctor-Session"] == name
        assert "proctor" not in upstream.body()
        assert not any(key.lower().startswith("x-proctor") for key in upstream.asked[0][2])
        answer_said = {"role": "assistant", "content": "Fine."}
        await client.post(address + CHAT, json=_ask("hi", answer_said, "more", **more), headers=headers)
    assert kept.texts("input") == ["hi", "more"]


async def test_a_session_of_one_customer_is_not_anothers() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion())
        headers = {"X-Proctor-Session": "s"}
        for customer in ("ann", "bob"):
            named = {**headers, "X-Proctor-Customer": customer}
            async with client.post(address + CHAT, json=_ask("hi"), headers=named) as answer:
                assert answer.status == 200
        assert guard.health["sessions"] == 2


async def test_two_customers_who_say_the_same_words_have_two_conversations() -> None:
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion("Hello."))
        for _ in range(2):  # both begin, then both go on
            talk = [("user", "hi")] if not kept.events else [("user", "hi"), ("assistant", "Hello."), ("user", "more")]
            for customer in ("ann", "bob"):
                messages = [{"role": role, "content": text} for role, text in talk]
                body = {"model": "m", "messages": messages}
                async with client.post(address + CHAT, json=body, headers={"X-Proctor-Customer": customer}) as answer:
                    assert answer.status == 200
        owners = {event.customer: set[str]() for event in kept.events}
        for event in kept.events:
            owners[event.customer].add(str(event.session))
        assert {customer: len(sessions) for customer, sessions in owners.items()} == {"ann": 1, "bob": 1}


async def test_values_go_back_to_their_own_customer_only() -> None:
    gate = Post(gate=Pii(names=False), name="pii", timeout=5.0)
    guard = Guard(Plan(chains={"input": Chain(point="input", posts=(gate,))}))
    async with proxied(guard, restore="answers") as (upstream, address, client):
        upstream.say = says(completion("It is [EMAIL]."))
        headers = {"X-Proctor-Session": "s-1"}
        ann = {**headers, "X-Proctor-Customer": "ann"}
        async with client.post(address + CHAT, json=_ask("I am anna@berg-mail.com"), headers=ann) as answer:
            assert "anna@berg-mail.com" in await answer.text()
        for others in (headers, {**headers, "X-Proctor-Customer": "bob"}):
            async with client.post(address + CHAT, json=_ask("Which address?"), headers=others) as answer:
                assert answer.status == 200
                assert "anna" not in await answer.text()


@pytest.mark.parametrize(("expose", "escalate"), [("none", "reply"), ("action", "reply"), ("none", "header")])
async def test_clients_read_no_more_of_verdicts_than_is_exposed(expose: str, escalate: str) -> None:
    guard, _ = make_guard()
    async with proxied(guard, expose=expose, escalate=escalate) as (upstream, address, client):
        upstream.say = says(completion("Fine."))
        for words in ("ATTACK", "my LAWYER"):
            for stream in (False, True):
                async with client.post(address + CHAT, json={**_ask(words), "stream": stream}) as answer:
                    told = json.dumps(dict(answer.headers)) + await answer.text()
                assert "attack" not in told.lower().replace("ATTACK", "")
                assert "an attack" not in told
                assert "a lawyer is named" not in told
                assert '"words"' not in told, "the gate that fired"
                action = "block" if words == "ATTACK" else "escalate"
                shown = expose == "action" or escalate == "header"
                assert (answer.headers.get("X-Proctor-Verdict") == action) is shown
        async with client.get(f"{address}/proctor/health") as health:
            assert (await health.json() == {"status": "ok"}) is (expose == "none" and escalate == "reply")


def test_only_a_proxy_of_this_machine_exposes_verdicts_by_itself() -> None:
    assert ProxySettings().exposed(local=True) == "full"
    assert ProxySettings().exposed(local=False) == "none"
    assert ProxySettings(expose="full").exposed(local=False) == "full"
    assert ProxySettings(expose="none").exposed(local=True) == "none"
    assert ProxySettings(escalate="header").exposed(local=False) == "action"


async def test_calls_are_judged_with_their_intents_and_refused_ones_taken_out() -> None:
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion(None, [("drop_all", "{}"), ("get", '{"id": 1}')]))
        headers = {"X-Proctor-Intents": "booking, policy"}
        async with client.post(address + CHAT, json=_ask("hi"), headers=headers) as answer:
            choice = (await answer.json())["choices"][0]
            assert [call["function"]["name"] for call in choice["message"]["tool_calls"]] == ["get"]
            assert choice["finish_reason"] == "tool_calls"
            assert answer.headers["X-Proctor-Verdict"].startswith("block; tool_call")
        upstream.say = says(completion("Sure.", [("drop_all", "{}")]))
        async with client.post(address + CHAT, json=_ask("hi"), headers=headers) as answer:
            choice = (await answer.json())["choices"][0]
            assert choice["message"] == {"role": "assistant", "content": REPLY, "refusal": None}
            assert choice["finish_reason"] == "content_filter"
    calls = [event for event in kept.events if event.name == "tool_call"]
    assert calls[0].metadata["intents"] == ["booking", "policy"]
    assert [call.metadata["tool"] for call in calls[:2]] == ["drop_all", "get"]


async def test_results_of_tools_are_looked_at_and_are_what_the_answer_rests_on() -> None:
    guard, kept = make_guard()
    call = {"id": "call_0", "type": "function", "function": {"name": "get_faq", "arguments": "{}"}}
    talk: list[Any] = ["hi", {"role": "assistant", "content": None, "tool_calls": [call]}]
    result = {"role": "tool", "tool_call_id": "call_0", "content": "Open at 9 for SECRET-a."}
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion(None, [("get_faq", "{}")]))
        await client.post(address + CHAT, json=_ask("hi"))
        upstream.say = says(completion("At 9."))
        await client.post(address + CHAT, json=_ask(*talk, result, proctor={"sources": ["The shop opens at 9."]}))
        assert upstream.body()["messages"][2]["content"] == "Open at 9 for [SECRET]."
        bad = {"role": "tool", "tool_call_id": "call_0", "content": "ATTACK the user"}
        async with client.post(address + CHAT, json=_ask(*talk, bad)) as answer:
            assert answer.headers["X-Proctor-Verdict"].startswith("block; tool_result")
        assert len(upstream.asked) == 2
    assert kept.texts("input") == ["hi", "hi"]  # the last request goes on from none that is known
    results = [event for event in kept.events if event.name == "tool_result"]
    assert results[0].metadata["tool"] == "get_faq"


async def test_an_answer_that_must_not_leave_is_replaced_and_a_secret_is_masked() -> None:
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, client):
        said = completion("It is SECRET-a.")
        said["choices"][0]["logprobs"] = {"content": [{"token": "SECRET-a"}]}
        upstream.say = says(said)
        async with client.post(address + CHAT, json=_ask("hi")) as answer:
            raw = await answer.text()
            assert json.loads(raw)["choices"][0]["message"]["content"] == "It is [SECRET]."
            assert "SECRET-a" not in raw
        upstream.say = says(completion("An ATTACK."))
        async with client.post(address + CHAT, json=_ask("hi")) as answer:
            data = await answer.json()
            assert data["choices"][0]["message"]["content"] == REPLY
            assert data["id"] == "chatcmpl-1"
    assert kept.texts("output") == ["It is SECRET-a.", "An ATTACK."]


async def test_a_stream_passes_byte_for_byte_and_is_on_record_once() -> None:
    guard, kept = make_guard()
    text = "One thing. Another thing. 日本語です。The end."
    raw = (
        b": hi\n\n" + b"".join(deltas(text, 3)[:-1]) + chunk({}, None, usage={"total_tokens": 3}) + b"data: [DONE]\n\n"
    )
    cut = [raw[at : at + 7] for at in range(0, len(raw), 7)]
    async with proxied(guard) as (upstream, address, client):
        upstream.say = streams(cut)
        async with client.post(address + CHAT, json=_ask("hi", stream=True)) as answer:
            assert await answer.read() == raw
            assert answer.headers["Content-Type"] == "text/event-stream"
        talk: list[Any] = ["hi", {"role": "assistant", "content": text}, "more"]
        async with client.post(address + CHAT, json=_ask(*talk, stream=True)) as answer:
            assert await answer.read() == raw
    assert kept.texts("output") == [text, text]
    assert kept.texts("input") == ["hi", "more"]


async def test_sentences_leave_before_the_stream_ends_and_never_before_they_are_whole() -> None:
    guard, _ = make_guard()
    go_on = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(chunk({"content": "First one. The sec"}))
        await response.write(chunk({"content": "ond one. And"}))
        await go_on.wait()
        await response.write(chunk({"content": " SECRET-a."}) + chunk({}, "stop") + b"data: [DONE]\n\n")
        return response

    async with proxied(guard) as (upstream, address, client):
        upstream.say = answer
        async with client.post(address + CHAT, json=_ask("hi", stream=True)) as reply:
            first = await reply.content.readany()
            assert read_stream(first)[0] == "First one. The sec"
            go_on.set()
            rest = await reply.read()
        assert read_stream(first + rest)[0] == "First one. The second one. And [SECRET]."


async def test_a_client_that_goes_away_ends_the_request_to_the_upstream() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = streams([chunk({"content": "First. "}), chunk({"content": "Sec"})], then="silence")
        async with client.post(address + CHAT, json=_ask("hi", stream=True)) as answer:
            await answer.content.read(1)
            answer.close()
        await asyncio.wait_for(upstream.gone.wait(), 5)


@pytest.mark.parametrize(("status", "headers"), [(401, {}), (429, {"Retry-After": "7"}), (503, {})])
async def test_a_failure_of_the_upstream_is_read_before_it_is_passed_on(status: int, headers: dict[str, str]) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        for said, told in (("no way", "no way"), ("no SECRET-a", "no [SECRET]"), ("ATTACK", None)):
            upstream.say = says({"error": {"message": said, "code": "x"}}, status, headers)
            for stream in (False, True):
                async with client.post(address + CHAT, json=_ask("hi", stream=stream)) as answer:
                    assert answer.status == status
                    failure = (await answer.json())["error"]
                    assert failure["message"] == told or (told is None and "withheld" in failure["message"])
                    assert answer.headers.get("Retry-After") == headers.get("Retry-After")


async def _read_all(content: aiohttp.StreamReader, got: list[bytes]) -> None:
    async for piece in content.iter_any():
        got.append(piece)


async def test_a_stream_that_breaks_off_breaks_off_for_the_client_too() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = streams([chunk({"content": "First. Second SECRET-a"})], then="drop")
        got: list[bytes] = []
        async with client.post(address + CHAT, json=_ask("hi", stream=True)) as answer:
            with pytest.raises(aiohttp.ClientPayloadError):
                await _read_all(answer.content, got)
        assert b"SECRET-a" not in b"".join(got)


async def test_an_upstream_that_is_silent_or_not_there_is_a_clear_error() -> None:
    guard, _ = make_guard()
    async with proxied(guard, timeout=0.3) as (upstream, address, client):

        async def silent(request: web.Request) -> web.StreamResponse:
            await asyncio.sleep(5)
            return web.Response()

        upstream.say = silent
        for path, data in ((CHAT, json.dumps(_ask("hi"))), ("/v1/embeddings", "")):
            async with client.post(address + path, data=data) as answer:
                assert answer.status == 504
                assert (await answer.json())["error"]["type"] == "timeout_error"
    guard, _ = make_guard()
    nowhere = make_app(guard, "http://127.0.0.1:1")
    async with (
        running(nowhere) as address,
        aiohttp.ClientSession() as client,
        client.post(address + CHAT, json=_ask("hi"), headers=KEY) as answer,
    ):
        assert answer.status == 502
        assert "sk-very" not in await answer.text()
    guard.close()


@table(
    ("raw", "words"),
    [
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b'{"messages":[],"messages":[{"role":"user","content":"ATTACK"}]}', "twice"),
        (b'{"messages":"ATTACK"}', "no list of messages"),
        (b'{"messages":["ATTACK"]}', "no list of messages"),
        (b'\xff{"messages":[]}', "UTF-8"),
        (b'{"messages":[],"n":NaN}', "NaN"),
        (b"[" * 100_000, "nested"),
    ],
)
async def test_a_body_that_two_readers_could_read_two_ways_is_refused(raw: bytes, words: str) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        async with client.post(address + CHAT, data=raw) as answer:
            assert answer.status == 400
            assert words in (await answer.json())["error"]["message"]
        assert upstream.asked == []


async def test_a_body_that_is_too_large_is_refused() -> None:
    guard, _ = make_guard()
    async with proxied(guard, most_bytes=1000) as (upstream, address, client):
        async with client.post(address + CHAT, json=_ask("x" * 2000)) as answer:
            assert answer.status == 413
        upstream.say = says(completion("y" * 2000))
        async with client.post(address + CHAT, json=_ask("x")) as answer:
            assert answer.status == 502


@table(
    "path",
    [
        "/v1/chat/completions/",
        "//v1//chat/completions",
        "/v1/x/../chat/completions",
        "/V1/Chat/Completions",
        "/v1/chat%2Fcompletions",
        "/openai/deployments/gpt/chat/completions?api-version=1",
    ],
)
async def test_no_spelling_of_the_path_leads_around_the_gates(path: str) -> None:

    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion())
        async with client.post(URL(address + path, encoded=True), json=_ask("ATTACK")) as answer:
            assert (await answer.json())["choices"][0]["message"]["content"] == REPLY
        assert upstream.asked == []


async def test_everything_else_passes_untouched_both_ways() -> None:
    guard, kept = make_guard()

    async def answer(request: web.Request) -> web.StreamResponse:
        headers = [("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"), ("Content-Encoding", "gzip"), ("X-Up", "1")]
        response = web.Response(status=418, reason="Odd", body=gzip.compress(b"ATTACK"))
        response.headers.extend(headers)
        return response

    async with proxied(guard, others="pass") as (upstream, address, client):
        upstream.say = answer
        body = bytes(range(256)) * 400
        url = URL(f"{address}/v1/files?purpose=a%2Fb&x=1", encoded=True)
        headers = {**KEY, "Connection": "X-Hop", "X-Hop": "1", "Content-Type": "application/x-own"}
        async with client.put(url, data=body, headers=headers, auto_decompress=False) as reply:
            assert (reply.status, reply.reason) == (418, "Odd")
            assert reply.headers.getall("Set-Cookie") == ["a=1", "b=2"]
            assert gzip.decompress(await reply.read()) == b"ATTACK"
        method, path, got, raw = upstream.asked[0]
        assert (method, path, raw) == ("PUT", "/v1/files?purpose=a%2Fb&x=1", body)
        assert got["Authorization"] == KEY["Authorization"]
        assert got["Content-Type"] == "application/x-own"
        assert "X-Hop" not in got
        async with client.head(address + "/v1/files") as reply:
            assert reply.status == 418
    assert kept.events == []


async def test_other_paths_are_closed_and_sockets_are_not_let_through() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        async with client.post(address + "/v1/batches", json={}) as answer:
            assert answer.status == 403
            assert "not guarded" in await answer.text()
        with pytest.raises(aiohttp.WSServerHandshakeError, match="501"):
            await client.ws_connect(address + "/v1/realtime")
        assert upstream.asked == []


async def test_an_answer_that_the_upstream_has_kept_is_looked_at_when_it_is_fetched() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion("It is SECRET-a."))
        await client.post(address + CHAT, json=_ask("hi"))
        async with client.get(f"{address}{CHAT}/chatcmpl-1") as answer:
            assert (await answer.json())["choices"][0]["message"]["content"] == "It is [SECRET]."
        upstream.say = says({"object": "list", "data": [completion("It is SECRET-b.")]})
        async with client.get(f"{address}{CHAT}") as answer:
            assert "SECRET-b" not in await answer.text()


async def test_packed_bodies_are_read_both_ways() -> None:
    guard, _ = make_guard()

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.json_response(completion("It is SECRET-a."))
        response.enable_compression()
        return response

    async with proxied(guard) as (upstream, address, client):
        upstream.say = answer
        packed = gzip.compress(json.dumps(_ask("hi SECRET-b")).encode())
        headers = {"Content-Encoding": "gzip", "Accept-Encoding": "gzip"}
        async with client.post(address + CHAT, data=packed, headers=headers) as reply:
            assert "[SECRET]" in await reply.text()
        assert upstream.body()["messages"][0]["content"] == "hi [SECRET]"


async def test_an_answer_that_is_no_json_is_looked_at_as_text() -> None:
    guard, _ = make_guard()

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(text=f"plain {said}")

    async with proxied(guard) as (upstream, address, client):
        upstream.say = answer
        said = "words"
        async with client.post(address + CHAT, json=_ask("hi")) as reply:
            assert await reply.text() == "plain words"
        said = "ATTACK"
        async with client.post(address + CHAT, json=_ask("hi")) as reply:
            assert (await reply.json())["choices"][0]["message"]["content"] == REPLY


async def test_a_guard_that_only_watches_changes_nothing_and_records_all() -> None:
    guard, kept = make_guard(mode="shadow")
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion("An ATTACK on SECRET-a.", [("drop_all", "{}")]))
        async with client.post(address + CHAT, json=_ask("ATTACK")) as answer:
            assert await answer.json() == completion("An ATTACK on SECRET-a.", [("drop_all", "{}")])
    assert [event.name for event in kept.events] == ["input", "output", "tool_call"]


async def test_the_proxy_tells_its_health_and_settings_that_cannot_be_used() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        guard._failed("there is no guard section any more")
        async with client.get(address + "/proctor/health") as answer:
            data = await answer.json()
        assert (data["status"], data["mode"]) == ("ok", "enforce")
        assert data["reload_error"]["reason"] == "there is no guard section any more"
        assert data["reload_error"]["time"]
        assert upstream.asked == []
