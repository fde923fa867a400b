from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from proctor.core.errors import InputError
from proctor.core.rule import Rule
from proctor.core.share import Share
from proctor.core.test_review import CollectionReview, FailureMode, TestNote
from proctor.report.adequacy import Adequacy, Control, DamageOutcome, Killing, MutantOutcome
from proctor.report.adequacy_sheet import MUTATION_REPORT, adequacy_sheet
from proctor.report.report_table import ReportTable, TextBlock, columns, figures
from proctor.report.sheet import Sheet, write_html, write_markdown, write_terminal
from proctor.report.test_review_sheet import REVIEW_REPORT, review_sheet
from tests.report.hostile import HOSTILE
from tests.tables import table

RULE = Rule(text="At most 3 words.", predicate="words <= 3")
OTHER = Rule(text="Be kind.")
KILLED = MutantOutcome(
    id="m-1",
    operator="drop",
    rules=(RULE.id,),
    fate="killed",
    killed_by=(Killing(test="t-1", rule=RULE.id, reason="5 words"),),
    tests=2,
)
SURVIVED = MutantOutcome(
    id="m-2",
    operator="weaken",
    rules=(RULE.id,),
    fate="survived",
    diff="-a\n+b",
    before="a",
    after="b",
    missing="add it",
)
OPEN = MutantOutcome(id="m-3", operator="drop", rules=(OTHER.id,), fate="not judged", reason="no judge")
FOUND = Adequacy(
    prompt="tag",
    model="rule:brain.py:answer",
    created=datetime(2026, 1, 1, tzinfo=UTC),
    tests=3,
    passing=("t-1", "t-2"),
    failing=("t-3",),
    rules=(RULE, OTHER),
    mutants=(KILLED, SURVIVED, OPEN),
    damages=(
        DamageOutcome(test="t-1", damage="said twice", noticed=False, reason="3 words", output="x"),
        DamageOutcome(test="t-1", damage="refusal", rule=RULE.id, noticed=True),
        DamageOutcome(test="t-2", damage="refusal", noticed=None),
    ),
    left_out=({"rule": OTHER.id, "operator": "swap", "reason": "equivalent: the same text"},),
    control=Control(tests=2, failed=("t-2",)),
    score=Share(hits=1, total=2, value=0.5, low=0.1, high=0.9),
    oracle=Share(hits=0, total=1, value=0.0, low=0.0, high=0.8),
)
REVIEW = CollectionReview(
    prompt="tag",
    tests=2,
    rules=(RULE,),
    modes=(
        FailureMode(text="too long", harm="high", rule=RULE.id),
        FailureMode(text="dull", harm="low", tests=("t-1",)),
    ),
    notes=(TestNote(test="t-1", importance=0.2), TestNote(test="t-2", importance=0.9, reasons=("the only one",))),
    parts={"rules with a test": 0.5, "rules tested from both sides": None},
    keep=("t-2",),
)


def _rows(sheet: Sheet, title: str) -> list[tuple[str, ...]]:
    return [tuple(map(str, row)) for table in sheet.tables if table.title == title for row in table.rows]


def test_the_score_counts_what_was_judged_and_says_what_was_not() -> None:
    sheet = adequacy_sheet(FOUND)
    assert sheet.headline == "2 of 3 mutants judged: 66.7 % (21–94 %); of these 1 of 2 noticed: 50.0 % (10–90 %)"
    assert sheet.state == "fail"
    assert ("model", "rule:brain.py:answer") in sheet.facts
    rules = {row[1]: row[3:] for row in _rows(sheet, "Rules")}
    assert rules["At most 3 words."] == ("1/1", "–", "0/1", "–", "1/2")
    assert rules["Be kind."] == ("1?", "–", "–", "–", "1?")
    assert _rows(sheet, "Survived")[0][-1] == "add it"
    assert _rows(sheet, "Damaged outputs") == [("said twice", "0", "1", "0"), ("refusal", "1", "0", "1")]
    assert _rows(sheet, "Left out") == [("swap", "Be kind.", "equivalent: the same text")]


