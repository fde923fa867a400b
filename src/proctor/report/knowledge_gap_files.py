"""Knowledge gaps as files for those who own the knowledge base."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TextIO

from proctor.core.codec import dumps
from proctor.core.handoff import KnowledgeGap
from proctor.report.csv_rows import text_cell, write_rows
from proctor.report.number_format import moment
from proctor.report.report_kind import ReportKind
from proctor.report.table_markdown import escaped

__all__ = ["KNOWLEDGE_GAP_REPORT"]


def _write_jsonl(gaps: Sequence[KnowledgeGap], out: TextIO) -> None:
    out.writelines(dumps(gap).decode("utf-8") + "\n" for gap in gaps)


def _csv_rows(gaps: Sequence[KnowledgeGap]) -> Iterator[Sequence[object]]:
    yield ["id", "asked", "question", "words", "intents", "first", "last", "examples", "conversations"]
    for gap in gaps:
        intents = ", ".join(f"{name} {count}" for name, count in gap.intents.items())
        times = ["" if each is None else each.isoformat() for each in (gap.first, gap.last)]
        texts = (gap.question, ", ".join(gap.terms), intents)
        lists = (" | ".join(gap.examples), ", ".join(gap.conversations))
        yield [gap.id, gap.count, *map(text_cell, texts), *times, *map(text_cell, lists)]


def _write_markdown(gaps: Sequence[KnowledgeGap], out: TextIO) -> None:
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


KNOWLEDGE_GAP_REPORT: ReportKind[Sequence[KnowledgeGap]] = ReportKind(
    name="gaps",
    show=lambda gaps, out: _write_markdown(gaps, out or sys.stdout),
    writers={
        ".jsonl": _write_jsonl,
        ".csv": lambda gaps, out: write_rows(_csv_rows(gaps), out),
        ".md": _write_markdown,
    },
)
