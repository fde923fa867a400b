"""Read YAML and JSON suite files, which are loaded whole."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from math import isfinite
from pathlib import Path
from typing import Any

from proctor.core.errors import SuiteError
from proctor.core.record import dataclass
from proctor.suites.files import read_text
from proctor.suites.source import Locator, Row
from proctor.text.text_positions import line_at, line_in_json

__all__ = ["Document", "parse_json", "read_document"]

_MOST_YAML = 32_000_000
_MOST_JSON = 256_000_000
_INSTEAD = "write the cases to a .jsonl file, one on a line: it is read as a stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A YAML or JSON file. Its data is cached if it is small, otherwise read again for each pass."""

    path: Path
    header: Mapping[str, Any]
    strict: bool = True
    _cases: list[Any] | None = field(default=None, repr=False)

    def rows(self) -> Iterator[Row]:
        """Yield the cases as written."""
        cases = self._cases if self._cases is not None else _parts(self.path)[1]
        prefix: tuple[str, ...] = ("cases",) if self._is_mapping else ()
        for index, data in enumerate(cases):
            yield Row(data=data, path=(*prefix, index))

    @property
    def _is_mapping(self) -> bool:
        return bool(self.header)

    def locator(self) -> Locator:
        """Return a function from a path in the document to its line; the file is read again for it."""
        text = _text(self.path)
        if _is_json(self.path):
            return lambda path: line_in_json(text, path)
        from proctor.prompts.yaml_text import lines_in_yaml  # noqa: PLC0415 - JSON files need no YAML reader

        return lines_in_yaml(text)


def read_document(path: Path, *, keep: bool) -> Document:
    """Read a YAML or JSON suite file.

    Raises:
        SuiteError: it cannot be read, or is neither a mapping nor a list.
    """
    header, cases = _parts(path)
    return Document(path=path, header=header, _cases=cases if keep else None)


def _is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _text(path: Path) -> str:
    return read_text(path, most=_MOST_JSON if _is_json(path) else _MOST_YAML, instead=_INSTEAD)


def _parts(path: Path) -> tuple[Mapping[str, Any], list[Any]]:
    """Return the header and the cases."""
    data = _parsed(path)
    if isinstance(data, list):
        return {}, data
    if isinstance(data, dict):
        cases = data.get("cases")
        if isinstance(cases, list):
            return {**data, "cases": []}, cases
        return data, []  # a wrong `cases` stays there: the header's decoder reports it
    if data is None:
        raise SuiteError("the file is empty", file=str(path), hint="add cases to it")
    raise SuiteError(
        "expected a mapping with `cases`, or a list of cases", file=str(path), line=1, hint="write `cases:` and a list"
    )


def _parsed(path: Path) -> Any:
    text = _text(path)
    if _is_json(path):
        return parse_json(text, path)
    from proctor.prompts.yaml_text import read_yaml  # noqa: PLC0415 - JSON files need no YAML reader

    return read_yaml(text, file=str(path), error=SuiteError)


def parse_json(text: str, path: Path, *, line: int | None = None) -> Any:
    """Parse JSON strictly: duplicate keys, NaN and numbers of thousands of digits are rejected.

    ``line`` is the line of the file if the text is one of its lines.

    Raises:
        SuiteError: with the line and the column.
    """

    def wrong(message: str, at: int | None = line) -> SuiteError:
        return SuiteError(message, file=str(path), line=at, hint="check the quotes, commas and brackets")

    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        at = line if line is not None else line_at(text, error.pos)
        raise wrong(f"not valid JSON: {error.msg} (column {error.colno})", at) from None
    except _NumberError as error:
        raise _too_long(error.literal, text, path, line) from None
    except ValueError as error:
        if found := _LONG_NUMBER.search(text):  # Python rejects numbers of more than 4,300 digits
            raise _too_long(found.group(), text, path, line) from None
        raise wrong(f"not acceptable JSON: {error}") from None
    except RecursionError:
        raise wrong("the JSON is nested too deeply") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key {twice!r} is there twice")
    return made


class _NumberError(ValueError):
    """A number that is too large; ``literal`` is its source text."""

    def __init__(self, literal: str) -> None:
        super().__init__("a number is too large")
        self.literal = literal


def _finite(literal: str) -> float:
    number = float(literal)
    if not isfinite(number):
        raise _NumberError(literal)
    return number


def _too_long(literal: str, text: str, path: Path, line: int | None) -> SuiteError:
    at = line if line is not None else line_at(text, text.find(literal))
    shown = literal if len(literal) <= 20 else f"{literal[:12]}… ({len(literal):,} characters)"
    return SuiteError(f"the number {shown} is too large", file=str(path), line=at, hint="put it in quotes, as text")


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a number that JSON has")


_LONG_NUMBER = re.compile(r"\d{4301,}")
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
