from __future__ import annotations

import contextlib
import http.server
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core.chat import Message, Reply, Request, ToolCall, Usage
from proctor.core.codec import content_id
from proctor.core.errors import InputError, RateLimitedError, ReplyError
from proctor.core.sockets import Model
from proctor.models.structured import Structured
from tests.tables import table

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
ASK = Request(messages=(Message(role="user", content="How many?"),), schema=SCHEMA)


@dataclass
class Told:
    """A model that answers what it is told, in order."""

    answers: list[Reply | str | Exception]
    name: str = "told:m"
    asked: list[Request] = field(default_factory=list)

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        answer = self.answers[len(self.asked) - 1]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, str):
            return Reply(text=answer, usage=Usage(input=10, output=2), cost=0.5, latency=1.0)
        return answer


def test_it_has_the_type_of_what_it_wraps() -> None:
    model = Structured(Told([]))
    assert isinstance(model, Model)
    assert model.name == "told:m"
    assert model.spec == {"name": "told:m"}


async def test_a_request_without_a_schema_passes_through() -> None:
    told = Told(["anything {"])
    request = Request(messages=ASK.messages)
    reply = await Structured(told).complete(request)
    assert (reply.text, reply.data) == ("anything {", None)
    assert told.asked == [request]


@table("text", ['{"n": 3}', 'Sure!\n```json\n{"n": 3,}\n```', "{'n': 3}", '"{\\"n\\": 3}"'])
async def test_a_good_answer_is_read_with_tolerance(text: str) -> None:
    told = Told([text])
    reply = await Structured(told).complete(ASK)
    assert (reply.data, reply.text, reply.attempts) == ({"n": 3}, text, 1)
    assert told.asked == [ASK]


async def test_among_several_readings_the_valid_one_is_taken() -> None:
    reply = await Structured(Told(['Answer: {"n": 3}. Compare {"m": 4} and [5].'])).complete(ASK)
    assert reply.data == {"n": 3}


async def test_a_bad_answer_is_repaired_with_what_was_wrong() -> None:
    told = Told(['{"n": "three", "x": 1}', '{"n": 3}'])
    reply = await Structured(told).complete(ASK)
    assert reply.data == {"n": 3}
    assert (reply.usage, reply.cost, reply.attempts, reply.latency) == (Usage(input=20, output=4), 1.0, 2, 2.0)
    first, second = told.asked
    assert first == ASK
    assert second.schema == SCHEMA
    question, answer, complaint = second.messages
    assert question == ASK.messages[0]
    assert (answer.role, answer.content) == ("assistant", '{"n": "three", "x": 1}')
    assert complaint.role == "user"
    assert '"three" is not of type "integer"' in complaint.content
    assert "['n']" in complaint.content
    assert "'x' was unexpected" in complaint.content


async def test_then_a_fresh_answer_is_drawn_as_another_sample() -> None:
    told = Told(["no", "still no", '{"n": 3}'])
    reply = await Structured(told).complete(ASK)
    assert (reply.data, reply.attempts) == ({"n": 3}, 3)
    fresh = told.asked[2]
    assert fresh.messages == ASK.messages
    assert len({ask.sample for ask in (ASK, fresh)}) == 2


async def test_when_all_fail_the_raw_text_is_kept() -> None:
    told = Told(["no", "still no", '{"n": "x"}'])
    with pytest.raises(ReplyError) as caught:
        await Structured(told).complete(ASK)
    assert caught.value.raw == '{"n": "x"}'
    assert "no valid JSON in 3 answers" in str(caught.value)
    assert 'at [\'n\']: "x" is not of type "integer"' in str(caught.value)
    assert len(told.asked) == 3


@table(("repairs", "fresh", "calls"), [(0, 0, 1), (2, 0, 3), (0, 2, 3), (2, 2, 5)])
async def test_how_often_it_is_tried(repairs: int, fresh: int, calls: int) -> None:
    told = Told(["no"] * 9)
    with pytest.raises(ReplyError, match=f"in {calls} answer"):
        await Structured(told, repairs=repairs, fresh=fresh).complete(ASK)
    assert len(told.asked) == calls
    assert len({content_id(ask) for ask in told.asked}) == calls  # none would meet another's cache entry


@pytest.mark.parametrize(
    ("finish", "words", "calls"),
    [("length", "cut off", 3), ("refusal", "refused", 2), ("content_filter", "content filter", 2)],
)
async def test_an_answer_that_was_stopped_says_so(finish: str, words: str, calls: int) -> None:
    told = Told([Reply(text='{"n": 3', finish=finish)] * 3)
    with pytest.raises(ReplyError, match=words):
        await Structured(told).complete(ASK)
    assert len(told.asked) == calls


