"""JUnit XML for CI servers: one suite per target, one test per case and sample."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, TextIO
from xml.sax.saxutils import escape, quoteattr

from proctor.core.report import Report, Result
from proctor.report.failure_causes import causes
from proctor.report.number_format import decision_word, took
from proctor.report.safe_text import clip, one_line, xml_text

__all__ = ["write"]

_TEXT_LIMIT = 8_000
_IN_MEMORY = 1_000_000
_MAX_NAME_CHARS = 100
_CONTENT_HASH = re.compile(r"(?:[a-z]-)?[0-9a-f]{10,16}")  # the id of a case that was given none


@dataclass(slots=True)
class _Suite:
    """The tests of one target, buffered while results are streamed."""

    text: IO[str]
    tests: int = 0
    failures: int = 0
    errors: int = 0
    time: float = 0.0


def write(report: Report, results: Callable[[], Iterable[Result]], out: TextIO) -> None:
    """Write the run as JUnit XML; an unscored result is an error, so that CI does not show it as passed."""
    with ExitStack() as stack:
        suites = _gather(report, results(), stack)
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        total = took(report)
        attributes = _attributes(
            name=report.name or "proctor",
            tests=sum(suite.tests for suite in suites.values()),
            failures=sum(suite.failures for suite in suites.values()),
            errors=sum(suite.errors for suite in suites.values()),
            time=_time(total if total is not None else sum(suite.time for suite in suites.values())),
        )
        out.write(f"<testsuites {attributes}>\n")
        for target, suite in suites.items():
            _write_suite(report, target, suite, out)
        out.write("</testsuites>\n")


def _gather(report: Report, results: Iterable[Result], stack: ExitStack) -> dict[str, _Suite]:
    """Sort the results by target in one pass; each target has a buffer that moves to disk when large."""
    suites: dict[str, _Suite] = {}

    def suite_of(target: str) -> _Suite:
        if target not in suites:
            spool = tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", newline="")  # noqa: SIM115
            suites[target] = _Suite(text=stack.enter_context(spool))
        return suites[target]

    for tally in report.by_target:
        suite_of(tally.name)
    for result in results:
        suite = suite_of(result.target)
        suite.tests += 1
        suite.failures += result.outcome == "fail"
        suite.errors += result.outcome == "unscored"
        suite.time += _duration(result)
        suite.text.write(_case(report, result))
    return suites


def _write_suite(report: Report, target: str, suite: _Suite, out: TextIO) -> None:
    attributes = _attributes(
        name=target, tests=suite.tests, failures=suite.failures, errors=suite.errors, skipped=0, time=_time(suite.time)
    )
    if report.started:
        attributes += " " + _attributes(timestamp=report.started.isoformat(timespec="seconds"))
    out.write(f"  <testsuite {attributes}>\n    <properties>\n")
    for name, value in _properties(report):
        out.write(f"      <property {_attributes(name=name, value=value)}/>\n")
    out.write("    </properties>\n")
    suite.text.seek(0)
    while piece := suite.text.read(1 << 16):
        out.write(piece)
    out.write("  </testsuite>\n")


def _properties(report: Report) -> list[tuple[str, str]]:
    doubts = str(report.counts.in_doubt) if report.counts.in_doubt else ""
    facts = [
        ("proctor.run", report.id),
        ("proctor.decision", decision_word(report)),
        ("proctor.reason", report.reason),
        ("proctor.in_doubt", doubts),
    ]
    return [(name, value) for name, value in facts if value]


def _case(report: Report, result: Result) -> str:
    classname = f"{report.name or 'proctor'}.{result.target}"
    head = _attributes(name=_name(result), classname=classname, time=_time(_duration(result)))
    body = _doubt(result) + _trouble(result) + _said(result)
    return f"    <testcase {head}>\n{body}    </testcase>\n" if body else f"    <testcase {head}/>\n"


def _name(result: Result) -> str:
    """Return the id and the sample; where the id is a hash of the content, after what the case is about."""
    place = f"{result.case.id}#{result.sample}"
    if not _CONTENT_HASH.fullmatch(result.case.id):
        return place
    about = result.case.description or next(iter(result.asked), "")
    return f"{one_line(about, _MAX_NAME_CHARS)} ({place})" if about.strip() else place


def _doubt(result: Result) -> str:
    """Return why a case that passed should be reviewed, as a property: a CI server counts it as passed all the same."""
    if not result.in_doubt:
        return ""
    why = one_line("; ".join(cause.text for cause in causes(result)), _TEXT_LIMIT)
    return f"      <properties><property {_attributes(name='proctor.in_doubt', value=why)}/></properties>\n"


def _trouble(result: Result) -> str:
    if result.outcome == "pass":
        return ""
    found = causes(result)
    message = one_line(found[0].text if found else result.reason, 300)
    lines = "\n".join(clip(cause.text, _TEXT_LIMIT) for cause in found)
    if result.outcome == "fail":
        kind = next((cause.score for cause in found if cause.score), None) or "failed"
        return f"      <failure {_attributes(message=message, type=kind)}>{_escape(lines)}</failure>\n"
    return f"      <error {_attributes(message=message, type='unscored')}>{_escape(lines)}</error>\n"


def _said(result: Result) -> str:
    if result.outcome == "pass" and not result.in_doubt:
        return ""
    said = []
    for message in result.trajectory.messages:
        if message.role in ("user", "assistant") and message.content:
            said.append(f"{message.role}: {clip(message.content, _TEXT_LIMIT)}")
    return f"      <system-out>{_escape(chr(10).join(said))}</system-out>\n" if said else ""


def _duration(result: Result) -> float:
    if result.duration is not None:
        return result.duration
    return result.trajectory.latency or 0.0


def _time(value: float) -> str:
    return f"{max(0.0, value):.3f}"


def _attributes(**values: str | int) -> str:
    return " ".join(f"{name}={quoteattr(xml_text(str(value)))}" for name, value in values.items())


def _escape(text: str) -> str:
    return escape(xml_text(text))
