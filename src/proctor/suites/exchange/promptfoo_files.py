"""Resolve what a promptfoo configuration refers to: `file://` paths, globs, and files of tests and variables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from proctor.core.errors import SuiteError
from proctor.prompts.file_boundary import FileBoundary
from proctor.prompts.yaml_text import read_yaml
from proctor.suites.exchange.bundle import Notes
from proctor.suites.files import read_text
from proctor.suites.table import read_table

__all__ = ["CODE", "PREFIX", "Folder", "json_of"]

PREFIX = "file://"
CODE = (".js", ".cjs", ".mjs", ".ts", ".mts", ".py", ".rb", ".sh")
_DATA = (".json", ".yaml", ".yml", ".jsonl")
_MOST = 64_000_000


class Folder:
    """The folder of a configuration; references are relative to it."""

    def __init__(self, boundary: FileBoundary, notes: Notes) -> None:
        self.path, self._boundary, self._notes = boundary.folder, boundary, notes

    def find(self, name: str, place: str) -> list[Path]:
        """Return the files of a path or glob; code and missing files are noted.

        Raises:
            SuiteError: one of them is outside the folder.
        """
        plain = name.removeprefix(PREFIX)
        stem, colon, _ = plain.rpartition(":")
        if colon and stem.lower().endswith(CODE):
            plain = stem
        if plain.lower().endswith(CODE):
            self._notes.add(f"{name} is code, which is never run here", place)
            return []
        if "://" in plain or plain.startswith(("huggingface:", "exec:")):
            self._notes.add(f"{name} is not a file on this machine", place)
            return []
        if any(mark in plain for mark in "*?["):
            found = self._matching(plain, place)
        else:
            named = self._boundary.check(self.path / plain, place)
            found = [named] if named.is_file() else []
        if not found:
            self._notes.add(f"there is no file {plain}", place)
        return found

    def _matching(self, pattern: str, place: str) -> list[Path]:
        try:
            return sorted(self._boundary.check(each, place) for each in self.path.glob(pattern) if each.is_file())
        except (ValueError, NotImplementedError, OSError):  # an absolute or invalid pattern
            return []

    def text(self, path: Path) -> str:
        """Return a file's text.

        Raises:
            SuiteError: it cannot be read.
        """
        return read_text(path, most=_MOST, instead="divide it")

    def data(self, path: Path) -> Any:
        """Return a file's content: data for YAML and JSON, text for anything else.

        Raises:
            SuiteError: it cannot be read, or does not match its ending.
        """
        text = self.text(path)
        ending = path.suffix.lower()
        if ending == ".jsonl":
            return [json_of(line, path) for line in text.split("\n") if line.strip()]
        if ending == ".json":
            return json_of(text, path)
        return read_yaml(text, file=str(path), error=SuiteError) if ending in _DATA else text

    def value(self, value: Any, place: str) -> Any:
        """Return a variable's value, read from the file if it names one; ``None`` if the file is unavailable."""
        if not isinstance(value, str) or not value.startswith(PREFIX):
            return value
        found = self.find(value, place)
        return self.data(found[0]) if found else None

    def rows(self, path: Path) -> Iterator[Any]:
        """Yield the tests in a file: CSV rows as our cases, anything else as promptfoo's tests."""
        if path.suffix.lower() == ".csv":
            for row in read_table(path).rows():
                if row.problem is not None:
                    self._notes.add(f"{path.name}: {row.problem.message}", f"line {row.line}")
                else:
                    yield {"__case": row.data}
            return
        data = self.data(path)
        yield from data if isinstance(data, list) else [data]


def json_of(text: str, path: Path) -> Any:
    """Return the data of a JSON text; ``path`` is named in an error."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"not valid JSON: {error}", file=str(path), hint="check its quotes and brackets") from None
