"""Decide whether anything the customer said asks for an act that a call carries out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.guard.call_values import DECISIVE, CallValue
from proctor.guard.delegation import is_named, is_on_named_host, shares_word
from proctor.guard.traced_call import CallOrigin, OriginProblem, described, is_short, may_change
from proctor.guard.traced_text import TracedText
from proctor.guard.value_origins import ReadResult, TracedValue
from proctor.lexicon.open_requests import open_requests
from proctor.lexicon.requested_acts import is_asked, tool_words, unaccented

__all__ = ["unasked_act"]

_WORD: Final = re.compile(r"[^\W_]+")
_COUNTED: Final = frozenset((*DECISIVE, "number", "code", "name", "time"))
_MIN_NUMBER_CHARS: Final = 3
_MIN_PASSED_ON_CHARS: Final = 24
_MIN_WORD_CHARS: Final = 4


def unasked_act(origin: CallOrigin) -> Iterator[OriginProblem]:
    """Yield the act if nothing that the customer said can be taken for a request of it.

    A message that has no word for the act may still ask for it, in words that are not known. It does so if a part of it
    is neither a question nor a wish to be told something, and that part names a thing of the call. Then the act is only
    ``unprompted``. With a value that only a text gives it is ``unasked`` all the same.
    """
    told = f"nothing the customer said asks for {origin.call.name[:80]}"
    wanted = TracedText("\n".join(filter(None, map(open_requests, origin.request.in_force))))
    foreign = next((each for each in origin.values if _is_foreign(each, origin, wanted)), None)
    if foreign is not None:
        where = f"the result of {foreign.tool[:60]}" if foreign.tool else "a document"
        yield OriginProblem("unasked", f"{told}; {described(foreign.value)} stands in {where}")
        return
    if any(each.origin == "customer" and _is_passed_on(each.value) for each in origin.values):
        return  # a case with the customer's own sentence in it: the act does what was said
    if not _names_thing_of_call(wanted, origin):
        results = [each for each in origin.texts.results if each.free.plain]
        asking = next((each for each in reversed(results) if is_asked(origin.acts, [each.free.written])), None)
        where = f"; a text in the result of {asking.call.name[:60]} does" if asking is not None else ""
        yield OriginProblem("unasked", f"{told}{where}")
    elif not _has_fresh_value(origin, wanted):
        yield OriginProblem("unprompted", told)


def _is_foreign(traced: TracedValue, origin: CallOrigin, wanted: TracedText) -> bool:
    """Return whether only a text gives a value, and no request points to that text by its file, id or address."""
    if traced.origin != "free_text" or is_short(traced.value) or is_on_named_host(traced.value, origin.texts):
        return False
    return not wanted.plain or not _is_from_named_text(traced, origin)


def _is_from_named_text(traced: TracedValue, origin: CallOrigin) -> bool:
    """Return whether a value stands in a file or record that the customer named, in a line that does not order the act.

    A page of the web is no such text: anybody may have written a part of it.
    """
    result = traced.result
    if result is None or may_change(result.call.name) or not is_named(result, origin.texts):
        return False
    if any(value.kind == "link" for value in result.arguments):
        return False
    line = next((each for each in result.free.written.splitlines() if TracedText(each).holds(traced.value)), "")
    return bool(line) and not is_asked(origin.acts, [line])


def _names_thing_of_call(wanted: TracedText, origin: CallOrigin) -> bool:
    """Return whether a text has a word of the tool, a value of the call, or what the record of a value is called."""
    if not wanted.plain:
        return False
    words = frozenset(_WORD.findall(unaccented(wanted.plain)))
    if any(len(word) >= _MIN_WORD_CHARS and word in words for word in tool_words(origin.call.name)):
        return True
    for traced in origin.values:
        if is_short(traced.value):
            continue
        if wanted.holds(traced.value) or _is_from_named_text(traced, origin):
            return True
        if traced.origin != "record":
            continue
        if any(each.in_field(traced.value) and _is_called(each, wanted) for each in reversed(origin.texts.results)):
            return True
    return False


def _is_called(result: ReadResult, wanted: TracedText) -> bool:
    """Return whether a text names a field of a result, or what the result was looked up with."""
    if any(wanted.holds(value) or shares_word(value, wanted) for value in result.arguments if not is_short(value)):
        return True
    return any(wanted.has(each) for each in result.own_names)


def _has_fresh_value(origin: CallOrigin, wanted: TracedText) -> bool:
    """Return whether a request gives the call a value, and nothing was looked up with it."""
    looked_up = {value.text for result in origin.texts.results for value in result.arguments}
    return any(
        each.origin == "customer"
        and each.value.text not in looked_up
        and _is_given_for_act(each.value)
        and wanted.holds(each.value)
        for each in origin.values
    )


def _is_given_for_act(value: CallValue) -> bool:
    return value.kind in _COUNTED and (value.kind != "number" or len(value.text) >= _MIN_NUMBER_CHARS)


def _is_passed_on(value: CallValue) -> bool:
    return value.kind == "text" and len(value.text) >= _MIN_PASSED_ON_CHARS
