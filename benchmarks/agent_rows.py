"""Reads the recorded agent conversations of $PROCTOR_DATA as cases, with the gold and policy each really had."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from proctor.core.case import Case
from proctor.core.tool_effect import tool_effect
from proctor.suites.conversations import open_conversations

__all__ = ["agent_cases", "customer", "data_folder", "family", "newer", "solved", "sound", "tau_cases", "uncalled"]


def data_folder() -> Path:
    return Path(os.environ.get("PROCTOR_DATA", "../shared/data"))  # noqa: TID251 - not the program


def agent_cases(name: str, format: str, folder: Path | None = None) -> Iterator[Case]:
    """The conversations of one file under ``agents``."""
    yield from open_conversations((folder or data_folder()) / "agents" / f"{name}.jsonl.gz", format)


def tau_cases(folder: Path | None = None) -> Iterator[Case]:
    """Every conversation of tau_bench and tau2_bench, its policy in its metadata."""
    root = folder or data_folder()
    texts = {
        row["policy"]: row["text"] for name in ("tau_bench", "tau2_bench") for row in _rows(root, f"{name}_policies")
    }
    for name in ("tau_bench", "tau2_bench"):
        for case in agent_cases(name, "tau_bench", root):
            policy = texts.get(str(case.metadata.get("policy")), "")
            yield replace(case, metadata={**case.metadata, "policy": policy, "benchmark": name})


def _rows(root: Path, name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(root / "agents" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def solved(case: Case) -> bool:
    """Whether the record says that the task was solved."""
    return bool(case.metadata.get("reward") == 1.0)


def newer(case: Case) -> bool:
    """Whether the conversation is from tau2_bench."""
    return case.metadata.get("benchmark") == "tau2_bench"


def uncalled(case: Case) -> bool:
    """Whether tools were written as text and never called."""
    if case.recorded is None:
        return False
    return any("<tool_call>" in message.content for message in case.recorded.messages)


def customer(case: Case) -> str:
    """Whose task it is: the customer of a task is in no other one's, in either benchmark."""
    gold = [call.arguments for call in case.expect.tool_calls]
    said = [m.content for m in case.recorded.messages] if case.recorded is not None else []
    for text in (json.dumps(case.metadata.get("task")), json.dumps(gold, default=str), "\n".join(said)):
        if found := re.search(r"\b[a-z]+_[a-z]+_\d{4}\b", text):
            return found.group()
    return f"{case.metadata.get('domain')}:{case.metadata.get('task_id')}"


def family(case: Case) -> str:
    """The run a conversation is from; numbered files of one experiment are one."""
    path = str(case.metadata.get("path"))
    return path if newer(case) else re.sub(r"\d+", "N", path.rsplit("/", maxsplit=1)[-1])


def sound(cases: Sequence[Case]) -> list[bool]:
    """Which conversations have a reward for which the state was compared, by the file's own record.

    A row of tau_bench keeps the hash of the state that the gold actions lead to. Where one hash stands for many
    different sets of gold changes it is that of the untouched state: the database compared was not the one the tools
    worked on, and the reward says only what was said. A row without a hash is judged by its file, and a file of a few
    rows by all files whose paths differ in numbers only.
    """
    marks = [_mark(case) for case in cases]
    made = [_changes(case) for case in cases]
    gold: dict[str, set[str]] = defaultdict(set)
    for mark, changes in zip(marks, made, strict=True):
        if mark:
            gold[mark].add(changes)
    untouched = [
        bool(mark) and len(gold[mark]) > 3 and changes != "[]" for mark, changes in zip(marks, made, strict=True)
    ]
    paths = [str(case.metadata.get("path")) for case in cases]
    names = Counter(paths)
    families = [path if names[path] >= 10 else re.sub(r"\d+(?:-\d+)?", "N", path) for path in paths]
    compared: dict[str, list[bool]] = defaultdict(list)
    for name, mark, changes, same in zip(families, marks, made, untouched, strict=True):
        if mark and changes != "[]":
            compared[name].append(same)
    wrong = {name for name, found in compared.items() if sum(found) > len(found) / 2}
    return [name not in wrong and not same for name, same in zip(families, untouched, strict=True)]


def _mark(case: Case) -> str:
    checked = case.metadata.get("reward_info")
    info = checked.get("info") if isinstance(checked, Mapping) else None
    return str(info.get("gt_data_hash") or "") if isinstance(info, Mapping) else ""


def _changes(case: Case) -> str:
    calls = [call for call in case.expect.tool_calls if tool_effect(call.name) in ("changes", "unknown")]
    return json.dumps([[call.name, dict(call.arguments)] for call in calls], sort_keys=True, default=str)
