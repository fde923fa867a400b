from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web

from proctor.core.case import Ask, Case
from proctor.core.chat import Message, Usage
from proctor.core.errors import MalformedError
from proctor.core.sockets import Target
from proctor.targets.http import connect
from tests.tables import table

from .conftest import Agent, KitOf

OPENAI = {"choices": [{"message": {"content": "hello"}}], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}
KEY = "sk-live-1234567890abcdef"


async def test_the_openai_shape_is_the_default(agent: Agent, kit_of: KitOf) -> None:
    agent.says(OPENAI)
    target = connect(
        kit_of({"http": f"{agent.url}/v1/chat", "model": "m", "headers": {"Authorization": f"Bearer {KEY}"}})
    )
    assert isinstance(target, Target)
    case = Case(
        id="c", turns=(Ask(text="a 日本語"), Ask(text="b")), history=(Message(role="assistant", content="before"),)
    )
    made = await target.run(case)
    assert made.error is None
    assert [turn.answer for turn in made.turns] == ["hello", "hello"]
    assert made.turns[0].usage == Usage(input=3, output=2)
    assert made.turns[0].latency is not None
    assert agent.bodies[0] == {
        "model": "m",
        "messages": [{"role": "assistant", "content": "before"}, {"role": "user", "content": "a 日本語"}],
    }
    assert [message["content"] for message in agent.bodies[1]["messages"]] == ["before", "a 日本語", "hello", "b"]
    assert agent.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert agent.requests[0].headers["Content-Type"] == "application/json"
    assert agent.requests[0].method == "POST"


