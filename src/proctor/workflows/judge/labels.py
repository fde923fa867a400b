"""Read labels by people from a JSON Lines file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.core.case import Case
from proctor.core.errors import InputError, MalformedError, NotFoundError, Problem
from proctor.suites.case_shorthand import make_case

__all__ = ["WORDS", "Labelled", "read_labels", "value_of"]

# Label words with their values, in several languages.
WORDS = {
    "pass": 1.0, "fail": 0.0, "good": 1.0, "bad": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0,
    "correct": 1.0, "incorrect": 0.0, "acceptable": 1.0, "worse": 0.0, "win": 1.0, "tie": 0.5, "loss": 0.0,
}  # fmt: skip
_OWN = frozenset({"case", "score", "scores", "label", "labels", "rater", "by", "target", "sample", "answer", "note"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One line: the answer it is about, and people's labels. ``given`` is the answer itself, if any."""

    case: str
    said: tuple[float | str, ...]
    target: str | None = None
    sample: int | None = None
    answer: str | None = None
    given: Case | None = None
    line: int = 0


def read_labels(path: Path) -> list[Labelled]:
    """Return all lines of the file.

    Raises:
        NotFoundError: there is no such file.
        MalformedError: lines are empty or invalid; all of them are listed.
        InputError: the file is empty, or not text.
    """
    problems: list[Problem] = []
    found: list[Labelled] = []
    for number, line in _lines(path):
        try:
            found.append(_labelled(line, number))
        except MalformedError as error:
            problems += [Problem(each.path, each.message, each.hint, number) for each in error.problems]
        except ValueError as error:
            problems.append(Problem((), str(error), 'write {"case": "ID", "score": 0.8}', number))
    if problems:
        raise MalformedError(problems, file=str(path))
    if not found:
        raise InputError(
            "there are no labels in it", file=str(path), hint='write {"case": "ID", "score": 0.8} on a line'
        )
    return found


def value_of(said: float | str, known: Mapping[str, float], scale: tuple[float, float] | None) -> float:
    """Return a label as a number from 0 to 1.

    Raises:
        ValueError: it is an unknown word, or a number outside the scale.
    """
    if isinstance(said, str):
        word = said.strip().lower()
        for names in (known, WORDS):
            if (value := {name.lower(): number for name, number in names.items()}.get(word)) is not None:
                return value
        raise ValueError(f"the label {said!r} has no value; give it one, e.g. --value {word}=1")
    low, high = scale or (0.0, 1.0)
    if not low <= said <= high:
        asked = "" if scale else "; say what scale people used, e.g. --scale 1 5"
        raise ValueError(f"the score {said:g} is not from {low:g} to {high:g}{asked}")
    return (said - low) / (high - low)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8-sig")
    except FileNotFoundError:
        raise NotFoundError("there is no such file", file=str(path), hint="check the path of the labels") from None
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", file=str(path), hint="save it as UTF-8 text") from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line


def _labelled(line: str, number: int) -> Labelled:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON: {error}") from None
    if not isinstance(row, dict):
        raise ValueError("expected a mapping")
    name = row.get("case", row.get("id"))
    if not isinstance(name, str) or not name:
        raise ValueError("names no case")
    answer, target, sample = row.get("answer"), row.get("target"), row.get("sample")
    if not isinstance(answer, (str, type(None))) or not isinstance(target, (str, type(None))):
        raise ValueError("expected text as answer and target")
    if sample is not None and (isinstance(sample, bool) or not isinstance(sample, int)):
        raise ValueError("expected a whole number as sample")
    return Labelled(
        case=name,
        said=_said(row),
        target=target,
        sample=sample,
        answer=answer,
        given=_given(name, row),
        line=number,
    )


def _said(row: Mapping[str, Any]) -> tuple[float | str, ...]:
    for one, many in (("score", "scores"), ("label", "labels")):
        if one in row or many in row:
            written = row[one] if one in row else row[many]
            each = written if isinstance(written, list) else [written]
            if not each or not all(isinstance(value, str) or _is_number(value) for value in each):
                raise ValueError(f"expected a number or a word as {one}")
            return tuple(value if isinstance(value, str) else float(value) for value in each)
    raise ValueError("has neither a score nor a label")


def _is_number(value: object) -> bool:
    """Return whether it can be a score; some JSON files contain NaN or numbers out of range."""
    return isinstance(value, (bool, int, float)) and abs(value) < 1e9


def _given(name: str, row: Mapping[str, Any]) -> Case | None:
    """Return the answer with its question if the line has both; it can then be scored without a run."""
    rest = {key: value for key, value in row.items() if key not in _OWN and key != "id"}
    if "recorded" not in rest:
        if row.get("answer") is None or not rest.keys() & {"input", "turns", "inputs"}:
            return None
        rest["recorded"] = row["answer"]
    return make_case({**rest, "id": name}, {})
