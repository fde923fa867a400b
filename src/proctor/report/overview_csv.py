"""The overview as one table: a row for each target and scenario, then one for each rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from proctor.core.compliance import Compliance, PromptCompliance
from proctor.core.report import Report, Result
from proctor.report.csv_rows import number_cell, text_cell, write_rows

__all__ = ["write"]

_SHARES = ("tests", "positive", "negative", "valid", "invalid", "baseline")
_FIGURES = ("", " compliant", " not compliant", " unknown", " rate", " low", " high", " steady")


def write(report: Report, results: Callable[[], Iterable[Result]], out: TextIO) -> None:
    """Write a header and a row per target and scenario (``model``) and per target and rule (``rule``).

    Only a run over a prompt's own tests has such rows.
    """
    write_rows(_rows(report.overview or PromptCompliance()), out)


def _rows(found: PromptCompliance) -> Iterator[list[object]]:
    metrics = list(dict.fromkeys(metric.name for row in found.rows for metric in row.metrics))
    heads = ["row", "model", "scenario", "rule", "text", "covered", "broken by", "n.a.", "judged by", "errors"]
    heads += [f"{share}{figure}" for share in _SHARES for figure in _FIGURES]
    yield [*heads, *map(text_cell, metrics), *(text_cell(f"{name} unknown") for name in metrics)]
    for row in found.rows:
        names = ["model", text_cell(row.target), text_cell("all" if row.scenario is None else row.scenario), *[""] * 6]
        shares = [text for share in _SHARES for text in _texts(getattr(row, share))]
        by = {metric.name: metric for metric in row.metrics}
        means = ["" if name not in by else number_cell(by[name].mean) for name in metrics]
        missing = [str(by[name].missing) if name in by else "" for name in metrics]
        yield [*names, row.errors, *shares, *means, *missing]
    for rule in found.rules:
        judges = " + ".join(rule.judged_by)
        names = ["rule", text_cell(rule.target), "", rule.rule, text_cell(rule.text)]
        names += [str(rule.covered), str(rule.failed), str(rule.na)]
        rest = [""] * ((len(_SHARES) - 1) * len(_FIGURES) + 2 * len(metrics))
        yield [*names, text_cell(judges), "", *_texts(rule.kept), *rest]


def _texts(figure: Compliance) -> list[str]:
    if not figure.answers:
        return ["0", *[""] * (len(_FIGURES) - 1)]
    counts = [str(figure.tests), str(figure.ok), str(figure.err), str(figure.unknown)]
    return [*counts, *(number_cell(each) for each in (figure.rate, figure.low, figure.high, figure.steady))]
