"""Completion and escalations to read: words from outside stay words."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from pathlib import Path

import pytest

from proctor.core.errors import InputError
from proctor.core.handoff import CauseCount, Disagreement, EscalationCauses, KnowledgeGap, LabelAgreement
from proctor.core.share import Share
from proctor.core.task import IntentCompletion, Task, TaskCompletion
from proctor.report.completion_sheet import COMPLETION_REPORT
from proctor.report.escalation_sheet import ESCALATION_REPORT
from proctor.report.knowledge_gap_files import KNOWLEDGE_GAP_REPORT
from proctor.report.number_format import share_text
from tests.tables import table

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
EVIL = '=HYPERLINK("x")|<script>alert(1)</script>\n| a | [b](c)'


def _row(intent: str) -> IntentCompletion:
    half = Share(hits=1, total=2, value=0.5, low=0.1, high=0.9)
    return IntentCompletion(
        intent=intent, tasks=4, completed=1, failed=1, open=1, unknown=1, completion=half, repeats=Share(), csat=1.0
    )


def _table() -> TaskCompletion:
    task = Task(intent=EVIL, state="not completed", reason=EVIL, started=NOW, ended=NOW, question=EVIL)
    return TaskCompletion(rows=(_row(EVIL),), total=_row("all"), events=9, failures=(task,), notes=(EVIL,))


def _escalations() -> EscalationCauses:
    share = Share(hits=1, total=2, value=0.5, low=0.1, high=0.9)
    apart = Disagreement(id=EVIL, found="unknown", said=EVIL, by=EVIL, note=EVIL)
    return EscalationCauses(
        conversations=2,
        handoffs=share,
        against=share,
        rows=(CauseCount(category="knowledge_gap", count=1, share=share, against=True, examples=(EVIL,)),),
        by_intent={EVIL: {"knowledge_gap": 1}, "x": {}},
        agreement=LabelAgreement(labelled=1, same=share, kappa=0.5, disagreements=(apart,)),
        gaps=(KnowledgeGap(id="g", question=EVIL, count=3, terms=(EVIL,), examples=(EVIL,), conversations=(EVIL,)),),
        notes=(EVIL,),
    )


@table("ending", ["md", "html", "csv", "json"])
def test_words_from_outside_stay_words(tmp_path: Path, ending: str) -> None:
    first, second = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    COMPLETION_REPORT.save(_table(), first)
    ESCALATION_REPORT.save(_escalations(), second)
    for path in (first, second):
        text = path.read_text(encoding="utf-8")
        if ending != "json":
            assert "<script>" not in text or ending == "csv"
            assert not any(line.startswith("=") for line in text.splitlines())
        if ending == "md":
            assert not any(line.startswith("| a |") for line in text.splitlines())


def test_a_share_that_is_not_known_is_a_dash() -> None:
    assert share_text(Share()) == "–"
    out = io.StringIO()
    COMPLETION_REPORT.write(_table(), out)
    assert "50.0 % (10–90 %)" in out.getvalue()
    assert "\x1b" not in out.getvalue()


def test_gaps_go_to_those_who_own_the_knowledge(tmp_path: Path) -> None:
    for ending in ("csv", "md", "jsonl"):
        KNOWLEDGE_GAP_REPORT.save(_escalations().gaps, tmp_path / f"gaps.{ending}")
    with (tmp_path / "gaps.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["question"].startswith("'="), "never a formula"
    assert "<script>" not in (tmp_path / "gaps.md").read_text()
    assert (tmp_path / "gaps.jsonl").read_text().count("\n") == 1


def test_a_name_that_nothing_is_written_under_is_told() -> None:
    for kind in (COMPLETION_REPORT, ESCALATION_REPORT, KNOWLEDGE_GAP_REPORT):
        with pytest.raises(InputError, match="can be written under this name"):
            kind.check_name(Path("out.docx"))
