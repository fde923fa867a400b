"""Step predicates on order: before, after and never."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proctor.scorers.conversation.steps.fields import values_of
from proctor.scorers.conversation.steps.selector import Selector
from proctor.scorers.conversation.steps.step import StepsView, TraceStep
from proctor.scorers.conversation.steps.term import Check, StepForm, StepsChecked, no, skipped, yes

__all__ = ["FORMS"]

_SAME = "in the same turn"
_ONCE = "at once"


def _before(a: Selector, b: Selector, *, options: frozenset[str], same: str | None = None) -> Check:
    near = _SAME in options

    def run(view: StepsView) -> StepsChecked:
        first, then = a.of(view), b.of(view)
        if not then:
            return skipped(f"there is no {b.text}")
        broken = [
            step for step in then if not any(_precedes(one, step, near) and _share(one, step, same) for one in first)
        ]
        if broken:
            where = (" in its turn" if near else "") + (f" for the same {same}" if same else "")
            return no(f"{broken[0].place} came with no {a.text} before it{where}", broken)
        return yes(f"{a.text} came before each {b.text}", then)

    return run


def _precedes(one: TraceStep, step: TraceStep, near: bool) -> bool:
    return one.index < step.index and (one.turn == step.turn or not near)


def _share(one: TraceStep, step: TraceStep, name: str | None) -> bool:
    """Whether two calls share a value of this argument; always true without a name."""
    if name is None:
        return True
    if one.call is None or step.call is None:
        return False
    values = [str(value).casefold() for value in values_of(one.call.arguments, name)]
    return any(str(value).casefold() in values for value in values_of(step.call.arguments, name))


def _after(a: Selector, b: Selector, *, options: frozenset[str], same: str | None = None) -> Check:
    def run(view: StepsView) -> StepsChecked:
        then = b.of(view)
        if not then:
            return skipped(f"there is no {b.text}")
        # Nothing can follow the customer's last message: the recording ends there.
        open_ended = [step for step in then if step.kind != "request" or _next(step, view) is not None]
        if not open_ended:
            return skipped(f"the conversation ends with {then[-1].place}")
        broken = [step for step in open_ended if not _followed(step, a, view, options, same)]
        if broken:
            soon = " at once" if _ONCE in options else " in its turn" if _SAME in options else ""
            return no(f"{broken[0].place} was not followed{soon} by {a.text}", broken)
        return yes(f"{a.text} came after each {b.text}", then)

    return run


def _next(step: TraceStep, view: StepsView) -> TraceStep | None:
    """Return the agent's next step; a remark beside a call is not a separate step."""
    later = view.steps[step.index + 1 :]
    return next((each for each in later if each.kind in ("answer", "call", "hand-off")), None)


def _followed(step: TraceStep, a: Selector, view: StepsView, options: frozenset[str], same: str | None) -> bool:
    following = _next(step, view)
    later = view.steps[step.index + 1 :] if _ONCE not in options else (following,) if following else ()
    near = [each for each in later if each.turn == step.turn or _SAME not in options]
    return any(a.picks(each, view) and _share(step, each, same) for each in near)


def _never(a: Selector) -> Check:
    def run(view: StepsView) -> StepsChecked:
        found = a.of(view)
        return no(f"{_first(found)}", found) if found else yes(f"there is no {a.text}")

    return run


def _never_before(a: Selector, b: Selector, *, options: frozenset[str]) -> Check:
    near = _SAME in options
    return _never_beside(a, b, "before", lambda step, one: _precedes(step, one, near))


def _never_after(a: Selector, b: Selector, *, options: frozenset[str]) -> Check:
    near = _SAME in options
    return _never_beside(a, b, "after", lambda step, one: _precedes(one, step, near))


def _never_beside(a: Selector, b: Selector, word: str, stands: Callable[[TraceStep, TraceStep], bool]) -> Check:
    def run(view: StepsView) -> StepsChecked:
        others = b.of(view)
        if not others:
            return skipped(f"there is no {b.text}")
        found = [step for step in a.of(view) if any(stands(step, one) for one in others)]
        return no(f"{_first(found)} {word} {b.text}", found) if found else yes(f"no {a.text} {word} {b.text}")

    return run


def _first(found: Sequence[TraceStep]) -> str:
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"there is {found[0].place}{more}"


FORMS = (
    StepForm(
        form="A before B",
        meaning="whenever the second happens, the first has happened",
        example="confirmation before write in the same turn",
        make=_before,
        also=("B only after A", "call A before B"),
        options=(_SAME,),
        same=True,
    ),
    StepForm(
        form="A after B",
        meaning="whenever the second happens, the first follows; `at once`: as the agent's next step",
        example='create_case after "complaint"',
        make=_after,
        also=("B then A",),
        options=(_SAME, _ONCE),
        same=True,
    ),
    StepForm(
        form="never A",
        meaning="it does not happen",
        example='never refund with "amount" > 100',
        make=_never,
        also=("no A",),
    ),
    StepForm(
        form="never A before B",
        meaning="the first does not happen before the second; says nothing where the second never does",
        example="never write before confirmation",
        make=_never_before,
        also=("no A before B",),
        options=(_SAME,),
    ),
    StepForm(
        form="never A after B",
        meaning="the first does not happen once the second has",
        example="never call after hand-off",
        make=_never_after,
        also=("no A after B",),
        options=(_SAME,),
    ),
)
