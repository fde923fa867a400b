"""Factual accuracy with the real local models: scenario B, live prices, claims against sources, judges that fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from proctor.core.case import Case, Expectation
from proctor.core.chat import Message, ToolCall
from proctor.core.errors import StoreError, TimedOutError
from proctor.core.score import Score
from proctor.core.trajectory import Source, Trajectory, Turn
from proctor.models.catalogue.rows import find_row
from proctor.scorers.answer.factual_accuracy import FactualAccuracy
from proctor.wiring.local_models import local_model
from tests.scorers.staging import BROKEN, SILENT, StagedJudge, verdict
from tests.tables import table

LOCAL: dict[str, Any] = {"entailer": local_model("entailer"), "grounder": local_model("grounder")}
SCORER = FactualAccuracy(**LOCAL)
ASKED = "Can I return Demon Slayer Volume 23 if I already read it?"
NEW = Source(id="returns-new", text="Opened manga can be returned within 15 days of delivery.", date="2026-09-01")
OLD = Source(id="returns-old", text="Opened manga can be returned within 30 days of delivery.", date="2025-03-01")
FAQ = Case(id="b", input=ASKED, intent="faq", expect=Expectation(facts=("15 days return window for opened manga",)))
BARE = Case(id="b", input=ASKED, intent="faq")
ROWS = [
    {
        "id": "HD-101",
        "title_en": "The Dusk Ward",
        "title_romaji": "Yoiyami Byoto",
        "title_ja": "宵闇病棟",
        "author": "Sayo Kurobane",
        "volumes": 9,
        "price_jpy": 770,
        "price_usd": 10.99,
        "stock": 24,
    },
    {
        "id": "HD-102",
        "title_en": "House of Damp Paper",
        "author": "Gen Mushiro",
        "volumes": 5,
        "price_jpy": 748,
        "stock": 0,
    },
]


class Shop:
    def __init__(self, rows: Sequence[Mapping[str, Any]] = ROWS) -> None:
        self.rows = rows

    async def find(self, key: str) -> Mapping[str, Any] | None:
        return find_row(self.rows, key)


class Closed:
    async def find(self, key: str) -> Mapping[str, Any] | None:
        raise StoreError("the database is away")


def said(answer: str, *sources: Source, calls: Sequence[ToolCall] = ()) -> Trajectory:
    messages = (Message(role="user", content=ASKED), Message(role="assistant", content=answer))
    return Trajectory(turns=(Turn(messages=messages, sources=sources, tool_calls=tuple(calls)),))


def parts(score: Score) -> dict[str, Score]:
    return {part.name: part for part in score.parts}


async def test_scenario_b_a_stale_source_is_caught_by_fact_and_by_date() -> None:
    good = await SCORER.score(FAQ, said("You can return opened manga within 15 days of delivery.", NEW, OLD))
    stale = await SCORER.score(FAQ, said("You can return opened manga within 30 days of delivery.", OLD, NEW))
    assert good.value == 1.0
    assert stale.value is not None
    assert stale.value <= 0.35
    facts, made_up = parts(stale)["fact_coverage"], parts(stale)["no_hallucination"]
    assert facts.value == 0.0
    assert "says '30 days' where '15 days' is expected" in facts.reason
    assert made_up.value == pytest.approx(0.4)
    assert "1 stale" in made_up.reason
    assert "returns-new" in made_up.evidence[0].note
    assert "30 days" in made_up.evidence[0].quote


async def test_scenario_b_is_caught_by_date_alone_and_in_japanese() -> None:
    stale = await SCORER.score(BARE, said("Yes! You can return opened manga within 30 days of delivery.", OLD, NEW))
    assert stale.value == pytest.approx(0.4)
    new = Source(id="n", text="開封した漫画は、お届けから15日以内であれば返品できます。", date="2026-09-01")
    old = Source(id="o", text="開封した漫画は、お届けから30日以内であれば返品できます。", date="2025-03-01")
    good = await SCORER.score(BARE, said("はい、開封した漫画は、お届けから15日以内であれば返品できます。", new))
    late = await SCORER.score(BARE, said("開封した漫画は、お届けから30日以内であれば返品できます。", old, new))
    assert good.value == pytest.approx(1.0, abs=0.01)  # the probability of support
    assert late.value == pytest.approx(0.4)


async def test_sources_of_one_age_do_not_make_each_other_stale() -> None:
    same = Source(id="other", text=OLD.text, date=NEW.date)
    score = await SCORER.score(BARE, said("You can return opened manga within 30 days of delivery.", same, NEW))
    assert score.value == 1.0


@table(
    ("answer", "low", "high"),
    [
        ("Opened manga can be returned within 15 days.", 0.95, 1.0),
        ("Books that you have already unwrapped may be sent back up to 15 days after they arrive.", 0.3, 1.0),
        ("Opened manga cannot be returned.", 0.0, 0.1),
        ("Returns cost a fee of $5. Our shop was founded in Kyoto.", 0.0, 0.35),
        ("You can return it within 45 days.", 0.0, 0.2),
    ],
)
async def test_claims_against_sources(answer: str, low: float, high: float) -> None:
    score = await SCORER.score(BARE, said(answer, NEW))
    assert score.value is not None
    assert low <= score.value <= high, score.reason


async def test_one_changed_word_is_no_support() -> None:
    source = Source(id="s", text="The Dusk Ward was drawn by Sayo Kurobane for the magazine Yoru in Osaka.")
    good = await SCORER.score(
        BARE, said("The Dusk Ward was drawn by Sayo Kurobane for the magazine Yoru in Osaka.", source)
    )
    bad = await SCORER.score(
        BARE, said("The Dusk Ward was drawn by Sayo Kurobane for the magazine Yoru in Berlin.", source)
    )
    assert good.value == 1.0
    assert bad.value is not None
    assert bad.value < 0.9


async def test_another_offer_does_not_make_one_stale() -> None:
    horror = Source(id="h", text="Horror manga are 15% off until 30 November 2026.", date="2026-10-01")
    sports = Source(id="s", text="Sports manga are 25% off until 5 December 2026.", date="2026-11-01")
    case = Case(id="x", input="x", intent="faq", expect=Expectation(facts=("25% off",)))
    score = await SCORER.score(case, said(f"{horror.text} {sports.text}", horror, sports))
    assert parts(score)["no_hallucination"].value == 1.0


async def test_results_of_tools_are_sources_too() -> None:
    call = ToolCall(
        name="find_order", arguments={}, result={"number": "H-2041", "carrier": "Yamato", "arrives": "2026-05-06"}
    )
    good = await SCORER.score(BARE, said("Your order H-2041 arrives on 6 May 2026.", calls=[call]))
    bad = await SCORER.score(BARE, said("Your order H-2041 arrives on 9 May 2026.", calls=[call]))
    assert good.value is not None
    assert bad.value is not None
    assert good.value > 0.6
    assert bad.value < 0.3


@table(
    ("answer", "value"),
    [
        (
            "The Dusk Ward costs $10.99 (¥770) per volume. It is in stock. It is by Sayo Kurobane and has 9 volumes.",
            1.0,
        ),
        ("『宵闇病棟』は1冊７７０円（10.99ドル）で、全9巻です。在庫がございます。", 1.0),
        ("1. The Dusk Ward by Sayo Kurobane - ¥770\n2. House of Damp Paper by Gen Mushiro - ¥748, out of stock", 1.0),
        ("The Dusk Ward costs $12.99 and is sold out. It is by Gen Mushiro and has 12 volumes.", 0.0),
        ("『宵闇病棟』は1冊880円で、全8巻です。ただいま在庫切れです。", 0.0),
        ("The Dusk Ward is ¥748 and House of Damp Paper is ¥748.", 0.5),
        ("For ¥770 you get HD-101.", 1.0),
    ],
)
async def test_prices_stock_and_attributes_are_held_against_the_catalogue(answer: str, value: float) -> None:
    case = Case(id="p", input="How much is it?", intent="product_question")
    part = parts(await FactualAccuracy(**LOCAL, catalogue=Shop()).score(case, said(answer)))["price_accuracy"]
    assert part.value == pytest.approx(value), part.reason
    assert part.producer == "catalogue"
    assert part.evidence


async def test_the_catalogue_is_asked_as_it_is_now() -> None:
    case = Case(id="p", input="How much is it?", intent="product_question")
    shop = Shop([dict(ROWS[0])])
    scorer = FactualAccuracy(**LOCAL, catalogue=shop)
    answer = said("The Dusk Ward costs ¥770.")
    assert parts(await scorer.score(case, answer))["price_accuracy"].value == 1.0
    shop.rows = [{**ROWS[0], "price_jpy": 800}]
    assert parts(await scorer.score(case, answer))["price_accuracy"].value == 0.0


@pytest.mark.parametrize(
    "answer",
    [
        "Shipping is free for orders over ¥3,000 of The Dusk Ward.",
        "The Dusk Ward is about a hospital.",
        "Save $5 with a coupon.",
    ],
)
async def test_what_is_no_price_is_not_checked(answer: str) -> None:
    case = Case(id="p", input="How much is it?", intent="product_question")
    part = parts(await FactualAccuracy(**LOCAL, catalogue=Shop()).score(case, said(answer)))["price_accuracy"]
    assert part.status == "skipped"


async def test_without_a_catalogue_prices_are_held_against_the_sources_or_missing() -> None:
    case = Case(id="p", input="How much is it?", intent="product_question")
    source = Source(id="s", text="The Dusk Ward costs ¥770.")
    found = parts(await SCORER.score(case, said("The Dusk Ward costs ¥770.", source)))["price_accuracy"]
    assert (found.value, found.confidence) == (1.0, 0.6)
    wrong = parts(await SCORER.score(case, said("The Dusk Ward costs ¥700.", source)))["price_accuracy"]
    assert wrong.value == 0.0
    missing = parts(await SCORER.score(case, said("The Dusk Ward costs ¥770.")))["price_accuracy"]
    assert (missing.status, missing.value) == ("error", None)


async def test_a_catalogue_that_is_away_is_a_missing_part() -> None:
    case = Case(id="p", input="x", intent="product_question", expect=Expectation(facts=("9 volumes",)))
    score = await FactualAccuracy(**LOCAL, catalogue=Closed()).score(case, said("It has 9 volumes, HD-101."))
    assert parts(score)["price_accuracy"].status == "error"
    assert score.value is not None
    assert "price_accuracy is missing" in score.reason


async def test_small_talk_has_nothing_to_check() -> None:
    case = Case(id="x", input="hi", intent="chitchat")
    score = await SCORER.score(case, said("Hello! How can I help you today?"))
    assert score.value == 1.0
    figures = await SCORER.score(case, said("Returns are free for 30 days."))
    assert (figures.status, figures.value) == ("error", None), "figures without a source cannot be judged"


async def test_facts_in_other_words_are_asked_of_the_network() -> None:
    case = Case(id="x", input="x", intent="faq", expect=Expectation(facts=("The shop accepts PayPal",)))
    good = parts(await SCORER.score(case, said("You can pay by PayPal in our shop.")))["fact_coverage"]
    bad = parts(await SCORER.score(case, said("Our shop opens at nine every morning.")))["fact_coverage"]
    assert (good.value, bad.value) == (1.0, 0.0)
    assert bad.producer == "local model"
    assert bad.confidence is not None
    assert bad.confidence <= 0.75


async def test_light_asks_no_network() -> None:
    class Asleep:
        async def entails(self, pairs: Any) -> Any:
            raise AssertionError("asked")

        async def supports(self, pairs: Any) -> Any:
            raise AssertionError("asked")

    scorer = FactualAccuracy(entailer=Asleep(), grounder=Asleep(), light=True)
    stale = await scorer.score(FAQ, said("You can return opened manga within 30 days of delivery.", OLD, NEW))
    assert stale.value == pytest.approx(0.2)
    other = await scorer.score(FAQ, said("Books may go back.", NEW))
    assert other.value is not None
    assert other.producer == "rule"


async def test_a_judge_refines_what_is_open_and_cannot_overrule_a_number() -> None:
    judge = StagedJudge(lambda request: verdict(5))
    scorer = FactualAccuracy(**LOCAL, judge=judge)
    score = await scorer.score(FAQ, said("You can return opened manga within 30 days of delivery.", OLD, NEW))
    assert parts(score)["fact_coverage"].value == 0.0
    assert parts(score)["no_hallucination"].producer == "judge"


@table("answer", [TimedOutError("too slow"), verdict(9), verdict(None), "nonsense"])
async def test_a_judge_that_fails_is_never_a_number(answer: Any) -> None:
    scorer = FactualAccuracy(**LOCAL, judge=StagedJudge(lambda request: answer))
    score = await scorer.score(BARE, said("Opened manga can be returned within 15 days.", NEW))
    assert parts(score)["no_hallucination"].status == "error"
    assert (score.status, score.value) == ("error", None)


async def test_no_answer_is_no_value() -> None:
    assert (await SCORER.score(FAQ, BROKEN)).status == "error"
    assert (await SCORER.score(FAQ, SILENT)).status == "skipped"
