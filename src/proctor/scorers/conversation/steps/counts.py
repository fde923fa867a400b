"""Step predicates on counts, order ends and membership."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence

from proctor.core.codec import dumps
from proctor.scorers.conversation.steps.fields import values_of
from proctor.scorers.conversation.steps.selector import Selector
from proctor.scorers.conversation.steps.step import StepsView, TraceStep
from proctor.scorers.conversation.steps.term import Check, StepForm, StepsChecked, no, skipped, unknown, yes
from proctor.text.predicates.term import plural
from proctor.text.predicates.values import Bound

__all__ = ["FORMS"]

_IN_TURN = "in a turn"


def _count(a: Selector, bound: Bound, *, options: frozenset[str], each: str | None = None) -> Check:
    _plain(bound)

    def run(view: StepsView) -> StepsChecked:
        found = a.of(view)
        for place, group in _groups(found, options, each).items():
            if not bound.holds(len(group)):
                reason = f"{a.text} happened {plural(len(group), 'times')}{place}, not {bound.said}"
                # Too many: blame the first step over the limit.
                over = next((group[n:] for n in range(len(group)) if not bound.holds(n + 1)), group)
                return no(reason, over if bound.holds(0) else group)
        if not found and (each is not None or _IN_TURN in options):
            return skipped(f"there is no {a.text}")
        return yes(f"{a.text} happened {plural(len(found), 'times')}", found)

    return run


def _groups(found: Sequence[TraceStep], options: frozenset[str], each: str | None) -> Mapping[str, list[TraceStep]]:
    if not options and each is None:
        return {"": list(found)}
    groups: dict[str, list[TraceStep]] = defaultdict(list)
    for step in found:
        where = f" in turn {step.turn + 1}" if _IN_TURN in options else ""
        if each is None:
            groups[where].append(step)
            continue
        values = values_of(step.call.arguments, each) if step.call is not None else ()
        for value in values:
            groups[f"{where} for {each} {_key(value)}"].append(step)
    return groups


def _key(value: object) -> str:
    return value if isinstance(value, str) else dumps(value).decode()


def _happens(a: Selector) -> Check:
    def run(view: StepsView) -> StepsChecked:
        found = a.of(view)
        return yes(f"there is {found[0].place}", found[:1]) if found else no(f"there is no {a.text}")

    return run


def _end(last: bool) -> Callable[[Selector, Selector], Check]:
    word = "last" if last else "first"

    def make(a: Selector, b: Selector) -> Check:
        def run(view: StepsView) -> StepsChecked:
            found = a.of(view)
            if not found:
                return skipped(f"there is no {a.text}")
            one = found[-1] if last else found[0]
            if b.picks(one, view):
                return yes(f"the {word} {a.text} is {one.place}", (one,))
            return no(f"the {word} {a.text} is {one.place}, not {b.text}", (one,))

        return run

    return make


def _every_is(a: Selector, b: Selector) -> Check:
    def run(view: StepsView) -> StepsChecked:
        found = a.of(view)
        if not found:
            return skipped(f"there is no {a.text}")
        others = [step for step in found if not b.picks(step, view)]
        if others:
            return no(f"{others[0].place} is not {b.text}", others)
        return yes(f"each {a.text} is {b.text}", found)

    return run


def _repeat(a: Selector) -> Check:
    def run(view: StepsView) -> StepsChecked:
        seen: dict[Hashable, TraceStep] = {}
        again = []
        for step in a.of(view):
            key = (step.call.name, dumps(dict(step.call.arguments))) if step.call else " ".join(step.text.split())
            if key in seen:
                again.append(step)
            seen.setdefault(key, step)
        if again:
            return no(f"{again[0].place} says or does again what was there before", again)
        return yes(f"no {a.text} is there twice")

    return run


def _turns(bound: Bound) -> Check:
    _plain(bound)

    def run(view: StepsView) -> StepsChecked:
        if not view.turns:
            return unknown("the conversation is empty")
        found = yes if bound.holds(view.turns) else no
        return found(f"it has {plural(view.turns, 'turns')}", view.steps[-1:])

    return run


def _one_at_a_time() -> Check:
    def run(view: StepsView) -> StepsChecked:
        calls = [step for step in view.steps if step.call is not None]
        if not calls:
            return skipped("there is no call")
        if not view.calls_placed:
            return unknown("the recording does not say which calls were made together")
        by_message: dict[tuple[int, int | None], list[TraceStep]] = defaultdict(list)
        for step in calls:
            by_message[step.turn, step.message].append(step)
        together = [group for group in by_message.values() if len(group) > 1]
        if together:
            reason = f"{len(together[0])} calls at once in turn {together[0][0].turn + 1}"
            return no(reason, [step for group in together for step in group[1:]])
        return yes("each message has one call at most")

    return run


def _plain(bound: Bound) -> None:
    if any(not isinstance(side, int | float) for side in bound.sides):
        raise ValueError("a count is compared with a number here, not with an input")


FORMS = (
    StepForm(
        form="A happens BOUND times",
        meaning='it happens so often; `in a turn`: in each turn; `for each "argument"`: with each value of it',
        example="search happens <= 3 times",
        make=_count,
        also=("count of A BOUND", "BOUND calls of A", "BOUND times A", "BOUND A"),
        options=(_IN_TURN,),
        each=True,
    ),
    StepForm(form="A happens", meaning="it happens", example="get_policy happens", make=_happens,
         also=("always A", "must A", "call A", "some A")),
    StepForm(form="first A is B", meaning="the first such step is one of those", example="first call is find_user_*",
         make=_end(last=False)),
    StepForm(form="last A is B", meaning="the last such step is one of those", example="last call is hand-off",
         make=_end(last=True)),
    StepForm(
        form="every A is B",
        meaning="each such step is one of those",
        example="every call is any of get_*, create_case",
        make=_every_is,
        also=("only B as A",),
    ),
    StepForm(form="never repeat A",
         meaning="the same words, or the same call with the same arguments, are not there twice",
         example="never repeat write", make=_repeat),
    StepForm(form="one call at a time", meaning="no message of the agent has two calls", example="one call at a time",
         make=_one_at_a_time),
    StepForm(form="turns BOUND", meaning="so many turns", example="turns <= 12", make=_turns),
)  # fmt: skip
