from __future__ import annotations

import pytest

from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.scorers.answer.regex import Regex
from tests.scorers.staging import BROKEN, case, said
from tests.tables import table


@table(
    ("scorer", "answer", "value"),
    [
        (Regex(value=r"\d{4}-\d{2}-\d{2}"), "due 2026-01-31.", 1.0),
        (Regex(value=r"\d{4}-\d{2}-\d{2}"), "due soon", 0.0),
        (Regex(value=r"\d+", mode="fullmatch"), "12", 1.0),
        (Regex(value=r"\d+", mode="fullmatch"), "12!", 0.0),
        (Regex(value="sorry", mode="none"), "here you are", 1.0),
        (Regex(value="sorry", mode="none", ignore_case=True), "Sorry!", 0.0),
        (Regex(value="(?m)^- "), "list:\n- one", 1.0),
        (Regex(value="全[0-9]+巻"), "全12巻です", 1.0),
    ],
)
async def test_modes(scorer: Regex, answer: str, value: float) -> None:
    assert (await scorer.score(case(), said(answer))).value == value


async def test_the_match_is_the_evidence() -> None:
    score = await Regex(value=r"B-\d+", where="any").score(case(), said("none", "order B-1042 found"))
    assert score.value == 1.0
    assert [(each.quote, each.turn) for each in score.evidence] == [("B-1042", 1)]
    assert len(score.parts) == 2


async def test_a_pattern_that_would_run_for_ever_is_ended() -> None:
    score = await Regex(value="(a+)+$").score(case(), said("a" * 50_000 + "!"))
    assert (score.status, score.value) == ("ok", 0.0)
    score = await Regex(value=r"(a+)+\1$").score(case(), said("a" * 50_000 + "!"))
    assert score.status == "error"
    assert "took more than 2 s" in score.reason


async def test_a_text_beyond_the_limit_is_not_tried() -> None:
    score = await Regex(value="x").score(case(), said("a" * 2_000_001))
    assert score.status == "error"
    assert "2,000,001 characters" in score.reason


def test_a_bad_pattern_is_a_wrong_setting() -> None:
    with pytest.raises(ValueError, match="not a regular expression: missing"):
        Regex(value="(")
    with pytest.raises(MalformedError, match="not a regular expression"):
        decode(Regex, {"value": "["}, strict=True)


async def test_no_answer_is_not_judged() -> None:
    assert (await Regex(value="x", mode="none").score(case(), BROKEN)).status == "error"
