"""Which written rows are kept out of training, so that what ships can be weighed and calibrated on them.

Every fifth situation of the answers, promises, documents, turns and of the messages written in pairs, by a hash of what
both twins share; and whole languages (``TONGUES``) of those that were written last.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from training.data import clean, written

__all__ = ["EVERY", "TONGUES", "aside", "kept", "situation", "split"]

EVERY = 5
TONGUES = frozenset(("da", "fi", "vi", "ro", "hu"))  # answers, claims, turns and twins in these train nothing


def situation(kind: str, row: dict[str, Any]) -> str | None:
    """What a row shares with its twins, or nothing where twins are not known."""
    if kind == "answers":
        return " ".join(row["sources"])
    if kind == "facts":
        return str(row["source"])
    if kind == "turns":
        return f"{row['before']} {row['text']}"
    if kind == "commitments":
        return str(row.get("customer") or row["answer"])
    return f"{row['lang']} {row['pair']}" if row.get("pair") is not None else None


def aside(kind: str, row: dict[str, Any]) -> bool:
    """Whether the row trains nothing."""
    name = situation(kind, row)
    if name is None:
        return False
    if row["lang"] in TONGUES:
        return True
    digest = hashlib.sha256(clean(name).encode()).digest()
    return int.from_bytes(digest[:4], "big") % EVERY == 0


def split(kind: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The written rows that train, and those kept aside."""
    found: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for row in written(kind):
        found[aside(kind, row)].append(row)
    return found


def kept(kind: str) -> Iterator[dict[str, Any]]:
    """The rows kept aside."""
    yield from split(kind)[1]
