"""The data of the HTML page: the figures, a row per shown result, and its details."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from proctor.core.codec import content_id, dumps, encode
from proctor.core.compliance import RuleCompliance
from proctor.core.report import Counts, Report, Result, Tally
from proctor.core.score import Score
from proctor.report.dimensions import Grid, grids
from proctor.report.evidence_marks import state_of
from proctor.report.failure_causes import causes
from proctor.report.number_format import decision_word, interval_of, latency_of, moment, scored, took, total_spend
from proctor.report.overview_tables import overview_tables
from proctor.report.report_table import ReportTable
from proctor.report.run_distributions import RunDistributions
from proctor.report.safe_text import one_line

__all__ = ["detail_of", "page_of", "row_of", "rule_matrix", "rule_states", "script_json"]

_DEPTH = 40
_ITEMS = 200
_TEXT = 20_000
_ROOM = {"trajectory": 250_000, "scores": 150_000, "case": 100_000}
_GROUPS = 1_000
_LATENCY_BINS = 28
_STEPS = 5_000
_TOO_LARGE = "[too large for the page; the JSON file has it all]"
_MOST_RULES = 1_000
_RULE = "rule"  # the ``where`` of the evidence that holds the rule's text


def script_json(data: object) -> str:
    """Return JSON that is safe inside a script element: nothing in it can close the element."""
    text = dumps(data).decode()
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def page_of(report: Report, distributions: RunDistributions, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return all data of the page except the details."""
    return {
        "run": _run(report),
        "counts": _counts(report.counts),
        "groups": {
            "target": [_group(tally) | {"latency": dict(latency_of(report, tally))} for tally in report.by_target],
            "scorer": [_scorer(tally, distributions) for tally in report.by_scorer[:_GROUPS]],
            "intent": [_group(tally) for tally in report.by_intent[:_GROUPS]],
            "tag": [_group(tally) for tally in report.by_tag[:_GROUPS]],
        },
        "overview": [_overview(table) for table in overview_tables(report) if table.columns[0].name != "Rule"],
        "rules": rule_matrix(report),
        "dimensions": [_grid(grid) for grid in grids(report)],
        "latency": dict(report.latency),
        "latencies": _latencies(distributions),
        "spend": [encode(each) for each in report.spend],
        "spent": total_spend(report.spend) if report.spend else "",
        "concurrency": _concurrency(report.concurrency),
        "total": max(distributions.total, report.counts.total),
        "rows": list(rows),
    }


def row_of(result: Result, place: int) -> dict[str, Any]:
    """Return one row of the results table."""
    run = result.trajectory
    why = causes(result) if result.outcome != "pass" else []
    return {
        "n": place,
        "case": result.case.id[:500],
        "target": result.target,
        "sample": result.sample,
        "outcome": result.outcome,
        "doubt": result.in_doubt,
        "value": result.value,
        "intent": result.case.intent,
        "tags": list(result.case.tags),
        "why": one_line(why[0].text if why else result.reason, 240),
        "question": _question(result),
        "rules": rule_states(result),
        "scores": [[score.name, score.value, state_of(score)] for score in result.scores[:_ITEMS]],
        "latency": run.latency,
        "cost": run.cost,
        "turns": len(run.turns),
    }


def _question(result: Result) -> str:
    """Return the question; for a case with only prompt variables, these."""
    asked = [text[:400] for text in result.asked[:20]]
    asked = asked or [f"{name}: {str(value)[:200]}" for name, value in islice(result.case.inputs.items(), 10)]
    return one_line(" / ".join(asked), 240)


def detail_of(result: Result) -> str:
    """Return all details of a result as script JSON; long texts are cut with a note."""
    data = encode(result) | {"scores": [_marked(score) for score in result.scores]}
    if result.outcome != "pass" or result.in_doubt:
        data["causes"] = [cause.text for cause in causes(result)]
    # Each part has its own limit, so that none displaces the others.
    return script_json({name: _Cutter(_ROOM.get(name, 50_000)).cut(part) for name, part in data.items()})


def _run(report: Report) -> dict[str, Any]:
    return {
        "id": report.id,
        "name": report.name,
        "status": report.status,
        "decision": report.decision,
        "word": decision_word(report),
        "reason": report.reason,
        "started": moment(report.started),
        "duration": took(report),
        "notes": list(report.notes),
        "settings": _Cutter(50_000).cut(dict(report.settings)),
        "fingerprint": _Cutter(50_000).cut(encode(report.fingerprint)),
        "mark": content_id(report.fingerprint, length=12),
    }


def _counts(counts: Counts) -> dict[str, Any]:
    interval = interval_of(counts)
    return {
        "passed": counts.passed,
        "failed": counts.failed,
        "unscored": counts.unscored,
        "doubt": counts.in_doubt,
        "total": counts.total,
        "rate": counts.pass_rate,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }


