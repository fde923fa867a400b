"""A judged figure with its error band beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from proctor.config import Config, Environment, Settings
from proctor.core.judge_card import Abstentions, Band, Estimate, JudgeCard
from proctor.core.report import Cell, Fingerprint, Report, Tally
from proctor.report.judge_card_sheet import JUDGE_CARD_REPORT
from proctor.workflows.judge.error_bands import with_bands

CARD = JudgeCard(
    scorer="relevance",
    revision="1",
    cases=100,
    scores=Band(cases=100, bias=Estimate(value=0.1, low=0.05, high=0.15), spread=0.2, mean_error=0.1),
    abstentions=Abstentions(asked=100, missing=0, share=Estimate(value=0.0)),
)
REPORT = Report(
    id="r",
    by_dimension=(
        Cell(dimension="relevance", target="t", cases=100, mean=0.8),
        Cell(dimension="relevance", intent="faq", target="t", cases=10, mean=0.7),
        Cell(dimension="fluency", target="t", cases=100, mean=0.9),
    ),
    notes=("first",),
)


def _config(folder: Path) -> Config:
    return Config(settings=Settings(), folder=folder, environment=Environment(values={}))


def test_people_would_say(tmp_path: Path) -> None:
    JUDGE_CARD_REPORT.save(CARD, tmp_path / "judge_cards" / "relevance.json")
    notes = with_bands(_config(tmp_path), REPORT).notes
    assert notes == (
        "first",
        "relevance 0.80: people would say 0.70 (0.64 … 0.76), by its judge card over 100 labels",
    )


def test_a_scorer_that_is_no_dimension(tmp_path: Path) -> None:
    JUDGE_CARD_REPORT.save(replace(CARD, scorer="judge"), tmp_path / "judge_cards" / "judge.json")
    report = replace(REPORT, by_scorer=(Tally(name="judge", mean=0.6, histogram=(50, 50)),))
    assert with_bands(_config(tmp_path), report).notes[1].startswith("judge 0.60: people would say 0.50")


def test_a_card_of_another_version_is_not_used(tmp_path: Path) -> None:
    JUDGE_CARD_REPORT.save(CARD, tmp_path / "judge_cards" / "relevance.json")
    report = replace(REPORT, fingerprint=Fingerprint(scorers={"relevance": "2"}))
    assert "is of version 1, and this run's is 2" in with_bands(_config(tmp_path), report).notes[1]


def test_no_cards_and_broken_cards(tmp_path: Path) -> None:
    assert with_bands(_config(tmp_path), REPORT).notes == ("first",)
    (tmp_path / "judge_cards").mkdir()
    for text in ("{", "[]", '{"scorer": 3}'):
        (tmp_path / "judge_cards" / "x.json").write_text(text, encoding="utf-8")
        assert "no error band could be told" in with_bands(_config(tmp_path), REPORT).notes[1]
