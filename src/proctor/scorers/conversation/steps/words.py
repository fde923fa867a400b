"""Step predicates on what is said in a step, on results, and on where values come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from proctor.core.scalars import scalars
from proctor.scorers.conversation.steps.fields import values_of
from proctor.scorers.conversation.steps.selector import Selector
from proctor.scorers.conversation.steps.step import StepsView, TraceStep
from proctor.scorers.conversation.steps.term import Check, StepForm, StepsChecked, no, skipped, unknown, yes
from proctor.text.dates import find_dates, read_date
from proctor.text.find_phrase import occurrences
from proctor.text.numbers import find_numbers
from proctor.text.predicates import Predicate
from proctor.text.predicates.comparable_text import folded

__all__ = ["FORMS"]

_MOST_VALUES = 200


def _of_all(a: Selector, pred: Predicate) -> Check:
    def run(view: StepsView) -> StepsChecked:
        steps = a.of(view)
        if not steps:
            return skipped(f"there is no {a.text}")
        found = [(step, pred.check(step.written, inputs=_asked(step, view))) for step in steps]
        broken = [(step, each) for step, each in found if each.ok is False]
        if broken:
            step, each = broken[0]
            return no(f"{step.place}: {each.reason}", [step for step, _ in broken])
        if unsure := next((each for _, each in found if not each.known), None):
            return unknown(unsure.reason)
        if all(each.ok is None for _, each in found):
            return skipped(found[0][1].reason)
        return yes(f"it holds of each {a.text}")

    return run


def _of_some(a: Selector, pred: Predicate) -> Check:
    def run(view: StepsView) -> StepsChecked:
        steps = a.of(view)
        if not steps:
            return skipped(f"there is no {a.text}")
        found = [(step, pred.check(step.written, inputs=_asked(step, view))) for step in steps]
        if kept := next((step for step, each in found if each.ok), None):
            return yes(f"it holds of {kept.place}", (kept,))
        if unsure := next((each for _, each in found if not each.known), None):
            return unknown(unsure.reason)
        return no(f"it holds of no {a.text}: {found[-1][1].reason}", steps[-1:])

    return run


def _at_end(last: bool) -> Callable[[Selector, Predicate], Check]:
    def make(a: Selector, pred: Predicate) -> Check:
        def run(view: StepsView) -> StepsChecked:
            steps = a.of(view)
            if not steps:
                return skipped(f"there is no {a.text}")
            step = steps[-1] if last else steps[0]
            found = pred.check(step.written, inputs=_asked(step, view))
            if found.ok is None:
                return StepsChecked(ok=None, reason=found.reason, known=found.known)
            return (yes if found.ok else no)(f"{step.place}: {found.reason}", (step,))

        return run

    return make


def _asked(step: TraceStep, view: StepsView) -> dict[str, str]:
    """Return the customer's last message before the step: the input of an answer."""
    before = (each for each in reversed(view.steps[: step.index]) if each.kind == "request")
    asked = next(before, None)
    return {"input": asked.text} if asked is not None else {}


def _mentions(a: Selector, texts: Sequence[str]) -> Check:
    def run(view: StepsView) -> StepsChecked:
        told: list[TraceStep] = []
        missing: list[tuple[TraceStep, str]] = []
        calls = a.of(view)
        if not calls:
            return skipped(f"there is no {a.text}")
        for step in calls:
            answer = next((each for each in view.steps[step.index + 1 :] if each.kind == "answer"), None)
            values = {name: _speakable(values_of(step.result, name)) for name in texts}
            if answer is None or not any(values.values()):
                continue
            told.append(answer)
            missing += [(answer, name) for name, each in values.items() if each and not _says(answer.text, each)]
        if not told:
            return skipped(f"no {a.text} gave {' or '.join(texts)} before an answer")
        if missing:
            answer, name = missing[0]
            return no(f"{answer.place} does not mention the {name} that {a.text} gave", [step for step, _ in missing])
        return yes(f"the answer after each {a.text} mentions its {', '.join(texts)}", told)

    return run


def _speakable(values: Sequence[Any]) -> list[Any]:
    return [value for value in scalars(list(values)) if str(value).strip()][:_MOST_VALUES]


def _says(text: str, values: Sequence[Any]) -> bool:
    """Whether one of the values occurs in the text: literally, as the same number, or as the same day."""
    return any(_says_one(text, value) for value in values)


def _says_one(text: str, value: Any) -> bool:
    if isinstance(value, (int, float)):
        return any(float(number.value) == float(value) for number in find_numbers(text))
    said = str(value).strip()
    haystack = folded(text, True)
    if occurrences(said, haystack, most=1) or occurrences(said.replace("_", " "), haystack, most=1):
        return True
    day = read_date(said)
    return day is not None and any(day.agrees(other) and other.day is not None for other in find_dates(text))


def _known(texts: Sequence[str], a: Selector) -> Check:
    def run(view: StepsView) -> StepsChecked:
        steps = [step for step in a.of(view) if step.call is not None]
        given = [(step, name, value) for step in steps for name in texts for value in _arguments(step, name)]
        if not given:
            return skipped(f"no {a.text} has {' or '.join(texts)}")
        strange = [(step, name, value) for step, name, value in given if not _heard(value, step, view)]
        if strange:
            step, name, value = strange[0]
            reason = f"the {name} {value!r} of {step.place} was given by nobody before"
            return no(reason, list({each[0].index: each[0] for each in strange}.values()))
        return yes(f"each {' and '.join(texts)} was given before")

    return run


def _arguments(step: TraceStep, name: str) -> list[Any]:
    return _speakable(values_of(step.call.arguments, name)) if step.call is not None else []


def _heard(value: Any, step: TraceStep, view: StepsView) -> bool:
    """Whether the customer or a tool gave the value before this step."""
    wanted = str(value).strip().lstrip("#")
    return any(text is not None and occurrences(wanted, text, most=1) for text in view.given[: step.index])


def _no_words_beside() -> Check:
    def run(view: StepsView) -> StepsChecked:
        if not any(step.call for step in view.steps):
            return skipped("there is no call")
        if not view.calls_placed:
            return unknown("the recording does not say which words stand beside a call")
        remarks = [step for step in view.steps if step.kind == "remark"]
        if remarks:
            return no(f"{remarks[0].place} stands beside a call", remarks)
        return yes("no words stand beside a call")

    return run


FORMS = (
    StepForm(form="every A: PRED",
         meaning="a predicate of an output (docs/predicates.md) holds of each such step's words; "
         "of a call, of its arguments as JSON", example="every answer: words <= 80", make=_of_all),
    StepForm(form="some A: PRED", meaning="it holds of at least one of them", example='some answer: contains "refund"',
         make=_of_some),
    StepForm(form="first A: PRED", meaning="it holds of the first", example='first answer: contains "assistant"',
         make=_at_end(last=False)),
    StepForm(form="last A: PRED", meaning="it holds of the last", example='last answer: ends with "?"',
         make=_at_end(last=True)),
    StepForm(form="answer after A mentions its TEXTS", meaning="the next answer says what the call's result has there",
         example='answer after get_booking mentions its "status"', make=_mentions),
    StepForm(form="known TEXTS in A", meaning="the customer or a tool gave these arguments before the call",
         example='known "booking_id" in write', make=_known),
    StepForm(form="no words beside calls", meaning="a message of the agent has words or calls, not both",
         example="no words beside calls", make=_no_words_beside),
)  # fmt: skip
