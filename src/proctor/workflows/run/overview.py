"""The overview of a run: stored when the run ends, computed before that."""

from __future__ import annotations

from dataclasses import replace

from proctor.core.compliance import PromptCompliance
from proctor.core.report import Report
from proctor.store.run_reader import RunReader

__all__ = ["has_overview", "overview_of_run", "with_overview"]

_SCORERS = frozenset({"rules", "metric"})


def has_overview(report: Report) -> bool:
    """Return whether answers were judged by rules or custom metrics, according to the fingerprint."""
    return bool(_SCORERS & report.fingerprint.scorers.keys())


def overview_of_run(reader: RunReader, report: Report | None = None) -> PromptCompliance | None:
    """Return how well answers kept the rules of their prompt; ``None`` if the run has no rules.

    Results are streamed, so memory use does not grow with the run.
    """
    report = report or reader.report()
    if not has_overview(report):
        return None
    from proctor.report.overview import overview_of  # noqa: PLC0415 - only for runs that are judged by rules

    settings = report.settings.get("run")
    repeat = settings.get("repeat", 1) if isinstance(settings, dict) else 1
    return overview_of(reader.graded(cases=True), repeat=repeat)


def with_overview(reader: RunReader, report: Report) -> Report:
    """Return the report with its overview, also for an unfinished run."""
    if report.overview is not None:
        return report
    return replace(report, overview=overview_of_run(reader, report))
