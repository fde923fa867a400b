"""The overview as one table: a row for each target and scenario, then one for each rule."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from typing import TextIO

from proctor.core.overview import Compliance, Overview
from proctor.core.report import Report, Result
from proctor.report.table_csv import cell

__all__ = ["write"]

_SHARES = ("tests", "positive", "negative", "valid", "invalid", "baseline")
_FIGURES = ("", " compliant", " not compliant", " unknown", " rate", " low", " high", " steady")


def write(report: Report, results: Callable[[], Iterable[Result]], out: TextIO) -> None:
    """Write a header and a row per target and scenario (``model``) and per target and rule (``rule``).

    Only a run over a prompt's own tests has such rows.
    """
    found = report.overview or Overview()
    metrics = list(dict.fromkeys(metric.name for row in found.rows for metric in row.metrics))
    table = csv.writer(out, lineterminator="\n")
    heads = ["row", "model", "scenario", "rule", "text", "covered", "broken by", "n.a.", "judged by", "errors"]
    heads += [f"{share}{figure}" for share in _SHARES for figure in _FIGURES]
    table.writerow([*heads, *map(cell, metrics), *(cell(f"{name} unknown") for name in metrics)])
    for row in found.rows:
        names = ["model", cell(row.target), cell("all" if row.scenario is None else row.scenario), *[""] * 6]
        shares = [text for share in _SHARES for text in _texts(getattr(row, share))]
        by = {metric.name: metric for metric in row.metrics}
        means = ["" if name not in by else _number(by[name].mean) for name in metrics]
        missing = [str(by[name].missing) if name in by else "" for name in metrics]
        table.writerow([*names, row.errors, *shares, *means, *missing])
    for rule in found.rules:
        judges = " + ".join(rule.judged_by)
        names = ["rule", cell(rule.target), "", rule.rule, cell(rule.text)]
        names += [str(rule.covered), str(rule.failed), str(rule.na)]
        rest = [""] * ((len(_SHARES) - 1) * len(_FIGURES) + 2 * len(metrics))
        table.writerow([*names, cell(judges), "", *_texts(rule.kept), *rest])


def _texts(figure: Compliance) -> list[str]:
    if not figure.answers:
        return ["0", *[""] * (len(_FIGURES) - 1)]
    counts = [str(figure.tests), str(figure.ok), str(figure.err), str(figure.unknown)]
    return [*counts, *(_number(each) for each in (figure.rate, figure.low, figure.high, figure.steady))]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
