"""Combine step predicates: ``and``, ``or``, ``not``, and ``when`` for a condition.

Results combine as for output predicates: a decisive result wins, an inapplicable part is ignored, and an unknown part
leaves the whole unknown unless another part decides it.
"""

from __future__ import annotations

from collections.abc import Sequence

from proctor.scorers.conversation.steps.step import StepsView
from proctor.scorers.conversation.steps.term import StepsChecked, StepTerm

__all__ = ["guarded", "joined", "negation"]


def joined(how: str, terms: Sequence[StepTerm]) -> StepTerm:
    """Combine terms: all must be true (``and``), or at least one (``or``)."""
    flat = [part for term in terms for part in (term.inner if term.form == how else (term,))]
    checks = [term.run for term in flat]
    decides = how == "or"

    def run(view: StepsView) -> StepsChecked:
        found = [check(view) for check in checks]
        clear = [each for each in found if each.ok is decides]
        if clear:
            return clear[0]
        unsure = next((each for each in found if not each.known), None)
        if unsure is not None:
            return unsure
        applied = [each for each in found if each.ok is not None] or found[:1]
        steps = tuple(step for each in applied for step in each.steps)
        return StepsChecked(ok=applied[0].ok, reason="; ".join(each.reason for each in applied), steps=steps)

    text = f" {how} ".join(_part(term) for term in flat)
    return StepTerm(form=how, text=text, inner=tuple(flat), run=run)


def _part(term: StepTerm) -> str:
    """Return a part, in parentheses where its text would be ambiguous."""
    return f"({term.text})" if term.wide or term.form == "or" or term.text.startswith('"') else term.text


def negation(term: StepTerm) -> StepTerm:
    """Negate a term; an undecided result stays undecided."""

    def run(view: StepsView) -> StepsChecked:
        found = term.run(view)
        if found.ok is None:
            return found
        return StepsChecked(ok=not found.ok, reason=found.reason, steps=found.steps)

    return StepTerm(form="not", text=f"not ({term.text})", inner=(term,), run=run)


def guarded(condition: StepTerm, body: StepTerm) -> StepTerm:
    """Apply the body only if the condition is true; otherwise it does not apply."""

    def run(view: StepsView) -> StepsChecked:
        found = condition.run(view)
        if found.ok:
            return body.run(view)
        if not found.known:
            return found
        return StepsChecked(ok=None, reason=f"does not apply: {found.reason}")

    text = f"when {condition.within()}: {body.text}"
    return StepTerm(form="when", text=text, inner=(condition, body), wide=True, run=run)
