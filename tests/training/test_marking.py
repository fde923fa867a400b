"""Pieces are tagged by the span that covers their first letter."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from training.marking import TAGS, marks, tags_of

TEXT = "Ann Lee of Foo"
PLACES = [(0, 3), (3, 7), (7, 10), (10, 12), (12, 14)]  # a piece may hold the blank before it


def named(tags: list[int]) -> list[str]:
    return [TAGS[tag] for tag in tags]


def test_a_span_begins_once() -> None:
    spans = [(0, 7, "PERSON"), (11, 14, "ORG")]
    assert named(tags_of(TEXT, PLACES, spans)) == ["B-PERSON", "I-PERSON", "O", "B-ORG", "I-ORG"]


def test_two_spans_side_by_side_begin_twice() -> None:
    assert named(tags_of(TEXT, PLACES, [(0, 3, "PERSON"), (4, 7, "PERSON")]))[:2] == ["B-PERSON", "B-PERSON"]


def test_no_spans_no_tags() -> None:
    assert tags_of(TEXT, PLACES, []) == [0] * 5
    assert tags_of("", [], []) == []


def test_capitals_are_marked_as_the_text_has_them() -> None:
    assert marks(TEXT, PLACES) == [1, 1, 0, 1, 0]
    assert marks("a  B", [(0, 1), (1, 3), (3, 4)]) == [0, 0, 1]


@given(st.text(max_size=30), st.data())
def test_any_text_gives_a_tag_for_each_piece(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=6)))
    places = list(pairwise(cuts))
    spans = [(cuts[0], cuts[-1], "PLACE")]
    tags = tags_of(text, places, spans)
    assert len(tags) == len(marks(text, places)) == len(places)
    assert set(tags) <= {0, TAGS.index("B-PLACE"), TAGS.index("I-PLACE")}
    assert tags.count(TAGS.index("B-PLACE")) <= 1 or 0 in tags