async def test_brackets_are_not_added_to_an_answer_that_was_cut_off() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    request = Request(messages=ASK.messages, schema=schema)
    cut = Reply(text='{"a": "x"', finish="length")
    reply = await Structured(Told([cut, '{"a": "y"}'])).complete(request)
    assert reply.data == {"a": "y"}
    reply = await Structured(Told([Reply(text='{"a": "x"', finish="stop")])).complete(request)
    assert reply.data == {"a": "x"}


async def test_a_cut_answer_that_is_valid_all_the_same_is_taken() -> None:
    reply = await Structured(Told([Reply(text='{"n": 3}', finish="length")])).complete(ASK)
    assert reply.data == {"n": 3}


async def test_an_empty_answer_is_not_repaired_but_drawn_anew() -> None:
    told = Told([" ", '{"n": 3}'])
    await Structured(told).complete(ASK)
    assert told.asked[1].messages == ASK.messages


async def test_an_answer_that_calls_tools_passes_through() -> None:
    calls = (ToolCall(name="find"),)
    told = Told([Reply(text="", tool_calls=calls, finish="tool_calls")])
    reply = await Structured(told).complete(ASK)
    assert (reply.tool_calls, reply.data) == (calls, None)
    assert len(told.asked) == 1


async def test_an_unknown_cost_stays_unknown() -> None:
    told = Told([Reply(text="no", cost=0.5), Reply(text='{"n": 3}', cost=None)])
    assert (await Structured(told).complete(ASK)).cost is None


async def test_an_error_of_the_model_is_not_hidden() -> None:
    with pytest.raises(RateLimitedError):
        await Structured(Told(["no", RateLimitedError("slow down")])).complete(ASK)


async def test_half_a_surrogate_pair_is_not_valid() -> None:
    schema = {"type": "object", "properties": {"a": {"enum": ["x"]}}}
    request = Request(messages=ASK.messages, schema=schema)
    with pytest.raises(ReplyError, match="Unicode"):
        await Structured(Told(['{"a": "\\ud800"}'] * 3)).complete(request)


# --- schemas ----------------------------------------------------------------------------------------


@table(
    "schema",
    [
        {"type": "banana"},
        {"$ref": "#/$defs/nope"},
        {"pattern": "("},
        {"$schema": "http://127.0.0.1:1/none"},
        {"$ref": "http://127.0.0.1:1/x.json"},
        {"$ref": "https://example.com/x.json"},
        {"$ref": "file:///etc/hostname"},
        {"$id": "http://example.com/a", "properties": {"x": {"$ref": "b"}}},
    ],
    ids=str,
)
async def test_a_bad_schema_is_the_users_error_and_nothing_is_fetched(schema: dict[str, Any]) -> None:
    told = Told([])
    with pytest.raises(InputError) as caught:
        await Structured(told).complete(Request(messages=ASK.messages, schema=schema))
    assert caught.value.field == "schema"
    assert caught.value.hint
    assert told.asked == []


async def test_not_even_a_reference_that_could_be_fetched_is_fetched(tmp_path: Path) -> None:
    asked: list[str] = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

    (tmp_path / "x.json").write_text("{}")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for uri in (f"http://127.0.0.1:{server.server_port}/x.json", (tmp_path / "x.json").as_uri()):
            with pytest.raises(InputError):
                await Structured(Told([])).complete(Request(messages=ASK.messages, schema={"$ref": uri}))
    finally:
        server.shutdown()
        server.server_close()
    assert asked == []


async def test_references_inside_the_schema_work() -> None:
    schema = {"$defs": {"n": {"type": "integer"}}, "type": "array", "items": {"$ref": "#/$defs/n"}}
    request = Request(messages=ASK.messages, schema=schema)
    assert (await Structured(Told(["[1, 2]"])).complete(request)).data == [1, 2]
    with pytest.raises(ReplyError):
        await Structured(Told(['["x"]'] * 3)).complete(request)


@settings(deadline=None)
@given(st.text(max_size=200))
async def test_whatever_the_model_says_is_data_or_a_reply_error(text: str) -> None:
    request = Request(messages=ASK.messages, schema={"type": "object"})
    with contextlib.suppress(ReplyError):
        reply = await Structured(Told([text] * 3)).complete(request)
        assert isinstance(reply.data, dict)
