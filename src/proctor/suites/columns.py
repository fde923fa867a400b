"""The meaning of the columns of a CSV suite: our own and promptfoo's."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from proctor.core.decode import closest
from proctor.suites.promptfoo import ForeignCheckError, check_of

__all__ = ["CellError", "DraftCase", "Setter", "setter_of"]

_PLAIN = ("id", "input", "intent", "description")
_LISTS = ("expect.facts", "expect.products", "expect.forbidden", "expect.rules", "expect.intents", "expect.sources")
_EXPECT = ("expect.reference", "expect.escalation", "expect.tool_calls", *_LISTS)
_FOREIGN = ("__expected", "__prefix", "__suffix", "__description", "__metric", "__threshold", "__providerOutput")
_NUMBERED = re.compile(r"__expected\d*")
_SETTING = re.compile(r"__config:(__expected\d*):threshold")
_METADATA = re.compile(r"__metadata:([^\[\]]+)(\[\])?")


class CellError(Exception):
    """A cell or column that cannot be used, with the column, the problem and a hint."""

    def __init__(self, column: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.column, self.message, self.hint = column, message, hint


class DraftCase:
    """A row being converted to a case; promptfoo's columns depend on each other and are combined at the end."""

    __slots__ = ("case", "checks", "metric", "prefix", "suffix", "threshold", "thresholds")

    def __init__(self) -> None:
        self.case: dict[str, Any] = {}
        self.checks: dict[str, dict[str, Any]] = {}
        self.thresholds: dict[str, float] = {}
        self.metric = self.prefix = self.suffix = ""
        self.threshold: float | None = None

    def put(self, name: str, key: str, value: Any) -> None:
        """Set one key of a mapping of the case."""
        self.case.setdefault(name, {})[key] = value

    def finish(self) -> dict[str, Any]:
        """Return the case as in a YAML file.

        Raises:
            CellError: related columns do not fit together.
        """
        if self.prefix or self.suffix:
            if "input" not in self.case:
                column = "__prefix" if self.prefix else "__suffix"
                raise CellError(column, "there is no `input` it could be added to", "add an `input` column")
            self.case["input"] = f"{self.prefix}{self.case['input']}{self.suffix}"
        self._place_thresholds()
        if self.metric:
            for check in self.checks.values():
                check["name"] = self.metric
        if self.checks:
            self.case["checks"] = list(self.checks.values())
        return self.case

    def _place_thresholds(self) -> None:
        same = {"__expected": "__expected1", "__expected1": "__expected"}
        for column, value in self.thresholds.items():
            check = self.checks.get(column) or self.checks.get(same.get(column, ""))
            if check is None:
                raise CellError(f"__config:{column}:threshold", f"this row has no {column}", "remove the value")
            check["threshold"] = value
        if self.threshold is None:
            return
        if len(self.checks) != 1:
            hint = "set one for each: `__config:__expected1:threshold`, `__config:__expected2:threshold`"
            raise CellError("__threshold", "one threshold over several expectations is not supported", hint)
        next(iter(self.checks.values())).setdefault("threshold", self.threshold)


Setter = Callable[[DraftCase, str], None]


def setter_of(column: str) -> Setter:
    """Return the function that handles the cells of a column.

    Raises:
        CellError: the column looks like a known one but is not.
    """
    if column in _PLAIN:
        return _plain(column)
    if column == "reference":
        return _expect("expect.reference")
    if column == "tags":
        return _tags
    if column.startswith("__"):
        return _foreign(column)
    if column.startswith("_") and closest(f"_{column}", _FOREIGN):
        raise CellError(column, "unknown column", f"did you mean `_{column}`, with two underscores?")
    room, dot, key = column.partition(".")
    if dot and key and room == "expect":
        return _expect(column)
    if dot and key and room in ("inputs", "metadata", "page"):
        return _keyed(room, key)
    return _variable(column)


