"""Step predicates joined: ``and``, ``or``, ``not``, and ``when`` for what holds only under a condition.

The three answers are joined as those of output predicates are: the clear ones win, a part that does not apply leaves
the others to decide, and a part that cannot tell leaves the whole open unless another part settles it.
"""

from __future__ import annotations

from collections.abc import Sequence

from proctor.scorers.conversation.steps.step import View
from proctor.scorers.conversation.steps.term import Checked, Term

__all__ = ["guarded", "joined", "negation"]


def joined(how: str, terms: Sequence[Term]) -> Term:
    """Every one holds (``and``), or at least one does (``or``)."""
    flat = [part for term in terms for part in (term.inner if term.form == how else (term,))]
    checks = [term.run for term in flat]
    decides = how == "or"

    def run(view: View) -> Checked:
        found = [check(view) for check in checks]
        clear = [each for each in found if each.ok is decides]
        if clear:
            return clear[0]
        unsure = next((each for each in found if not each.known), None)
        if unsure is not None:
            return unsure
        applied = [each for each in found if each.ok is not None] or found[:1]
        steps = tuple(step for each in applied for step in each.steps)
        return Checked(ok=applied[0].ok, reason="; ".join(each.reason for each in applied), steps=steps)

    text = f" {how} ".join(_part(term) for term in flat)
    return Term(form=how, text=text, inner=tuple(flat), run=run)


def _part(term: Term) -> str:
    """A part in parentheses where it would run on; a text after `or` could be one more of a list of texts."""
    return f"({term.text})" if term.wide or term.form == "or" or term.text.startswith('"') else term.text


def negation(term: Term) -> Term:
    """The other way round; what is open stays open."""

    def run(view: View) -> Checked:
        found = term.run(view)
        if found.ok is None:
            return found
        return Checked(ok=not found.ok, reason=found.reason, steps=found.steps)

    return Term(form="not", text=f"not ({term.text})", inner=(term,), run=run)


def guarded(condition: Term, body: Term) -> Term:
    """The body, where the condition holds of the conversation; elsewhere it does not apply."""

    def run(view: View) -> Checked:
        found = condition.run(view)
        if found.ok:
            return body.run(view)
        if not found.known:
            return found
        return Checked(ok=None, reason=f"does not apply: {found.reason}")

    text = f"when {condition.within()}: {body.text}"
    return Term(form="when", text=text, inner=(condition, body), wide=True, run=run)
