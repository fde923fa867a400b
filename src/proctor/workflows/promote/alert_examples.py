"""Add conversations behind an alert to a suite: the loop from production back to the tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from proctor import registry
from proctor.config import Config
from proctor.core.alert_record import AlertRecord
from proctor.core.case import Case
from proctor.core.errors import InputError, NotFoundError
from proctor.core.event import Event
from proctor.monitor.alert_rules import AlertRule
from proctor.monitor.incident_case import IncidentOrigin, incident_case, signals_in
from proctor.monitor.promote import same_question
from proctor.store.alert_state import ALERTS_FILE
from proctor.store.history import History
from proctor.suites.append import append_cases, cases_in
from proctor.wiring.alert_settings import alert_settings_of
from proctor.wiring.monitor_state import open_alert_state, open_event_database, state_url
from proctor.workflows.promote.guard_expectation import ExpectedOutcome
from proctor.workflows.promote.incident_checks import RequiredWording, checks_for
from proctor.workflows.promote.judged_again import why_not_failed
from proctor.workflows.promote.regression_suite import sole_promotion
from proctor.workflows.promote.results import Promotion

__all__ = ["ExampleRequest", "promote_examples"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleRequest:
    """Which conversations become cases, and what a person says about them.

    ``alert`` is the number of an alert or the name of its rule; its first ``count`` examples are taken, unless
    ``conversations`` names others. Without an alert, ``conversations`` are taken with everything wrong in them. With
    ``judge_again`` the checks of each case are tried on the answer that failed.
    """

    alert: str | None = None
    conversations: tuple[str, ...] = ()
    count: int = 1
    expected: ExpectedOutcome | None = None
    wording: RequiredWording = field(default_factory=RequiredWording)
    recording: bool = False
    judge_again: bool = False


def promote_examples(config: Config, asked: ExampleRequest, out: Path) -> Promotion:
    """Add a case to a suite file for each conversation; one that asks the same as a case in it is not added again.

    A case asks what the customer asked, up to the turn that went wrong, and checks what the alert's rule counts: the
    same score, the same gate, the time an answer took.

    Raises:
        InputError: there is no such alert or conversation, none of them can be a case, or the file cannot be extended.
        StoreError: the file cannot be written.
    """
    with sole_promotion(config):
        return _promote(config, asked, out)


def _promote(config: Config, asked: ExampleRequest, out: Path) -> Promotion:
    alert = _alert(config, asked.alert) if asked.alert is not None else None
    rule = _rule(config, alert.rule) if alert is not None else None
    if not asked.conversations and (alert is None or not alert.examples):
        raise InputError(
            f"alert {alert.number} has no example conversation" if alert is not None else "no conversation is named",
            hint="name one with --conversation; `proctor history search` finds them",
        )
    there = cases_in(out)
    ids = {case.id for case in there}
    known_questions = {same_question(case): case.id for case in there}
    added: list[Case] = []
    known: list[str] = []
    why: dict[str, str] = {}
    judged: dict[str, str] = {}
    doubts: dict[str, str] = {}
    with History(config.store, search=False, database=open_event_database(config)) as history:
        history.catch_up()
        names = asked.conversations or _ranked(history, alert)[: asked.count]
        for name in names:
            events = history.conversation_events(name)
            if not events and asked.conversations:
                raise NotFoundError(f"there is no conversation {name!r}", hint="`proctor history search` finds them")
            made, words = _case(config, events, alert, rule, asked)
            if made is None:
                why[name] = "a conversation in which nobody asked anything" if events else "no longer in the log"
                continue
            recorded = made.recorded
            made = made if asked.recording else replace(made, recorded=None)
            question = same_question(made)
            if question in known_questions:
                known.append(known_questions[question])
                continue
            made = _named(made, ids)
            ids.add(made.id)
            known_questions[question] = made.id
            added.append(made)
            judged[made.id] = words
            if asked.judge_again and recorded is not None:
                signals = made.metadata["promoted"].get("signals", ())
                if doubt := why_not_failed(config, made, recorded, signals):
                    doubts[made.id] = doubt
    if why and not added and not known:
        told = "; ".join(f"{name} is {reason}" for name, reason in why.items())
        raise InputError(f"nothing to add: {told}", hint="name other conversations with --conversation")
    append_cases(out, added)
    ids_added = tuple(case.id for case in added)
    return Promotion(added=ids_added, known=tuple(known), left_out=tuple(why), why=why, judged=judged, doubts=doubts)


def _ranked(history: History, alert: AlertRecord | None) -> list[str]:
    """Return the examples of an alert, those first that are in most of the slices that moved."""

    def inside(name: str) -> int:
        known = history.indexer.conversations.get(name)
        moved = alert.moved if alert is not None and known is not None else ()
        return sum(getattr(known, each.dimension, None) == each.value for each in moved)

    return sorted(alert.examples, key=inside, reverse=True) if alert is not None else []


def _case(
    config: Config, events: Sequence[Event], alert: AlertRecord | None, rule: AlertRule | None, asked: ExampleRequest
) -> tuple[Case | None, str]:
    """Return the case with its recorded answers, and in words how it is judged."""
    signals = signals_in(events, rule.signals if rule is not None else ())
    slow = alert is not None and alert.kind == "p95" and (rule is None or rule.measure == "latency")
    judged = checks_for(
        () if slow else signals,
        scorers=frozenset(registry.names("scorers")),
        wording=asked.wording,
        fate=asked.expected or "stopped",
        slow_after=_slow_after(alert, rule) if slow else None,
        judge=config.settings.judge is not None,
    )
    origin = IncidentOrigin()
    if alert is not None:
        origin = IncidentOrigin(alert=alert.number, rule=alert.rule, message=alert.message)
    made = incident_case(
        events,
        () if slow else signals,
        origin=origin,
        expect=judged.expect,
        checks=judged.checks,
        recording=True,
    )
    return made, judged.words


def _slow_after(alert: AlertRecord | None, rule: AlertRule | None) -> float | None:
    """Return the limit of a rule about latency, or the usual time that it was compared with."""
    if rule is not None and rule.limit is not None:
        return rule.limit
    return None if alert is None else alert.threshold or alert.baseline


def _alert(config: Config, name: str) -> AlertRecord:
    if state_url(config) is None and not (config.store / ALERTS_FILE).exists():
        raise NotFoundError(
            "there are no alerts in this store yet", file=str(config.store), hint="`proctor serve` watches and alerts"
        )
    with open_alert_state(config) as state:
        return state.find(name)


def _rule(config: Config, name: str) -> AlertRule | None:
    """Return the rule of an alert; ``None`` if it was removed from the settings since."""
    return next((rule for rule in alert_settings_of(config).rules if rule.name == name), None)


def _named(case: Case, ids: set[str]) -> Case:
    """Return the case under an unused name."""
    name, number = case.id, 2
    while name in ids:
        name, number = f"{case.id}-{number}", number + 1
    return case if name == case.id else replace(case, id=name)
