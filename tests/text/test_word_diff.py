from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.word_diff import word_diff


def _sides(before: str, after: str) -> tuple[str, str]:
    pieces = word_diff(before, after)
    old = "".join(piece.text for piece in pieces if piece.op != "new")
    return old, "".join(piece.text for piece in pieces if piece.op != "gone")


@given(st.text(max_size=200), st.text(max_size=200))
def test_both_texts_can_be_read_off_the_pieces(before: str, after: str) -> None:
    assert _sides(before, after) == (before, after)


@table(
    ("before", "after", "gone", "new"),
    [
        ("within 15 days.", "within 30 days, opened or not.", ["15"], ["30", ", opened or not"]),
        ("It costs ¥1,200.50 now", "It costs ¥1,300.50 now", ["1,200.50"], ["1,300.50"]),
        ("在庫があります。全12巻です。", "在庫がありません。全12巻です。", ["す"], ["せん"]),
        ("الطلب رقم ١٢٣ جاهز", "الطلب رقم ١٢٤ جاهز", ["١٢٣"], ["١٢٤"]),
        ("You can't return it", "You can return it", ["can't"], ["can"]),
        ("", "new", [], ["new"]),
        ("same", "same", [], []),
    ],
)
def test_what_changed_is_told_by_words(before: str, after: str, gone: list[str], new: list[str]) -> None:
    pieces = word_diff(before, after)
    assert [piece.text for piece in pieces if piece.op == "gone"] == gone
    assert [piece.text for piece in pieces if piece.op == "new"] == new


@table(
    ("before", "after"),
    [
        ("a. " * 20_000, "b a. " * 20_000),
        ("The cat sat. " * 20_000, "The dog sat. " * 20_000),
        ("x" * 500_000, "y" * 500_000),
        ("字" * 100_000, "文" + "字" * 100_000),
    ],
    ids=["short sentences", "sentences", "one word", "no spaces"],
)
def test_great_length_is_compared_more_coarsely(before: str, after: str) -> None:
    assert _sides(before, after) == (before, after)
