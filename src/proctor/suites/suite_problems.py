"""Collect all problems of one suite file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from proctor.core.errors import MalformedError, Problem, SuiteError

__all__ = ["BadSuiteError", "Problems"]

_MOST = 20


class BadSuiteError(MalformedError, SuiteError):
    """A suite file with problems: ``problems`` lists them, each with its line."""


class Problems:
    """The problems found in one file so far; at most twenty are reported."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._found: list[Problem] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    @property
    def full(self) -> bool:
        """Whether the list is full, so that checking can stop."""
        return len(self._found) >= _MOST

    def add(self, problems: Iterable[Problem]) -> None:
        """Add problems."""
        self._found.extend(problems)

    def check(self) -> None:
        """Do nothing if there are no problems.

        Raises:
            BadSuiteError: there are some.
        """
        if self._found:
            raise BadSuiteError(self._found[:_MOST], file=str(self.file))
