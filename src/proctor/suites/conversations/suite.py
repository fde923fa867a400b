"""Recorded conversations as a suite: expectations are merged into each, and the checks apply to all."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from proctor.core.case import Case, Check, Expectation, Suite
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, Problem, SuiteError
from proctor.suites.case_shorthand import merged, raw_checks
from proctor.suites.conversations.detect import AUTO, open_all
from proctor.suites.load import LoadedSuite, open_suite
from proctor.suites.source import CaseFile, Places, Row
from proctor.suites.suite_problems import BadSuiteError

__all__ = ["RecordedSuite", "open_recorded_suite"]


@dataclass(frozen=True, kw_only=True)
class RecordedSuite(LoadedSuite):
    """Conversations of any tool as the cases of a suite; they are streamed again for every pass."""

    recordings: tuple[Path, ...]
    format: str = AUTO
    known: Mapping[str, Case] = field(default_factory=dict, repr=False)
    shared: Case = field(default=Case(id="shared"), repr=False)

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that conversations come from."""
        return self.recordings

    def cases(self) -> Iterator[Case]:
        """Yield the conversations.

        Raises:
            SuiteError: a file cannot be read, or an entry is not a conversation.
        """
        for case in open_all(self.recordings, self.format):
            yield self.with_expectations(case)

    def with_expectations(self, case: Case) -> Case:
        """Return a conversation with what the suite file expects of all of them and of this one."""
        case = laid_over(case, self.shared)
        own = self.known.get(case.id)
        return laid_over(case, own) if own is not None else case

    def place(self, case_id: str, path: tuple[str | int, ...] = ()) -> tuple[Path, int | None] | None:
        """Return the file of a conversation; log lines are not edited by hand, so there is no line."""
        return self.path, None

    def missing(self) -> list[str]:
        """Return the ids of expectations without a conversation."""
        there = {case.id for case in open_all(self.recordings, self.format) if case.id in self.known}
        return [name for name in self.known if name not in there]


def open_recorded_suite(
    recordings: Sequence[Path], *, format: str = AUTO, checks: Path | None = None, default: Sequence[Check] = ()
) -> RecordedSuite:
    """Open conversations with a suite file's checks and its expectations for conversations with the same id.

    Without a file, or with one that names no scorers, the ``default`` checks apply.

    Raises:
        SuiteError: the suite file cannot be used.
    """
    first = recordings[0]
    if checks is None:
        suite = Suite(name=first.name.partition(".")[0] or first.name, scorers=tuple(default))
        return RecordedSuite(path=first, suite=suite, parts=(), recordings=tuple(recordings), format=format)
    loaded = open_suite(checks)
    known: dict[str, Case] = {}
    for part in loaded.parts:
        for row in part.source.rows():
            case = _known(part.source, row, part.defaults)
            if case.id in known:
                raise SuiteError(f"the id {case.id!r} is there twice", file=str(part.source.path), hint="remove one")
            known[case.id] = case
    shared = _decoded(loaded.parts[0].source, Row(), {"id": "shared", **loaded.parts[0].defaults})
    suite = replace(loaded.suite, scorers=loaded.suite.scorers or tuple(default))
    return RecordedSuite(
        path=checks,
        suite=suite,
        parts=loaded.parts,
        recordings=tuple(recordings),
        format=format,
        known=known,
        shared=shared,
    )


def _known(source: CaseFile, row: Row, defaults: Mapping[str, Any]) -> Case:
    """Decode a suite file's entry for one conversation: an id and its expectations."""
    if row.problem is not None:
        raise BadSuiteError([row.problem], file=str(source.path))
    if not isinstance(row.data, Mapping) or not isinstance(row.data.get("id"), (str, int)):
        problem = Problem((*row.path, "id"), "what is expected needs the id of its conversation", "add `id:`", row.line)
        raise BadSuiteError([problem], file=str(source.path))
    return _decoded(source, row, merged({**row.data, "id": str(row.data["id"])}, defaults))


def _decoded(source: CaseFile, row: Row, data: Mapping[str, Any]) -> Case:
    problems: list[Problem] = []
    raw = dict(data)
    if "checks" in raw:
        raw["checks"] = raw_checks(raw["checks"], ("checks",), problems)
    try:
        made = decode(Case, raw, strict=True)
    except MalformedError as error:
        problems += error.problems
    if problems:
        places = Places()
        placed = [Problem((*row.path, *p.path), p.message, p.hint, places.row(source, row, p.path)) for p in problems]
        raise BadSuiteError(placed, file=str(source.path))
    return made


def laid_over(case: Case, known: Case) -> Case:
    """Merge a conversation with its expectations; what a person wrote takes precedence."""
    if known.expect == Expectation() and not (known.checks or known.tags or known.metadata or known.intent):
        return case
    empty = Expectation()
    chosen: dict[str, Any] = {}
    for each in dataclasses.fields(Expectation):
        wanted = getattr(known.expect, each.name)
        chosen[each.name] = wanted if wanted != getattr(empty, each.name) else getattr(case.expect, each.name)
    if known.expect.extra:
        chosen["extra"] = {**case.expect.extra, **known.expect.extra}
    return replace(
        case,
        expect=Expectation(**chosen),
        checks=(*case.checks, *(check for check in known.checks if check not in case.checks)),
        tags=tuple(dict.fromkeys((*case.tags, *known.tags))),
        intent=known.intent or case.intent,
        description=known.description or case.description,
        metadata={**case.metadata, **known.metadata},
    )
