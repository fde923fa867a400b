"""Read attacks from the reports of garak, PyRIT and promptfoo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from proctor.core.errors import InputError, Problem
from proctor.core.imported_finding import AttackTool, ImportedFinding
from proctor.redteam.import_garak import read_garak
from proctor.redteam.import_promptfoo import read_promptfoo
from proctor.redteam.import_pyrit import read_pyrit
from proctor.redteam.import_source import ReportSource

__all__ = ["TOOLS", "detect_tool", "read_findings"]

TOOLS: tuple[AttackTool, ...] = get_args(AttackTool)
_SNIFF_CHARS = 200_000
_LINES = (".jsonl", ".ndjson")  # files with one result to a line
# What only this tool writes, in the order in which the tools are tried.
_SIGNS: dict[AttackTool, tuple[str, ...]] = {
    "garak": ('"entry_type"', '"attempt_idx"', '"generations_per_prompt"'),
    "pyrit": ('"conversation_id"', '"attack_results"', '"converted_value"'),
    "promptfoo": ('"promptIdx"', '"gradingResult"', '"pluginId"', '"promptfooVersion"', '"evalId"', '"failureReason"'),
}


def read_findings(
    path: Path, *, tool: AttackTool | None = None, problems: list[Problem] | None = None
) -> Iterator[ImportedFinding]:
    """Yield each attack of a report with that tool's verdict; the file is read as a stream.

    Args:
        path: a garak report or hit log, PyRIT attack results or memory export, or promptfoo red team results.
        tool: what wrote the file; by default it is detected.
        problems: a list for the entries that cannot be read, which are then left out. Without it they are errors.

    Raises:
        InputError: the file cannot be read, has no attack, or an entry is wrong; names the file and the line.
    """
    source = ReportSource(path, problems)
    chosen = tool or detect_tool(path)
    if chosen == "garak":
        found = read_garak(source)
    elif chosen == "pyrit":
        found = read_pyrit(source)
    else:
        found = read_promptfoo(source, by_line=path.suffix.lower() in _LINES)
    count = 0
    for finding in found:
        count += 1
        yield finding
    if not count and not problems:
        hint = "check that the run finished, and that this is the file with the results"
        raise InputError(f"no attack in this {chosen} report ({source.seen:,} entries)", file=source.name, hint=hint)


def detect_tool(path: Path) -> AttackTool:
    """Return which tool wrote a report.

    Raises:
        InputError: the file cannot be read, or is of none of these tools.
    """
    source = ReportSource(path)
    text = source.beginning(_SNIFF_CHARS)
    if not text.strip():
        raise InputError("the file is empty", file=source.name)
    for tool, signs in _SIGNS.items():
        if any(sign in text for sign in signs):
            return tool
    hint = f"name the tool that wrote it: {', '.join(TOOLS)}"
    raise InputError("this is no report of garak, PyRIT or promptfoo that we know", file=source.name, hint=hint)
