"""The card in its three forms."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from proctor.core.decode import decode
from proctor.core.errors import InputError
from proctor.core.judge_card import (
    Abstentions,
    Agreement,
    Band,
    Estimate,
    JudgeCard,
    LengthBias,
    PositionBias,
    Repeats,
)
from proctor.report.judge_card_sheet import JUDGE_CARD_REPORT

FULL = JudgeCard(
    scorer="judge",
    judge="judge:openai:gpt|x <b>",
    revision="1+abc",
    labels="labels.jsonl",
    run="run-1",
    created=datetime(2026, 11, 15, tzinfo=UTC),
    cases=100,
    raters=2,
    agreement=Agreement(
        share=Estimate(value=0.9, low=0.8, high=0.95),
        kappa=Estimate(value=-0.1, low=-0.3, high=0.1),
        adjusted=0.8,
        human_pass=0.5,
        judge_pass=0.6,
        weighted=Estimate(value=0.7, low=0.6, high=0.8),
        levels=(0.0, 0.5, 1.0),
        alpha=Estimate(value=0.65),
    ),
    people=0.72,
    scores=Band(cases=100, bias=Estimate(value=0.1, low=0.05, high=0.15), spread=0.2, mean_error=0.12),
    repeats=Repeats(cases=100, samples=3, same=0.97, within=0.02, correlation=0.9),
    position=PositionBias(pairs=50, consistent=Estimate(value=0.8, low=0.7, high=0.9), first=9, second=1, p=0.02),
    length=LengthBias(cases=100, correlation=Estimate(value=0.2, low=0.1, high=0.3), doubling=-0.05),
    abstentions=Abstentions(asked=300, missing=2, share=Estimate(value=0.007, low=0.0, high=0.02), reasons={"x": 2}),
    notes=("only a trial \x1b[31m",),
)
EMPTY = JudgeCard(scorer="judge", abstentions=Abstentions(asked=0, missing=0, share=Estimate()))


def test_thresholds_that_differ_by_case_are_named() -> None:
    out = io.StringIO()
    JUDGE_CARD_REPORT.write(replace(FULL, threshold=0.7, thresholds=(0.7, 0.75, 0.8)), out)
    assert "pass from their own thresholds on (0.7 to 0.8)" in " ".join(out.getvalue().split())


def test_a_terminal_shows_all_of_it() -> None:
    out = io.StringIO()
    JUDGE_CARD_REPORT.write(FULL, out)
    text = out.getvalue()
    for word in ("kappa", "−0.10 (−0.30 … 0.10)", "people among themselves: 0.72", "kinder than people", "97.0 %"):
        assert word in text
    assert "prefers the first" in text
    assert "prefers longer" in text
    assert "twice as long: −0.050" in text
    assert "2 of 300" in text
    assert "\x1b" not in text


def test_markdown_obeys_nothing_that_was_said() -> None:
    out = io.StringIO()
    JUDGE_CARD_REPORT.writers[".md"](FULL, out)
    text = out.getvalue()
    assert text.startswith("## Judge card: judge")
    assert "<b>" not in text
    assert "| weighted kappa |" in text


def test_json_has_every_field_and_comes_back() -> None:
    out = io.StringIO()
    JUDGE_CARD_REPORT.write_json(FULL, out)
    data = json.loads(out.getvalue())
    assert data["agreement"]["false_pass"] == {"value": None, "low": None, "high": None}
    assert decode(JudgeCard, data, strict=True) == FULL


def test_a_card_of_nothing_can_be_read() -> None:
    for writer in (JUDGE_CARD_REPORT.write, *JUDGE_CARD_REPORT.writers.values()):
        out = io.StringIO()
        writer(EMPTY, out)
        assert out.getvalue()


def test_files_by_their_ending(tmp_path: Path) -> None:
    for name in ("card.md", "card.json"):
        JUDGE_CARD_REPORT.save(FULL, tmp_path / name)
        assert (tmp_path / name).is_file()
    with pytest.raises(InputError, match="no card"):
        JUDGE_CARD_REPORT.save(FULL, tmp_path / "card.pdf")
