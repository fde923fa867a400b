from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from proctor.core.report import Counts, Tally
from proctor.report import markdown

from .conftest import Run
from .sample import report_of, sample_results

_OUR_TAGS = {"<details>", "</details>", "<summary>", "</summary>", "<sub>", "</sub>", "<!-- proctor-report -->"}


def tokens(text: str) -> Iterator[Token]:
    """Every token a CommonMark reader with GitHub's tables sees, however deep."""
    for token in MarkdownIt("commonmark").enable(["table"]).parse(text):
        yield token
        yield from token.children or ()


def words(text: str) -> str:
    return "\n".join(token.content for token in tokens(text) if token.type == "text")


def test_the_decision_comes_first(sample: Run) -> None:
    text = sample.written(markdown.write)
    assert text.startswith("## ❌ FAILED: support-agent\n")
    assert "pass rate 82.8 % is under the 90 %" in text.split("\n")[2]


def test_figures_are_in_tables(sample: Run) -> None:
    text = sample.written(markdown.write)
    assert "| agent-v1 | 22 | 7 | 1 | 75.9 % | 58–88 % |" in text
    assert sum(token.type == "table_open" for token in tokens(text)) == 5


def test_failures_are_folded_with_reason_and_quote(sample: Run) -> None:
    text = sample.written(markdown.write)
    assert "<summary>Failures (10)</summary>" in text
    assert "<summary>Unscored (2)</summary>" in text
    assert "- **refund-after-30-days** · agent-v1" in text
    assert "> Of course" in text


def test_price_not_known_is_said(sample: Run) -> None:
    assert "<summary>Spend: $0.0474 and more</summary>" in sample.written(markdown.write)
    assert "price not known" in sample.written(markdown.write)


def test_hostile_text_makes_nothing_but_text(hostile: Run) -> None:
    text = hostile.written(markdown.write)
    kinds = {token.type for token in tokens(text)}
    assert not kinds & {"link_open", "image", "code_inline", "fence", "code_block", "em_open", "s_open"}
    tags = re.findall(r"<!--.*?-->|</?[a-z][^>]*>", "".join(t.content for t in tokens(text) if "html" in t.type))
    assert set(tags) <= _OUR_TAGS


def test_nobody_is_mentioned_and_nothing_linked(hostile: Run) -> None:
    shown = words(hostile.written(markdown.write))
    assert "octocat" in shown
    assert not re.search(r"@\w|#\d|GH-\d|://|www\.", shown)


def test_tables_keep_their_columns(hostile: Run) -> None:
    names = ("a | b", "`x` || y", "\\|", "</td>", "new\nline")
    tallies = tuple(Tally(name=name, counts=Counts(passed=1)) for name in names)
    text = Run(report=replace(hostile.report, by_target=tallies), results=lambda: []).written(markdown.write)
    rows = [line for line in text.splitlines() if line.startswith("|") and "100 %" in line]
    assert len(rows) >= len(tallies)
    open_cells = 0
    for token in tokens(text):
        if token.type == "tr_open":
            open_cells = 0
        open_cells += token.type in ("td_open", "th_open")
        assert open_cells <= 8


@given(st.text(max_size=80))
def test_any_name_is_one_plain_heading(name: str) -> None:
    text = Run(report=report_of([], name=name), results=lambda: []).written(markdown.write)
    kinds = [token.type for token in tokens(text)]
    assert kinds.count("heading_open") == 1
    assert not {"link_open", "image", "code_inline", "code_block", "fence"} & set(kinds)
    html = [token.content for token in tokens(text) if token.type in ("html_inline", "html_block")]
    assert {part for piece in html for part in piece.split("\n") if part} <= _OUR_TAGS


@pytest.mark.parametrize("count", [60, 3_000])
def test_a_comment_stays_under_sixty_kilobytes(count: int) -> None:
    failing = next(iter(sample_results()))
    worst = replace(failing, reason="長" * 50_000, case=replace(failing.case, id="ケース" * 300))
    score = replace(worst.scores[0], reason="長い理由。" * 20_000)
    worst = replace(worst, scores=(score,) * 6)
    tags = tuple(Tally(name="タグ" * 100 + str(place), counts=Counts(passed=1)) for place in range(count))
    report = report_of([worst], counts=Counts(failed=count), by_tag=tags, by_intent=tags, notes=("注" * 5_000,) * 50)
    text = Run(report=report, results=lambda: [worst] * count).written(markdown.write)
    assert len(text.encode()) <= 60_000
    assert text.startswith("## ")
    assert "more did not pass" in text
    assert text.count("<details>") == text.count("</details>") > 0


def test_an_empty_run(empty: Run) -> None:
    text = empty.written(markdown.write)
    assert text.startswith("## ⚠️ NOT JUDGED")
    assert "Failures" not in text


def test_the_number_in_doubt_stands_beside_passed(doubtful: Run, sample: Run) -> None:
    text = doubtful.written(markdown.write)
    assert "48 passed (2 of them in doubt) · 10 failed" in text
    assert "| Target | Pass | In doubt | Fail |" in text
    assert "| agent-v1 | 22 | 1 | 7 |" in text
    assert "| Scorer | Mean | n | Pass | In doubt | Fail |" in text
    assert "doubt" not in sample.written(markdown.write)