def test_nothing_judged_is_no_zero() -> None:
    sheet = adequacy_sheet(Adequacy(prompt="tag", mutants=(OPEN,), rules=(OTHER,)))
    assert sheet.headline == "no mutant could be judged"
    assert sheet.state == "unscored"
    out = io.StringIO()
    MUTATION_REPORT.write(Adequacy(prompt="tag", mutants=(OPEN,), rules=(OTHER,)), out)
    assert "0 %" not in out.getvalue()


def test_a_review_shows_what_hurts_most_and_has_no_test_first_and_leaves_the_unknown_out_of_the_mean() -> None:
    sheet = review_sheet(REVIEW)
    assert REVIEW.score == 0.5
    assert sheet.headline == "score 50.0 %; 1 of 2 would be kept"
    assert _rows(sheet, "Ways to fail")[0] == ("high", "too long", "At most 3 words.", "no test")
    assert [row[:2] for row in _rows(sheet, "Tests")] == [("kept", "t-2"), ("–", "t-1")]


@pytest.mark.parametrize("ending", [".json", ".md", ".html"])
def test_files_are_written_by_their_ending(tmp_path: Path, ending: str) -> None:
    MUTATION_REPORT.save(FOUND, tmp_path / f"m{ending}")
    REVIEW_REPORT.save(REVIEW, tmp_path / f"r{ending}")
    for name in ("m", "r"):
        text = (tmp_path / f"{name}{ending}").read_text(encoding="utf-8")
        assert "At most 3 words." in text.replace("\\", "")
        if ending == ".json":
            assert json.loads(text)["rules"][0]["id"] == RULE.id
    with pytest.raises(InputError, match="no mutation can be written"):
        MUTATION_REPORT.check_name(tmp_path / "m.docx")


@table("text", HOSTILE.values(), ids=list(HOSTILE))
def test_json_can_be_written_whatever_the_notes_say(text: str, tmp_path: Path) -> None:
    MUTATION_REPORT.save(replace(FOUND, notes=(text,)), tmp_path / "m.json")
    REVIEW_REPORT.save(replace(REVIEW, remarks=(text,)), tmp_path / "r.json")
    for name in ("m", "r"):
        json.loads((tmp_path / f"{name}.json").read_text(encoding="utf-8"))


@table("text", HOSTILE.values(), ids=list(HOSTILE))
def test_nothing_in_a_sheet_is_obeyed(text: str) -> None:
    made = ReportTable(title="T", columns=columns("a", "b"), rows=[(text, text)], blocks=[TextBlock(text, text)])
    sheet = Sheet(title=text, headline=text, facts=[("f", text)], tables=[made], notes=[text])
    for writer in (write_html, write_markdown, write_terminal):
        out = io.StringIO()
        writer(sheet, out)
        shown = out.getvalue()
        shown.encode()
        assert "\x1b]8" not in shown
        if writer is write_html:
            assert "<script>" not in shown
            assert "<img" not in shown


def test_a_review_can_be_printed() -> None:
    out = io.StringIO()
    REVIEW_REPORT.write(REVIEW, out)
    assert "the only one" in out.getvalue()


def test_short_words_stay_whole_and_long_texts_keep_some_width_on_a_page() -> None:
    cells = ["booking_change", "no rule", "x" * 60, "a rule of many words, which is longer than a narrow column", "3"]
    out = io.StringIO()
    made = ReportTable(title="t", columns=(*columns("intent", "rule", "id", "text"), *figures("n")), rows=[cells])
    write_html(Sheet(title="T", headline="h", tables=[made]), out)
    page = out.getvalue()
    for shown in (
        '<td class="word">booking_change</td>',
        '<td class="whole">no rule</td>',
        '<td class="long">' + "x" * 60,
        '<td class="long">a rule of many',
        '<td class="number">3</td>',
    ):
        assert shown in page
