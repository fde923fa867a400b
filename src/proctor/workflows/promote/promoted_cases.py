"""Find the regression cases that were made of decisions and attacks, in the suites of a project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proctor.config import Config
from proctor.store.runs import RunStore
from proctor.workflows.promote.regression_suite import regression_suite

__all__ = ["ATTACKS_FILE", "PromotedCase", "decision_case_id", "promoted_cases"]

ATTACKS_FILE: Final = "suites/attacks.yaml"  # where `redteam promote` adds cases, unless told otherwise
_ENDINGS: Final = (".yaml", ".yml", ".jsonl")
_MAX_BYTES: Final = 8_000_000  # of a suite that is searched
_RECENT_RUNS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotedCase:
    """A case in a suite file; ``run`` and ``key`` are its newest result, if it was run, and ``outcome`` what came."""

    id: str
    file: str
    run: str = ""
    key: int | None = None
    outcome: str = ""


def decision_case_id(event: str) -> str:
    """Return the id of the case that a decision of the guard becomes."""
    return f"guard-{event[:12]}"


def promoted_cases(config: Config, store: RunStore, ids: Iterable[str]) -> list[PromotedCase]:
    """Return the cases with one of these ids, each with its newest result.

    The text of the files is searched: reading large suites would take seconds.
    """
    wanted = {each for each in ids if each}
    if not wanted:
        return []
    pattern = re.compile("|".join(rf"(?<![\w-]){re.escape(each)}(?![\w-])" for each in sorted(wanted, reverse=True)))
    found: dict[str, PromotedCase] = {}
    for path in _suites(config):
        for hit in pattern.finditer(_text(path)):
            name = hit.group()
            if name not in found:
                found[name] = _with_result(store, PromotedCase(id=name, file=_shown(config, path)))
    return list(found.values())


def _suites(config: Config) -> Iterator[Path]:
    seen: dict[Path, None] = {}
    folder = config.folder / "suites"
    listed = sorted(folder.iterdir()) if folder.is_dir() else []
    for path in [regression_suite(config), config.folder / ATTACKS_FILE, *listed]:
        if path.suffix in _ENDINGS and path.is_file() and path not in seen:
            seen[path] = None
            yield path


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8") if path.stat().st_size <= _MAX_BYTES else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _shown(config: Config, path: Path) -> str:
    return path.relative_to(config.folder).as_posix()


def _with_result(store: RunStore, case: PromotedCase) -> PromotedCase:
    """Add the newest result of a case among the last runs of its suite; campaigns have the same ids and are others."""
    rows = store.database.execute(
        "SELECT n, id FROM runs WHERE name NOT LIKE 'redteam-%' ORDER BY n DESC LIMIT ?", (_RECENT_RUNS,)
    ).fetchall()
    for row in rows:
        hit = store.database.execute(
            "SELECT key, outcome FROM results WHERE run = ? AND case_id = ? LIMIT 1", (row["n"], case.id)
        ).fetchone()
        if hit is not None:
            return PromotedCase(id=case.id, file=case.file, run=row["id"], key=hit["key"], outcome=hit["outcome"])
    return case
