"""Decide whether anything the customer said asks for an act that a call carries out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from proctor.guard.call_values import DECISIVE, CallValue
from proctor.guard.traced_call import CallOrigin, OriginProblem, described, is_short
from proctor.lexicon.requested_acts import is_asked

__all__ = ["unasked_act"]

_COUNTED: Final = frozenset((*DECISIVE, "number", "code", "name", "time"))
_MIN_NUMBER_CHARS: Final = 3
_MIN_PASSED_ON_CHARS: Final = 24


def unasked_act(origin: CallOrigin) -> Iterator[OriginProblem]:
    """Yield the act, unless the customer gave it a value that nothing was looked up with.

    It is ``unasked`` if a text that was read gives a value of it or asks for it, and ``unprompted`` if nothing does.
    """
    foreign = next((each for each in origin.values if each.origin == "free_text" and not is_short(each.value)), None)
    told = f"nothing the customer said asks for {origin.call.name[:80]}"
    if foreign is not None:
        where = f"the result of {foreign.tool[:60]}" if foreign.tool else "a document"
        yield OriginProblem("unasked", f"{told}; {described(foreign.value)} stands in {where}")
    elif not _has_fresh_value(origin):
        results = [each for each in origin.texts.results if each.free.plain]
        asking = next((each for each in reversed(results) if is_asked(origin.acts, [each.free.written])), None)
        if asking is not None:
            yield OriginProblem("unasked", f"{told}; a text in the result of {asking.call.name[:60]} does")
        else:
            yield OriginProblem("unprompted", told)


def _has_fresh_value(origin: CallOrigin) -> bool:
    """Return whether the customer gave the call a value or a sentence, and nothing was looked up with it."""
    looked_up = {value.text for result in origin.texts.results for value in result.arguments}
    return any(
        each.origin == "customer" and each.value.text not in looked_up and _is_given_for_act(each.value)
        for each in origin.values
    )


def _is_given_for_act(value: CallValue) -> bool:
    if value.kind == "text":  # a case with the customer's own sentence in it: the act does what was said
        return len(value.text) >= _MIN_PASSED_ON_CHARS
    return value.kind in _COUNTED and (value.kind != "number" or len(value.text) >= _MIN_NUMBER_CHARS)