def _group(tally: Tally) -> dict[str, Any]:
    return {"name": tally.name, "mean": tally.mean, **_counts(tally.counts)}


def _grid(grid: Grid) -> dict[str, Any]:
    rows = [
        {
            "intent": row.intent,
            "cells": [
                cell and {"cases": cell.cases, "unscored": cell.unscored, "mean": cell.mean} for cell in row.cells
            ],
        }
        for row in grid.rows[:_GROUPS]
    ]
    return {"target": grid.target, "dimensions": list(grid.dimensions), "rows": rows}


def _overview(table: ReportTable) -> dict[str, Any]:
    return {
        "title": table.title,
        "hint": table.hint,
        "heads": [column.name for column in table.columns],
        "names": sum(not column.figure for column in table.columns),
        "rows": [[[cell.text, cell.state] for cell in row] for row in islice(table.cells(), _GROUPS)],
    }


def _scorer(tally: Tally, distributions: RunDistributions) -> dict[str, Any]:
    return _group(tally) | {
        "skipped": tally.skipped,
        "n": scored(tally),
        "histogram": list(tally.histogram or distributions.histograms.get(tally.name, ())),
        "threshold": distributions.thresholds.get(tally.name),
    }


def _latencies(distributions: RunDistributions) -> dict[str, Any] | None:
    """Return counts per target in shared bins on a logarithmic scale."""
    kept = {name: histogram for name, histogram in distributions.latency.items() if histogram.most > 0}
    if not kept:
        return None
    low = max(1e-3, min(max(1e-3, histogram.least) for histogram in kept.values()))
    high = max(low * 1.5, *(histogram.most for histogram in kept.values()))
    step = math.log(high / low) / _LATENCY_BINS
    edges = [low * math.exp(step * place) for place in range(_LATENCY_BINS + 1)]
    rows = [
        {
            "name": name,
            "n": histogram.count,
            "bins": histogram.counts_between(edges),
            "p50": histogram.quantile(0.5),
            "p95": histogram.quantile(0.95),
            "first": first.quantile(0.5) if (first := distributions.first_token.get(name)) else None,
        }
        for name, histogram in kept.items()
    ]
    return {"edges": edges, "rows": rows}


def _concurrency(history: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return for each model the allowed concurrency over time."""
    series: dict[str, list[list[Any]]] = {}
    for entry in history:
        steps = entry.get("history")
        points = series.setdefault(str(entry.get("model", "")), [])
        # The clock of a resumed run starts again; continue where the earlier part stopped.
        offset = points[-1][0] if points else 0.0
        for step in (steps if isinstance(steps, (list, tuple)) else ())[:_STEPS]:
            if _is_step(step):
                points.append([offset + step[0], step[1], str(step[2]) if len(step) > 2 else ""])
    return [{"model": model, "points": points} for model, points in series.items() if len(points) > 1]


def _is_step(step: Any) -> bool:
    return (
        isinstance(step, (list, tuple))
        and len(step) > 1
        and all(isinstance(number, (int, float)) and math.isfinite(number) for number in step[:2])
    )


def _marked(score: Score) -> dict[str, Any]:
    """Return the score as data with its verdict, so that the page need not judge."""
    data: dict[str, Any] = encode(score) | {"state": state_of(score)}
    if score.parts:
        data["parts"] = [_marked(part) for part in score.parts]
    return data


class _Cutter:
    """Cuts data to a total number of characters, and notes what was left out."""

    def __init__(self, room: int) -> None:
        self._left = room

    def cut(self, value: Any, depth: int = 0) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, (Mapping, list, tuple)):
            if depth > _DEPTH or self._left <= 0:
                return _TOO_LARGE
            return self._mapping(value, depth) if isinstance(value, Mapping) else self._list(value, depth)
        self._left -= 8
        return value

    def _text(self, text: str) -> str:
        room = max(0, min(_TEXT, self._left))
        self._left -= min(len(text), room) + 2
        return text if len(text) <= room else text[:room] + _more(len(text) - room, "characters")

    def _mapping(self, value: Mapping[Any, Any], depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, item in islice(value.items(), _ITEMS):
            if self._left <= 0:
                break
            made[self._text(str(key)[:200])] = self.cut(item, depth + 1)
        if len(made) < len(value):
            made["…"] = _more(len(value) - len(made), "entries")
        return made

    def _list(self, value: Sequence[Any], depth: int) -> list[Any]:
        made: list[Any] = []
        for item in value[:_ITEMS]:
            if self._left <= 0:
                break
            made.append(self.cut(item, depth + 1))
        return made if len(made) == len(value) else [*made, _more(len(value) - len(made), "entries")]


def _more(left: int, what: str) -> str:
    return f"… [{left:,} more {what}; the JSON file has them all]"


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
