"""Convert verdicts on rules to a score, with one part for each rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from proctor.core.rule import Rule, RuleVerdict
from proctor.core.score import Evidence, Score
from proctor.scorers.checked_answers import MOST_EVIDENCE, quoted
from proctor.scorers.judge_rule import PREDICATE
from proctor.text.predicates import PredicateError

__all__ = ["RULE", "by_outcome", "check_rule", "part_of", "said_of", "to_check", "unread", "whole_of"]

RULE = "rule"  # the ``where`` of the evidence that holds the rule's text
_STATUS: Mapping[str, Any] = {
    "ok": {"value": 1.0, "threshold": 1.0},
    "err": {"value": 0.0, "threshold": 1.0},
    "na": {"status": "skipped"},
    "unknown": {"status": "error"},
}
_TOLD = 5


def check_rule(rule: Rule, read: Callable[[str], object]) -> None:
    """Validate a rule; ``read`` parses its predicate.

    Raises:
        ValueError: it has no text, a negative weight, or an invalid predicate.
    """
    if not rule.text.strip():
        raise ValueError("a rule has no text")
    if not rule.weight >= 0:  # written so that NaN is rejected too
        raise ValueError(f"the weight of {quoted(rule.text, 60)!r} is {rule.weight:g}; it must be 0 or more")
    if rule.predicate:
        try:
            read(rule.predicate)
        except PredicateError as error:
            raise ValueError(f"the predicate of {quoted(rule.text, 60)!r} cannot be read: {error}") from error


def to_check(rules: Iterable[Rule], *, light: bool) -> list[Rule]:
    """Return the rules in force, without duplicates, disabled or inverse ones; with ``light``, only those with code."""
    known = {rule.id: rule for rule in rules if not rule.disabled and rule.inverse_of is None}
    return [rule for rule in known.values() if rule.predicate or not light]


def unread(rule: Rule, error: PredicateError) -> RuleVerdict:
    """Return the verdict on a rule with an invalid predicate: a case's own rule is not validated earlier."""
    reason = quoted(f"its predicate cannot be read: {error}", 300)
    return RuleVerdict(rule=rule.id, outcome="unknown", reason=reason, producer=PREDICATE)


def part_of(rule: Rule, verdict: RuleVerdict, version: str, *, note: str = "") -> Score:
    """Convert a verdict to a part of the score, with the rule's text as evidence and each judge's vote as a part."""
    checked = quoted(rule.predicate, 500) + " (tentative)" * bool(rule.tentative) if rule.predicate else ""
    words = Evidence(quote=quoted(rule.text, 500), where=RULE, note=note, predicate=checked)
    return Score(
        name=rule.id,
        label=verdict.outcome,
        reason=verdict.reason or verdict.outcome,
        evidence=(words, *verdict.evidence),
        parts=tuple(
            Score(name=judge, label=said, producer=f"judge:{judge}", version=version, **_STATUS[said])
            for judge, said in verdict.extra.get("votes", {}).items()
        ),
        producer=verdict.producer,
        version=version,
        weight=rule.weight,
        confidence=verdict.extra.get("agreement"),
        cost=verdict.extra.get("cost"),
        **_STATUS[verdict.outcome],
    )


def by_outcome(parts: Sequence[Score]) -> dict[str, list[Score]]:
    """Group the parts by outcome."""
    return {outcome: [part for part in parts if part.label == outcome] for outcome in _STATUS}


def said_of(part: Score) -> str:
    """Return the rule and its finding as text."""
    return f"“{quoted(part.evidence[0].quote, 120)}”: {part.reason}"


def whole_of(name: str, version: str, parts: tuple[Score, ...], *, about: str, missed: str = "") -> Score:
    """Return the weighted share of rules followed among those that apply.

    ``about`` names what was judged, for the reason if no rule applies. ``missed`` is the error to return if nothing was
    broken but the targeted rule is unknown.
    """
    by = by_outcome(parts)
    costs = [part.cost for part in parts if part.cost is not None]
    told: dict[str, Any] = {
        "name": name,
        "version": version,
        "parts": parts,
        "cost": sum(costs) if costs else None,
        "producer": "+".join(dict.fromkeys(part.producer for part in parts if part.producer)) or PREDICATE,
    }
    # A rule of weight 0 is shown but decides nothing.
    if missed and not any(part.weight for part in by["err"]):
        return Score(**told, status="error", reason=missed)
    weight = sum(part.weight for part in (*by["ok"], *by["err"]))
    if not weight:
        if by["unknown"]:
            return Score(**told, status="error", reason=f"no rule could be judged: {said_of(by['unknown'][0])}")
        return Score(**told, status="skipped", reason=f"no rule applies to this {about}")
    unknown = sum(part.weight for part in by["unknown"])
    return Score(
        **told,
        value=sum(part.weight for part in by["ok"]) / weight,
        confidence=weight / (weight + unknown),
        reason=_reason(by),
        evidence=tuple(one for part in by["err"] for one in part.evidence[1:])[:MOST_EVIDENCE],
    )


def _reason(by: Mapping[str, Sequence[Score]]) -> str:
    """Return which rules were broken, then how many were unknown or did not apply."""
    broken = by["err"]
    judged = len(by["ok"]) + len(broken)
    said = [f"{len(broken)} of {judged} rules broken" if broken else f"all {judged} rules kept"]
    said += [said_of(part) for part in broken[:_TOLD]]
    if len(broken) > _TOLD:
        said.append(f"and {len(broken) - _TOLD} more")
    said += [f"{len(by[name])} {word}" for name, word in (("unknown", "unknown"), ("na", "not applicable")) if by[name]]
    return quoted("; ".join(said), 2000)
