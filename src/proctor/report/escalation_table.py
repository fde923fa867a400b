"""Hand-offs by cause to read, and knowledge gaps as files for those who own the knowledge base."""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from proctor.core.codec import dumps
from proctor.core.operations import EscalationTable, Gap
from proctor.report.completion_table import share_text
from proctor.report.formats import check_ending, save_by_ending
from proctor.report.markdown import escaped
from proctor.report.number_format import moment
from proctor.report.sheet import Section, Sheet, write_html, write_markdown, write_terminal
from proctor.report.table_csv import cell

__all__ = [
    "check_gaps_name",
    "check_name",
    "escalation_sheet",
    "save_escalations",
    "save_gaps",
    "write",
    "write_json",
]

_COUNTS = {True: "yes", False: "no", None: "–"}
_MOST_GAPS = 20


def write(table: EscalationTable, out: TextIO | None = None) -> None:
    """Print it."""
    write_terminal(escalation_sheet(table), out)


def escalation_sheet(table: EscalationTable) -> Sheet:
    """The breakdown as a sheet."""
    sections = (_causes(table), _by_intent(table), _gaps(table), _labels(table))
    return Sheet(
        title="Escalations by cause",
        headline=f"{share_text(table.handoffs)} of conversations handed over; "
        f"{share_text(table.against)} of those with a known cause count against the agent",
        facts=[("conversations", f"{table.conversations:,}"), ("handed over", f"{table.handoffs.hits:,}")],
        sections=[section for section in sections if section.rows],
        notes=table.notes,
    )


def _causes(table: EscalationTable) -> Section:
    rows = [
        (row.category, f"{row.count:,}", share_text(row.share), _COUNTS[row.against], ", ".join(row.examples[:3]))
        for row in table.rows
        if table.handoffs.hits
    ]
    return Section(
        title="Causes",
        columns=("cause", "hand-offs", "share", "counts", "such as"),
        rows=rows,
        figures=frozenset({"hand-offs", "share"}),
        hint="only knowledge gaps and confidence failures count against the agent",
    )


def _by_intent(table: EscalationTable) -> Section:
    names = [row.category for row in table.rows if row.count]
    rows = [
        (intent, *(f"{counts.get(name, 0):,}" for name in names))
        for intent, counts in table.by_intent.items()
        if len(table.by_intent) > 1
    ]
    return Section(title="By intent", columns=("intent", *names), rows=rows, figures=frozenset(names))


def _gaps(table: EscalationTable) -> Section:
    rows = [(f"{gap.count:,}", gap.question, ", ".join(gap.terms)) for gap in table.gaps[:_MOST_GAPS]]
    hint = f"{len(table.gaps)} in all; --gaps FILE exports them" if table.gaps else ""
    return Section(
        title="Knowledge gaps",
        columns=("asked", "such as", "words"),
        rows=rows,
        figures=frozenset({"asked"}),
        hint=hint,
    )


def _labels(table: EscalationTable) -> Section:
    found = table.agreement
    if found is None:
        return Section(title="What people say")
    kappa = "" if found.kappa is None else f", kappa {found.kappa:.2f}"
    rows = [(each.id, each.found, each.said, each.by, each.note) for each in found.disagreements]
    return Section(
        title="What people say",
        columns=("hand-off", "found", "said", "by", "note"),
        rows=rows or [("–", "all agree", "", "", "")],
        hint=f"{found.labelled} labels, {share_text(found.same)} the same{kappa}",
    )


def write_json(table: EscalationTable, out: TextIO) -> None:
    """Write it as JSON with every field there."""
    json.dump(dataclasses.asdict(table), out, ensure_ascii=False, indent=1, default=str)
    out.write("\n")


def write_csv(table: EscalationTable, out: TextIO) -> None:
    """A row for each cause."""
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["cause", "count", "share", "low", "high", "counts against the agent"])
    for row in table.rows:
        figures = ["" if each is None else f"{each:.6g}" for each in (row.share.value, row.share.low, row.share.high)]
        rows.writerow([row.category, row.count, *figures, _COUNTS[row.against].replace("–", "")])


_WRITERS: dict[str, Callable[[EscalationTable, TextIO], None]] = {
    ".json": write_json,
    ".csv": write_csv,
    ".md": lambda table, out: write_markdown(escalation_sheet(table), out),
    ".html": lambda table, out: write_html(escalation_sheet(table), out),
}


def check_name(path: Path) -> None:
    """Say before anything is read whether the table can be written under this name.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
    """
    check_ending("table", path, _WRITERS)


def save_escalations(table: EscalationTable, path: Path) -> None:
    """Write it in the format the file's name asks for; the file is whole or is not there.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
        StoreError: the disk or the folder refused.
    """
    save_by_ending("table", table, path, _WRITERS)


def _gaps_jsonl(gaps: Sequence[Gap], out: TextIO) -> None:
    out.writelines(dumps(gap).decode("utf-8") + "\n" for gap in gaps)


def _gaps_csv(gaps: Sequence[Gap], out: TextIO) -> None:
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["id", "asked", "question", "words", "intents", "first", "last", "examples", "conversations"])
    for gap in gaps:
        intents = ", ".join(f"{name} {count}" for name, count in gap.intents.items())
        times = ["" if each is None else each.isoformat() for each in (gap.first, gap.last)]
        texts = (gap.question, ", ".join(gap.terms), intents)
        lists = (" | ".join(gap.examples), ", ".join(gap.conversations))
        rows.writerow([gap.id, gap.count, *map(cell, texts), *times, *map(cell, lists)])


def _gaps_markdown(gaps: Sequence[Gap], out: TextIO) -> None:
    out.write("# Knowledge gaps\n\nWhat customers asked for and nothing was found about, the largest first; ")
    out.write(f"{len(gaps):,} in all.\n")
    for gap in gaps:
        out.write(f"\n## {escaped(gap.question, 300)}\n\nasked {gap.count:,}×")
        if gap.first is not None and gap.last is not None:
            out.write(f", from {moment(gap.first)} to {moment(gap.last)}")
        if gap.intents:
            out.write("; intents: " + ", ".join(f"{escaped(name)} ({count})" for name, count in gap.intents.items()))
        out.write(f"; words: {escaped(', '.join(gap.terms))}\n\n")
        out.writelines(f"- {escaped(text, 300)}\n" for text in gap.examples)
        out.write(f"\nConversations: {escaped(', '.join(gap.conversations), 400)}\n")


_GAP_WRITERS: dict[str, Callable[[Sequence[Gap], TextIO], None]] = {
    ".jsonl": _gaps_jsonl,
    ".csv": _gaps_csv,
    ".md": _gaps_markdown,
}


def check_gaps_name(path: Path) -> None:
    """Say before anything is read whether gaps can be written under this name.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
    """
    check_ending("gaps", path, _GAP_WRITERS)


def save_gaps(gaps: Sequence[Gap], path: Path) -> None:
    """Write the gaps in the format the file's name asks for; the file is whole or is not there.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
        StoreError: the disk or the folder refused.
    """
    save_by_ending("gaps", gaps, path, _GAP_WRITERS)
