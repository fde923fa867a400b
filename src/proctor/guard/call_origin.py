"""Decide from the origins of a call's values and the customer's messages what is wrong with a call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from proctor.guard.call_values import DECISIVE, CallValue, call_values, plain_text
from proctor.guard.delegation import gives_own, is_delegated, is_on_named_host, is_own_source, own_values, was_looked_up
from proctor.guard.tool_settings import shown
from proctor.guard.traced_call import CallOrigin, OriginProblem, described, is_short, may_change
from proctor.guard.traced_text import TracedText, squeeze
from proctor.guard.unasked_act import unasked_act
from proctor.lexicon.open_requests import open_requests
from proctor.lexicon.requested_acts import acts_of_tool, is_asked, is_denied, is_forbidden
from proctor.lexicon.tool_verbs import asks_by_name, denies_by_name
from proctor.text.money import find_money

__all__ = ["problems"]

_WORDS: Final = re.compile(r"[^\W_]+")
_MAX_DISTANCE: Final = 2  # characters in which a lookalike differs
_MIN_ADDRESS_CHARS: Final = 8
_SHORT_CHARS: Final = 5
_MIN_NUMBER_CHARS: Final = 3
_MIN_ACCOUNT_CHARS: Final = 12
_MIN_ARGUMENT_CHARS: Final = 4


def problems(origin: CallOrigin) -> list[OriginProblem]:
    """Return what is wrong with a call; a ``delegated`` value is only reported."""
    acts = acts_of_tool(origin.call.name)
    request = origin.request
    asked = bool(request.agreed) or request.delegates or _is_asked(origin)
    found: list[OriginProblem] = []
    if not request.agreed and (is_forbidden(acts, request.messages) or denies_by_name(origin.call.name, request.last)):
        found.append(OriginProblem("unasked", f"the customer said that {origin.call.name[:80]} is not wanted"))
    found += _ruled_out(origin)
    found += _swapped_numbers(origin)
    if any(each.origin == "free_text" for each in origin.values):
        pointed = asked or (not acts and request.asks_to_act) or _names_argument(origin)
        found += _untraced(origin, asked=pointed)
        found += _told(origin)
        found += _noted(origin) if not found else ()
    found += _lookalikes(origin)
    found += _invented(origin) if not found else ()
    if acts and not asked and not found:
        found += unasked_act(origin)
    return found


def _is_asked(origin: CallOrigin) -> bool:
    """Return whether a message has a word for the act, or the verb of the tool's own name."""
    messages = origin.request.messages
    return is_asked(origin.acts, messages) or any(asks_by_name(origin.call.name, each) for each in messages)


def _names_argument(origin: CallOrigin) -> bool:
    """Return whether a request has the name of the argument that a text gives: "enter the new IBAN from the mail"."""
    last = plain_text(origin.request.last)
    given = {each.value.argument.lower() for each in origin.values if each.origin == "free_text"}
    named = [name for name in given if len(name) >= _MIN_ARGUMENT_CHARS and name in last]
    return bool(named) and not frozenset(_WORDS.findall(open_requests(last))).isdisjoint(named)


def _ruled_out(origin: CallOrigin) -> Iterator[OriginProblem]:
    """Yield a value that the customer named only to leave it out: "share it with all, but not with Bo"."""
    for traced in origin.values:
        if traced.origin != "customer" or traced.value.kind not in ("address", "link"):
            continue
        said = [plain_text(each) for each in origin.request.messages]
        places = [(text, at) for text in said if (at := text.find(traced.value.text)) >= 0]
        if places and all(is_denied(text, at, at + len(traced.value.text)) for text, at in places):
            yield OriginProblem("unasked", f"the customer said that {described(traced.value)} is not wanted")
            return


def _untraced(origin: CallOrigin, *, asked: bool) -> Iterator[OriginProblem]:
    """Yield the decisive values that only free text gives, unless the customer pointed to that text."""
    for traced in origin.values:
        value = traced.value
        if (value.kind not in DECISIVE and not traced.hidden) or traced.origin != "free_text":
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
    if origin.request.agreed:
        return
    for traced in origin.values:
        if traced.origin != "free_text" or traced.result is None or not _is_distinct(traced.value):
            continue
        if origin.request.delegates:
            if is_own_source(traced.result, origin.texts):
                continue
            if may_change(traced.result.call.name):  # what the customer pointed to was read, not done
                where = f"the result of {traced.tool[:60]}, and the customer pointed to another text"
                yield OriginProblem("told", f"{described(traced.value)} stands only in {where}")
                return
        passage = traced.result.free.passage(traced.value)
        if not passage or not (is_asked(origin.acts, [passage]) or asks_by_name(origin.call.name, passage)):
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
    """Yield a number or date of free text, if the customer gave or agreed to another that the call leaves out."""
    request = origin.request
    if request.delegates:
        return
    foreign = [each for each in origin.values if each.origin == "free_text" and not is_short(each.value)]
    numbers = [each for each in foreign if each.value.kind == "number"]
    times = [each for each in origin.values if each.value.kind == "time" and each.origin in ("free_text", "record")]
    if not numbers and not (times and request.agreed):
        return
    used = TracedText(" ; ".join(each.value.text for each in origin.values))
    if request.agreed:
        agreed = TracedText(request.agreed)
        swapped = numbers[:1] if agreed.numbers - used.numbers else []
        swapped += times[:1] if agreed.days and not any(_shares_day(day, used.days) for day in agreed.days) else []
        said = "agreed to"
    else:
        # The number of a bill is no amount: with a source only an amount of money counts.
        given = TracedText(request.last)
        own = frozenset(each.amount for each in find_money(given.written)) if request.names_source else given.numbers
        swapped = numbers[:1] if own - used.numbers else []
        said = "gave"
    for each in swapped[:1]:
        where = f"stands in the result of {each.tool[:60]}" if each.tool else "stands in a record"
        yield OriginProblem("swapped", f"{described(each.value)} {where}, and the customer {said} another")


def _shares_day(day: tuple[int | None, ...], used: frozenset[tuple[int | None, int | None, int | None]]) -> bool:
    """Return whether a date may be one of others; what is left out may be anything."""
    return any(all(a is None or b is None or a == b for a, b in zip(day, each, strict=True)) for each in used)


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
        return 0 < sum(a != b for a, b in zip(one, two, strict=True)) <= _MAX_DISTANCE and not _counts(one, two)
    short, long = sorted((one, two), key=len)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def _counts(one: str, two: str) -> bool:
    """Return whether the addresses are numbered: desk1@ and desk2@ are two desks."""
    return all(a.isdigit() and b.isdigit() for a, b in zip(one, two, strict=True) if a != b)
