"""Read people's ratings from CSV or JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor.core.audit import AuditRating, AuditSettings
from proctor.core.decode import closest
from proctor.core.errors import InputError, MalformedError, NotFoundError, Problem

__all__ = ["read_ratings"]

_OTHERS = {"item", "rater", "note", "time", "intent", "conversation"}
_EMPTY = {"", "?", "-", "–", "n/a", "na", "none", "null"}


def read_ratings(
    path: Path,
    settings: AuditSettings,
    *,
    rater: str | None = None,
    refusal: Callable[[AuditRating], InputError | None] = lambda rating: None,
) -> list[AuditRating]:
    """Return the ratings of a file; lines without any rating are left out, as a sheet that is half done has them.

    ``rater`` is the person of lines that name none. ``refusal`` says why the store would not take a rating, so that
    such a line is named together with all others that are wrong.

    Raises:
        NotFoundError: there is no such file.
        MalformedError: lines are wrong; all of them are listed.
        InputError: the file is not text, or has no ratings.
    """
    problems: list[Problem] = []
    found: dict[tuple[str, str], AuditRating] = {}
    for number, data in _rows(path, problems):
        before = len(problems)
        rating = _rating(data, number, settings, rater, problems)
        if rating is None:
            continue
        if rating.item and (refused := refusal(rating)):
            problems.append(Problem(("item",), refused.message, refused.hint, number))
        if len(problems) > before:
            continue
        if (rating.item, rating.rater) in found:
            problems.append(Problem(("item",), f"{rating.item} is rated twice by {rating.rater}", "keep one", number))
        found[rating.item, rating.rater] = rating
    if problems:
        raise MalformedError(problems, file=str(path))
    if not found:
        hint = f"fill in {', '.join(settings.dimensions)} with 1 to {settings.scale}"
        raise InputError("there are no ratings in it", file=str(path), hint=hint)
    return list(found.values())


def _rating(
    data: Mapping[str, Any], number: int, settings: AuditSettings, rater: str | None, problems: list[Problem]
) -> AuditRating | None:
    """Return the rating of a line, with what of it can be read; None if nothing is rated."""
    for name in data:
        if name not in _OTHERS and name not in settings.dimensions:
            guess = closest(str(name), [*settings.dimensions, *_OTHERS])
            problems.append(
                Problem((str(name),), "is no field of a rating", guess and f"did you mean {guess}?", number)
            )
    values = {
        name: _value(data[name], name, number, settings, problems) for name in settings.dimensions if name in data
    }
    if not any(str(data.get(name) or "").strip() for name in settings.dimensions):
        return None
    item = str(data.get("item") or "").strip()
    person = str(data.get("rater") or rater or "").strip()
    if not item:
        problems.append(Problem(("item",), "is missing", "keep the column `item` of the sheet", number))
    if not person:
        problems.append(Problem(("rater",), "is missing", "name the person with --rater", number))
    time = _time(data.get("time"), number, problems)
    return AuditRating(item=item, rater=person, values=values, note=str(data.get("note") or ""), time=time)


def _value(given: Any, name: str, number: int, settings: AuditSettings, problems: list[Problem]) -> int | None:
    if _is_empty(given):
        return None
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = float("nan")
    if isinstance(given, bool) or value not in settings.levels:
        shown = str(given)[:40]
        hint = "leave it empty or write ? if it could not be rated"
        problems.append(Problem((name,), f"must be from 1 to {settings.scale}, not {shown!r}", hint, number))
        return None
    return int(value)


def _is_empty(given: Any) -> bool:
    return given is None or str(given).strip().lower() in _EMPTY


def _time(given: Any, number: int, problems: list[Problem]) -> datetime | None:
    if not given:
        return None
    try:
        time = datetime.fromisoformat(str(given))
    except ValueError:
        problems.append(Problem(("time",), "is no time", "write it like 2026-11-15T09:30:00Z, or leave it out", number))
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _rows(path: Path, problems: list[Problem]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    text = _text(path)
    if path.suffix.lower() == ".csv":
        reader = csv.DictReader(io.StringIO(text, newline=""), restkey="more fields than the first line names")
        if "item" not in (reader.fieldnames or ()):
            raise InputError(
                "its first line does not name a column `item`",
                file=str(path),
                line=1,
                hint="see `proctor audit export`",
            )
        for row in reader:
            yield reader.line_num, row
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
        except ValueError as error:
            problems.append(Problem((), f"is not JSON: {error}", _EXAMPLE, number))
            continue
        if isinstance(data, dict):
            yield number, data
        else:
            problems.append(Problem((), "is no object", _EXAMPLE, number))


_EXAMPLE = 'write {"item": "ID", "rater": "ann", "correctness": 4, …} on a line'


def _text(path: Path) -> str:
    if path.suffix.lower() not in (".csv", ".jsonl"):
        raise InputError("ratings are read from .csv or .jsonl", file=str(path), hint="rename or convert the file")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise NotFoundError("there is no such file", file=str(path), hint="check the path of the ratings") from None
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", file=str(path), hint="save the file as UTF-8") from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path), hint="check the file") from None
