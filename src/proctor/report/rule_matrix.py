"""Rules by targets, the most broken first, and what a result says of each rule; for the HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proctor.core.compliance import RuleCompliance
from proctor.core.report import Report, Result

__all__ = ["rule_matrix", "rule_states"]

_MOST_RULES = 1_000
_RULE = "rule"  # the ``where`` of the evidence that holds the rule's text


def rule_matrix(report: Report) -> dict[str, Any] | None:
    """Return the targets, and for each rule its figures on every target; ``None`` if no rule was judged."""
    found = report.overview
    if found is None or not found.rules:
        return None
    targets = list(dict.fromkeys(row.target for row in found.rules))
    by_rule: dict[str, list[RuleCompliance]] = {}
    for row in found.rules:
        by_rule.setdefault(row.rule, []).append(row)
    rules = sorted(by_rule.values(), key=_breakage)[:_MOST_RULES]
    return {"targets": targets, "repeat": found.repeat, "rows": [_row(rows, targets) for rows in rules]}


def _breakage(rows: Sequence[RuleCompliance]) -> tuple[float, int, int, str]:
    """Sort by the share of broken answers, then by their number, then by what nobody could judge."""
    judged = sum(row.kept.ok + row.kept.err for row in rows)
    broken = sum(row.kept.err for row in rows)
    share = broken / judged if judged else 0.0
    return -share, -broken, -sum(row.kept.unknown for row in rows), rows[0].text


def _row(rows: Sequence[RuleCompliance], targets: Sequence[str]) -> dict[str, Any]:
    by_target = {row.target: row for row in rows}
    judges = dict.fromkeys(name.removeprefix("judge:") for row in rows for name in row.judged_by)
    return {
        "rule": rows[0].rule,
        "text": rows[0].text or rows[0].rule,
        "predicate": next((row.predicate for row in rows if row.predicate), ""),
        "judges": [name for name in judges if name != "predicate"],
        "covered": max(row.covered for row in rows),
        "cells": [_cell(by_target[target]) if target in by_target else None for target in targets],
    }


def _cell(row: RuleCompliance) -> dict[str, Any]:
    kept = row.kept
    return {
        "ok": kept.ok,
        "err": kept.err,
        "unknown": kept.unknown,
        "na": row.na,
        "rate": kept.rate,
        "low": kept.low,
        "high": kept.high,
        "steady": kept.steady,
    }


def rule_states(result: Result) -> dict[str, str]:
    """Return what was found of each rule that applies: ``ok``, ``err`` or ``unknown``, by the rule's id."""
    parts = [part for score in result.scores for part in score.parts if any(e.where == _RULE for e in part.evidence)]
    return {part.name: part.label for part in parts[:_MOST_RULES] if part.label in ("ok", "err", "unknown")}