async def test_tools_and_empty_content_in_the_openai_shape(agent: Agent, kit_of: KitOf) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    agent.says({"choices": [{"message": {"content": None, "tool_calls": [call]}}]})
    made = await connect(kit_of({"http": agent.url})).run(Case(id="c", input="q"))
    assert made.error is None
    assert (made.answer, made.tool_calls[0].name, made.tool_calls[0].arguments) == ("", "f", {"x": 1})
    agent.says({"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}]}}]})
    made = await connect(kit_of({"http": agent.url})).run(Case(id="c", input="q"))
    assert made.answer == "a\nb"


REQUEST = {
    "query": "{{ text }}",
    "conversation": "{{ session }}",
    "context": {"page": "{{ page }}", "city": "in {{ inputs.city }}", "n": "{{ inputs.n }}", "case": "{{ case.id }}"},
    "all": "{{ messages }}",
    "turn": "{{ turn }}",
    "fixed": [1, None, True],
}
REPLY = {
    "answer": "data.reply.text",
    "tool_calls": "data.calls",
    "sources": "data.docs[*].ref",
    "intents": "data.intents",
    "confidence": "data.sure",
    "escalation": "data.human",
    "session": "sid",
    "usage": "tokens",
    "cost": "price",
}


async def test_any_request_and_any_reply(agent: Agent, kit_of: KitOf) -> None:
    agent.says(
        {
            "data": {
                "reply": {"text": "an answer"},
                "calls": [{"name": "f"}],
                "docs": [{"ref": "d1"}, {"ref": "d2"}],
                "intents": {"faq": 0.5},
                "sure": 0.25,
                "human": "angry",
            },
            "sid": 77,
            "tokens": {"input": 1},
            "price": 0.5,
        }
    )
    target = connect(kit_of({"http": agent.url, "request": REQUEST, "reply": REPLY, "method": "PUT"}))
    hostile = '"}] {{ session }}'
    case = Case(id="c-1", turns=(Ask(text=hostile), Ask(text="b")), inputs={"city": "京都", "n": 5}, page={"url": "/x"})
    made = await target.run(case)
    assert made.error is None
    turn = made.turns[0]
    assert (turn.answer, turn.confidence, turn.cost) == ("an answer", 0.25, 0.5)
    assert [source.id for source in turn.sources] == ["d1", "d2"]
    assert turn.intents[0].name == "faq"
    assert turn.escalation is not None
    assert turn.usage == Usage(input=1)
    assert turn.tool_calls[0].name == "f"
    first, second = agent.bodies
    assert first["query"] == hostile
    assert first["context"] == {"page": {"url": "/x"}, "city": "in 京都", "n": 5, "case": "c-1"}
    assert first["fixed"] == [1, None, True]
    assert (first["turn"], second["turn"]) == (0, 1)
    assert first["conversation"] != "77"
    assert second["conversation"] == "77", "the agent's own session id is sent back"
    assert made.session == "77"
    assert agent.requests[0].method == "PUT"


async def test_our_session_stays_the_same_and_is_new_for_each_conversation(agent: Agent, kit_of: KitOf) -> None:
    agent.says({"a": "x"})
    target = connect(kit_of({"http": agent.url, "request": {"s": "{{ session }}"}, "reply": "a"}))
    case = Case(id="c", turns=(Ask(text="1"), Ask(text="2")))
    await target.run(case)
    await target.run(case)
    sessions = [body["s"] for body in agent.bodies]
    assert sessions[0] == sessions[1] != sessions[2] == sessions[3]


async def test_a_session_of_ones_own_choice_in_address_and_headers(agent: Agent, kit_of: KitOf) -> None:
    agent.says({"a": "x"})
    settings = {
        "http": f"{agent.url}/talk/{{{{ session }}}}?q={{{{ text }}}}",
        "method": "GET",
        "headers": {"X-Session": "id {{ session }}"},
        "session": "test/{{ case.id }}-{{ sample }}",
        "request": {},
        "reply": "a",
    }
    made = await connect(kit_of(settings)).run(Case(id="é", input="a&b=c 日本"), sample=2)
    assert made.error is None
    (request,) = agent.requests
    assert request.path == "/talk/test/é-2"
    assert request.rel_url.raw_path == "/talk/test%2F%C3%A9-2"
    assert request.query["q"] == "a&b=c 日本"
    assert request.headers["X-Session"] == "id test/é-2"
    assert agent.bodies == [None]


async def test_a_line_break_cannot_make_a_header(agent: Agent, kit_of: KitOf) -> None:
    agent.says({"a": "x"})
    target = connect(kit_of({"http": agent.url, "headers": {"X": "{{ text }}"}, "request": {}, "reply": "a"}))
    made = await target.run(Case(id="c", input="a\r\nX-Admin: 1"))
    assert "line break" in (made.error or "")
    assert agent.requests == []


def echo_of_headers(status: int) -> Any:
    return lambda: web.Response(status=status, text=f"you sent Bearer {KEY} and {KEY}, " + "x" * 5_000)


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (echo_of_headers(500), "status 500"),
        (echo_of_headers(401), "status 401"),
        (echo_of_headers(200), "not JSON"),
        ({"choices": []}, "the list has 0 items"),
        ({"choices": [{"message": {"content": {"a": 1}}}]}, "dict, not text"),
        ({"choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": "many"}}, "malformed"),
        (lambda: web.Response(body=b"\xff\xfe"), "not JSON"),
        (lambda: web.Response(body=b""), "not JSON"),
        (lambda: web.Response(text="[" * 100_000), "not JSON"),
        ([], "the reply is a list"),
    ],
)
async def test_bad_replies_are_kept_and_secrets_are_not(agent: Agent, kit_of: KitOf, answer: Any, what: str) -> None:
    agent.says(answer)
    settings = {"http": f"{agent.url}/?token=querysecret", "headers": {"Authorization": f"Bearer {KEY}"}, "retries": 0}
    target = connect(kit_of(settings))
    made = await target.run(Case(id="c", input="q"))
    assert what in (made.error or "")
    assert made.error_kind == "target"
    assert made.raw is not None
    assert len(made.raw) <= 2_000
    for place in (made.error, made.raw, repr(target), json.dumps(target.spec)):
        assert KEY not in (place or "")
        assert "querysecret" not in (place or "")


async def test_a_missing_value_is_an_error_of_the_case(agent: Agent, kit_of: KitOf) -> None:
    agent.says({"a": "x"})
    target = connect(kit_of({"http": agent.url, "request": "{{ inputs.city }}", "reply": "a"}))
    made = await target.run(Case(id="c", input="q"))
    assert "inputs.city" in (made.error or "")
    assert agent.requests == []


async def test_optional_parts_may_be_missing_and_null(agent: Agent, kit_of: KitOf) -> None:
    agent.says({"data": {"reply": {"text": "a"}, "sure": None, "docs": None}, "sid": None})
    made = await connect(kit_of({"http": agent.url, "request": {}, "reply": REPLY})).run(Case(id="c", input="q"))
    assert (made.error, made.answer) == (None, "a")


async def test_patience_is_had_as_long_as_the_agent_asks(agent: Agent, kit_of: KitOf) -> None:
    busy = [lambda: web.Response(status=429, headers={"Retry-After": "0.05"}), lambda: web.Response(status=503)]
    agent.says(*busy, OPENAI)
    started = asyncio.get_running_loop().time()
    made = await connect(kit_of({"http": agent.url})).run(Case(id="c", input="q"))
    assert (made.error, made.answer, len(agent.requests)) == (None, "hello", 3)
    assert asyncio.get_running_loop().time() - started >= 0.05


