from __future__ import annotations

from typing import Any

from proctor.models.catalogue.rows import find_row, key_columns

ROWS: list[dict[str, Any]] = [
    {"id": "HD-101", "title_en": "The Dusk Ward", "title_ja": "宵闇病棟", "author": "Sayo Kurobane"},
    {"id": "HD-102", "title": {"en": "House of Damp Paper", "ja": "湿り紙の家"}},
    {"id": 7, "name": ["Seven", "七"]},
]


def test_columns_are_known_by_their_names() -> None:
    columns = ("ASIN", "title_en", "title_romaji", "name", "author", "price", "product_id")
    assert key_columns(columns) == (("ASIN", "product_id"), ("title_en", "title_romaji", "name"))


def test_a_product_is_found_by_id_or_title_in_any_spelling() -> None:
    assert find_row(ROWS, "hd-101") is ROWS[0]
    assert find_row(ROWS, "the dusk  ward!") is ROWS[0]
    assert find_row(ROWS, "宵闇病棟") is ROWS[0]
    assert find_row(ROWS, "湿り紙の家") is ROWS[1]
    assert find_row(ROWS, "7") is ROWS[2]
    assert find_row(ROWS, "七") is ROWS[2]


def test_what_is_not_there_is_none() -> None:
    assert find_row(ROWS, "Sayo Kurobane") is None
    assert find_row(ROWS, " ") is None
    assert find_row([], "x") is None


def test_columns_may_be_named() -> None:
    assert find_row(ROWS, "Sayo Kurobane", ["author"]) is ROWS[0]
    assert find_row(ROWS, "HD-101", ["author"]) is None
