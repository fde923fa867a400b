"""Combine predicates: ``and``, ``or``, ``not``, and ``when`` for a condition.

A decisive result wins; an inapplicable part is ignored; an unknown part leaves the whole unknown, unless another part
decides it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from proctor.text.predicates.term import Checked, OutputView, Term

__all__ = ["all_of", "any_of", "guarded", "negation"]

_MOST_REASONS: Final = 8


def all_of(terms: Sequence[Term]) -> Term:
    """Combine terms that must all be true."""
    return _joined("and", terms, decides=False)


def any_of(terms: Sequence[Term]) -> Term:
    """Combine terms of which at least one must be true."""
    return _joined("or", terms, decides=True)


def _joined(how: str, terms: Sequence[Term], *, decides: bool) -> Term:
    checks = [term.run for term in terms]

    def run(view: OutputView) -> Checked:
        rest: list[Checked] = []
        for check in checks:
            found = check(view)
            if found.ok is decides:
                return found
            rest.append(found)
        unsure = next((found for found in rest if not found.known), None)
        if unsure is not None:
            return unsure
        applied = [found for found in rest if found.ok is not None] or rest[:1]
        quote = next((found.quote for found in applied if found.quote), "")
        return Checked(ok=applied[0].ok, reason=_reasons(applied), quote=quote)

    text = f" {how} ".join(_part(term, how) for term in terms)
    return Term(form=how, text=text, inner=tuple(terms), run=run)


def _reasons(found: Sequence[Checked]) -> str:
    more = f"; and {len(found) - _MOST_REASONS} more" if len(found) > _MOST_REASONS else ""
    return "; ".join(each.reason for each in found[:_MOST_REASONS]) + more


def _part(term: Term, how: str) -> str:
    return f"({term.text})" if term.wide or (how == "and" and term.form == "or") else term.text


def negation(term: Term) -> Term:
    """Negate a term; an undecided result stays undecided."""
    check = term.run

    def run(view: OutputView) -> Checked:
        found = check(view)
        if found.ok is None:
            return found
        return Checked(ok=not found.ok, reason=found.reason, quote=found.quote)

    return Term(form="not", text=f"not ({term.text})", inner=(term,), run=run)


def guarded(condition: Term, body: Term) -> Term:
    """Apply the body only if the condition is true; otherwise it does not apply."""
    holds, check = condition.run, body.run

    def run(view: OutputView) -> Checked:
        found = holds(view)
        if found.ok:
            return check(view)
        if not found.known:
            return found
        return Checked(ok=None, reason=f"does not apply: {found.reason}")

    # The condition ends at the first colon, so one that contains a colon is in parentheses.
    text = f"when {condition.within()}: {body.text}"
    return Term(form="when", text=text, inner=(condition, body), wide=True, run=run)
