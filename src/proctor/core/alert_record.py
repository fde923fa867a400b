"""What is known of an alert rule and of the alerts it raised, and the socket of the store that keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from proctor.core.verdict import Severity

__all__ = [
    "AlertChange",
    "AlertRecord",
    "AlertStore",
    "ChangeKind",
    "MovedSlice",
    "RuleLimit",
    "RuleState",
    "RuleStatus",
    "ShownState",
    "Silence",
]

RuleState = Literal["unknown", "ok", "pending", "firing", "resolved", "no_data"]
ShownState = Literal["firing", "no_data", "acked", "silenced", "resolved"]
ChangeKind = Literal["fired", "resolved", "no_data", "reminder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedSlice:
    """One value of a dimension (intent, model or version), and how often it was bad in the alert's window."""

    dimension: str
    value: str
    bad: int
    events: int
    expected: float
    evidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRecord:
    """One problem from its beginning to its end.

    ``fingerprint`` is the same for every problem of one rule and slice. Times are seconds since the epoch. ``state`` is
    ``firing``, ``no_data`` or ``resolved``; ``problem`` is ``no_data`` if a rule has nothing to judge; ``acked`` is
    when a person took it over. ``value`` and ``baseline`` are the observed and the normal figure, ``statistic`` and
    ``threshold`` those of the test that rang. ``told`` is the last change that was handed to the channels,
    ``notified`` when. ``closed_by`` is the person who resolved it; empty if it ended by itself.
    """

    number: int = 0
    fingerprint: str
    rule: str
    kind: str
    tier: Severity
    slice: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    state: RuleState = "firing"
    message: str = ""
    started: float
    fired: float
    updated: float
    resolved: float | None = None
    window_start: float
    window_end: float
    bad: int = 0
    events: int = 0
    value: float | None = None
    baseline: float | None = None
    statistic: float | None = None
    threshold: float | None = None
    examples: tuple[str, ...] = ()
    moved: tuple[MovedSlice, ...] = ()
    acked: float | None = None
    acked_by: str = ""
    new_normal: bool = False
    note: str = ""
    notified: float | None = None
    told: str = ""
    times: int = 1
    closed_by: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the problem has not ended."""
        return self.resolved is None

    def shown_state(self, silences: Sequence[Silence], now: float) -> ShownState:
        """Return the state as people see it: a silence goes before an acknowledgement."""
        if not self.is_open:
            return "resolved"
        if any(each.covers(self, now) for each in silences):
            return "silenced"
        return "acked" if self.acked else "no_data" if self.state == "no_data" else "firing"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertChange:
    """Something a channel may have to say: an alert fired, ended, lost its data or is still open.

    ``silenced`` is the reason why nobody is told, if any: a silence, an acknowledgement, or a rule that covers it.
    """

    kind: ChangeKind
    alert: AlertRecord
    silenced: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLimit:
    """The smallest spike that a rule sees at the current traffic, and whether it can work at all.

    ``smallest`` is a factor of the normal rate for rate rules, a share of slow answers for a quantile, a number of
    events in a row, or seconds; none if nothing can be seen (the ``text`` says why). ``within`` is in seconds.
    """

    rule: str
    kind: str
    slice: Mapping[str, str] = field(default_factory=dict)
    smallest: float | None = None
    within: float | None = None
    share: float = 0.99
    events_per_minute: float | None = None
    bad_per_minute: float | None = None
    normal: float | None = None
    false_alarms_per_week: float | None = None
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleStatus:
    """The state of one rule and slice now."""

    rule: str
    kind: str
    tier: Severity
    state: RuleState
    since: float
    slice: Mapping[str, str] = field(default_factory=dict)
    detail: str = ""
    limit: RuleLimit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """Stops alerts that match from being sent until a time; ``match`` holds a rule's name and values of its slice."""

    number: int = 0
    match: Mapping[str, str]
    until: float
    by: str = ""
    note: str = ""
    created: float = 0.0

    def covers(self, alert: AlertRecord, now: float) -> bool:
        """Return whether this alert must not be sent now."""
        labels = {"rule": alert.rule, "tier": alert.tier, **alert.slice}
        return now < self.until and all(labels.get(name) == value for name, value in self.match.items())


class AlertStore(Protocol):
    """Keeps alerts, silences, the status of rules and what detectors have learnt; safe for several processes."""

    def lead(self, owner: str, now: float, seconds: float) -> bool:
        """Return whether this owner decides for the next ``seconds``; one at a time does."""
        ...

    def step_down(self, owner: str) -> None:
        """Let another process decide at once."""
        ...

    def open_alert(self, alert: AlertRecord, *, again_within: float) -> tuple[AlertRecord, bool]:
        """Keep a new alert, or return the one that is open already; the flag says whether it is new.

        One that ended less than ``again_within`` seconds ago is opened again.
        """
        ...

    def update_alert(self, alert: AlertRecord) -> AlertRecord:
        """Keep new figures of an alert; what a person said meanwhile stays."""
        ...

    def alerts(self, *, open_only: bool = False, since: float | None = None, limit: int = 1000) -> list[AlertRecord]:
        """Return alerts, the newest first."""
        ...

    def mark_notified(self, number: int, now: float, told: str) -> None:
        """Record which change of an alert was handed to the channels, and when."""
        ...

    def silences(self, now: float) -> list[Silence]:
        """Return the silences in force."""
        ...

    def save_all(self, values: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep what several detectors have learnt, all or none."""
        ...

    def load(self, name: str) -> Mapping[str, Any] | None:
        """Return what was kept under a name."""
        ...

    def set_status(self, statuses: Sequence[RuleStatus]) -> None:
        """Replace the status of all rules."""
        ...

    def status(self) -> list[RuleStatus]:
        """Return the status of all rules, as the last process that watched has left it."""
        ...
