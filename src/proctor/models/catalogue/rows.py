"""Find a product among rows: by its id, or by any of its titles in any spelling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from proctor.text.titles import same_title, texts_of

__all__ = ["ID_NAMES", "TITLE_NAMES", "find_row", "key_columns"]

ID_NAMES = ("id", "asin", "sku", "isbn", "product_id", "item_id", "code", "key")
TITLE_NAMES = ("title", "name", "titre", "titel", "romaji", "romanised", "romanized", "original", "english", "japanese")


def key_columns(columns: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that hold ids and those that hold titles, by their names."""
    ids, titles = [], []
    for column in columns:
        plain = str(column).strip().lower()  # YAML keys may not be strings
        if plain in ID_NAMES or plain.endswith("_id"):
            ids.append(column)
        elif any(name in plain.split("_") or plain.startswith(name) for name in TITLE_NAMES):
            titles.append(column)
    return tuple(ids), tuple(titles)


def find_row(rows: Sequence[Mapping[str, Any]], key: str, columns: Sequence[str] = ()) -> Mapping[str, Any] | None:
    """Return the row with this id or, if there is none, with this title; ``columns`` names where to look."""
    wanted = key.strip()
    if not wanted:
        return None
    folded = wanted.casefold()
    for row in rows:
        ids = columns or key_columns(row)[0]
        if any(str(row.get(column, "")).strip().casefold() == folded for column in ids if row.get(column) is not None):
            return row
    for row in rows:
        titles = columns or key_columns(row)[1]
        if any(same_title(text, wanted) for column in titles for text in texts_of(row.get(column))):
            return row
    return None
