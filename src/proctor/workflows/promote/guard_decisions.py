"""Add guard decisions that people found wrong to a suite, with the masked texts of the log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from proctor.config import Config
from proctor.core.case import Case
from proctor.core.errors import InputError
from proctor.core.event import Event
from proctor.monitor.promote import TAG, same_question
from proctor.store.review import guard_verdicts
from proctor.store.runs import RunStore
from proctor.suites.append import append_cases, cases_in
from proctor.workflows.guard.stats import decision
from proctor.workflows.promote.guard_expectation import (
    ExpectedOutcome,
    expected_outcome,
    failed_gate,
    gate_of,
    judged_by,
)
from proctor.workflows.promote.promoted_cases import decision_case_id
from proctor.workflows.promote.regression_suite import sole_promotion
from proctor.workflows.promote.results import Promotion

__all__ = ["promote_decisions"]

_Said = tuple[bool, str] | None


def promote_decisions(
    config: Config, names: Sequence[str], out: Path, *, expected: ExpectedOutcome | None = None
) -> Promotion:
    """Add a case to a suite file for each decision on a customer's message; duplicates are added once.

    A case contains the decision and its review. It is judged by what should have happened to the message: ``expected``,
    else the review, else the decision. Decisions on tool calls and answers are skipped, because they have no question.

    Raises:
        InputError: there is no such decision, none of them can be a case, or the file cannot be extended.
        StoreError: the file cannot be written.
    """
    with sole_promotion(config):
        return _promote(config, names, out, expected)


def _promote(config: Config, names: Sequence[str], out: Path, expected: ExpectedOutcome | None) -> Promotion:
    with RunStore(config.store) as store:
        said = guard_verdicts(store)
    there = cases_in(out)
    asked = {same_question(case): case.id for case in there}
    added: list[Case] = []
    known: list[str] = []
    judged: dict[str, str] = {}
    why: dict[str, str] = {}
    for event in [decision(config, name) for name in names]:
        if reason := _unfit(event, sure=expected is not None or (event.id or "") in said):
            why[event.id or ""] = reason
            continue
        case, words = _case(event, said.get(event.id or ""), expected, judge=config.settings.judge is not None)
        if (question := same_question(case)) in asked:
            known.append(asked[question])
        else:
            asked[question] = case.id
            added.append(case)
            judged[case.id] = words
    if why and not added and not known:
        told = "; ".join(f"{name} is {reason}" for name, reason in why.items())
        raise InputError(
            f"nothing to add: {told}", hint="name a decision of a gate about a customer's message (point input)"
        )
    append_cases(out, added)
    ids = tuple(case.id for case in added)
    return Promotion(added=ids, known=tuple(known), left_out=tuple(why), judged=judged, why=why)


def _unfit(event: Event, *, sure: bool) -> str:
    """Return why a decision cannot become a case, or an empty string. ``sure``: the expected outcome is known."""
    if event.verdict is None or event.kind != "gate":
        return "no decision of a gate"
    if event.name != "input":
        return f"about a step of the agent ({event.name}), which nobody can ask again"
    if not sure and (gate := failed_gate(event)):
        return f"stopped because the gate {gate} failed; --expect says what should become of the message"
    text = event.metadata.get("text")
    if isinstance(text, str) and text.strip():
        return ""
    return f"a message whose words were not kept ({event.metadata.get('words') or 'the log has none'})"


def _case(event: Event, said: _Said, expected: ExpectedOutcome | None, *, judge: bool) -> tuple[Case, str]:
    """Return the case for a suitable decision, and a description of how it is judged."""
    assert event.verdict is not None
    verdict, fate = event.verdict, expected or expected_outcome(event, said)
    judged = judged_by(fate, gate_of(event, said), judge=judge)
    told = {
        "decision": event.id,
        "when": event.time.date().isoformat(),
        "action": verdict.action,
        "gate": verdict.by,
        "reason": verdict.reason,
        "people_say": None if said is None else "right" if said[0] else "wrong",
        "missed": said[1] if said else None,
        "expected": fate,
        "masked": True,
    }
    case = Case(
        id=decision_case_id(event.id or ""),
        input=event.metadata["text"],
        intent=event.intent,
        expect=judged.expect,
        checks=judged.checks,
        tags=(TAG, "guard"),
        description=f"the guard said {verdict.action}{f': {verdict.reason}' if verdict.reason else ''}"[:300],
        metadata={"promoted": {key: value for key, value in told.items() if value}},
    )
    return case, f"expected {fate}; {judged.words}"
