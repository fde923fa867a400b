"""Append cases to a suite file and leave the rest of the file unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from proctor.core.case import Ask, Case, Check
from proctor.core.codec import encode
from proctor.core.errors import SuiteError
from proctor.prompts.atomic_file import save_whole
from proctor.suites.document import parse_json
from proctor.suites.jsonl import HEADER, SEAL, canonical, read_jsonl
from proctor.suites.load import open_suite
from proctor.text.yaml_dump import to_yaml

__all__ = ["append_cases", "cases_in", "written"]

ENDINGS = (".yaml", ".yml", ".jsonl")
_PRIMARY = ""


def cases_in(path: Path) -> list[Case]:
    """Return the cases of a file; empty if there is no file or it has no cases yet.

    Raises:
        SuiteError: the file is not a suite, or its format cannot be appended to.
    """
    _refuse(path)
    if not path.exists() or not path.read_bytes().strip():
        return []
    loaded = open_suite(path)
    if not any(True for part in loaded.parts for _ in part.source.rows()):
        return []
    return list(loaded.cases())


def append_cases(path: Path, cases: Sequence[Case]) -> None:
    """Append cases to a suite file, or create one; existing comments, order and layout are kept.

    Raises:
        SuiteError: the file has another format, is frozen, or cannot be extended without rewriting it.
        StoreError: the disk refused.
    """
    _refuse(path)
    if not cases:
        return
    rows = [written(case) for case in cases]
    text = ""
    if path.exists():
        text = path.read_bytes().decode("utf-8-sig", "strict")
    made = _lines(path, text, rows) if path.suffix == ".jsonl" else _yaml(path, text, rows)
    save_whole(path, made)


def written(case: Case) -> dict[str, Any]:
    """Return a case as a person would write it, with shorthands where they exist."""
    data: dict[str, Any] = dict(encode(case))
    if case.turns:
        data["turns"] = [_ask(ask) for ask in case.turns]
    if case.checks:
        data["checks"] = [_check(check) for check in case.checks]
    first = ("id", "description", "tags", "intent", "history", "input", "turns", "expect", "checks")
    return {key: data[key] for key in (*first, *(key for key in data if key not in first)) if key in data}


def _ask(ask: Ask) -> Any:
    if ask.expect is None and not ask.checks and not ask.extra:
        return ask.text
    checks = {"checks": [_check(check) for check in ask.checks]} if ask.checks else {}
    return {**encode(ask), **checks}


def _check(check: Check) -> Any:
    beside = {key: value for key, value in encode(check).items() if key not in ("scorer", "settings")}
    settings: Any = dict(check.settings)
    if not settings and not beside:
        return check.scorer
    if _PRIMARY in settings:
        if len(settings) > 1:
            return encode(check)
        settings = settings[_PRIMARY]
        if isinstance(settings, Mapping) or settings is None:
            return encode(check)
    return {check.scorer: settings or None, **beside}


def _refuse(path: Path) -> None:
    if path.suffix.lower() not in ENDINGS:
        hint = f"name a file that ends in {', '.join(ENDINGS)}"
        raise SuiteError(f"cases cannot be added to a {path.suffix or 'nameless'} file", file=str(path), hint=hint)


def _yaml(path: Path, text: str, rows: list[dict[str, Any]]) -> str:
    from proctor.prompts.yaml_edit import edit_yaml  # noqa: PLC0415 - JSON Lines need no YAML reader
    from proctor.prompts.yaml_text import read_yaml  # noqa: PLC0415

    if not text.strip():
        return to_yaml({"name": path.stem, "description": "Conversations that failed once.", "cases": rows})
    data = read_yaml(text, file=str(path), error=SuiteError)
    if isinstance(data, list):
        return text + ("" if text.endswith("\n") else "\n") + to_yaml(rows)
    if not isinstance(data, Mapping) and data is not None:
        raise SuiteError("expected a mapping with `cases`, or a list of cases", file=str(path), line=1)
    known = (data or {}).get("cases") or []
    return edit_yaml(text, {**(data or {}), "cases": [*known, *rows]}, file=str(path))


def _lines(path: Path, text: str, rows: list[dict[str, Any]]) -> str:
    if text.strip() and read_jsonl(path).seal:
        hint = "name another file, and freeze both together"
        raise SuiteError(f"the suite is frozen: its `{HEADER}.{SEAL}` would not hold", file=str(path), hint=hint)
    gap = "\n" if text and not text.endswith("\n") else ""
    added = "".join(canonical(row).decode() for row in rows)
    for line in filter(None, added.split("\n")):
        parse_json(line, path)
    return text + gap + added
