"""Draw what other systems report after a conversation, and what its completion rule must say then."""

from __future__ import annotations

from random import Random

from proctor.core.event import EventKind
from proctor.monitor.simulation.scenario import IntentTraffic
from proctor.monitor.simulation.traffic_truth import TrueState

__all__ = ["drawn_outcome"]

_DECLINED = 0.1
_REOPENED = 0.05
_CALLS = 0.3  # of customers whose cancellation went wrong take the phone
_MARGIN = 60.0  # no event so close to the end of a window that a rounded time decides
Sent = tuple[float, EventKind, str]


def drawn_outcome(
    intent: IntentTraffic,
    rng: Random,
    *,
    began: float,
    ended: float,
    solved: bool,
    escalated: bool,
    repeated: bool,
) -> tuple[TrueState, list[Sent]]:
    """Return the state of the task by the rules of `monitor/completion_rules.py`, and the events that tell it."""
    if intent.ends == "repeat":
        return ("not completed" if repeated else "completed"), []
    window = intent.within_hours * 3600.0
    since_end = bool(intent.declined)  # a cancellation counts from the last message, the others from the first
    deadline = (ended if since_end else began) + window
    sent: list[Sent] = []
    in_time = False
    if solved:
        at = ended + 5.0 + rng.expovariate(4.0 / window)
        if abs(at - deadline) < _MARGIN:
            at = deadline - _MARGIN
        in_time = at <= deadline
        name = intent.declined if intent.declined and rng.random() < _DECLINED else intent.outcome
        sent.append((at, "outcome", name))
    if intent.reopened:
        undone = in_time and rng.random() < _REOPENED
        if undone:
            at = min(sent[0][0] + 3_600.0, deadline - 1.0)
            sent.append((max(at, sent[0][0] + 0.1), "outcome", intent.reopened))
        return ("completed" if in_time and not undone else "not completed"), sent
    if since_end:
        if not solved and rng.random() < _CALLS:
            sent.append((ended + 300.0 + rng.random() * (window - 600.0), "contact", "phone"))
            return "not completed", sent
        return ("completed" if in_time else "unknown"), sent
    if in_time:
        return "completed", sent
    return ("not completed" if escalated else "unknown"), sent
