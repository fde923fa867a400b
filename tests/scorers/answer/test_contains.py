from __future__ import annotations

import pytest

from proctor.core.case import Expectation
from proctor.scorers.answer.contains import Contains
from tests.scorers.staging import case, said, turns
from tests.tables import table


@table(
    ("scorer", "answer", "value"),
    [
        (Contains(value="tea"), "green tea", 1.0),
        (Contains(value="tea"), "Green Tea", 0.0),
        (Contains(value="tea", ignore_case=True), "Green TEA", 1.0),
        (Contains(value="tea", whole_words=True), "team", 0.0),
        (Contains(value=("tea", "milk", "cake", "jam")), "tea and milk", 0.5),
        (Contains(value=("tea", "milk"), mode="any"), "milk", 1.0),
        (Contains(value=("tea", "milk"), mode="any"), "cake", 0.0),
        (Contains(value=("tea", "milk"), mode="none"), "cake", 1.0),
        (Contains(value=("tea", "milk"), mode="none"), "milk", 0.0),
        (Contains(value="送料無料"), "送料無料です", 1.0),
        (Contains(value="ABC"), "ＡＢＣ", 1.0),
    ],
)
async def test_modes(scorer: Contains, answer: str, value: float) -> None:
    assert (await scorer.score(case(), said(answer))).value == value


async def test_the_evidence_says_what_is_there_and_what_is_missing() -> None:
    score = await Contains(value=("tea", "milk")).score(case(), said("I like green tea best."))
    assert score.reason == "missing: 'milk'"
    assert [(each.quote, each.note, each.turn) for each in score.evidence] == [
        ("I like green tea best.", "has: tea", 0),
        ("", "missing: milk", 0),
    ]


async def test_expected_facts_and_products_are_the_default() -> None:
    asked = case(facts=("15 days",), products=("Blue Jacket",))
    assert (await Contains().score(asked, said("The Blue Jacket: 15 days."))).value == 1.0
    assert (await Contains().score(asked, said("15 days."))).value == 0.5
    assert (await Contains().score(case(), said("15 days."))).status == "skipped"
    by_turn = turns(Expectation(facts=("one",)), Expectation(facts=("two",)))
    assert (await Contains().score(by_turn, said("one", "two"))).value == 1.0
    assert (await Contains().score(by_turn, said("two", "one"))).value == 0.0


@pytest.mark.parametrize("value", [(), "", ("a", " ")])
def test_an_empty_text_is_refused(value: str | tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="empty"):
        Contains(value=value)


async def test_a_long_list_is_told_in_short() -> None:
    score = await Contains(value=tuple(f"word{n}" for n in range(40))).score(case(), said("x"))
    assert "and 35 more" in score.reason
    assert len(score.evidence) == 20
