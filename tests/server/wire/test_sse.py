from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.server.wire import sse
from proctor.server.wire.sse import EventTooLongError, Parser, SseEvent, encoded

LINES = st.lists(
    st.sampled_from([b"data: {}", b"data:x", b": ping", b"event: a", b"data: \xe3\x81\x82", b"id: 1", b"", b"retry"]),
    max_size=12,
)


def _fed(pieces: list[bytes]) -> list[SseEvent]:
    parser = Parser()
    events = [event for piece in pieces for event in parser.feed(piece)]
    rest = parser.rest()
    return events + ([rest] if rest else [])


@given(LINES, st.sampled_from([b"\n", b"\r\n", b"\r"]), st.lists(st.integers(0, 400), max_size=8))
def test_however_the_bytes_are_cut_the_events_are_the_same_and_no_byte_is_lost(
    lines: list[bytes], end: bytes, cuts: list[int]
) -> None:
    whole = b"".join(line + end for line in lines)
    places = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    pieces = [whole[a:b] for a, b in pairwise(places)]
    events = _fed(pieces)
    assert b"".join(event.raw for event in events) == whole
    assert [event.data for event in events] == [event.data for event in _fed([whole])]


@given(st.binary(max_size=300), st.integers(1, 7))
def test_any_bytes_come_out_as_they_went_in(raw: bytes, size: int) -> None:
    pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
    assert b"".join(event.raw for event in _fed(pieces)) == raw


@given(st.text(alphabet="a\n\r:", max_size=40), st.lists(st.integers(1, 5), min_size=1, max_size=40))
def test_ends_of_lines_may_change_in_mid_stream_wherever_it_is_cut(text: str, sizes: list[int]) -> None:
    raw, parser, found, at = text.encode(), Parser(), [], 0
    for size in (*sizes, len(raw)):
        found += parser.feed(raw[at : at + size])
        at += size
    whole = Parser()
    events = whole.feed(raw)
    assert [*found, parser.rest()] == [*events, whole.rest()]


def test_an_event_has_its_name_its_data_and_its_bytes() -> None:
    (event,) = Parser().feed(b"event: response.created\ndata: {\ndata:  1}\n: a comment\n\n")
    assert (event.name, event.data) == ("response.created", "{\n 1}")


def test_a_comment_alone_is_an_event_without_data() -> None:
    assert Parser().feed(b": keep-alive\n\n")[0].data is None


def test_a_letter_that_is_cut_in_two_is_read_whole() -> None:
    parser = Parser()
    raw = "data: 日本\n\n".encode()
    assert parser.feed(raw[:8]) == []
    assert parser.feed(raw[8:])[0].data == "日本"


def test_a_carriage_return_at_the_end_of_a_piece_waits_for_its_line_feed() -> None:
    parser = Parser()
    assert parser.feed(b"data: a\r\n\r") == []
    assert [event.raw for event in parser.feed(b"\ndata: b\r\n\r\n")] == [b"data: a\r\n\r\n", b"data: b\r\n\r\n"]


def test_an_event_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MOST_BYTES", 100)
    parser = Parser()
    parser.feed(b"data: " + b"x" * 90)
    with pytest.raises(EventTooLongError):
        parser.feed(b"x" * 90)


@given(st.text())
def test_what_is_encoded_is_read_back(text: str) -> None:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    (event,) = Parser().feed(encoded(text, "delta"))
    assert (event.data, event.name) == (text, "delta")
