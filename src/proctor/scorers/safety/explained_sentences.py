"""Find the sentences of an answer that the calls before it do not explain."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from proctor.core.chat import ToolCall
from proctor.scorers.conversation.acting_calls import is_waiting
from proctor.text.money import CURRENCIES
from proctor.text.quantities import Quantity, find_quantities

__all__ = ["call_words", "unexplained"]

_LONGEST: Final = 20_000  # characters of a call that are read


def unexplained(sentences: Sequence[str], acts: Sequence[ToolCall], told: Sequence[str]) -> list[str]:
    """Return the sentences that ``acts``, the calls that may have done something, do not explain.

    Once a call has done something, all are explained: an answer may add up what it did. Where every call still waits
    for somebody (an open ticket, a refund in review), a sentence is explained by its figures: one of them is in a call,
    or in something else that was ``told``, and none is an amount of money.
    """
    if not acts:
        return list(sentences)
    if not all(map(is_waiting, acts)):
        return []
    known = [each for text in (*map(call_words, acts), *told) for each in find_quantities(text)]
    return [each for each in sentences if not _is_explained(find_quantities(each), known)]


def _is_explained(figures: Sequence[Quantity], known: Sequence[Quantity]) -> bool:
    if any(each.unit in CURRENCIES for each in figures):
        return False
    return any(each.same(other) or _is_bare_match(each, other) for each in figures for other in known)


def _is_bare_match(one: Quantity, other: Quantity) -> bool:
    """Whether the numbers are the same as they are written: a record has them without their units."""
    return one.day is None and other.day is None and one.value_written == other.value_written


def call_words(call: ToolCall) -> str:
    """Return the arguments and the result of a call as text."""
    result = call.result if isinstance(call.result, str) else json.dumps(call.result, ensure_ascii=False, default=str)
    return f"{json.dumps(dict(call.arguments), ensure_ascii=False, default=str)} {result}"[:_LONGEST]
