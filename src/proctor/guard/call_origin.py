"""Decide from the origins of a call's values and the customer's messages what is wrong with a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from proctor.core.chat import ToolCall
from proctor.core.tool_effect import StatedEffect, tool_effect
from proctor.guard.call_values import DECISIVE, CallValue, ValueKind, call_values
from proctor.guard.session_memory import KEPT, Memory
from proctor.guard.step import Step
from proctor.guard.tool_settings import shown
from proctor.guard.traced_text import TracedText, squeeze
from proctor.guard.value_origins import Origins, ReadResult, TracedValue
from proctor.lexicon.requested_acts import (
    Act,
    acts_in,
    acts_of_tool,
    delegates_instructions,
    is_asked,
    looks_only,
    names_source,
    without_quotations,
)
from proctor.text.assent import agrees

__all__ = ["CallOrigin", "CustomerRequest", "OriginProblem", "may_change", "problems", "request_of"]

ProblemKind = Literal["untraced", "swapped", "lookalike", "told", "unasked", "delegated"]

_MAX_DISTANCE: Final = 2  # characters in which a lookalike differs
_MIN_ADDRESS_CHARS: Final = 8
_COUNTED: Final = frozenset((*DECISIVE, "number", "code", "name", "time"))
_FINAL: Final[frozenset[Act]] = frozenset(("pay", "cancel", "run"))  # acts that cannot be taken back
_SHORT_CHARS: Final = 5
_MIN_NUMBER_CHARS: Final = 3
_SHORT_NUMBER_CHARS: Final = 1  # a number of one digit is found anywhere by chance


@dataclass(frozen=True, slots=True)
class CustomerRequest:
    """What the customer asked for: the acts of all messages, and what the last one says.

    ``agreed`` is the agent's question to which the last message says yes. ``names_source`` means that it names a text
    in which something is written; ``delegates`` that the agent shall do what a text says.
    """

    acts: frozenset[Act]
    last: str
    agreed: str
    names_source: bool
    delegates: bool


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
    if stated and tool in stated:
        return stated[tool] == "changes"
    return tool_effect(tool, stated) in ("changes", "unknown") and not looks_only(tool)


def request_of(step: Step) -> CustomerRequest:
    """Return what the customer asked for up to this step."""
    asked, said = step.memory.asked, step.memory.said
    last = asked[-1] if asked else ""
    # Within a turn the last answer is older than the last message.
    question = said[-1] if said and (len(said) < len(asked) or len(asked) == KEPT) else ""
    agreed = question if agrees(last, question) else ""
    acts: frozenset[Act] = frozenset().union(*map(acts_in, asked)) if asked else frozenset()
    return CustomerRequest(
        acts=acts,
        last=last,
        agreed=agreed,
        names_source=names_source(last),
        delegates=delegates_instructions(last) and names_source(last),
    )


def problems(origin: CallOrigin, origins: Origins) -> list[OriginProblem]:
    """Return what is wrong with a call; a ``delegated`` value is only reported."""
    acts = acts_of_tool(origin.call.name)
    request = origin.request
    asked = bool(request.agreed) or request.delegates or is_asked(acts, request.acts)
    found = list(_untraced(origin, origins, asked=asked or (not acts and bool(request.acts))))
    found += _swapped_numbers(origin)
    found += _lookalikes(origin, origins)
    found += _told(origin, origins, acts)
    if acts and not asked and not any(each.kind != "delegated" for each in found):
        found += _unasked(origin, origins)
    return found


def _untraced(origin: CallOrigin, origins: Origins, *, asked: bool) -> Iterator[OriginProblem]:
    """Yield the decisive values that only free text gives, unless the customer pointed to that text."""
    for traced in origin.values:
        value = traced.value
        if value.kind not in DECISIVE or traced.origin != "free_text":
            continue
        where = f"the result of {traced.tool[:60]}" if traced.tool else "a document"
        what = f"{value.argument[:40]} {shown(value.shown, name=value.argument)}"
        if asked and _is_delegated(traced, origin, origins):
            yield OriginProblem("delegated", f"{what} comes from {where}, to which the customer pointed")
        elif (own := _own_value(value.kind, origin.request.last)) is not None and value.whole:
            yield OriginProblem("swapped", f"{what} comes from {where}, and the customer gave another: {own}")
        else:
            yield OriginProblem("untraced", f"{what} stands only in text of {where}; the customer did not give it")


def _is_delegated(traced: TracedValue, origin: CallOrigin, origins: Origins) -> bool:
    """Return whether the customer named the text that gives a value, and gave no such value himself."""
    request = origin.request
    if not (request.names_source or request.delegates or request.agreed) or traced.result is None:
        return False
    if _own_value(traced.value.kind, request.last) is not None and not request.delegates:
        return False
    if not request.delegates and any(
        each.value.kind == traced.value.kind and each.origin in ("customer", "record") for each in origin.values
    ):
        return False  # one recipient is known; another one beside it needs a word of the customer
    if not request.delegates and not _comes_first(traced.value, traced.result.free):
        return False  # the text names several: the bill's own account stands first
    return _was_looked_up(traced.result, origin.memory, origins)


def _comes_first(value: CallValue, text: TracedText) -> bool:
    """Return whether no other value of its kind stands before it; an address may also stand in a list of people."""
    if value.kind == "address" and acts_in(text.passage(value)).isdisjoint(("send", "pay")):
        return True
    first = next((each for each in call_values({"": text.written}) if each.kind == value.kind and not each.whole), None)
    return first is None or squeeze(first.text) == squeeze(value.text)


def _was_looked_up(result: ReadResult, memory: Memory, origins: Origins, *, depth: int = 2) -> bool:
    """Return whether the call only looked for what the customer named, or for what that gave."""
    if may_change(result.call.name):
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


@lru_cache(maxsize=1024)
def _own_value(kind: ValueKind, message: str) -> str | None:
    """Return a value of this kind that the message gives, shortened; None if it gives none."""
    for value in call_values({"": without_quotations(message)}):
        if value.kind == kind:
            return shown(value.shown)
    return None


def _told(origin: CallOrigin, origins: Origins, acts: frozenset[Act]) -> Iterator[OriginProblem]:
    """Yield the act if a text that the customer did not point to asks for it, with values of the call."""
    if origin.request.agreed or origin.request.delegates:
        return
    for traced in origin.values:
        if traced.origin != "free_text" or traced.result is None or not _is_distinct(traced.value):
            continue
        passage = traced.result.free.passage(traced.value)
        if not passage or not is_asked(acts, acts_in(passage)):
            continue
        if origin.request.names_source and _was_looked_up(traced.result, origin.memory, origins):
            continue
        what = f"{traced.value.argument[:40]} {shown(traced.value.shown, name=traced.value.argument)}"
        where = f"the result of {traced.tool[:60]}"
        yield OriginProblem("told", f"a text in {where} asks for {origin.call.name[:80]}, and only it gives {what}")
        return


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
        if each.value.kind == "number" and each.origin == "free_text" and len(each.value.text) > _SHORT_NUMBER_CHARS
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
    """Yield the act, unless the customer gave it a value that nothing was looked up with."""
    foreign = next((each for each in origin.values if each.origin == "free_text" and each.value.kind != "text"), None)
    tool = origin.call.name[:80]
    if foreign is not None and len(foreign.value.text) > _SHORT_NUMBER_CHARS:
        what = f"{foreign.value.argument[:40]} {shown(foreign.value.shown, name=foreign.value.argument)}"
        where = f"the result of {foreign.tool[:60]}" if foreign.tool else "a document"
        yield OriginProblem("unasked", f"nothing the customer said asks for {tool}; {what} stands in {where}")
    elif not _has_fresh_value(origin, origins) and _matters(origin, origins):
        yield OriginProblem("unasked", f"nothing the customer said asks for {tool}")


def _matters(origin: CallOrigin, origins: Origins) -> bool:
    """Return whether the act cannot be taken back, or a text was read that may have asked for it."""
    if not _FINAL.isdisjoint(acts_of_tool(origin.call.name)):
        return True
    return any(result.has_prose for result in origins.session(origin.memory).results)


def _has_fresh_value(origin: CallOrigin, origins: Origins) -> bool:
    looked_up = {value.text for result in origins.session(origin.memory).results for value in result.arguments}
    return any(
        each.origin == "customer"
        and each.value.kind in _COUNTED
        and each.value.text not in looked_up
        and (each.value.kind != "number" or len(each.value.text) >= _MIN_NUMBER_CHARS)
        for each in origin.values
    )
