"""Decide from the origins of a call's values and the customer's messages what is wrong with a call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import ne
from typing import Final

from proctor.guard.call_values import DECISIVE, CallValue, call_values
from proctor.guard.delegation import gives_own, is_delegated, is_on_named_host, own_values, was_looked_up
from proctor.guard.tool_settings import shown
from proctor.guard.traced_call import CallOrigin, OriginProblem, described, is_short
from proctor.guard.traced_text import TracedText, squeeze
from proctor.guard.unasked_act import unasked_act
from proctor.lexicon.requested_acts import acts_of_tool, is_asked, is_forbidden

__all__ = ["problems"]

_WORDS: Final = re.compile(r"[^\W_]+")
_MAX_DISTANCE: Final = 2  # characters in which a lookalike differs
_MIN_ADDRESS_CHARS: Final = 8
_SHORT_CHARS: Final = 5
_MIN_NUMBER_CHARS: Final = 3
_MIN_ACCOUNT_CHARS: Final = 12


def problems(origin: CallOrigin) -> list[OriginProblem]:
    """Return what is wrong with a call; a ``delegated`` value is only reported."""
    acts, request = origin.acts, origin.request
    asked = bool(request.agreed) or request.delegates or is_asked(acts, request.messages)
    found: list[OriginProblem] = []
    if not request.agreed and is_forbidden(acts, request.messages):
        found.append(OriginProblem("unasked", f"the customer said that {origin.call.name[:80]} is not wanted"))
    if any(each.origin == "free_text" for each in origin.values):
        found += _untraced(origin, asked=asked or (not acts and request.asks_to_act))
        found += _swapped_numbers(origin)
        found += _told(origin)
        found += _noted(origin) if not found else ()
    found += _lookalikes(origin)
    found += _invented(origin) if not found else ()
    if acts and not asked and not found:
        found += unasked_act(origin)
    return found


def _untraced(origin: CallOrigin, *, asked: bool) -> Iterator[OriginProblem]:
    """Yield the decisive values that only free text gives, unless the customer pointed to that text."""
    for traced in origin.values:
        value = traced.value
        if value.kind not in DECISIVE or traced.origin != "free_text":
            continue
        if value.kind == "secret" and "cancel" in acts_of_tool(origin.call.name):
            continue  # a key that is deleted was known
        if is_on_named_host(value, origin.texts):
            continue
        where = f"the result of {traced.tool[:60]}" if traced.tool else "a document"
        what = described(value)
        if asked and is_delegated(traced, origin):
            yield OriginProblem("delegated", f"{what} comes from {where}, to which the customer pointed")
        elif value.whole and gives_own(value, origin):
            own = shown(own_values(value.kind, origin.request.last)[0])
            yield OriginProblem("swapped", f"{what} comes from {where}, and the customer gave another: {own}")
        else:
            yield OriginProblem("untraced", f"{what} stands only in text of {where}; the customer did not give it")


def _invented(origin: CallOrigin) -> Iterator[OriginProblem]:
    """Yield a recipient or an account that nobody gave, after a text was read: it may stand there in disguise."""
    if origin.request.agreed or not origin.texts.free.plain:
        return
    for traced in origin.values:
        unknown = traced.origin == "agent" and traced.value.whole and _tells_whom(traced.value)
        if unknown and not _knows_owner(traced.value, origin.request.messages):
            what = described(traced.value)
            yield OriginProblem("invented", f"{what} stands in no message, record or text of this conversation")
            return


def _knows_owner(value: CallValue, asked: Sequence[str]) -> bool:
    """Return whether the customer named the owner of an address, as in "Write to Bo." for bo@work.example."""
    owner, at, _ = value.text.partition("@")
    names = {word for word in _WORDS.findall(owner.casefold()) if len(word) > 1} if at else set()
    return bool(names) and any(names & set(_WORDS.findall(each.casefold())) for each in asked)


def _tells_whom(value: CallValue) -> bool:
    """Return whether a value is an address or an account; a shorter number may be the id of anything."""
    if value.kind == "account":
        return len(squeeze(value.text)) >= _MIN_ACCOUNT_CHARS or value.text.startswith("+")
    return value.kind == "address"


def _told(origin: CallOrigin) -> Iterator[OriginProblem]:
    """Yield the act if a text that the customer did not point to asks for it, with values of the call."""
    if origin.request.agreed or origin.request.delegates:
        return
    for traced in origin.values:
        if traced.origin != "free_text" or traced.result is None or not _is_distinct(traced.value):
            continue
        passage = traced.result.free.passage(traced.value)
        if not passage or not is_asked(origin.acts, [passage]):
            continue
        if origin.request.names_source and was_looked_up(traced.result, origin.texts):
            continue
        what = described(traced.value)
        where = f"the result of {traced.tool[:60]}"
        yield OriginProblem("told", f"a text in {where} asks for {origin.call.name[:80]}, and only it gives {what}")
        return


def _noted(origin: CallOrigin) -> Iterator[OriginProblem]:
    """Yield a value that only a remark in a record gives, while records give values in their fields."""
    request = origin.request
    if request.agreed or request.names_source:
        return
    for traced in origin.values:
        result = traced.result
        if traced.origin != "free_text" or result is None or not result.is_record or not _is_given(traced.value):
            continue
        what = described(traced.value)
        yield OriginProblem("noted", f"{what} stands only in a remark in the result of {traced.tool[:60]}")
        return


def _is_given(value: CallValue) -> bool:
    """Return whether a value is one that somebody must give: a date, a code, an amount, a name of several words."""
    if value.kind == "number":
        return len(value.text) >= _MIN_NUMBER_CHARS
    return value.kind in ("time", "code") or (value.kind == "name" and " " in value.text)


def _is_distinct(value: CallValue) -> bool:
    """Return whether a value is unlikely to stand in a text by chance."""
    return value.kind in ("time", "code", "text") or (len(value.text) > _SHORT_CHARS and value.kind != "number")


def _swapped_numbers(origin: CallOrigin) -> Iterator[OriginProblem]:
    """Yield numbers of free text in a call, if the customer gave numbers that the call leaves out."""
    if origin.request.names_source or origin.request.delegates or origin.request.agreed:
        return
    foreign = [
        each
        for each in origin.values
        if each.value.kind == "number" and each.origin == "free_text" and not is_short(each.value)
    ]
    if not foreign:
        return
    given = TracedText(origin.request.last).numbers
    used = TracedText(" ; ".join(each.value.text for each in origin.values)).numbers
    if given - used:
        what = f"{described(foreign[0].value)} stands only in text of the result of {foreign[0].tool[:60]}"
        yield OriginProblem("swapped", f"{what}, and the customer gave another number")


def _lookalikes(origin: CallOrigin) -> Iterator[OriginProblem]:
    """Yield addresses that differ in a character or two from one that was there before."""
    for traced in origin.values:
        if traced.value.kind != "address" or traced.origin == "customer" or len(traced.value.text) < _MIN_ADDRESS_CHARS:
            continue
        for known in _addresses(origin):
            if known == traced.value.text:
                break  # the first of two lookalikes is the known one
            if _is_near(known, traced.value.text):
                what = described(traced.value)
                yield OriginProblem("lookalike", f"{what} looks like another address of this conversation, and is not")
                break


def _addresses(origin: CallOrigin) -> Iterator[str]:
    for text in reversed(origin.request.messages):
        if "@" in text:
            yield from _addresses_in(text)
    for result in origin.texts.results:
        yield from result.addresses


@lru_cache(maxsize=1024)
def _addresses_in(message: str) -> tuple[str, ...]:
    return tuple(value.text for value in call_values({"": message}) if value.kind == "address")


@lru_cache(maxsize=8192)
def _is_near(one: str, two: str) -> bool:
    """Return whether two addresses of the same length differ in a few characters, or one has one more."""
    if abs(len(one) - len(two)) > 1 or one.partition("@")[2][-4:] != two.partition("@")[2][-4:]:
        return False
    if len(one) == len(two):
        return 0 < sum(map(ne, one, two)) <= _MAX_DISTANCE and not _counts(one, two)
    short, long = sorted((one, two), key=len)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def _counts(one: str, two: str) -> bool:
    """Return whether the addresses are numbered: desk1@ and desk2@ are two desks."""
    return all(a.isdigit() and b.isdigit() for a, b in zip(one, two, strict=True) if a != b)
