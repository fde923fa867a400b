"""Attacks from the results of a red team run of promptfoo."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from proctor.core.imported_finding import ImportedFinding, ImportedVerdict
from proctor.redteam.import_source import ReportSource, finding_id, joined, mapping_at, severity_of, text_at, text_of

__all__ = ["read_promptfoo"]

_ASSERT_FAILED, _ERROR = 1, 2  # promptfoo's failureReason
_NO_STRATEGY = "basic"
_ASSERTION = "promptfoo:redteam:"
_VERSION = re.compile(r'"promptfooVersion"\s*:\s*"([^"]{1,40})"')
_TAIL_BYTES = 200_000


def read_promptfoo(source: ReportSource, *, by_line: bool = False) -> Iterator[ImportedFinding]:
    """Yield one finding for each result of a document, or of a file with one result to a line."""
    version = "" if by_line else _version(source)
    entries = source.lines() if by_line else source.items(("results", "results"))
    for line, entry in entries:
        found = _finding(source, line, entry, version)
        if found is not None:
            yield found


def _finding(source: ReportSource, line: int, entry: Mapping[str, Any], version: str) -> ImportedFinding | None:
    facts = {**mapping_at(entry, "testCase", "metadata"), **mapping_at(entry, "metadata")}
    grade = mapping_at(entry, "gradingResult")
    detector = _assertion(grade) or _assertion(mapping_at(entry, "testCase"))
    plugin = text_at(facts, "pluginId") or detector.removeprefix(_ASSERTION)
    if not plugin:
        hint = "import the results of `promptfoo redteam run`, not those of an ordinary evaluation"
        source.fail("the result has no pluginId and no red team assertion", line=line, hint=hint)
        return None
    payload, strategy = _payload(entry, facts), text_at(facts, "strategyId") or _NO_STRATEGY
    verdict, reason = _verdict(entry, grade)
    score = entry.get("score")
    return ImportedFinding(
        id=finding_id("promptfoo", plugin, strategy, payload),
        tool="promptfoo",
        verdict=verdict,
        tool_version=version,
        goal=text_at(facts, "goal", "harmCategory", "modifiers.purpose") or text_at(entry, "testCase.description"),
        category=plugin,
        techniques=(strategy,),
        payload=payload,
        response=text_of(mapping_at(entry, "response").get("output")),
        severity=severity_of(text_at(facts, "severity")),
        detector=detector,
        score=float(score) if isinstance(score, (int, float)) else None,
        reason=reason,
        language=text_at(facts, "language", "modifiers.language"),
        target=text_at(entry, "provider.label", "provider.id", "provider"),
        file=source.name,
        line=line,
    )


def _verdict(entry: Mapping[str, Any], grade: Mapping[str, Any]) -> tuple[ImportedVerdict, str]:
    """Return the verdict and the reason: a test that the target failed is an attack that succeeded.

    A failed test without a grade is an error, never a success: nobody judged the answer.
    """
    error = text_at(entry, "error", "response.error")
    reason = _reason(grade)
    if entry.get("failureReason") == _ERROR:
        return "unscored", error or reason or "promptfoo reports an error"
    if not isinstance(grade.get("pass"), bool):
        return "unscored", error or "the result has no grade"
    if entry.get("success") is True:
        return "failure", reason
    if entry.get("success") is False and entry.get("failureReason", _ASSERT_FAILED) == _ASSERT_FAILED:
        return "success", reason or error
    return "unscored", error or reason or "the result is neither passed nor failed by an assertion"


def _reason(grade: Mapping[str, Any]) -> str:
    """Return the grader's own words; the grade as a whole says little more than that all passed."""
    components = grade.get("componentResults")
    for part in components if isinstance(components, list) else ():
        if isinstance(part, Mapping) and text_at(part, "assertion.type").startswith(_ASSERTION):
            return text_at(part, "reason") or text_at(grade, "reason")
    return text_at(grade, "reason")


def _payload(entry: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    """Return what was sent: all turns of an attack over several, else the final prompt, else the variable."""
    turns = facts.get("redteamHistory")
    if isinstance(turns, list) and turns:
        return joined([text_at(turn, "prompt") for turn in turns if isinstance(turn, Mapping)])
    values = mapping_at(entry, "vars") or mapping_at(entry, "testCase", "vars")
    named = text_of(values.get(text_at(facts, "injectVar")))
    found = text_at(facts, "redteamFinalPrompt") or named or text_at(values, "prompt", "query", "message", "input")
    longest = max((text_of(value) for value in values.values()), key=len, default="")
    return found or longest or text_at(entry, "prompt.raw", "prompt")


def _assertion(grade: Mapping[str, Any]) -> str:
    """Return the type of the red team assertion in a grade or a test."""
    components = grade.get("componentResults")
    parts = [grade, *(components if isinstance(components, list) else ())]
    kinds = [text_at(part, "assertion.type") for part in parts if isinstance(part, Mapping)]
    asserts = grade.get("assert")
    if isinstance(asserts, list):
        kinds += [text_at(each, "type") for each in asserts if isinstance(each, Mapping)]
    return next((kind for kind in kinds if kind.startswith(_ASSERTION)), "")


def _version(source: ReportSource) -> str:
    """Return the version that the document states after its results."""
    found = _VERSION.search(source.ending(_TAIL_BYTES))
    return found.group(1) if found else ""
