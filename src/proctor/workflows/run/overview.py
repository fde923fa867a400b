"""The overview of a run: kept with its figures when it has ended, made anew while it goes on."""

from __future__ import annotations

from dataclasses import replace

from proctor.core.compliance import PromptCompliance
from proctor.core.report import Report
from proctor.store.run_reader import RunReader

__all__ = ["has_overview", "overview_of_run", "with_overview"]

_SCORERS = frozenset({"rules", "metric"})


def has_overview(report: Report) -> bool:
    """Whether answers were judged by rules or custom metrics; told by the fingerprint, without reading a result."""
    return bool(_SCORERS & report.fingerprint.scorers.keys())


def overview_of_run(reader: RunReader, report: Report | None = None) -> PromptCompliance | None:
    """How far answers kept the rules of their prompt; ``None`` for a run that was not judged by them.

    The results stream past, one case at a time: what is held does not grow with the run.
    """
    report = report or reader.report()
    if not has_overview(report):
        return None
    from proctor.report.overview import overview_of  # noqa: PLC0415 - only for runs that are judged by rules

    settings = report.settings.get("run")
    repeat = settings.get("repeat", 1) if isinstance(settings, dict) else 1
    return overview_of(reader.graded(cases=True), repeat=repeat)


def with_overview(reader: RunReader, report: Report) -> Report:
    """The report with its overview, also when the run has not come to its end."""
    if report.overview is not None:
        return report
    return replace(report, overview=overview_of_run(reader, report))
