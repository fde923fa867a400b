"""Maps from a changed text to the one before it, one after another and turned round."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.text.normalise.offsets import OffsetMap, byte_widths, identity, numbers


def test_an_unchanged_text_maps_to_itself() -> None:
    offsets = identity(5)
    assert offsets.is_identity
    assert offsets.span(1, 3) == (1, 3)
    assert offsets.span(-4, 99) == (0, 5)


def test_a_piece_of_a_text_maps_to_its_place() -> None:
    outer = OffsetMap(numbers([0, 2, 4, 6]), numbers([2, 4, 6, 8]))
    piece = identity(2, 1).through(outer)
    assert (list(piece.starts), list(piece.ends)) == ([2, 4], [4, 6])


def test_turned_twice_is_straight_again() -> None:
    turned = OffsetMap(range(4, -1, -1), range(5, 0, -1), -1)
    twice = turned.through(turned)
    assert twice.direction == 1
    assert list(twice.starts) == list(range(5))
    assert turned.span(0, 2) == (3, 5)


def test_a_text_turned_in_part_gives_the_hull() -> None:
    mixed = OffsetMap(numbers([0, 3, 2, 1, 4]), numbers([1, 4, 3, 2, 5]), 0)
    assert mixed.span(1, 3) == (2, 4)
    outer = OffsetMap(numbers([0, 10, 20, 30, 40]), numbers([10, 20, 30, 40, 50]))
    assert mixed.through(outer).span(1, 3) == (20, 40)
    assert identity(2, 1).through(mixed).span(0, 2) == (2, 4)
    assert OffsetMap(numbers([1]), numbers([3])).through(mixed).span(0, 1) == (2, 4)


@given(st.text())
def test_widths_are_those_of_utf8(text: str) -> None:
    assert list(byte_widths(text)) == [len(c.encode("utf-8", "surrogatepass")) for c in text]
