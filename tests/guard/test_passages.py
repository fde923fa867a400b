"""Documents in pieces, with places."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from proctor.guard.passages import pieces, regions, sentences


def test_sentences_have_their_places() -> None:
    text = "One. Two!  Three\nfour 東京。大阪。"
    assert [text[start:end] for start, end in sentences(text, 0, len(text))] == [
        "One.",
        "Two!",
        "Three",
        "four 東京。",
        "大阪。",
    ]


def test_of_json_only_the_strings_count() -> None:
    text = json.dumps({"a": 1, "note": "First thing. Second thing.", "b": ["another long value"]})
    assert [text[start:end] for start, end in regions(text)] == ["First thing. Second thing.", "another long value"]
    assert regions("{not json") == [(0, 9)]


def test_runs_are_bounded_whatever_the_length() -> None:
    assert len(pieces("word " * 200_000)) <= 80
    assert len(pieces(json.dumps(["some value here"] * 20_000))) <= 80
    assert pieces("") == []


@given(st.text(max_size=300))
def test_nothing_but_space_lies_between_the_sentences(text: str) -> None:
    spans = [span for piece in pieces(text) for span in piece]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)
