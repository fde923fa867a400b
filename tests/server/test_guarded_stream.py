from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.server.dialects.chat_stream import ChatStream
from proctor.server.guarded_request import RequestTurn
from proctor.server.guarded_stream import Stream
from proctor.server.wire.sse import Parser
from tests.profiles import examples
from tests.server.gates import REPLY, make_guard
from tests.server.upstream import chunk, deltas, read_stream
from tests.tables import table


async def _out(raw: bytes, cuts: list[int] | None = None, **options: Any) -> bytes:
    guard, _ = make_guard()
    stream = Stream(dialect=ChatStream(), watch=RequestTurn(session=guard.session()), **options)
    parser = Parser()
    places = sorted({0, len(raw), *(cut % (len(raw) + 1) for cut in cuts or ())})
    out = b""
    for start, end in pairwise(places):
        out += await stream.feed(parser.feed(raw[start:end]))
    rest = parser.rest()
    out += await stream.feed([rest] if rest else [])
    out += await stream.finish()
    guard.close()
    return out


@settings(max_examples=examples(25))
@given(
    st.text(alphabet="ab .!?\n。-1日é😀", max_size=120),
    st.integers(1, 9),
    st.lists(st.integers(0, 20_000), max_size=10),
    st.sampled_from(["sentence", "whole"]),
)
async def test_with_nothing_found_the_bytes_are_those_that_came(
    text: str, size: int, cuts: list[int], mode: str
) -> None:
    raw = b": hello\n\n" + b"".join(deltas(text, size))
    assert await _out(raw, cuts, mode=mode) == raw


@table("size", [1, 3, 5, 8, 50, 1000])
@table("mode", ["sentence", "whole"])
async def test_what_is_masked_never_leaves_however_it_is_cut(size: int, mode: str) -> None:
    text = "It is known. The word is SECRET-one, so SECRET-two. Nobody else knows SECRET-three"
    out = await _out(b"".join(deltas(text, size)), list(range(0, 9000, 37)), mode=mode)
    assert read_stream(out)[0] == "It is known. The word is [SECRET], so [SECRET]. Nobody else knows [SECRET]"
    assert b"SECRET-" not in out


async def test_events_without_a_change_keep_their_bytes_beside_one_that_is_changed() -> None:
    parts = [chunk({"content": text}, own=[1, 2]) for text in ("One. ", "SECRET-a. ", "Two. ", "End")]
    out = await _out(b"".join([*parts, chunk({}, "stop"), b"data: [DONE]\n\n"]))
    assert parts[0] in out
    assert parts[2] in out
    assert parts[3] in out
    assert read_stream(out)[0] == "One. [SECRET]. Two. End"


@pytest.mark.parametrize("size", [1, 4, 1000])
async def test_a_blocked_sentence_ends_the_stream_after_what_was_let_go(size: int) -> None:
    text = "All is well. Now the ATTACK begins. More of it."
    text_out, ends, events = read_stream(await _out(b"".join(deltas(text, size)), list(range(0, 9000, 200))))
    assert "ATTACK" not in text_out
    assert text_out.endswith(REPLY)
    assert ends == ["content_filter"]
    assert events[-1]["proctor"]["verdicts"][0]["by"] == "words"
    if size == 1:
        assert text_out == f"All is well. \n\n{REPLY}"


async def test_a_block_that_only_the_whole_shows_keeps_the_last_sentence_back() -> None:
    text = "Here is an ATT. "
    raw = b"".join(deltas(text + "ACK is not one. But ATTACK is", 2))
    said, ends, _ = read_stream(await _out(raw, list(range(0, 12000, 90))))
    assert "ATTACK" not in said
    assert ends == ["content_filter"]


def _call(index: int, name: str | None, arguments: str) -> dict[str, Any]:
    function: dict[str, Any] = {"arguments": arguments}
    head: dict[str, Any] = {"index": index}
    if name is not None:
        function["name"] = name
        head |= {"id": f"call_{index}", "type": "function"}
    return {"tool_calls": [{**head, "function": function}]}


def _calls(raw: bytes) -> dict[int, tuple[str, str]]:
    made: dict[int, tuple[str, str]] = {}
    for event in read_stream(raw)[2]:
        for choice in event["choices"]:
            for call in choice["delta"].get("tool_calls") or ():
                name, arguments = made.get(call["index"], ("", ""))
                told = call["function"]
                made[call["index"]] = (name + (told.get("name") or ""), arguments + (told.get("arguments") or ""))
    return made


