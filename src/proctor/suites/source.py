"""One suite file: its header and its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Protocol

from proctor.core.errors import Problem
from proctor.core.record import dataclass

__all__ = ["CaseFile", "Header", "Locator", "Places", "Row", "WrappedFile"]

Locator = Callable[[tuple[str | int, ...]], int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The header of a suite file: everything except its cases.

    ``target`` is the name of the target the suite is for. ``scorers`` judge every case. ``defaults`` are merged
    under each case: mappings key by key, tags and checks added together, anything else replaced.
    ``cases_from`` names further files with cases, relative to this one.
    """

    name: str = ""
    description: str = ""
    version: str = ""
    target: str | None = None
    tags: tuple[str, ...] = ()
    scorers: tuple[Any, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    cases: tuple[Any, ...] = ()
    cases_from: str | tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def includes(self) -> tuple[str, ...]:
        """The further files as a tuple."""
        return (self.cases_from,) if isinstance(self.cases_from, str) else self.cases_from


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One case as written, with its line or its path in the document; or the problem that prevents reading it."""

    data: Any = None
    line: int | None = None
    path: tuple[str | int, ...] = ()
    problem: Problem | None = None


class CaseFile(Protocol):
    """A file that cases come from. ``strict`` is false for files that Proctor wrote itself."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    @property
    def header(self) -> Mapping[str, Any]:
        """The header as written."""
        ...

    @property
    def strict(self) -> bool:
        """Whether an unknown key is an error."""
        ...

    def rows(self) -> Iterator[Row]:
        """Yield the cases as written."""
        ...

    def locator(self) -> Locator:
        """Return a function from a path in the file to its line."""
        ...


@dataclass(frozen=True, kw_only=True)
class WrappedFile:
    """A file of cases whose rows are changed or left out; everything else is that of ``source``."""

    source: CaseFile

    @property
    def path(self) -> Path:
        """The file."""
        return self.source.path

    @property
    def header(self) -> Mapping[str, Any]:
        """The header of the file."""
        return self.source.header

    @property
    def strict(self) -> bool:
        """Whether an unknown key is an error."""
        return self.source.strict

    def locator(self) -> Locator:
        """Return the function that finds the line of a path."""
        return self.source.locator()


class Places:
    """Line numbers in files; a file is read again at most once, and only if there is a problem."""

    def __init__(self) -> None:
        self._locators: dict[Path, Locator] = {}

    def line(self, source: CaseFile, path: tuple[str | int, ...]) -> int | None:
        """Return the line of something in a file."""
        if source.path not in self._locators:
            self._locators[source.path] = source.locator()
        return self._locators[source.path](path)

    def row(self, source: CaseFile, row: Row, path: tuple[str | int, ...] = ()) -> int | None:
        """Return the line of a row, or of something in it."""
        return row.line if row.line is not None else self.line(source, (*row.path, *path))
