"""Decisions of the guard that people found wrong go into a suite: from its log, masked as they are there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from proctor.config import Config
from proctor.core.case import Case
from proctor.core.event import Event
from proctor.monitor.promote import TAG, same_question
from proctor.store.review import guard_verdicts
from proctor.store.runs import RunStore
from proctor.suites.append import append_cases, cases_in
from proctor.wiring.guard_stats import decision
from proctor.wiring.promote import Promotion

__all__ = ["promote_decisions"]


def promote_decisions(config: Config, names: Sequence[str], out: Path) -> Promotion:
    """Add a case to a suite file for each decision about a customer's words; one that asks the same is added once.

    A case says what was decided and what people said of it. Decisions about calls and answers have no question of
    their own, and are left out.

    Raises:
        InputError: there is no such decision, or the file cannot be added to.
        StoreError: the disk refused.
    """
    with RunStore(config.store) as store:
        said = guard_verdicts(store)
    there = cases_in(out)
    asked = {same_question(case): case.id for case in there}
    added: list[Case] = []
    known: list[str] = []
    left_out: list[str] = []
    for name in names:
        event = decision(config, name)
        case = _case(event, said.get(event.id or ""))
        if case is None:
            left_out.append(event.id or name)
        elif (question := same_question(case)) in asked:
            known.append(asked[question])
        else:
            asked[question] = case.id
            added.append(case)
    append_cases(out, added)
    return Promotion(added=tuple(case.id for case in added), known=tuple(known), left_out=tuple(left_out))


def _case(event: Event, said: tuple[bool, str] | None) -> Case | None:
    text = event.metadata.get("text")
    if event.name != "input" or not isinstance(text, str) or not text.strip() or event.verdict is None:
        return None
    verdict = event.verdict
    told = {
        "decision": event.id,
        "when": event.time.date().isoformat(),
        "action": verdict.action,
        "gate": verdict.extra.get("by"),
        "reason": verdict.reason,
        "people_say": None if said is None else "right" if said[0] else "wrong",
        "missed": said[1] if said else None,
        "masked": True,
    }
    return Case(
        id=f"guard-{(event.id or '')[:12]}",
        input=text,
        intent=event.intent,
        tags=(TAG, "guard"),
        description=f"the guard said {verdict.action}{f': {verdict.reason}' if verdict.reason else ''}"[:300],
        metadata={"promoted": {key: value for key, value in told.items() if value}},
    )