async def test_calls_that_are_allowed_leave_byte_by_byte() -> None:
    parts = [chunk({"role": "assistant", "content": None}), chunk(_call(0, "get", "")), chunk(_call(0, None, '{"a":'))]
    parts += [chunk(_call(0, None, "1}")), chunk({}, "tool_calls"), b"data: [DONE]\n\n"]
    raw = b"".join(parts)
    assert await _out(raw, list(range(0, 3000, 11))) == raw


async def test_no_part_of_a_call_leaves_before_it_is_complete() -> None:
    guard, _ = make_guard()
    stream = Stream(dialect=ChatStream(), watch=RequestTurn(session=guard.session()))
    parser = Parser()
    assert await stream.feed(parser.feed(chunk(_call(0, "get", '{"a"')))) == b""
    assert await stream.feed(parser.feed(chunk(_call(0, None, ":1}")))) == b""
    assert b"get" in await stream.feed(parser.feed(chunk({}, "tool_calls")))
    guard.close()


async def test_a_refused_call_is_taken_out_and_the_others_close_ranks() -> None:
    parts = [chunk(_call(0, "drop_all", "{}")), chunk(_call(1, "get", '{"a":')), chunk(_call(1, None, "2}"))]
    out = await _out(b"".join([*parts, chunk({}, "tool_calls"), b"data: [DONE]\n\n"]))
    assert _calls(out) == {0: ("get", '{"a":2}')}
    assert b"drop_all" not in out
    assert read_stream(out)[1] == ["tool_calls"]


@pytest.mark.parametrize("before", ["", "Let me see. "])
async def test_where_no_call_is_left_the_reply_is_said(before: str) -> None:
    parts = [
        chunk({"role": "assistant", "content": before}),
        chunk(_call(0, "drop_all", "{}")),
        chunk({}, "tool_calls"),
    ]
    out = await _out(b"".join([*parts, b"data: [DONE]\n\n"]))
    text, ends, _ = read_stream(out)
    assert text == (f"{before}\n\n{REPLY}" if before else REPLY)
    assert ends == ["content_filter"]
    assert _calls(out) == {}


@table("arguments", ['{"a": 1', '{"a":1,"a":2}', "[1]", "NaN"])
async def test_a_call_that_cannot_be_read_is_not_made(arguments: str) -> None:
    out = await _out(chunk(_call(0, "get", arguments)) + chunk({}, "tool_calls"))
    assert _calls(out) == {}


async def test_what_is_no_json_goes_on_as_it_is_unless_it_says_what_must_not_leave() -> None:
    raw = b'data: {"choices": [oops\n\n' + b"".join(deltas("Fine."))
    assert await _out(raw) == raw
    said = await _out(b'data: {"choices": ATTACK\n\n' + b"".join(deltas("Fine.")))
    assert b"ATTACK" not in said
    assert read_stream(said)[1] == ["content_filter"]


async def test_several_choices_keep_their_order_and_are_each_looked_at() -> None:
    parts = [chunk({"content": "One. "}, index=0), chunk({"content": "Two SECRET-b. "}, index=1)]
    parts += [chunk({"content": "End"}, index=0), chunk({"content": "End"}, index=1)]
    parts += [chunk({}, "stop", 0), chunk({}, "stop", 1), b"data: [DONE]\n\n"]
    out = await _out(b"".join(parts))
    seconds = [c["delta"].get("content", "") for e in read_stream(out)[2] for c in e["choices"] if c["index"] == 1]
    assert "".join(seconds) == "Two [SECRET]. End"
    assert out.index(b"One. ") < out.index(b"Two ")


async def test_odds_that_reveal_what_was_taken_out_are_taken_out_too() -> None:
    data = json.loads(chunk({"content": "It is SECRET-a."})[6:])
    data["choices"][0]["logprobs"] = {"content": [{"token": "SECRET-a", "logprob": -1}]}
    out = await _out(b"data: " + json.dumps(data).encode() + b"\n\n" + chunk({}, "stop"))
    assert b"SECRET-a" not in out


async def test_refusals_and_reasoning_are_texts_too() -> None:
    out = await _out(
        chunk({"reasoning_content": "The key is SECRET-a."}) + chunk({"refusal": "SECRET-b"}) + chunk({}, "stop")
    )
    assert b"SECRET-" not in out


async def test_a_stream_that_breaks_off_leaves_what_was_looked_at() -> None:
    out = await _out(chunk({"content": "One. "}) + chunk({"content": "Two SECRET-a"}))
    assert read_stream(out)[0] == "One. Two [SECRET]"