def _plain(name: str) -> Setter:
    def run(draft: DraftCase, cell: str) -> None:
        if cell.strip():
            draft.case[name] = cell if name == "input" else cell.strip()

    return run


def _tags(draft: DraftCase, cell: str) -> None:
    if tags := _split(cell):
        draft.case["tags"] = tags


def _split(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(";") if part.strip()]


def _variable(name: str) -> Setter:
    # An empty cell is an empty text: a template that uses the variable must find it.
    return lambda draft, cell: draft.put("inputs", name, cell)


def _keyed(room: str, key: str) -> Setter:
    def run(draft: DraftCase, cell: str) -> None:
        if cell or room == "inputs":
            draft.put(room, key, cell)

    return run


def _expect(column: str) -> Setter:
    if column not in _EXPECT:
        guess = closest(column, _EXPECT)
        hint = f"did you mean `{guess}`?" if guess else f"known: {', '.join(_EXPECT)}"
        raise CellError(column, "unknown column", hint)
    key = column.removeprefix("expect.")

    def run(draft: DraftCase, cell: str) -> None:
        if cell.strip():
            draft.put("expect", key, _expected(column, cell))

    return run


def _expected(column: str, cell: str) -> Any:
    text = cell.strip()
    if column == "expect.escalation":
        if text.lower() not in ("true", "false", "yes", "no", "1", "0"):
            raise CellError(column, f"expected true or false, found {text!r}")
        return text.lower() in ("true", "yes", "1")
    if text.startswith("[") and column != "expect.reference":
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise CellError(
                column, f"not valid JSON: {error}", "write a JSON list, or texts with `;` between"
            ) from None
    if column == "expect.tool_calls":
        return [{"name": name} for name in _split(text)]
    return _split(text) if column in _LISTS else cell


def _foreign(column: str) -> Setter:
    if _NUMBERED.fullmatch(column):
        return _check(column)
    if setting := _SETTING.fullmatch(column):
        return _check_threshold(column, setting.group(1))
    if metadata := _METADATA.fullmatch(column):
        return _metadata(metadata.group(1), several=bool(metadata.group(2)))
    simple: dict[str, Setter] = {
        "__prefix": lambda draft, cell: setattr(draft, "prefix", cell),
        "__suffix": lambda draft, cell: setattr(draft, "suffix", cell),
        "__metric": lambda draft, cell: setattr(draft, "metric", cell.strip()),
        "__description": _plain("description"),
        "__providerOutput": _recorded,
        "__threshold": _threshold,
    }
    if column in simple:
        return simple[column]
    guess = closest(column, _FOREIGN)
    known = f"known: {', '.join(_FOREIGN)}, __metadata:key, __config:__expected1:threshold"
    raise CellError(column, "unknown column", f"did you mean `{guess}`?" if guess else known)


def _check(column: str) -> Setter:
    def run(draft: DraftCase, cell: str) -> None:
        if not cell.strip():
            return
        try:
            draft.checks[column] = check_of(cell)
        except ForeignCheckError as error:
            raise CellError(column, error.message, error.hint) from None

    return run


def _number(column: str, cell: str) -> float | None:
    if not cell.strip():
        return None
    try:
        value = float(cell)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise CellError(column, f"expected a number from 0 to 1, found {cell.strip()!r}")
    return value


def _check_threshold(column: str, expected: str) -> Setter:
    def run(draft: DraftCase, cell: str) -> None:
        if (value := _number(column, cell)) is not None:
            draft.thresholds[expected] = value

    return run


def _threshold(draft: DraftCase, cell: str) -> None:
    draft.threshold = _number("__threshold", cell)


def _metadata(key: str, *, several: bool) -> Setter:
    def run(draft: DraftCase, cell: str) -> None:
        if cell.strip():
            parts = [part.strip() for part in cell.split(",") if part.strip()]
            draft.put("metadata", key, parts if several else cell)

    return run


def _recorded(draft: DraftCase, cell: str) -> None:
    if cell:
        draft.case["recorded"] = cell
