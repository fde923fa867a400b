"""Read JSON Lines suite files as a stream: one case per line; the first line may be a header."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from proctor.core.errors import Problem, SuiteError
from proctor.core.record import dataclass
from proctor.suites.document import parse_json
from proctor.suites.files import decode_text, lines_of
from proctor.suites.source import Locator, Row

__all__ = ["COUNT", "HEADER", "SEAL", "VERSION", "JsonLines", "canonical", "read_jsonl", "sealing"]

HEADER = "suite"
SEAL = "hash"  # in a frozen file's header: the hash of its content, except the version
VERSION = "version"
COUNT = "count"


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLines:
    """A JSON Lines file. A frozen one is checked against the hash in its header while it is read."""

    path: Path
    header: Mapping[str, Any]
    has_header: bool = False
    seal: str | None = None

    @property
    def strict(self) -> bool:
        """Whether unknown keys are errors. A frozen file was written by Proctor, so they are not typing errors."""
        return self.seal is None

    def rows(self) -> Iterator[Row]:
        """Yield the cases as written."""
        digest = sealing(self.header)
        for number, line, offset in lines_of(self.path):
            if number == 1 and self.has_header:
                continue
            if self.seal:
                digest.update(line)
            if line.strip():
                yield _row(line, number, offset, self.path)
        if self.seal and digest.hexdigest() != self.seal.removeprefix("sha256:"):
            yield Row(
                line=1,
                problem=Problem(
                    (HEADER, SEAL),
                    "the frozen suite was changed: its content does not match its hash",
                    "put the file back, or freeze the changed cases as a new version",
                    1,
                ),
            )

    def locator(self) -> Locator:
        """Return a locator; only the header has no row of its own."""
        return lambda path: 1


def canonical(data: Mapping[str, Any]) -> bytes:
    """Return one line that is equal for equal content and readable in a diff."""
    try:
        return json.dumps(data, sort_keys=True, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate must be escaped
        return json.dumps(data, sort_keys=True).encode() + b"\n"


def sealing(header: Mapping[str, Any]) -> Any:
    """Return the hash of a frozen file, initialised with its header; the lines still have to be added."""
    own = {key: value for key, value in header.items() if key not in (VERSION, SEAL, COUNT)}
    return hashlib.sha256(canonical(own))


def _row(line: bytes, number: int, offset: int, path: Path) -> Row:
    try:
        return Row(data=parse_json(decode_text(line, path, line=number, offset=offset), path, line=number), line=number)
    except SuiteError as error:
        return Row(line=number, problem=Problem((), error.message, error.hint, number))


def read_jsonl(path: Path) -> JsonLines:
    """Open a JSON Lines suite file; only its first line is read.

    Raises:
        SuiteError: it cannot be read.
    """
    with closing(lines_of(path)) as lines:
        number, line, offset = next(lines)
    first = _row(line, number, offset, path).data if line.strip() else None
    if not isinstance(first, dict) or set(first) != {HEADER} or not isinstance(first[HEADER], dict):
        return JsonLines(path=path, header={})
    header = dict(first[HEADER])
    if "cases" in header:
        hint = "write each case on a line of its own"
        raise SuiteError("the first line holds no cases", file=str(path), line=1, field=f"{HEADER}.cases", hint=hint)
    seal = header.pop(SEAL, None)
    header.pop(COUNT, None)
    return JsonLines(path=path, header=header, has_header=True, seal=seal if isinstance(seal, str) else None)
