"""Make a test of a conversation from production: its questions up to the turn that went wrong."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proctor.core.case import INCIDENT_TAG, Ask, Case, Check, Expectation
from proctor.core.event import Event
from proctor.core.event_row import signals_of
from proctor.core.session_turns import turns_of
from proctor.core.trajectory import Trajectory
from proctor.monitor.promote import TAG

__all__ = ["IncidentOrigin", "incident_case", "signals_in"]

_NOT_IN_IDS = re.compile(r"[^\w.-]+")
_MAX_ID_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentOrigin:
    """Why a conversation becomes a test: the alert's number, its rule and what it said; empty without an alert."""

    alert: int | None = None
    rule: str = ""
    message: str = ""


def signals_in(events: Sequence[Event], wanted: Collection[str] = ()) -> tuple[str, ...]:
    """Return what went wrong in a conversation, each once: the wanted signals if it has one, else all of them."""
    found = dict.fromkeys(signal for event in events for signal in signals_of(event))
    chosen = tuple(signal for signal in found if _is_wanted(signal, wanted))
    return chosen or tuple(signal for signal in found if not signal.startswith("outcome/"))


def incident_case(
    events: Sequence[Event],
    signals: Collection[str],
    *,
    origin: IncidentOrigin,
    expect: Expectation,
    checks: Sequence[Check],
    recording: bool = False,
) -> Case | None:
    """Return the test made from the events of one conversation; ``None`` if nobody asked anything in it.

    It asks the same questions, up to the turn that has the first of the ``signals``: what came after it is not what
    went wrong. With ``recording`` it keeps the answers, and always scores those.
    """
    ordered = sorted(events, key=lambda event: event.time)
    turns = turns_of(_until_wrong(ordered, signals))
    asks = tuple(Ask(text=turn.asked) for turn in turns if turn.asked.strip())
    if not asks:
        return None
    first = ordered[0]
    session = next((event.session for event in ordered if event.session), "")
    customer = next((event.customer for event in ordered if event.customer), None)
    intent = next((event.intent for event in ordered if event.intent), None)
    told: Mapping[str, Any] = {
        "alert": origin.alert,
        "rule": origin.rule,
        "session": session,
        "when": first.time.date().isoformat(),
        "version": next((event.version for event in ordered if event.version), None),
        "model": next((event.model for event in ordered if event.model), None),
        "signals": list(signals),
    }
    alone = len(asks) == 1
    return Case(
        id=_NOT_IN_IDS.sub("-", f"{origin.rule or 'incident'}-{session}").strip("-.")[:_MAX_ID_CHARS],
        input=asks[0].text if alone else None,
        turns=() if alone else asks,
        intent=intent,
        expect=expect,
        checks=tuple(checks),
        tags=(TAG, INCIDENT_TAG),
        description=origin.message[:300],
        recorded=Trajectory(id=session, session=session, turns=turns) if recording else None,
        metadata={
            **({"customer": customer} if customer else {}),
            "promoted": {key: value for key, value in told.items() if value},
        },
    )


def _until_wrong(events: Sequence[Event], signals: Collection[str]) -> list[Event]:
    """Return the events up to the turn that a signal is about: its own, the one before it, or of a gate the next."""
    for place, event in enumerate(events):
        if not any(_is_wanted(signal, signals) for signal in signals_of(event)):
            continue
        before = [at for at, each in enumerate(events[: place + 1]) if each.kind == "turn"]
        after = [at for at, each in enumerate(events) if each.kind == "turn" and at > place]
        if event.kind == "gate" and after:
            return list(events[: after[0] + 1])
        about = _told_turn(event, before)
        if about is not None:
            return list(events[: about + 1])
    return list(events)


def _told_turn(event: Event, before: Sequence[int]) -> int | None:
    """Return the place of the turn that an event names by its number, else of the last one before it."""
    number = event.metadata.get("turn")
    if isinstance(number, int) and not isinstance(number, bool) and 0 <= number < len(before):
        return before[number]
    return before[-1] if before else None


def _is_wanted(signal: str, wanted: Collection[str]) -> bool:
    """Return whether a rule counts a signal: `escalation` also counts `escalation/knowledge_gap`."""
    return signal in wanted or signal.partition("/")[0] in wanted
