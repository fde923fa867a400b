"""Decide whether the customer pointed to the text that gives a value: "pay the bill in the mail"."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from proctor.guard.call_values import CallValue, ValueKind, call_values, plain_text
from proctor.guard.traced_call import CallOrigin, may_change
from proctor.guard.traced_text import TracedText, squeeze
from proctor.guard.value_origins import ReadResult, SessionTexts, TracedValue
from proctor.lexicon.requested_acts import Act, is_asked, without_quotations

__all__ = ["gives_own", "is_delegated", "is_on_named_host", "own_values", "was_looked_up"]

_MIN_HOST_CHARS: Final = 6


def is_delegated(traced: TracedValue, origin: CallOrigin) -> bool:
    """Return whether the customer named the text that gives a value, and gave no such value in a message."""
    request = origin.request
    if traced.result is None or not was_looked_up(traced.result, origin.texts):
        return False
    if request.delegates:
        return True
    if not (request.names_source or request.agreed) or gives_own(traced.value, origin):
        return False
    if any(each.value.kind == traced.value.kind and each.origin in ("customer", "record") for each in origin.values):
        return False  # one recipient is known; another one beside it needs a word of the customer
    return _is_the_one(traced.value, traced.result.free, origin.acts)


def is_on_named_host(link: CallValue, texts: SessionTexts) -> bool:
    """Return whether the customer named the host of a link, and the link carries no data there."""
    if link.kind != "link":
        return False
    host = link.text.partition("://")[2] or link.text
    host, _, path = host.partition("/")
    return "?" not in path and len(host) >= _MIN_HOST_CHARS and texts.said.has(host.removeprefix("www."))


def _is_the_one(value: CallValue, text: TracedText, acts: frozenset[Act]) -> bool:
    """Return whether a text means this value: it has no other of the kind, or gives it first, without an order.

    A bill names its account, and an order to pay another one may have been added. People may stand in a list.
    """
    given = [each.text for each in call_values({"": text.written}) if each.kind == value.kind and not each.whole]
    if all(squeeze(each) == squeeze(value.text) for each in given):
        return True
    if is_asked(acts, [text.passage(value, around=0)]):
        return False
    return value.kind == "address" or squeeze(given[0]) == squeeze(value.text)


def was_looked_up(result: ReadResult, texts: SessionTexts, *, depth: int = 2) -> bool:
    """Return whether the call only looked for what the customer named, or for what that gave."""
    if depth > 1 and may_change(result.call.name):
        return False
    sought = [value for value in result.arguments if value.kind != "number"]
    if any(texts.said.holds(value) or _shares_word(value, texts.said) for value in sought):
        return True
    before = [each for each in texts.results if each is not result]
    return depth > 1 and any(
        (each.in_field(value) or each.free.holds(value)) and was_looked_up(each, texts, depth=depth - 1)
        for each in before
        for value in sought
    )


def _shares_word(value: CallValue, text: TracedText) -> bool:
    words = value.text.replace("_", " ").replace(".", " ").split()
    return any(len(word) > 2 and word in text.plain for word in words)


def gives_own(value: CallValue, origin: CallOrigin) -> bool:
    """Return whether the last message gives a value of this kind, other than one that was only looked up."""
    own = own_values(value.kind, origin.request.last)
    if not own:
        return False
    looked_up = {each.text for result in origin.texts.results for each in result.arguments}
    return any(all(plain_text(each) not in known for known in looked_up) for each in own)


@lru_cache(maxsize=1024)
def own_values(kind: ValueKind, message: str) -> tuple[str, ...]:
    """Return the values of this kind that a message gives."""
    return tuple(each.shown for each in call_values({"": without_quotations(message)}) if each.kind == kind)
