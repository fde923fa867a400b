"""Predicates as text: texts in quotes, and the canonical form."""

from __future__ import annotations

from collections.abc import Iterable

from proctor.text.predicates import PredicateError, parse

__all__ = ["checkable", "joined", "quoted"]


def checkable(predicate: str) -> str | None:
    """Return the predicate in canonical form; None if it is invalid."""
    try:
        return parse(predicate).text
    except PredicateError:
        return None


def quoted(texts: Iterable[str]) -> str:
    """Return texts as predicates write them: in double quotes, separated by commas."""
    return ", ".join('"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"' for text in texts)


def joined(predicates: Iterable[str]) -> str:
    """Return the predicate that asks for all of them; nothing if there are none."""
    found = list(dict.fromkeys(predicates))
    return " and ".join(f"({each})" for each in found) if len(found) > 1 else "".join(found)
