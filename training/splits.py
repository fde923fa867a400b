"""Splits without leakage: no text of one side appears on the other, whole or by its beginning."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from training.data import clean

__all__ = ["fingerprint", "held_out", "once", "without_leakage"]

Row = TypeVar("Row", bound=dict[str, Any])
PREFIX = 80
_NOT_WORD = re.compile(r"[\W_]+")


def fingerprint(text: str) -> str:
    """The first letters and digits of a text, in lower case: equal for copies and for texts that begin alike."""
    return _NOT_WORD.sub("", clean(text[: PREFIX * 6]).lower())[:PREFIX]


def once(rows: Iterable[Row], key: Callable[[Row], str]) -> list[Row]:
    """The rows without copies: the first of each fingerprint stays."""
    seen: set[str] = set()
    kept: list[Row] = []
    for row in rows:
        mark = fingerprint(key(row))
        if mark and mark not in seen:
            seen.add(mark)
            kept.append(row)
    return kept


def without_leakage(train: Iterable[Row], held: Iterable[Row], key: Callable[[Row], str]) -> list[Row]:
    """The training rows that no held-out row copies or begins like."""
    taken = {fingerprint(key(row)) for row in held}
    return [row for row in train if fingerprint(key(row)) not in taken]


def held_out(text: str, share: float, salt: str = "") -> bool:
    """Whether a text belongs to the held-out share; the same answer for texts that begin alike."""
    digest = hashlib.sha256((salt + fingerprint(text)).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32 < share
