"""A suite of cases in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.core.case import Case, Check, Suite
from proctor.suites.load import LoadedSuite, Part
from proctor.suites.source import Locator, Row

__all__ = ["PLACE", "suite_of"]

PLACE = Path("<cases>")  # the file name in errors; the line is the number of the case


@dataclass(frozen=True, slots=True, kw_only=True)
class _GivenCases:
    """The cases as rows of a file, numbered from 1."""

    given: Sequence[Case | Mapping[str, Any] | str] = field(repr=False)
    path: Path = PLACE
    header: Mapping[str, Any] = field(default_factory=dict)
    strict: bool = True

    def rows(self) -> Iterator[Row]:
        for number, case in enumerate(self.given, start=1):
            yield Row(data=case, line=number)

    def locator(self) -> Locator:
        return lambda path: None


def suite_of(
    cases: Iterable[Case | Mapping[str, Any] | str], *, name: str, scorers: Sequence[Check] = ()
) -> LoadedSuite:
    """Build a suite of texts, mappings as in a suite file, and Case objects; they are validated when read."""
    source = _GivenCases(given=tuple(cases))
    suite = Suite(name=name, scorers=tuple(scorers))
    return LoadedSuite(path=PLACE, suite=suite, parts=(Part(source=source, defaults={}),))