async def test_patience_has_an_end(agent: Agent, kit_of: KitOf) -> None:
    agent.says(lambda: web.Response(status=429, headers={"Retry-After": "0"}))
    made = await connect(kit_of({"http": agent.url, "retries": 2})).run(Case(id="c", input="q"))
    assert "status 429" in (made.error or "")
    assert len(agent.requests) == 3
    agent.says(lambda: web.Response(status=503, headers={"Retry-After": "Wed, 01 Jan 2200 00:00:00 GMT"}))
    made = await connect(kit_of({"http": agent.url})).run(Case(id="c", input="q"))
    assert len(agent.requests) == 4, "nobody waits for centuries"
    agent.says(lambda: web.Response(status=500), OPENAI)
    made = await connect(kit_of({"http": agent.url})).run(Case(id="c", input="q"))
    assert "status 500" in (made.error or ""), "an agent that breaks is not asked again"


async def test_an_agent_that_hangs_or_is_not_there(agent: Agent, kit_of: KitOf) -> None:
    async def hang(request: web.Request, body: Any) -> web.StreamResponse:
        await asyncio.sleep(30)
        return web.Response()

    agent.handler = hang
    made = await connect(kit_of({"http": agent.url, "timeout": 0.1})).run(Case(id="c", input="q"))
    assert made.error_kind == "timeout"
    made = await connect(kit_of({"http": "http://127.0.0.1:1/"})).run(Case(id="c", input="q"))
    assert made.error_kind == "target"
    assert "127.0.0.1" in (made.error or "")


async def test_a_reply_of_many_megabytes_is_an_error(agent: Agent, kit_of: KitOf) -> None:
    agent.says(lambda: web.Response(text='{"a": "' + "x" * 9_000_000 + '"}'))
    made = await connect(kit_of({"http": agent.url, "request": {}, "reply": "a"})).run(Case(id="c", input="q"))
    assert made.error_kind == "target"
    assert len(made.raw or "") <= 2_000


async def test_the_first_turns_are_kept(agent: Agent, kit_of: KitOf) -> None:
    agent.says(OPENAI, lambda: web.Response(status=500, text="broken"))
    case = Case(id="c", turns=tuple(Ask(text=text) for text in "abc"))
    made = await connect(kit_of({"http": agent.url})).run(case)
    assert (len(made.turns), made.raw, len(agent.requests)) == (1, "broken", 2)


@table(
    ("settings", "field"),
    [
        ({"http": "agent.example.org"}, "http"),
        ({"http": "http://x", "request": {}}, "reply"),
        ({"http": "http://x", "request": {}, "reply": {"session": "s"}}, "reply"),
        ({"http": "http://x", "request": {}, "reply": "a", "shape": "openai"}, "shape"),
        ({"http": "http://x", "request": {"a": "{{ txt }}"}, "reply": "a"}, "request.a"),
        ({"http": "http://x", "reply": {"answer": "a["}}, "reply.answer"),
        ({"http": "http://x", "reply": {"anwser": "a"}}, "reply.anwser"),
        ({"http": "http://x", "headers": {"A": 5}}, "headers.A"),
        ({"http": "http://x", "method": "FETCH"}, "method"),
        ({"http": "http://x", "timeout": 0}, "timeout"),
        ({"http": "http://x", "retries": 99}, "retries"),
        ({"http": "http://x/{{ nothing }}"}, "http"),
        ({"http": "http://x", "session": "{{ text }}"}, "session"),
        ({"http": "http://x", "urll": 1}, "urll"),
    ],
)
def test_wrong_settings_are_told_at_once(kit_of: KitOf, settings: dict[str, Any], field: str) -> None:
    with pytest.raises(MalformedError) as caught:
        connect(kit_of(settings))
    assert caught.value.field == field


def test_the_spec_tells_agents_apart(kit_of: KitOf) -> None:
    def spec(**settings: Any) -> str:
        return json.dumps(connect(kit_of({"http": "http://u:p@x:8080/a?k=v", **settings})).spec, sort_keys=True)

    assert "x:8080/a" in spec()
    assert "u:p" not in spec()
    assert len({spec(), spec(model="m"), spec(request={"a": 1}, reply="b"), spec(method="PUT")}) == 4
    assert "hunter2" not in spec(request={"api_key": "hunter2", "q": "{{ text }}"}, reply="b")
