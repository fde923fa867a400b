"""A prompt's own tests as a suite: its generated tests and the checks of its prompt file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from proctor.core.case import Check
from proctor.suites.case_shorthand import id_of
from proctor.suites.load import LoadedSuite, Part
from proctor.suites.source import Row, WrappedFile

__all__ = ["METRIC_ENDING", "PROMPT_ENDINGS", "is_prompt", "joined", "metric_name", "metrics_beside"]

PROMPT_ENDINGS = (".prompty", ".prompt.yml", ".prompt.yaml", ".md", ".txt")
METRIC_ENDING = ".metric.prompty"
_YAML = (".yml", ".yaml")
_MESSAGES = re.compile(rb"(?:\xef\xbb\xbf)?messages\s*:")


def is_prompt(path: str | Path) -> bool:
    """Whether this file is a prompt with tests beside it, rather than a suite.

    The name says it, or the `messages:` of a YAML file, which no suite has.
    """
    name = Path(path).name.lower()
    return name.endswith(PROMPT_ENDINGS) or (name.endswith(_YAML) and _has_messages(Path(path)))


def _has_messages(path: Path) -> bool:
    try:
        with path.open("rb") as lines:
            return any(_MESSAGES.match(line) for line in lines)
    except OSError:
        return False


def metrics_beside(prompt: Path) -> list[Path]:
    """Return the custom metrics in the folder of a prompt."""
    return sorted(path for path in prompt.parent.glob(f"*{METRIC_ENDING}") if path.is_file())


def metric_name(path: Path) -> str:
    """Return a metric's name in reports: that of its file."""
    return path.name.removesuffix(METRIC_ENDING).partition(".")[0] or "metric"


def joined(tests: LoadedSuite, more: Sequence[LoadedSuite], checks: Sequence[Check]) -> LoadedSuite:
    """Return the tests followed by further suites, all also judged by these checks.

    A test of a further suite that the first already has is left out.
    """
    names = {check.name or check.scorer for check in tests.suite.scorers}
    added = [check for check in checks if (check.name or check.scorer) not in names]  # the user's checks win
    parts = list(tests.parts)
    for each in more:
        taken = tuple(parts)
        parts += [replace(part, source=_Without(source=part.source, taken=taken)) for part in each.parts]
    suite = replace(tests.suite, scorers=(*tests.suite.scorers, *added))
    return LoadedSuite(path=tests.path, suite=suite, parts=tuple(parts))


@dataclass(frozen=True, kw_only=True)
class _Without(WrappedFile):
    """A file without the cases whose ids occur in other files."""

    taken: tuple[Part, ...] = field(repr=False)

    def rows(self) -> Iterator[Row]:
        return (row for row in self.source.rows() if row.problem is not None or id_of(row.data) not in self._ids)

    @cached_property
    def _ids(self) -> frozenset[str]:
        rows = (row for part in self.taken for row in part.source.rows() if row.problem is None)
        return frozenset(id_of(row.data) for row in rows)
