"""Decide from the origins of a call's values and the customer's messages what is wrong with a call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final, Literal

from proctor.core.chat import ToolCall
from proctor.core.tool_effect import StatedEffect, tool_effect
from proctor.guard.call_values import DECISIVE, CallValue, ValueKind, call_values, plain_text
from proctor.guard.customer_request import CustomerRequest
from proctor.guard.session_memory import Memory
from proctor.guard.tool_settings import shown
from proctor.guard.traced_text import TracedText, squeeze
from proctor.guard.value_origins import Origins, ReadResult, TracedValue
from proctor.lexicon.requested_acts import (
    Act,
    acts_of_tool,
    is_asked,
    is_forbidden,
    looks_only,
    without_quotations,
)

__all__ = ["CallOrigin", "OriginProblem", "may_change", "problems"]

ProblemKind = Literal[
    "untraced", "swapped", "lookalike", "told", "noted", "invented", "unasked", "unprompted", "delegated"
]

_WORDS: Final = re.compile(r"[^\W_]+")
_MAX_DISTANCE: Final = 2  # characters in which a lookalike differs
_MIN_HOST_CHARS: Final = 6
_MIN_ADDRESS_CHARS: Final = 8
_COUNTED: Final = frozenset((*DECISIVE, "number", "code", "name", "time"))
_IDENTIFYING: Final = frozenset(("code", "link", "address"))
_SHORT_CHARS: Final = 5
_MIN_NUMBER_CHARS: Final = 3
_MIN_ACCOUNT_CHARS: Final = 12
_MIN_PASSED_ON_CHARS: Final = 24


@dataclass(frozen=True, slots=True)
class CallOrigin:
    """A call with the origins of its values, in its session."""

    call: ToolCall
    values: tuple[TracedValue, ...]
    request: CustomerRequest
    memory: Memory


@dataclass(frozen=True, slots=True)
class OriginProblem:
    """One thing that nobody vouches for."""

    kind: ProblemKind
    reason: str


def may_change(tool: str, stated: Mapping[str, StatedEffect] | None = None) -> bool:
    """Return whether a tool may change something: it is stated, or its name does not say that it only reads."""
    if stated and any(tool == each or fnmatchcase(tool, each) for each in stated):
        return tool_effect(tool, stated) == "changes"
    return tool_effect(tool) in ("changes", "unknown") and not looks_only(tool)


def problems(origin: CallOrigin, origins: Origins) -> list[OriginProblem]:
    """Return what is wrong with a call; a ``delegated`` value is only reported."""
    acts = acts_of_tool(origin.call.name)
    request = origin.request
    asked = bool(request.agreed) or is_asked(acts, request.messages) or request.delegates
    found: list[OriginProblem] = []
    if acts and not request.agreed and is_forbidden(acts, request.messages):
        found.append(OriginProblem("unasked", f"the customer said that {origin.call.name[:80]} is not wanted"))
    if any(each.origin == "free_text" for each in origin.values):
        found += _untraced(origin, origins, asked=asked or (not acts and request.asks_to_act))
        found += _swapped_numbers(origin)
        found += _told(origin, origins, acts)
        found += _noted(origin) if not found else ()
    found += _lookalikes(origin, origins)
    found += _invented(origin, origins) if not found else ()
    if acts and not asked and not any(each.kind != "delegated" for each in found):
        found += _unasked(origin, origins)
    return found


def _untraced(origin: CallOrigin, origins: Origins, *, asked: bool) -> Iterator[OriginProblem]:
    """Yield the decisive values that only free text gives, unless the customer pointed to that text."""
    for traced in origin.values:
        value = traced.value
        if value.kind not in DECISIVE or traced.origin != "free_text":
            continue
        if value.kind == "secret" and "cancel" in acts_of_tool(origin.call.name):
            continue  # a key that is deleted was known
        if value.kind == "link" and _is_on_named_host(value, origins.session(origin.memory).said):
            continue
        where = f"the result of {traced.tool[:60]}" if traced.tool else "a document"
        what = f"{value.argument[:40]} {shown(value.shown, name=value.argument)}"
        if asked and _is_delegated(traced, origin, origins):
            yield OriginProblem("delegated", f"{what} comes from {where}, to which the customer pointed")
        elif value.whole and _gives_own(value, origin, origins):
            own = shown(_own_values(value.kind, origin.request.last)[0])
            yield OriginProblem("swapped", f"{what} comes from {where}, and the customer gave another: {own}")
        else:
            yield OriginProblem("untraced", f"{what} stands only in text of {where}; the customer did not give it")


def _is_on_named_host(link: CallValue, said: TracedText) -> bool:
    """Return whether the customer named the host of a link, and the link carries no data there."""
    host = link.text.partition("://")[2] or link.text
    host, _, path = host.partition("/")
    return "?" not in path and len(host) >= _MIN_HOST_CHARS and said.has(host.removeprefix("www."))


def _is_delegated(traced: TracedValue, origin: CallOrigin, origins: Origins) -> bool:
    """Return whether the customer named the text that gives a value, and gave no such value in a message."""
    request = origin.request
    if traced.result is None:
        return False
    if not (request.names_source or request.delegates or request.agreed or _is_named(traced.result, origin, origins)):
        return False
    if not request.delegates and _gives_own(traced.value, origin, origins):
        return False
    if not request.delegates and any(
        each.value.kind == traced.value.kind and each.origin in ("customer", "record") for each in origin.values
    ):
        return False  # one recipient is known; another one beside it needs a word of the customer
    acts = acts_of_tool(origin.call.name)
    if not request.delegates and not _is_the_one(traced.value, traced.result.free, acts):
        return False
    return _was_looked_up(traced.result, origin.memory, origins)


def _is_named(result: ReadResult, origin: CallOrigin, origins: Origins) -> bool:
    """Return whether the customer's messages have the file, id or address by which a text was looked up."""
    said = origins.session(origin.memory).said
    return any(value.kind in _IDENTIFYING and said.holds(value) for value in result.arguments)


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


