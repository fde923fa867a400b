"""Long texts in blocks and sentences: nothing is left out, and nothing that stands at a cut is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.text.pii.blocks import BLOCK, SHARED, blocks, pieces

_TEXTS = st.text(alphabet="ab .!?\n。\t", max_size=6_000)


@given(_TEXTS)
def test_blocks_cover_the_whole_text(text: str) -> None:
    end = 0
    for start, block in blocks(text):
        assert text[start : start + len(block)] == block
        assert end - SHARED <= start <= end
        assert len(block) <= BLOCK
        end = start + len(block)
    assert end == len(text)


@given(_TEXTS)
def test_pieces_cover_all_that_is_not_blank(block: str) -> None:
    covered = [sign.isspace() for sign in block]
    for start, piece in pieces(block):
        assert block[start : start + len(piece)] == piece
        covered[start : start + len(piece)] = [True] * len(piece)
    assert all(covered)


def test_a_name_at_a_cut_stands_whole_in_one_block() -> None:
    for lead in range(BLOCK - 20, BLOCK + 5):
        text = "x" * lead + " Anna Berg " + "y" * BLOCK
        assert any("Anna Berg" in piece for _, block in blocks(text) for _, piece in pieces(block))


def test_sentences_are_read_by_themselves_but_not_a_title() -> None:
    text = "My parcel has not come since Monday morning at all. Dr. Berg from the house next door has none either."
    assert [piece.strip() for _, piece in pieces(text)] == [
        "My parcel has not come since Monday morning at all.",
        "Dr. Berg from the house next door has none either.",
    ]
