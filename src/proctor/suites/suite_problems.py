"""Everything wrong with one suite file, told at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from proctor.core.errors import MalformedError, Problem, SuiteError

__all__ = ["BadSuiteError", "Problems"]

_MOST = 20


class BadSuiteError(MalformedError, SuiteError):
    """A suite file with problems: ``problems`` lists them, each with its line."""


class Problems:
    """What was found wrong in one file so far; at most twenty are kept, all are counted on the way."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._found: list[Problem] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    @property
    def full(self) -> bool:
        """Whether looking further would only add to a list nobody reads."""
        return len(self._found) >= _MOST

    def add(self, problems: Iterable[Problem]) -> None:
        """Keep these too."""
        self._found.extend(problems)

    def check(self) -> None:
        """Go on when nothing was found.

        Raises:
            BadSuiteError: something was.
        """
        if self._found:
            raise BadSuiteError(self._found[:_MOST], file=str(self.file))
