"""Verdicts over HTTP: as a header, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proctor.core.verdict import ACTION_RANK, Finding, Verdict
from proctor.guard.capacity import is_busy

__all__ = ["RETRY_AFTER", "SESSION_HEADER", "VERDICT_HEADER", "header", "strongest", "verdict_json", "without_words"]

SESSION_HEADER = "X-Proctor-Session"
VERDICT_HEADER = "X-Proctor-Verdict"
RETRY_AFTER = {"Retry-After": "1"}  # seconds; sent with a 503 when the guard is over capacity
_MOST_IN_HEADER = 200
_MARKS = ("confirm", "anomaly")  # details of the gate that stopped the step, for which the agent has an action


def strongest(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return the strongest verdict; the first of equals."""
    return max(verdicts, key=lambda each: ACTION_RANK[each.action], default=None)


def header(verdicts: Sequence[Verdict]) -> str:
    """Return ``block; input; injection; the reason``, limited to characters allowed in a header."""
    verdict = strongest(verdicts)
    if verdict is None or (verdict.action == "allow" and not verdict.broken):
        return "allow"
    parts = [verdict.action, verdict.gate, verdict.by or "", verdict.reason]
    text = "; ".join(part.replace(";", ",") for part in parts if part)
    plain = "".join(letter if 32 <= ord(letter) < 127 else " " if letter.isspace() else "?" for letter in text)
    return plain[:_MOST_IN_HEADER]


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """Return the complete verdict, for the agent that sent the text."""
    told: dict[str, Any] = {
        "action": verdict.action,
        "gate": verdict.gate,
        "by": verdict.by,
        "reason": verdict.reason,
        "text": verdict.text,
        "broken": verdict.broken,
        "latency": verdict.latency,
        "version": verdict.version,
        "findings": [_finding(each) for each in verdict.findings],
    }
    if is_busy(verdict):
        told["busy"] = True
    if verdict.borderline:
        told["borderline"] = True
    for mark in _MARKS:
        if verdict.extra.get(mark) is True:
            told[mark] = True
    if isinstance(verdict.shadow, Verdict):
        told["shadow"] = verdict_json(verdict.shadow)
    return told


def without_words(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict without quoted text, so that removed text does not return in it."""
    return {
        "action": verdict.action,
        "point": verdict.gate,
        "by": verdict.by,
        "reason": verdict.reason,
        "broken": verdict.broken,
        "findings": [
            {key: value for key, value in _finding(each).items() if key not in ("text", "reason", "extra")}
            for each in verdict.findings
        ],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    told: Mapping[str, Any] = {
        "kind": finding.kind,
        "detector": finding.detector,
        "start": finding.start,
        "end": finding.end,
        "text": finding.text,
        "confidence": finding.confidence,
        "severity": finding.severity,
        "reason": finding.reason,
    }
    return {key: value for key, value in told.items() if value not in (None, "")}