def _was_looked_up(result: ReadResult, memory: Memory, origins: Origins, *, depth: int = 2) -> bool:
    """Return whether the call only looked for what the customer named, or for what that gave."""
    if depth > 1 and may_change(result.call.name):
        return False
    texts = [value for value in result.arguments if value.kind != "number"]
    session = origins.session(memory)
    if any(session.said.holds(value) or _shares_word(value, session.said) for value in texts):
        return True
    before = [each for each in session.results if each is not result]
    return depth > 1 and any(
        (each.in_field(value) or each.free.holds(value)) and _was_looked_up(each, memory, origins, depth=depth - 1)
        for each in before
        for value in texts
    )


def _shares_word(value: CallValue, text: TracedText) -> bool:
    words = value.text.replace("_", " ").replace(".", " ").split()
    return any(len(word) > 2 and word in text.plain for word in words)


def _gives_own(value: CallValue, origin: CallOrigin, origins: Origins) -> bool:
    """Return whether the last message gives a value of this kind, other than one that was only looked up."""
    own = _own_values(value.kind, origin.request.last)
    if not own:
        return False
    looked_up = {each.text for result in origins.session(origin.memory).results for each in result.arguments}
    return any(all(plain_text(each) not in known for known in looked_up) for each in own)


@lru_cache(maxsize=1024)
def _own_values(kind: ValueKind, message: str) -> tuple[str, ...]:
    """Return the values of this kind that a message gives."""
    return tuple(each.shown for each in call_values({"": without_quotations(message)}) if each.kind == kind)


def _invented(origin: CallOrigin, origins: Origins) -> Iterator[OriginProblem]:
    """Yield a recipient or an account that nobody gave, after a text was read: it may stand there in disguise."""
    if origin.request.agreed or not origins.session(origin.memory).free.plain:
        return
    for traced in origin.values:
        unknown = traced.origin == "agent" and traced.value.whole and _tells_whom(traced.value)
        if unknown and not _knows_owner(traced.value, origin.request.messages):
            what = f"{traced.value.argument[:40]} {shown(traced.value.shown, name=traced.value.argument)}"
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


