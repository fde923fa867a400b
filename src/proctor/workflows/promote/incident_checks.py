"""Derive the checks of a test from what went wrong in production: the same score, the same gate, the same limit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from proctor.core.case import Check, Expectation
from proctor.workflows.promote.guard_expectation import ExpectedOutcome, judged_by

__all__ = ["IncidentChecks", "RequiredWording", "checks_for"]

_DEFAULT: Final = "conversation"
# Gates that stop answers, and the scorer that checks the same.
_SCORER_OF_GATE: Final[Mapping[str, str]] = {
    "grounding": "grounded",
    "citations": "citations",
    "commitments": "commitments",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredWording:
    """What a person adds: texts that every answer must have, or must not have."""

    must_say: tuple[str, ...] = ()
    must_not_say: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentChecks:
    """The expectation and the checks of a test, and what they are in words."""

    expect: Expectation = field(default_factory=Expectation)
    checks: tuple[Check, ...] = ()
    words: str = ""


def checks_for(
    signals: Sequence[str],
    *,
    scorers: Collection[str],
    wording: RequiredWording,
    fate: ExpectedOutcome = "stopped",
    slow_after: float | None = None,
    judge: bool = False,
) -> IncidentChecks:
    """Return how a test is judged that is made from a conversation with these signals.

    A failed score is checked by the scorer of its name; a message that a gate stopped must have the same ``fate``
    again; an answer must come within ``slow_after`` seconds. With none of them the whole conversation is scored.
    """
    made = IncidentChecks()
    for signal in signals:
        made = _joined(made, _of_signal(signal, scorers, fate, judge=judge))
    if slow_after is not None:
        limit = Check(scorer="latency", settings={"at_most": round(slow_after, 3)})
        made = _joined(made, IncidentChecks(checks=(limit,), words=f"latency: within {slow_after:.3g} s"))
    made = _joined(made, _of_wording(wording))
    if not made.checks:
        return IncidentChecks(checks=(Check(scorer=_DEFAULT),), words=f"{_DEFAULT}: the whole conversation")
    return made


def _of_signal(signal: str, scorers: Collection[str], fate: ExpectedOutcome, *, judge: bool) -> IncidentChecks:
    family, _, name = signal.partition("/")
    if family == "score":
        return _of_scorer(name, scorers)
    if family == "gate" and name in _SCORER_OF_GATE:
        return _of_scorer(_SCORER_OF_GATE[name], scorers)
    if family == "gate" and name != "broken":
        found = judged_by(fate, name, judge=judge)
        return IncidentChecks(expect=found.expect, checks=found.checks, words=found.words)
    if family == "escalation":
        expect = Expectation(escalation=False)
        return IncidentChecks(expect=expect, checks=(Check(scorer="completion"),), words="completion: no hand-off")
    if family == "error":
        return IncidentChecks(checks=(Check(scorer="relevance"),), words="relevance: it is answered")
    return IncidentChecks()


def _of_scorer(name: str, scorers: Collection[str]) -> IncidentChecks:
    if name not in scorers:  # a score of the sender's own
        return IncidentChecks()
    return IncidentChecks(checks=(Check(scorer=name),), words=name)


def _of_wording(wording: RequiredWording) -> IncidentChecks:
    say = [Check(scorer="contains", settings={"value": text}) for text in wording.must_say]
    avoid = [Check(scorer="forbidden", settings={"value": list(wording.must_not_say)})] if wording.must_not_say else []
    words = [f"it says {text!r}" for text in wording.must_say] + [f"never {text!r}" for text in wording.must_not_say]
    return IncidentChecks(checks=(*say, *avoid), words=", ".join(words))


def _joined(one: IncidentChecks, other: IncidentChecks) -> IncidentChecks:
    checks = (*one.checks, *(check for check in other.checks if check not in one.checks))
    expect = one.expect if other.expect == Expectation() else replace(one.expect, escalation=other.expect.escalation)
    words = ", ".join(dict.fromkeys(each for each in (one.words, other.words) if each))
    return IncidentChecks(expect=expect, checks=checks, words=words)
