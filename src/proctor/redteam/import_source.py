"""Open another tool's report, and read its entries with their lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from proctor.core.codec import content_id
from proctor.core.errors import InputError, Problem
from proctor.core.imported_finding import AttackTool
from proctor.core.verdict import Severity
from proctor.text.json_stream import JsonStreamError, array_items

__all__ = ["ReportSource", "finding_id", "joined", "mapping_at", "severity_of", "text_at", "text_of"]

_MAX_LINE_CHARS = 64_000_000
_MAX_TEXT_CHARS = 20_000
_TEXT_KEYS = ("text", "content", "converted_value", "original_value", "output")
_SEVERITIES: Mapping[str, Severity] = {"critical": "critical", "high": "high", "medium": "medium", "low": "low"}

Entry = tuple[int, Mapping[str, Any]]


@dataclass(slots=True)
class ReportSource:
    """A report file. With ``problems``, entries that cannot be read are listed there and left out."""

    path: Path
    problems: list[Problem] | None = None
    seen: int = field(default=0, init=False)

    @property
    def name(self) -> str:
        """The file's name in messages."""
        return str(self.path)

    def fail(self, message: str, *, line: int | None = None, field: str = "", hint: str | None = None) -> None:
        """Report a bad entry.

        Raises:
            InputError: problems are not collected.
        """
        if self.problems is None:
            raise InputError(message, file=self.name, line=line, field=field or None, hint=hint)
        self.problems.append(Problem((field,) if field else (), message, hint, line))

    def lines(self) -> Iterator[Entry]:
        """Yield the objects of a file with one to a line."""
        with self._opened() as file:
            number = 0
            while text := file.readline(_MAX_LINE_CHARS):
                number += 1
                if not text.strip():
                    continue
                if len(text) >= _MAX_LINE_CHARS:
                    raise InputError(
                        f"a line has more than {_MAX_LINE_CHARS:,} characters", file=self.name, line=number
                    )
                try:
                    entry = json.loads(text)
                except RecursionError:
                    self.fail("the JSON is nested too deeply", line=number)
                    continue
                except ValueError as error:
                    reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
                    self.fail(f"invalid JSON: {reason}", line=number, hint="a run that was stopped leaves half a line")
                    continue
                yield from self._checked(number, entry)

    def items(self, keys: Sequence[str] = ()) -> Iterator[Entry]:
        """Yield the objects of an array: the document itself, or what is under the keys."""
        with self._opened() as file:
            try:
                for number, entry in array_items(file, keys):
                    yield from self._checked(number, entry)
            except JsonStreamError as error:
                # What follows cannot be read either, so there is nothing to leave out and go on.
                hint = "the file is damaged or cut short: export it again"
                raise InputError(str(error), file=self.name, line=error.line, hint=hint) from None

    def beginning(self, size: int) -> str:
        """Return the first characters of the file."""
        with self._opened() as file:
            return file.read(size)

    def ending(self, size: int) -> str:
        """Return the last bytes of the file as text."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, self.path.stat().st_size - size))
                return file.read(size).decode("utf-8", "replace")
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", file=self.name) from None

    def _checked(self, number: int, entry: object) -> Iterator[Entry]:
        if isinstance(entry, dict):
            self.seen += 1
            yield number, entry
        else:
            self.fail(f"expected an object, not {type(entry).__name__}", line=number)

    @contextmanager
    def _opened(self) -> Iterator[TextIO]:
        try:
            with self.path.open(encoding="utf-8-sig", errors="replace") as file:
                yield file
        except IsADirectoryError:
            raise InputError("this is a folder", file=self.name, hint="name the report file in it") from None
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", file=self.name) from None


def text_of(value: object) -> str:
    """Return the text of a message in any of the tools' shapes; empty if there is none."""
    if isinstance(value, str):
        return value[:_MAX_TEXT_CHARS]
    if isinstance(value, Mapping):
        known = [value[key] for key in _TEXT_KEYS if key in value]
        if known:
            return next(filter(None, map(text_of, known)), "")
    if not value or isinstance(value, bool):
        return ""
    return json.dumps(value, ensure_ascii=False, default=str)[:_MAX_TEXT_CHARS]


def joined(texts: Sequence[str]) -> str:
    """Return several turns as one text, with an empty line between them."""
    return "\n\n".join(text for text in texts if text)[:_MAX_TEXT_CHARS]


def text_at(entry: Mapping[str, Any], *keys: str) -> str:
    """Return the first text under these keys; a dot goes one level down."""
    for key in keys:
        value: Any = entry
        for step in key.split("."):
            value = value.get(step) if isinstance(value, Mapping) else None
        if isinstance(value, str) and value.strip():
            return value.strip()[:_MAX_TEXT_CHARS]
    return ""


def mapping_at(entry: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return the object under these keys, one below the other; empty if there is none."""
    value: Any = entry
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def severity_of(word: str) -> Severity | None:
    """Return the severity of that name; ``None`` for others, such as ``informational``."""
    return _SEVERITIES.get(word.strip().lower())


def finding_id(tool: AttackTool, *parts: str) -> str:
    """Return the identity of an attack: what was tried with which tool, not when."""
    return content_id([tool, *parts])
