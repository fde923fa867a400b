"""Split a tool's result into the fields of its records and the free text that somebody wrote into them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from proctor.core.transcript import parse_loosely
from proctor.guard.call_values import kind_of, plain_text
from proctor.guard.table_rows import row_values

__all__ = ["ResultParts", "split_result"]

_MAX_VALUES: Final = 2_000
_MAX_DEPTH: Final = 8
_MAX_PARSED_CHARS: Final = 40_000
_MAX_FIELD_CHARS: Final = 80
_MIN_SENTENCE_WORDS: Final = 4
_MIN_SHARE: Final = 5  # lines of YAML for each that is none
_KEY_LINE: Final = re.compile(
    r"(?P<indent>\s*(?:- +)*)(?P<key>['\"]?[\w][\w .()/-]{0,38}['\"]?):(?:\s+(?P<value>.*))?$"
)
_ITEM_LINE: Final = re.compile(r"(?P<indent>\s*- +)(?P<value>\S.*)$")
_BLOCK: Final = re.compile(r"[|>][0-9+-]{0,2}$")


@dataclass(frozen=True, slots=True)
class ResultParts:
    """What a result consists of.

    ``fields`` are the short values that stand alone in a field of a record, and the names of fields. ``free`` is the
    text that may hold anything: sentences in a record, or a result that is no record.
    """

    fields: tuple[str, ...] = ()
    free: str = ""


def split_result(result: Any) -> ResultParts:
    """Return the fields and the free text of a result: data, JSON, a Python literal, YAML, a table or plain text."""
    if isinstance(result, str):
        data = parse_loosely(result) if len(result) <= _MAX_PARSED_CHARS else result
        if isinstance(data, str):
            if kind_of(result) in ("number", "time"):  # nothing but a date or a number: a tool that tells the day
                return ResultParts(fields=(plain_text(result).strip(),))
            lines = _yaml_values(result) or row_values(result, kind_of) if len(result) <= _MAX_PARSED_CHARS else None
            return ResultParts(free=result) if lines is None else _parts(lines)
        result = data
    return _parts(_scalars(result))


def _parts(values: Iterator[str] | list[str]) -> ResultParts:
    fields: list[str] = []
    free: list[str] = []
    for value in values:
        kind = kind_of(value) if len(value) <= _MAX_FIELD_CHARS and not value.endswith("\n") else "text"
        if kind != "text":
            fields.append(plain_text(value).strip())
        if kind == "text" or (kind == "name" and _may_tell(value)):
            free.append(value)
    return ResultParts(fields=tuple(fields), free="\n".join(free))


def _may_tell(value: str) -> bool:
    """Return whether a short text may be a sentence that gives a value: it has several words, or a number in it."""
    return len(value.split()) >= _MIN_SENTENCE_WORDS or "@" in value or any(map(str.isdigit, value))


def _scalars(data: Any) -> Iterator[str]:
    waiting: list[tuple[Any, int]] = [(data, 0)]
    seen = 0
    while waiting and seen < _MAX_VALUES:
        seen += 1
        one, depth = waiting.pop()
        if isinstance(one, Mapping):
            yield from (str(key) for key in list(one)[:_MAX_VALUES])
            waiting += [(each, depth + 1) for each in one.values()][::-1] if depth < _MAX_DEPTH else []
        elif isinstance(one, (list, tuple)):
            waiting += [(each, depth + 1) for each in one][::-1] if depth < _MAX_DEPTH else []
        elif one is not None and not isinstance(one, bool):
            yield str(one)


def _yaml_values(text: str) -> list[str] | None:
    """Return the values of a text whose lines belong to a YAML mapping or list; None for any other text.

    A line inside a quoted or folded text belongs to that text, whatever it looks like. A few other lines are free text:
    a part of a result may have been cut out.
    """
    lines = text.splitlines()
    found: list[str] = []
    keys = place = others = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        if not line.strip():
            continue
        hit = _KEY_LINE.match(line) or _ITEM_LINE.match(line)
        if hit is None:
            others += 1
            found.append(f"{line}\n")  # with a line break it is no field
            if others * _MIN_SHARE > place:
                return None
            continue
        if "key" in hit.re.groupindex:
            keys += 1
            found.append(hit["key"].strip("'\""))
        value, place = _value(hit["value"] or "", len(hit["indent"]), lines, place)
        if value:
            found.append(value)
    return found if keys > 1 else None


def _value(begun: str, indent: int, lines: list[str], place: int) -> tuple[str, int]:
    """Return a whole value and the next line: up to its closing quote, or as far as the lines are indented."""
    begun = begun.strip()
    parts = [begun]
    if begun[:1] in ("'", '"'):
        quote = begun[0]
        while not _is_closed(parts[-1], quote, first=len(parts) == 1) and place < len(lines):
            parts.append(lines[place].strip())
            place += 1
        return " ".join(parts).strip(quote).replace("''", "'"), place
    if not begun:
        return "", place
    parts = [] if _BLOCK.match(begun) else parts
    while place < len(lines) and (not lines[place].strip() or _depth(lines[place]) > indent):
        parts.append(lines[place].strip())
        place += 1
    return "\n".join(parts).strip(), place


def _is_closed(part: str, quote: str, *, first: bool) -> bool:
    body = part[1:] if first else part
    if not body.endswith(quote):
        return False
    if quote == "'":
        return (len(body) - len(body.rstrip("'"))) % 2 == 1
    return not body.endswith('\\"')


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
