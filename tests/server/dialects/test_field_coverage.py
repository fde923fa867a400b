"""Texts in places that APIs, or their clients, seldom use: read, taken out or refused, never passed unread."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.server.dialects.responses_upstream import call, events, message, response
from tests.server.gates import REPLY, make_guard
from tests.server.upstream import chunk, completion, proxied, read_stream, says, streams
from tests.tables import table

CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"
USER = {"role": "user", "content": "hi"}


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _chat(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), **more}


# --- requests ---


@table(
    ("path", "body", "words"),
    [
        (CHAT, _chat({"role": "user", "content": {"text": "ATTACK"}}), "messages[0] whose content"),
        (CHAT, _chat({"role": "user", "content": [["ATTACK"]]}), "content[0] is not a part"),
        (
            CHAT,
            _chat({"role": "user", "content": [{"type": "text", "text": {"value": "ATTACK"}}]}),
            "text is not a string",
        ),
        (CHAT, _chat({"role": "user", "content": [{"type": ["text"], "text": "ATTACK"}]}), "type is not a string"),
        (CHAT, _chat({"role": "tool", "content": {"a": "ATTACK"}, "tool_call_id": "c"}), "messages[0] whose content"),
        (CHAT, {"Messages": [USER], "messages": []}, "differ in case only"),
        (CHAT, _chat({"role": "user", "content": "hi", "Content": "ATTACK"}), "'content' and 'Content'"),
        (RESPONSES, {"input": ["ATTACK"]}, "input[0], which is not an object"),
        (RESPONSES, {"input": {"role": "user", "content": "ATTACK"}}, "neither a text nor a list"),
        (RESPONSES, {"input": [{"type": {}}]}, "type is not a string"),
        (RESPONSES, {"input": [{"role": [], "content": "ATTACK"}]}, "role is not a string"),
        (RESPONSES, {"input": [{"role": "user", "content": {"text": "ATTACK"}}]}, "input[0] whose content"),
        (RESPONSES, {"prompt": "ATTACK"}, "prompt"),
        (RESPONSES, {"prompt": {"id": "p", "variables": ["ATTACK"]}}, "variables"),
    ],
)
async def test_a_shape_that_cannot_be_read_is_refused_with_a_hint(path: str, body: Any, words: str) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        async with client.post(address + path, json=body) as answer:
            assert answer.status == 400
            assert words in (await answer.json())["error"]["message"]
        assert upstream.asked == []


_RESULT = {"call_id": "c", "status": "completed"}


@table(
    ("path", "body"),
    [
        (CHAT, _chat({**USER, "name": "ATTACK"})),
        (CHAT, _chat({**USER, "own_field": ["ATTACK"]})),
        (CHAT, _chat({"role": "user", "Content": "ATTACK"})),
        (CHAT, _chat({"role": "user", "content": [{"type": "own", "body": {"deep": "ATTACK"}}]})),
        (CHAT, _chat({"role": "user", "content": [{"type": "file", "file": {"file_data": _base64("an ATTACK")}}]})),
        (CHAT, _chat(USER, prediction={"type": "content", "content": "ATTACK"})),
        (CHAT, _chat(USER, documents=[{"title": "t", "text": "ATTACK"}])),
        (CHAT, _chat(USER, web_search_options={"user_location": {"approximate": {"city": "ATTACK"}}})),
        (RESPONSES, {"input": [{"type": "function_call_output", **_RESULT, "output": {"deep": ["ATTACK"]}}]}),
        (RESPONSES, {"input": [{"type": "function_call_output", **_RESULT, "output": {"ATTACK": 1}}]}),
        (RESPONSES, {"input": [{"type": "function_call_output", **_RESULT, "output": [["ATTACK"]]}]}),
        (RESPONSES, {"input": [{"type": "shell_call_output", **_RESULT, "output": [{"stdout": "ATTACK"}]}]}),
        (RESPONSES, {"input": [{"type": "mcp_call", "name": "n", "arguments": "{}", "output": "ATTACK"}]}),
        (RESPONSES, {"input": [{"type": "file_search_call", "queries": [], "results": [{"text": "ATTACK"}]}]}),
        (RESPONSES, {"input": [{"type": "mcp_list_tools", "tools": [{"name": "t", "description": "ATTACK"}]}]}),
        (RESPONSES, {"input": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "ATTACK"}]}]}),
        (RESPONSES, {"input": [{"type": "of_next_year", "anything": {"deep": ["ATTACK"]}}]}),
        (RESPONSES, {"input": [{"role": "user", "content": [{"type": "input_file", "filename": "ATTACK"}]}]}),
        (
            RESPONSES,
            {"input": [{"role": "user", "content": [{"file_data": f"data:text/plain;base64,{_base64('an ATTACK')}"}]}]},
        ),
        (RESPONSES, {"input": "hi", "prompt": {"id": "p", "variables": {"a": {"type": "own", "words": "ATTACK"}}}}),
        (RESPONSES, {"input": "hi", "own_field": {"deep": "ATTACK"}}),
    ],
)
async def test_a_text_in_an_unusual_place_of_a_request_is_read(path: str, body: Any) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion() if path == CHAT else response([message("Fine.")]))
        async with client.post(address + path, json=body) as answer:
            assert answer.status == 200
            assert answer.headers["X-Proctor-Verdict"].startswith("block")
        assert upstream.asked == []


async def test_a_secret_in_a_tools_result_is_masked_where_it_stands() -> None:
    guard, _ = make_guard()
    output = {"note": "it is SECRET-a", "list": ["fine", {"SECRET-b": 1}]}
    file = {"type": "input_file", "file_data": f"data:text/plain;base64,{_base64('of SECRET-c')}"}
    picture = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(response([message("Fine.")]))
        items = [{"type": "function_call_output", "call_id": "c", "output": output}]
        await client.post(address + RESPONSES, json={"input": [*items, {"role": "user", "content": [file, picture]}]})
        first, second = upstream.body()["input"]
    assert first["output"] == {"note": "it is [SECRET]", "list": ["fine", {"[SECRET]": 1}]}
    assert base64.b64decode(second["content"][0]["file_data"].split(",")[1]) == b"of [SECRET]"
    assert second["content"][1] == picture


async def test_pictures_sounds_and_ids_pass_byte_for_byte() -> None:
    guard, kept = make_guard()
    parts = [
        {"type": "image_url", "image_url": {"url": "https://example.com/ATTACK.png", "detail": "low"}},
        {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}},
        {"type": "file", "file": {"file_id": "file-1"}},
        {"type": "text", "text": "look"},
    ]
    sent = json.dumps(_chat({"role": "user", "content": parts}, tools=[{"type": "function"}])).encode()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion())
        await client.post(address + CHAT, data=sent)
        assert upstream.asked[0][3] == sent
    assert kept.texts("input") == ["look"]


# --- calls in answers ---

CALLS: list[dict[str, Any]] = [
    {"type": "local_shell_call", "action": {"type": "exec", "command": ["rm", "-rf", "/"], "env": {}}},
    {"type": "shell_call", "action": {"commands": ["rm -rf /"]}},
    {"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "a.py"}},
    {"type": "computer_call", "action": {"type": "type", "text": "rm -rf /"}, "pending_safety_checks": []},
    {"type": "mcp_approval_request", "name": "wipe", "arguments": "{}", "server_label": "s"},
    {"type": "tool_search_call", "arguments": {"q": "wipe"}, "execution": "client"},
]


@table("item", CALLS, ids=lambda item: item["type"])
async def test_every_kind_of_call_is_judged_by_its_kind(item: dict[str, Any]) -> None:
    item = {"id": "i1", "call_id": "c1", "status": "completed", **item}
    added = {"type": "response.output_item.added", "output_index": 0, "item": item, "sequence_number": 0}
    done = {**added, "type": "response.output_item.done", "sequence_number": 1}
    last = {"type": "response.completed", "response": response([item]), "sequence_number": 2}
    raw = [f"data: {json.dumps(body)}\n\n".encode() for body in (added, done, last)]
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(response([item]))
        async with client.post(address + RESPONSES, json={"input": "hi"}) as answer:
            assert (await answer.json())["output"] == [item]
        upstream.say = streams(raw)
        async with client.post(address + RESPONSES, json={"input": "hi", "stream": True}) as answer:
            assert await answer.read() == b"".join(raw)
    calls = [each for each in kept.events if each.name == "tool_call"]
    assert [each.metadata["tool"] for each in calls] == [item["type"]] * 2


async def _answers(given: Any) -> tuple[str, list[Any]]:
    """What a client of the responses API reads of an answer, and its items."""
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        streamed = isinstance(given, list)
        upstream.say = streams(given) if streamed else says(given)
        async with client.post(address + RESPONSES, json={"input": "hi", "stream": streamed}) as answer:
            text = await answer.text()
    if not streamed:
        return text, json.loads(text)["output"]
    whole = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")][-1]
    return text, whole["response"]["output"]


@pytest.mark.parametrize("streamed", [False, True])
async def test_items_of_unknown_kinds_are_taken_out(streamed: bool) -> None:
    odd = {"id": "o1", "type": "of_next_year", "orders": "rm -rf /"}
    for output, left in (([odd, message("Fine.")], ["message"]), ([message("Fine."), odd], ["message"])):
        given = _streamed(output) if streamed else response(output)
        text, items = await _answers(given)
        assert [item["type"] for item in items] == left
        assert items[0]["content"][0]["text"] == "Fine."
        assert "rm -rf" not in text
    text, items = await _answers(_streamed([odd]) if streamed else response([odd]))
    assert items[0]["content"][0]["text"] == REPLY
    assert "rm -rf" not in text


def _streamed(output: list[dict[str, Any]]) -> list[bytes]:
    known = [
        each if each["type"] in ("message", "function_call") else {**each, "arguments": "", "name": ""}
        for each in output
    ]
    return events(known)


async def test_events_of_unknown_kinds_are_taken_out_when_they_say_anything() -> None:
    odd = {"type": "response.of_next_year.delta", "delta": "an ATTACK", "sequence_number": 1}
    plain = {"type": "response.of_next_year.done", "item_id": "i1", "sequence_number": 2}
    raw = [f"data: {json.dumps(each)}\n\n".encode() for each in (odd, plain)]
    text, items = await _answers([*raw, *events([message("Fine.")])])
    assert "ATTACK" not in text
    assert "response.of_next_year.done" in text
    assert items[0]["content"][0]["text"] == "Fine."


async def test_a_call_whose_parts_say_something_else_than_the_whole_is_refused() -> None:
    raw = events([call("get", '{"a": 1}')])
    forged = [each.replace(b'"delta": "{\\"a\\""', b'"delta": "{\\"b\\""') for each in raw]
    assert forged != raw
    text, items = await _answers(forged)
    assert [item["type"] for item in items] == ["message"]
    assert '\\"b\\"' not in text


@pytest.mark.parametrize("kind", ["of_next_year", "function"])
async def test_chat_calls_of_unknown_kinds_or_of_two_at_once_are_taken_out(kind: str) -> None:
    odd = {
        "index": 0,
        "id": "c",
        "type": kind,
        "function": {"name": "get", "arguments": "{}"},
        "custom": {"input": "x"},
    }
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion(None, tool_calls=[odd]))
        async with client.post(address + CHAT, json=_chat(USER)) as answer:
            told = (await answer.json())["choices"][0]["message"]
            assert (told["content"], told.get("tool_calls")) == (REPLY, None)
        upstream.say = streams([chunk({"tool_calls": [odd]}), chunk({}, "tool_calls"), b"data: [DONE]\n\n"])
        async with client.post(address + CHAT, json=_chat(USER, stream=True)) as answer:
            raw = await answer.read()
            assert read_stream(raw)[0] == REPLY
            assert b"tool_calls" not in raw


# --- texts in answers ---

FIELDS: list[dict[str, Any]] = [
    {"reasoning_details": [{"type": "reasoning.text", "text": "SECRET-a."}]},
    {"thinking": "SECRET-a."},
    {"thinking_blocks": [{"type": "thinking", "thinking": "SECRET-a.", "signature": "abc"}]},
    {"audio": {"id": "a", "data": "QUJD", "transcript": "SECRET-a."}},
    {"context": {"citations": [{"content": "of SECRET-a.", "title": "t"}]}},
    {"content": ["It is", "SECRET-a."]},
    {"content": [{"type": "own", "words": ["SECRET-a."]}]},
    {"annotations": [{"type": "url_citation", "url_citation": {"title": "SECRET-a.", "url": "https://x.example"}}]},
    {"own_field": {"deep": ["SECRET-a."]}},
]


@table("field", FIELDS, ids=lambda field: next(iter(field)))
async def test_fields_of_a_chat_answer_are_read_whole_and_streamed(field: dict[str, Any]) -> None:
    for hostile in ("SECRET-a", "ATTACK"):
        told = json.loads(json.dumps(field).replace("SECRET-a", hostile))
        guard, _ = make_guard()
        async with proxied(guard) as (upstream, address, client):
            upstream.say = says(completion(**{"content": "Fine.", **told}))
            async with client.post(address + CHAT, json=_chat(USER)) as answer:
                text = await answer.text()
                assert hostile not in text
                assert ("[SECRET]" if hostile == "SECRET-a" else REPLY) in text
            upstream.say = streams([chunk(told), chunk({}, "stop"), b"data: [DONE]\n\n"])
            async with client.post(address + CHAT, json=_chat(USER, stream=True)) as answer:
                text = await answer.text()
                assert hostile not in text
                assert ("[SECRET]" if hostile == "SECRET-a" else REPLY) in text


async def test_an_unknown_field_that_comes_in_pieces_is_read_as_one_text() -> None:
    guard, _ = make_guard()
    pieces = [chunk({"thoughts": each}) for each in ("An AT", "TA", "CK on", " you.")]
    async with proxied(guard) as (upstream, address, client):
        upstream.say = streams([*pieces, chunk({}, "stop"), b"data: [DONE]\n\n"])
        async with client.post(address + CHAT, json=_chat(USER, stream=True)) as answer:
            raw = await answer.read()
    assert b'"thoughts"' not in raw
    assert read_stream(raw)[0] == REPLY


@table(
    "more",
    [
        {"output_text": "an ATTACK"},
        {"error": {"message": "an ATTACK"}},
        {"citations": ["an ATTACK"]},
        {"an ATTACK": 1},
        {"data": ["an ATTACK"]},
    ],
)
async def test_texts_beside_the_answer_itself_are_read(more: dict[str, Any]) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        for path, answer in ((CHAT, completion()), (RESPONSES, response([message("Fine.")]))):
            body = _chat(USER) if path == CHAT else {"input": "hi"}
            for given in ({**answer, **more}, more):
                upstream.say = says(given)
                async with client.post(address + path, json=body) as reply:
                    assert "ATTACK" not in await reply.text()
        upstream.say = streams([chunk({"content": "Fine."}, **more), b"data: [DONE]\n\n"])
        async with client.post(address + CHAT, json=_chat(USER, stream=True)) as reply:
            assert "ATTACK" not in await reply.text()


async def test_log_probabilities_stay_while_they_repeat_the_text_and_go_when_they_do_not() -> None:
    guard, kept = make_guard()

    def told(*tokens: str, **more: Any) -> dict[str, Any]:
        spelled = [{"token": each, "logprob": 0, "bytes": list(each.encode()), "top_logprobs": []} for each in tokens]
        return {"content": [{**each, **more} for each in spelled], "refusal": None}

    async with proxied(guard) as (upstream, address, client):
        for logprobs, stays in (
            (told("Fine", "."), True),
            (told("ATTACK", " now"), False),
            (told("Fine", ".", top_logprobs=[{"token": "an ATTACK", "logprob": 0}]), False),
            (told("Fine", ".", note="an ATTACK"), False),
            ({**told("Fine", "."), "own": "an ATTACK"}, False),
        ):
            said = completion("Fine.")
            said["choices"][0]["logprobs"] = logprobs
            upstream.say = says(said)
            async with client.post(address + CHAT, json=_chat(USER)) as answer:
                assert (await answer.json())["choices"][0]["logprobs"] == (logprobs if stays else None)
            delta = json.loads(chunk({"content": "Fine."})[6:])
            delta["choices"][0]["logprobs"] = logprobs
            raw = f"data: {json.dumps(delta)}\n\n".encode()
            upstream.say = streams([raw, b"data: [DONE]\n\n"])
            async with client.post(address + CHAT, json=_chat(USER, stream=True)) as answer:
                assert ((await answer.read()).startswith(raw)) == stays
    assert set(kept.texts("output")) == {"Fine."}


@table(
    ("raw", "status"),
    [
        (b'["an ATTACK"]', 200),
        (b'{"choices": [], "choices": [{"message": {"content": "an ATTACK"}}]}', 200),
        (b'{"a": "an \\u0041TTACK", "a": 1}', 200),
        (b'{"a": ' + b"9" * 5000 + b', "b": "an \\u0041TTACK"}', 502),
        (b'{"a": ' + b"[" * 400 + b'"an \\u0041TTACK"' + b"]" * 400 + b"}", 502),
    ],
)
async def test_an_answer_leaves_as_it_was_read_or_not_at_all(raw: bytes, status: int) -> None:
    from aiohttp import web

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(body=raw, content_type="application/json")

    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = answer
        async with client.post(address + CHAT, json=_chat(USER)) as reply:
            assert reply.status == status
            text = await reply.text()
    assert "ATTACK" not in text
    assert "u0041TTACK" not in text


# --- names of sessions ---


@table("name", ["a\r\nX-Evil: 1", "a\x00b", "x" * 1_000_000, "x" * 257, {"a": 1}, "\ud800"])
async def test_a_session_has_a_short_name_that_can_be_printed(name: Any) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion())
        given: list[dict[str, Any]] = [{"proctor": {key: name}} for key in ("session", "customer")]
        given += [{"metadata": {"session": name}}, {"user": name}, {"conversation": name}]
        given += [{"previous_response_id": name}] if not isinstance(name, dict) else []
        for more in given:
            async with client.post(address + CHAT, json=_chat(USER, **more)) as answer:
                if more == {"conversation": {"a": 1}}:
                    continue
                assert answer.status == 400, more
                assert "256 printable characters" in (await answer.json())["error"]["message"]
        assert guard.health["sessions"] <= 1
    assert all(b"x" * 257 not in asked[3] for asked in upstream.asked)


@table("name", ["Jürgen Müller", "客户-7", "a b/c", 17])
async def test_names_in_any_script_are_taken(name: Any) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion())
        async with client.post(address + CHAT, json=_chat(USER, proctor={"session": name})) as answer:
            assert answer.status == 200


async def test_intents_that_nest_without_end_are_no_failure() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(completion())
        body = _chat(USER, proctor={"intents": "[" * 100_000})
        async with client.post(address + CHAT, json=body) as answer:
            assert answer.status == 200


_FILTER = {"hate": {"filtered": False, "severity": "safe"}, "self_harm": {"filtered": False, "severity": "safe"}}
_PROVIDERS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {  # beside answer, choice and message
    "openai": (
        {"service_tier": "default", "system_fingerprint": "fp_1", "usage": {"total_tokens": 2}, "obfuscation": "aB3"},
        {},
        {"refusal": None, "annotations": []},
    ),
    "azure": (
        {"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": _FILTER}]},
        {"content_filter_results": _FILTER},
        {},
    ),
    "openrouter": ({"provider": "Together"}, {"native_finish_reason": "stop"}, {"reasoning": None}),
    "vllm": ({"prompt_logprobs": None, "kv_transfer_params": None}, {"stop_reason": None}, {"reasoning_content": None}),
    "groq": ({"x_groq": {"id": "req_1", "usage": {"queue_time": 0.1}}}, {}, {}),
}


@table("provider", _PROVIDERS)
async def test_ids_and_settings_of_providers_pass_byte_for_byte_and_unread(provider: str) -> None:
    beside, choice, said = _PROVIDERS[provider]
    whole = {**completion("Fine.", **said), **beside}
    whole["choices"][0] |= choice
    pieces = []
    for delta in ({"role": "assistant", **said}, {"content": "Fine."}):
        body = json.loads(chunk(delta)[6:])
        body["choices"][0] |= choice
        pieces.append(f"data: {json.dumps({**body, **beside})}\n\n".encode())
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = says(whole)
        async with client.post(address + CHAT, json=_chat(USER)) as answer:
            assert await answer.json() == whole
        upstream.say = streams([*pieces, chunk({}, "stop"), b"data: [DONE]\n\n"])
        async with client.post(address + CHAT, json=_chat(USER, stream=True)) as answer:
            assert await answer.read() == b"".join((*pieces, chunk({}, "stop"), b"data: [DONE]\n\n"))
    assert kept.texts("output") == ["Fine.", "Fine."]
