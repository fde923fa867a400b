"""Validate a gate's answer, and make the verdict for a gate that failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal, get_args

from proctor.core.errors import ProctorError
from proctor.core.verdict import Action, Edit, Finding, Severity, Verdict, with_typed_fields
from proctor.guard.edits import difference
from proctor.guard.step import Step
from proctor.text.redact import redact

__all__ = ["FailAction", "believed", "edits_of", "failure"]

FailAction = Literal["block", "escalate", "allow"]
_ACTIONS: Final = frozenset(get_args(Action))
_SEVERITIES: Final = frozenset({*get_args(Severity), None})
_MAX_FINDINGS: Final = 10_000  # more than this means a broken gate
_MAX_RECORDED_FINDINGS: Final = 500  # a text full of numbers needs no more
_MAX_CAUSE_CHARS: Final = 300


def believed(answer: Any, step: Step) -> Verdict:
    """Return the answer if it is a valid verdict on this step.

    Raises:
        ValueError: it is not valid; the message has the reason.
    """
    if (
        type(answer) is Verdict
        and answer.action == "allow"
        and type(answer.findings) is tuple
        and not answer.findings
        and type(answer.reason) is str
        and type(answer.extra) is dict
        and not answer.extra
        and type(answer.borderline) is bool
    ):
        return answer  # fast path: the answer of nearly every gate to nearly every step
    if not isinstance(answer, Verdict):
        raise ValueError(f"it answered {type(answer).__name__}, which is no verdict")
    said: Any = answer  # a third-party gate may have set the fields to anything
    if not isinstance(said.action, str) or said.action not in _ACTIONS:
        raise ValueError(f"it answered {str(said.action)[:40]!r}, which is no action")
    if not isinstance(said.reason, str) or not isinstance(said.extra, Mapping):
        raise ValueError("its verdict has a reason that is no text, or an extra that is no mapping")
    believable = with_typed_fields(answer)
    _check_fields(believable)
    said = believable
    if len(said.findings) > _MAX_FINDINGS:
        raise ValueError(f"it found {len(said.findings):,} things, more than can be believed")
    for finding in said.findings:
        _check(finding, len(step.text))
    if said.action == "redact":
        _check_redaction(believable, step)
    if len(believable.findings) <= _MAX_RECORDED_FINDINGS:
        return (
            believable
            if type(believable.findings) is tuple
            else replace(believable, findings=tuple(believable.findings))
        )
    left_out = {**believable.extra, "findings_left_out": len(believable.findings) - _MAX_RECORDED_FINDINGS}
    return replace(believable, findings=tuple(believable.findings[:_MAX_RECORDED_FINDINGS]), extra=left_out)


def edits_of(verdict: Verdict, step: Step) -> tuple[Edit, ...]:
    """Return the edits of a redacting gate, or the difference between its text and the original."""
    if verdict.edits is not None:
        return tuple(verdict.edits)
    made = difference(step.text, verdict.text or "")
    return () if made is None else (made,)


def failure(name: str, version: str, action: FailAction, error: BaseException | None) -> Verdict:
    """Return the verdict for a gate that gave no answer: the configured action, with the cause."""
    cause, hint = "no answer" if error is None else str(error) or type(error).__name__, ""
    if isinstance(error, ProctorError):
        cause, hint = f"{error.place}: {error.message}" if error.place else error.message, error.hint or ""
    elif isinstance(error, TimeoutError):
        hint = f"shorten the text, or raise `timeout` of {name} or of the whole guard in proctor.yaml"
    elif error is not None and not isinstance(error, ValueError):
        cause = f"{type(error).__name__}: {cause}"
    told = f"the gate {name} failed ({redact(cause)[:_MAX_CAUSE_CHARS]})" + (
        f": {redact(hint)[:_MAX_CAUSE_CHARS]}" if hint else ""
    )
    return Verdict(
        action=action,
        gate=name,
        reason=told,
        findings=(Finding(kind="gate_failed", detector=name, severity="high", reason=told),),
        broken=True,
        version=version,
    )


def _check_fields(said: Any) -> None:
    """Check the fields that others read, which a third-party gate may have set to anything.

    Raises:
        ValueError: one has a value of another type.
    """
    for name in ("borderline", "busy", "unrecorded"):
        if not isinstance(getattr(said, name), bool):
            raise ValueError(f"its verdict has {name} that is neither true nor false")
    for name in ("by", "masked"):
        if not isinstance(getattr(said, name), (str, type(None))):
            raise ValueError(f"its verdict has {name} that is no text")
    if not isinstance(said.shadow, (bool, Verdict)):
        raise ValueError("its verdict has a shadow that is no verdict")
    if not all(isinstance(each, tuple) and len(each) == 2 for each in said.personal):
        raise ValueError("its verdict has personal values that are no pairs of kind and value")


def _check(finding: Any, length: int) -> None:
    named = isinstance(finding, Finding) and all(isinstance(getattr(finding, each), str) for each in ("kind", "text"))
    if not named:
        raise ValueError("among its findings is something that is none")
    start, end = finding.start, finding.end
    placed = type(start) is int and type(end) is int and 0 <= start <= end <= length
    if not placed and not (start is None and end is None):
        raise ValueError(f"a finding is at {start}:{end} of a text of {length} letters")
    sure = finding.confidence
    if sure is not None and not (isinstance(sure, (int, float)) and 0.0 <= sure <= 1.0):
        raise ValueError(f"a finding has the confidence {str(sure)[:40]}, which is none from 0 to 1")
    if finding.severity not in _SEVERITIES:
        raise ValueError(f"a finding has the severity {str(finding.severity)[:40]!r}, which is none")


def _check_redaction(verdict: Verdict, step: Step) -> None:
    if step.point == "tool_call":
        raise ValueError("it wants to redact a call; a call is made or it is not")
    if verdict.text is not None and not isinstance(verdict.text, str):
        raise ValueError("its redacted text is no text")
    if verdict.edits is None:
        if verdict.text is None:
            raise ValueError("it redacts and says neither what goes on nor what changes")
        return
    edits: Any = verdict.edits
    if not isinstance(edits, (tuple, list)) or not all(isinstance(edit, Edit) for edit in edits):
        raise ValueError("its edits are none")
    if not all(0 <= edit.start <= edit.end <= len(step.text) for edit in edits):
        raise ValueError("it changes what is not in the text")
