"""The decision of a gate about one step, and its findings."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Final, Literal

from proctor.core.record import dataclass

__all__ = ["ACTION_RANK", "STOPS", "Action", "Edit", "Finding", "Severity", "Verdict", "with_typed_fields"]

Action = Literal["allow", "redact", "block", "escalate"]
STOPS: Final[frozenset[Action]] = frozenset(("block", "escalate"))  # the actions that stop a step
# of two verdicts on one step, the one with the higher rank decides
ACTION_RANK: Final[Mapping[Action, int]] = {"allow": 0, "redact": 1, "escalate": 2, "block": 3}
Severity = Literal["low", "medium", "high", "critical"]
# Fields that gates used to put into ``extra``; accepted there for one more version.
_ONCE_IN_EXTRA: Final = frozenset({"by", "borderline", "busy", "shadow", "unrecorded", "edits", "masked", "personal"})
_MARKS: Final = frozenset({"borderline", "busy", "shadow", "unrecorded"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Replaces ``start:end`` of the original by ``text``; an empty span is an insertion."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing a detector found; ``start`` and ``end`` point into the original text."""

    kind: str
    detector: str = ""
    text: str = ""
    start: int | None = None
    end: int | None = None
    confidence: float | None = None
    severity: Severity | None = None
    reason: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A gate's decision, or the decision of all gates of a point.

    ``text`` is the text to use if the action is ``redact``; ``edits`` are the same change as positions in the original.
    ``broken`` marks a decision that was made because the gate itself failed or timed out, ``busy`` one that was made
    because the guard is over capacity. ``by`` names the gate that decided for a point. ``borderline`` sends the
    decision to the review queue. ``shadow`` is true for a gate that only observes; in shadow mode it is the decision
    that was not acted on. ``unrecorded`` means that the log could not be written. ``masked`` is the text without
    personal data, ``personal`` the kinds and values that were removed; the log uses both and stores neither. ``extra``
    holds details of a single gate.
    """

    action: Action
    gate: str = ""
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    text: str | None = None
    broken: bool = False
    latency: float | None = None
    version: str = ""
    by: str | None = None
    borderline: bool = False
    busy: bool = False
    shadow: Verdict | bool = False
    unrecorded: bool = False
    edits: tuple[Edit, ...] | None = None
    masked: str | None = None
    personal: tuple[tuple[str, str], ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def decided(self) -> Verdict:
        """The decision of the gates: in shadow mode the one that was not acted on, else this one."""
        return self.shadow if isinstance(self.shadow, Verdict) else self

    def without_words(self) -> Verdict:
        """Return the verdict without anything that could quote the conversation."""
        return Verdict(
            action=self.action,
            gate=self.gate,
            findings=tuple(replace(each, text="", reason="", extra={}) for each in self.findings),
            broken=self.broken,
            latency=self.latency,
            version=self.version,
            by=self.by,
            borderline=self.borderline,
            busy=self.busy,
            shadow=self.shadow.without_words() if isinstance(self.shadow, Verdict) else self.shadow,
            unrecorded=self.unrecorded,
        )


def with_typed_fields(verdict: Verdict) -> Verdict:
    """Move values from ``extra`` to the fields that replaced them."""
    old = _ONCE_IN_EXTRA.intersection(verdict.extra)
    if not old:
        return verdict
    names = ", ".join(sorted(old))
    warnings.warn(
        f"the gate {verdict.gate or 'without a name'} puts {names} into Verdict.extra; pass them as fields of Verdict",
        DeprecationWarning,
        stacklevel=2,
    )
    rest = {key: value for key, value in verdict.extra.items() if key not in old}
    moved = {name: _as_field(name, verdict.extra[name]) for name in old}
    return replace(verdict, extra=rest, **moved)


def _as_field(name: str, value: Any) -> Any:
    """Convert a value from ``extra`` to its field's type; marks become booleans."""
    if name in _MARKS and not isinstance(value, Verdict):
        return bool(value)
    return tuple(value) if name in ("edits", "personal") and isinstance(value, list) else value
