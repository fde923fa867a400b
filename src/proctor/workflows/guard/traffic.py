"""Read messages of real traffic: the guard's own log, JSON Lines, or one message per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.core.errors import InputError
from proctor.core.step import Point

__all__ = ["TrafficText", "read_traffic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficText:
    """A text and where it stands."""

    place: str
    text: str


def read_traffic(path: Path, point: Point, field: str | None = None) -> list[TrafficText]:
    """Return the texts of a file or of a folder of the guard's log.

    A line that is a decision of the guard counts if it is of this point and its words were kept. Of another JSON object
    the field counts (``text`` by default). If the first line is no JSON object, every line is a message.

    Raises:
        InputError: nothing can be read, or a line has another format.
    """
    files = sorted(path.glob("????-??-??.ndjson")) if path.is_dir() else [path]
    if not files:
        raise InputError(
            "this folder has no log of the guard", file=str(path), hint="it has files like 2026-11-15.ndjson"
        )
    found = [each for file in files for each in _texts(file, point, field)]
    if not found:
        hint = f"a decision counts if it is at the point {point} and the log keeps words (`log: masked`)"
        raise InputError(f"there is no text of the point {point} here", file=str(path), hint=hint)
    return found


def _texts(file: Path, point: Point, field: str | None) -> Iterator[TrafficText]:
    lines = [(number, line) for number, line in enumerate(_read(file).split("\n"), 1) if line.strip()]
    if not lines:
        return
    is_json = field is not None or lines[0][1].lstrip().startswith("{")
    for number, line in lines:
        place = f"{file.name}:{number}"
        text = _value(file, number, line, point, field) if is_json else line.strip()
        if text is not None and text.strip():
            yield TrafficText(place=place, text=text)


def _value(file: Path, number: int, line: str, point: Point, field: str | None) -> str | None:
    try:
        row: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this line is not JSON: {error}", file=str(file), line=number) from None
    if not isinstance(row, dict):
        raise InputError("this line is not a JSON object", file=str(file), line=number)
    if field is None and row.get("kind") in ("gate", "note") and "time" in row:
        said = (row.get("metadata") or {}).get("text") if row.get("name") == point else None
        return said if isinstance(said, str) else None
    value = row.get(field or "text")
    if not isinstance(value, str):
        hint = f"its fields: {', '.join(sorted(row))}; name one with --jsonl FIELD"
        raise InputError(
            f"this line has no text in the field {field or 'text'!r}", file=str(file), line=number, hint=hint
        )
    return value


def _read(file: Path) -> str:
    try:
        text = file.read_text("utf-8-sig")
    except FileNotFoundError:
        raise InputError("there is no such file", file=str(file)) from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", file=str(file)) from error
    except UnicodeDecodeError as error:
        raise InputError(f"this is not text in UTF-8 (byte {error.start})", file=str(file)) from None
    if not text.strip():
        raise InputError("the file is empty", file=str(file), hint="it needs one message per line")
    return text