def _told(origin: CallOrigin, origins: Origins, acts: frozenset[Act]) -> Iterator[OriginProblem]:
    """Yield the act if a text that the customer did not point to asks for it, with values of the call."""
    if origin.request.agreed or origin.request.delegates:
        return
    for traced in origin.values:
        if traced.origin != "free_text" or traced.result is None or not _is_distinct(traced.value):
            continue
        passage = traced.result.free.passage(traced.value)
        if not passage or not is_asked(acts, [passage]):
            continue
        if origin.request.names_source and _was_looked_up(traced.result, origin.memory, origins):
            continue
        what = f"{traced.value.argument[:40]} {shown(traced.value.shown, name=traced.value.argument)}"
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
        what = f"{traced.value.argument[:40]} {shown(traced.value.shown, name=traced.value.argument)}"
        yield OriginProblem("noted", f"{what} stands only in a remark in the result of {traced.tool[:60]}")
        return


def _is_short(value: CallValue) -> bool:
    """Return whether a value is found anywhere by chance: a number of one digit, a letter."""
    return len(value.text.removesuffix(".0").removesuffix(".00")) <= 1


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
        if each.value.kind == "number" and each.origin == "free_text" and not _is_short(each.value)
    ]
    if not foreign:
        return
    given = TracedText(origin.request.last).numbers
    used = TracedText(" ; ".join(each.value.text for each in origin.values)).numbers
    if given - used:
        value = foreign[0].value
        told = f"{value.argument[:40]} {shown(value.shown)} stands only in text of the result of {foreign[0].tool[:60]}"
        yield OriginProblem("swapped", f"{told}, and the customer gave another number")


def _lookalikes(origin: CallOrigin, origins: Origins) -> Iterator[OriginProblem]:
    """Yield addresses that differ in a character or two from one that was there before."""
    for traced in origin.values:
        if traced.value.kind != "address" or traced.origin == "customer" or len(traced.value.text) < _MIN_ADDRESS_CHARS:
            continue
        for known in _addresses(origin.memory, origins):
            if known == traced.value.text:
                break  # the first of two lookalikes is the known one
            if _is_near(known, traced.value.text):
                what = f"{traced.value.argument[:40]} {shown(traced.value.shown)}"
                yield OriginProblem("lookalike", f"{what} looks like another address of this conversation, and is not")
                break


def _addresses(memory: Memory, origins: Origins) -> Iterator[str]:
    for text in memory.asked:
        if "@" in text:
            yield from _addresses_in(text)
    for result in origins.session(memory).results:
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


def _unasked(origin: CallOrigin, origins: Origins) -> Iterator[OriginProblem]:
    """Yield the act, unless the customer gave it a value that nothing was looked up with.

    It is ``unasked`` if a text that was read gives a value of it or asks for it, and ``unprompted`` if nothing does.
    """
    foreign = next((each for each in origin.values if each.origin == "free_text" and not _is_short(each.value)), None)
    told = f"nothing the customer said asks for {origin.call.name[:80]}"
    if foreign is not None:
        what = f"{foreign.value.argument[:40]} {shown(foreign.value.shown, name=foreign.value.argument)}"
        where = f"the result of {foreign.tool[:60]}" if foreign.tool else "a document"
        yield OriginProblem("unasked", f"{told}; {what} stands in {where}")
    elif not _has_fresh_value(origin, origins):
        acts = acts_of_tool(origin.call.name)
        results = [each for each in origins.session(origin.memory).results if each.free.plain]
        asking = next((each for each in reversed(results) if is_asked(acts, [each.free.written])), None)
        if asking is not None:
            yield OriginProblem("unasked", f"{told}; a text in the result of {asking.call.name[:60]} does")
        else:
            yield OriginProblem("unprompted", told)


def _has_fresh_value(origin: CallOrigin, origins: Origins) -> bool:
    """Return whether the customer gave the call a value or a sentence, and nothing was looked up with it."""
    looked_up = {value.text for result in origins.session(origin.memory).results for value in result.arguments}
    return any(
        each.origin == "customer" and each.value.text not in looked_up and _is_given_for_act(each.value)
        for each in origin.values
    )


def _is_given_for_act(value: CallValue) -> bool:
    if value.kind == "text":  # a case with the customer's own sentence in it: the act does what was said
        return len(value.text) >= _MIN_PASSED_ON_CHARS
    return value.kind in _COUNTED and (value.kind != "number" or len(value.text) >= _MIN_NUMBER_CHARS)
