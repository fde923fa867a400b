"""The sample run, hostile runs and a real browser, for the tests of this room."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pytest

from proctor.core.report import Report, Result
from proctor.report.formats import Writer

from .hostile import hostile_results, many_results
from .sample import doubtful_results, report_of, sample_report, sample_results


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A report and its results, as a writer gets them."""

    report: Report
    results: Callable[[], Iterable[Result]]

    def written(self, write: Writer) -> str:
        out = io.StringIO()
        write(self.report, self.results, out)
        return out.getvalue()


@pytest.fixture(scope="session")
def sample() -> Run:
    return Run(report=sample_report(), results=sample_results)


@pytest.fixture(scope="session")
def doubtful() -> Run:
    return Run(report=report_of(doubtful_results(), decision="failed"), results=doubtful_results)


@pytest.fixture(scope="session")
def hostile() -> Run:
    report = report_of(hostile_results(), name="<script>alert(1)</script>{{styles}}", reason="]]> & | `@all` \x1b[31m")
    return Run(report=report, results=hostile_results)


@pytest.fixture(scope="session")
def empty() -> Run:
    return Run(report=report_of([], decision="unjudged", reason="no case was run"), results=lambda: [])


@pytest.fixture(scope="session")
def huge() -> Run:
    """A hundred thousand results, made one at a time."""
    return many(100_000)


def many(count: int) -> Run:
    few = report_of(many_results(300), decision="failed", reason="too many failed")
    return Run(report=few, results=lambda: many_results(count))
