from __future__ import annotations

import pytest

from proctor.core.case import Expectation
from proctor.scorers.answer.forbidden import Forbidden
from tests.scorers.staging import BROKEN, case, said, turns
from tests.tables import table


@table(
    ("scorer", "answer", "value"),
    [
        (Forbidden(value="as an AI"), "As an AI, I cannot.", 0.0),
        (Forbidden(value="ass"), "a class", 1.0),
        (Forbidden(value="ass", whole_words=False), "a class", 0.0),
        (Forbidden(value=("refund", "free")), "no cost", 1.0),
        (Forbidden(value="secret"), "ｓｅ\u200bｃｒｅｔ", 0.0),
        (Forbidden(value="Secret", ignore_case=False), "secret", 1.0),
        (Forbidden(value="無料"), "送料無料です", 0.0),
        (Forbidden(patterns=(r"\b\d{16}\b",)), "card 1234567812345678", 0.0),
        (Forbidden(patterns=("SORRY",)), "sorry", 0.0),
    ],
)
async def test_what_is_forbidden_is_found(scorer: Forbidden, answer: str, value: float) -> None:
    assert (await scorer.score(case(), said(answer))).value == value


async def test_the_cases_own_list_is_added() -> None:
    asked = case(forbidden=("30 days",))
    assert (await Forbidden().score(asked, said("within 30 days"))).value == 0.0
    assert (await Forbidden(value="never").score(asked, said("never"))).value == 0.0
    assert (await Forbidden(value="never").score(asked, said("15 days"))).value == 1.0
    assert (await Forbidden().score(case(), said("x"))).status == "skipped"


async def test_every_answer_is_looked_at_unless_only_the_last_is_wanted() -> None:
    talk = said("a secret", "fine")
    score = await Forbidden(value="secret").score(case(), talk)
    assert score.value == 0.0
    assert [(each.quote, each.turn, each.note) for each in score.evidence] == [("a secret", 0, "forbidden: secret")]
    assert (await Forbidden(value="secret", where="answer").score(case(), talk)).value == 1.0
    assert (await Forbidden(patterns=("secr.t",), where="answer").score(case(), talk)).value == 1.0


async def test_a_turns_list_is_for_that_turn() -> None:
    asked = turns(Expectation(forbidden=("price",)), None)
    assert (await Forbidden().score(asked, said("ok", "the price"))).value == 1.0
    assert (await Forbidden(where="answer").score(asked, said("the price", "ok"))).value == 0.0


async def test_a_pattern_that_cannot_be_tried_leaves_no_verdict_unless_something_was_found() -> None:
    scorer = Forbidden(value="secret", patterns=("x",))
    long = "a" * 2_000_001
    assert (await scorer.score(case(), said(long))).status == "error"
    assert (await scorer.score(case(), said("secret", long))).value == 0.0


async def test_no_answer_is_not_a_clean_answer() -> None:
    assert (await Forbidden(value="x").score(case(), BROKEN)).status == "error"


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        Forbidden(value=("",))
    with pytest.raises(ValueError, match="regular expression"):
        Forbidden(patterns=("(",))
