"""Texts and numbers of nested data."""

from __future__ import annotations

from typing import Any

from proctor.core.scalars import is_scalar, scalars


def test_texts_and_numbers_in_order_without_names_and_flags() -> None:
    data = {"id": 7, "paid": True, "lines": [{"sku": "A-1", "price": 2.5}, None, ("x",)], "note": ""}
    assert list(scalars(data)) == [7, "A-1", 2.5, "x", ""]


def test_one_value_is_its_own() -> None:
    assert list(scalars("a")) == ["a"]
    assert list(scalars(None)) == []
    assert not is_scalar(False)


def test_what_is_nested_too_deep_is_left_and_ends() -> None:
    data: Any = "deep"
    for _ in range(5000):
        data = [data]
    assert list(scalars(data)) == []
