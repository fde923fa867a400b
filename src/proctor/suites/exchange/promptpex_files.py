"""Read PromptPex's files: its output folder, old (CSV) or new (JSON), and its saved context."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.core.errors import SuiteError
from proctor.suites.exchange.bundle import Notes

__all__ = ["CONTEXT", "PexFiles", "is_context", "read_files", "rule_lines"]

CONTEXT = "promptpex_context.json"
_MOST = 256_000_000
# Part in the context -> its file names, the newer first.
_PARTS: Mapping[str, tuple[str, ...]] = {
    "intent": ("intent.txt",),
    "inputSpec": ("input_spec.txt",),
    "rules": ("rules.txt",),
    "inverseRules": ("inverse_rules.txt",),
    "tests": ("tests.json", "tests.csv"),
    "baselineTests": ("baseline_tests.txt",),
    "testOutputs": ("test_results.json", "test_results.csv"),
    "groundtruthOutputs": ("test_groundtruth.json",),
    "ruleEvals": ("rule_evals.json", "rule_evals.csv"),
    "testEvals": ("test_evals.json", "test_evals.csv"),
}
_BULLET = re.compile(r"^(?:\d+[.)]|_|-|\*)\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PexFiles:
    """The texts of a PromptPex run by their names in the context; files take precedence over the context.

    ``context`` is the saved context, empty if there is none. ``path`` is what was given.
    """

    path: Path
    texts: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)

    def lines(self, part: str) -> tuple[str, ...]:
        """Return the rules of a part: one per line, without bullets, numbers and blank lines."""
        return rule_lines(self.texts.get(part, ""))

    def rows(self, part: str, notes: Notes) -> list[dict[str, Any]]:
        """Return the rows of a part, from JSON or CSV.

        Raises:
            SuiteError: the file is neither.
        """
        text = self.texts.get(part, "")
        if not text.strip():
            return []
        name = self.names.get(part, part)
        return _csv_rows(text, name, notes) if name.endswith(".csv") else _json_rows(text, name, self.path, notes)


def is_context(data: Any) -> bool:
    """Whether JSON data is a saved PromptPex context."""
    return isinstance(data, Mapping) and isinstance(data.get("prompt"), Mapping) and "rules" in data


def read_files(path: Path) -> PexFiles:
    """Read a PromptPex folder or saved context.

    Raises:
        SuiteError: it is not from PromptPex, or cannot be read.
    """
    folder = path if path.is_dir() else None
    context_path = path / CONTEXT if folder else path
    context = _context(context_path) if context_path.is_file() else {}
    texts: dict[str, str] = {}
    names: dict[str, str] = {}
    for part, files in _PARTS.items():
        found = next((folder / name for name in files if (folder / name).is_file()), None) if folder else None
        saved = context.get(part)
        if found is not None:
            texts[part], names[part] = _text(found), found.name
        elif isinstance(saved, Mapping) and isinstance(saved.get("content"), str):
            texts[part], names[part] = saved["content"], Path(str(saved.get("filename") or files[0])).name
    if not any(part in texts for part in ("rules", "tests", "baselineTests")) and not context.get("promptPexTests"):
        hint = f"give a folder with rules.txt and tests.json, or a {CONTEXT}"
        raise SuiteError("holds nothing that PromptPex writes", file=str(path), hint=hint)
    return PexFiles(path=path, texts=texts, names=names, context=context)


def rule_lines(text: str) -> tuple[str, ...]:
    """Return the statements of a text with one per line."""
    lines = (_BULLET.sub("", line.strip()) for line in text.splitlines())
    return tuple(line for line in lines if line and line.rstrip(":").lower() not in ("rules", "```", "```text"))


def _text(path: Path) -> str:
    try:
        with path.open("rb") as handle:
            data = handle.read(_MOST + 1)
    except OSError as error:
        raise SuiteError(f"cannot be read: {error.strerror}", file=str(path), hint="check its permissions") from None
    if len(data) > _MOST:
        raise SuiteError(f"is larger than {_MOST // 1_000_000} MB", file=str(path))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SuiteError(
            f"is not UTF-8 text: offset {error.start:,}", file=str(path), hint="save it as UTF-8"
        ) from None


def _context(path: Path) -> Mapping[str, Any]:
    try:
        data = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"is not JSON: {error}", file=str(path), hint="restore the file") from None
    if not is_context(data):
        raise SuiteError("is not a context that PromptPex saved", file=str(path), hint=f"give its {CONTEXT}")
    return dict(data)


def _json_rows(text: str, name: str, path: Path, notes: Notes) -> list[dict[str, Any]]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"{name} is not JSON: {error}", file=str(path), field=name, hint="restore the file") from None
    if not isinstance(data, list):
        raise SuiteError(f"{name} is not a list", file=str(path), field=name, hint="restore the file")
    wrong = sum(not isinstance(row, dict) for row in data)
    if wrong:
        notes.add(f"{name}: {wrong} of {len(data)} rows are no objects and were left out")
    return [row for row in data if isinstance(row, dict)]


def _csv_rows(text: str, name: str, notes: Notes) -> list[dict[str, Any]]:
    """Parse CSV from a program or a model: blanks after commas, and quotes escaped in either way."""
    tries = [_split(text)]
    if tries[0][1] and '\\"' in text:
        tries.append(_split(text.replace('\\"', '""')))
    made, odd = min(tries, key=lambda each: len(each[1]))
    for number in odd:
        notes.add(f"{name}: a row has not as many cells as the first one and was left out", f"row {number}")
    return made


def _split(text: str) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the rows as mappings by the header, and the numbers of rows that do not fit it."""
    rows = list(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True))
    head = [cell.strip() for cell in rows[0]] if rows else []
    made, odd = [], []
    for number, row in enumerate(rows[1:], 2):
        cells = row[: len(head)] if not any(cell.strip() for cell in row[len(head) :]) else row
        if len(cells) == len(head):
            made.append(dict(zip(head, cells, strict=True)))
        elif any(cell.strip() for cell in cells):
            odd.append(number)
    return made, odd
