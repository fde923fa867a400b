"""Decide whether the customer may have asked for an act that no message has a word for."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.guard.delegation import is_on_named_host
from proctor.guard.traced_call import CallOrigin, OriginProblem, described, is_short
from proctor.guard.value_origins import TracedValue
from proctor.lexicon.open_requests import open_requests
from proctor.lexicon.requested_acts import is_asked

__all__ = ["unasked_act"]


def unasked_act(origin: CallOrigin) -> Iterator[OriginProblem]:
    """Yield the act, unless the customer gave it a value that nothing was looked up with.

    It is ``unasked`` if the last message only asks to know something, or if a text that was read gives a value of the
    act or asks for it. It is ``unprompted`` if nothing does: the message may ask for it in words that are not known.
    """
    told = f"nothing the customer said asks for {origin.call.name[:80]}"
    foreign = next((each for each in origin.values if _is_foreign(each, origin)), None)
    if foreign is not None:
        where = f"the result of {foreign.tool[:60]}" if foreign.tool else "a document"
        yield OriginProblem("unasked", f"{told}; {described(foreign.value)} stands in {where}")
    elif not open_requests(origin.request.last):
        yield OriginProblem("unasked", f"{told}; the last message only asks to know")
    elif not _has_fresh_value(origin):
        results = [each for each in origin.texts.results if each.free.plain]
        asking = next((each for each in reversed(results) if is_asked(origin.acts, [each.free.written])), None)
        if asking is not None:
            yield OriginProblem("unasked", f"{told}; a text in the result of {asking.call.name[:60]} does")
        else:
            yield OriginProblem("unprompted", told)


def _is_foreign(traced: TracedValue, origin: CallOrigin) -> bool:
    if traced.origin != "free_text" or is_short(traced.value):
        return False
    return not is_on_named_host(traced.value, origin.texts)


def _has_fresh_value(origin: CallOrigin) -> bool:
    """Return whether the customer gave the call a value, and nothing was looked up with it."""
    looked_up = {value.text for result in origin.texts.results for value in result.arguments}
    return any(
        each.origin == "customer" and each.value.text not in looked_up and not is_short(each.value)
        for each in origin.values
    )
