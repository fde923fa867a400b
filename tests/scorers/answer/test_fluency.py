from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from proctor.core.case import Case, Expectation
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, StoreError, TimedOutError
from proctor.core.score import Score
from proctor.scorers.answer.fluency import Fluency
from proctor.wiring.local_models import local_model
from tests.scorers.staging import BROKEN, SILENT, StagedJudge, said, verdict
from tests.tables import table

SLAYER = {"id": "B-1", "ja": "鬼滅の刃", "romaji": "Kimetsu no Yaiba", "en": "Demon Slayer"}


class Shelf:
    """A catalogue of one work, found by its id or any of its names."""

    async def find(self, key: str) -> Mapping[str, Any] | None:
        return SLAYER if key.casefold() in (str(value).casefold() for value in SLAYER.values()) else None


class Closed:
    async def find(self, key: str) -> Mapping[str, Any] | None:
        raise OSError("the shop is closed")


def scorer(**settings: Any) -> Fluency:
    return decode(Fluency, {"wording": local_model("wording"), **settings}, strict=True)


async def scored(answer: str, intent: str = "", case: Case | None = None, **settings: Any) -> Score:
    return await scorer(**settings).score(case or Case(id="c", input="x", intent=intent), said(answer))


def parts(score: Score) -> Mapping[str, Score]:
    return {part.name: part for part in score.parts}


def low(score: Score, name: str) -> float:
    value = parts(score)[name].value
    assert value is not None
    return value


GOOD = (
    "Demon Slayer (鬼滅の刃 / Kimetsu no Yaiba) is available in English. "
    "All 23 volumes are in stock, and you can start with volume 1!"
)
MECHANICAL = "鬼滅の刃 (Demon Slayer) volumes 1 through 23 available in English format."
ROMANISED = "Kimetsu no Yaiba is available in English. All 23 volumes are in stock."


async def test_a_title_carries_its_three_names() -> None:
    """The document's scenario D: the romanisation is dropped and the phrasing gets mechanical."""
    settings: dict[str, Any] = {"formats": {"product_question": {"names": "all"}}, "tones": {"default": ["warm"]}}
    good = await scored(GOOD, "product_question", **settings)
    worse = await scored(MECHANICAL, "product_question", **settings)
    assert good.value is not None
    assert worse.value is not None
    assert good.value > 0.95
    assert worse.value < 0.75
    assert low(worse, "grammar") > 0.9, "the grammar is still fine"
    assert low(worse, "tone") < 0.6
    assert low(worse, "formatting") < 0.8
    assert "romanised" in parts(worse)["formatting"].reason
    only = await scored(ROMANISED, "product_question", **settings)
    assert low(only, "formatting") < 0.5


async def test_the_names_are_those_of_the_catalogue_where_there_is_one() -> None:
    settings: dict[str, Any] = {
        "formats": {"default": {"names": "all"}},
        "title_fields": ["ja", "romaji", "en"],
        "catalogue": Shelf(),
    }
    full = parts(await scored(GOOD, **settings))["formatting"]
    assert (full.value, full.producer) == (1.0, "rule+catalogue")
    english = parts(await scored("You will like **Demon Slayer**!", **settings))["formatting"]
    assert english.value is not None
    assert english.value < 0.5
    assert "ja, romaji" in english.reason
    by_id = Case(id="c", input="x", expect=Expectation(products=("B-1",)))
    found = parts(await scored("you will like demon slayer!", case=by_id, **settings))["formatting"]
    assert found.value is not None
    assert found.value < 0.5
    japanese = parts(await scored("『鬼滅の刃』は全23巻です。", **settings))["formatting"]
    assert japanese.value == 1.0, "in Japanese the original title is enough"
    closed = parts(await scored(GOOD, **{**settings, "catalogue": Closed()}))["formatting"]
    assert closed.status == "error"
    assert "the shop is closed" in closed.reason


async def test_the_shape_is_that_of_the_intent() -> None:
    formats = {
        "recommendation": {"need": ["list"], "any_of": ["link", "price"], "most_words": 20},
        "chitchat": {"avoid": ["list"]},
    }
    good = "1. Chainsaw Man, $9.99\n2. Spy×Family, $9.99"
    assert low(await scored(good, "recommendation", formats=formats), "formatting") == 1.0
    prose = await scored("I would read Chainsaw Man.", "recommendation", formats=formats)
    assert low(prose, "formatting") == pytest.approx(0.4)
    assert "has no list" in parts(prose)["formatting"].reason
    assert low(await scored(good, "chitchat", formats=formats), "formatting") == pytest.approx(0.8)
    long = await scored(good + " and so on" * 20, "recommendation", formats=formats)
    assert "more than 20" in parts(long)["formatting"].reason
    other = parts(await scored("I would read it.", "faq", formats=formats))["formatting"]
    assert other.value == 1.0
    assert "no rules for this intent" in other.reason
    assert other.confidence is not None
    assert other.confidence < 0.7


async def test_patterns_are_asked_for_safely() -> None:
    formats = {"default": {"patterns": [r"B-\d{4}"]}}
    assert low(await scored("Order B-1001 is here.", formats=formats), "formatting") == 1.0
    assert low(await scored("Your order is here.", formats=formats), "formatting") == pytest.approx(0.7)


async def test_broken_shapes_cost_whatever_the_intent() -> None:
    assert low(await scored("Dear {{name}}, your order [INSERT ID] is here."), "formatting") < 0.8


async def test_grammar_quotes_what_is_wrong_and_says_what_was_not_checked() -> None:
    bad = await scored("You can returns an book. The the refund dont takes long, and you has to")
    part = parts(bad)["grammar"]
    assert part.value is not None
    assert part.value < 0.5
    assert "not checked" in part.reason
    assert any("an book" in each.quote for each in part.evidence)
    assert all(each.turn == 0 for each in part.evidence)
    good = parts(await scored("You can return a book. The refund does not take long."))["grammar"]
    assert (good.value or 0) > 0.9
    assert good.confidence is not None
    assert good.confidence < 0.8


async def test_japanese_is_checked_as_japanese() -> None:
    good = await scored("返品は商品到着後15日以内に承ります。お手続きはマイページからお願いいたします。")
    assert low(good, "grammar") > 0.9
    bad = await scored("返品は１５日以内だ。商品をを返送してください。15分で終わります。")
    assert low(bad, "grammar") < 0.7


async def test_a_language_nobody_here_can_check_gets_little_confidence() -> None:
    part = parts(await scored("Los libros se pueden devolver en un plazo de 15 días con el recibo."))["grammar"]
    assert part.confidence == pytest.approx(0.5)
    assert "not checked: the grammar of this language" in part.reason


async def test_the_tone_is_that_of_the_intent() -> None:
    tones = {
        "order_tracking": ["empathetic", "actionable"],
        "chitchat": ["warm", "brief"],
        "promotion": ["unpushy"],
        "default": ["formal"],
    }
    kind = "I'm sorry for the wait. Your order is delayed; you can track it in your account."
    cold = "Your order is delayed."
    assert low(await scored(kind, "order_tracking", tones=tones), "tone") == 1.0
    worse = await scored(cold, "order_tracking", tones=tones)
    assert low(worse, "tone") < 0.75
    assert "without a word of regret" in parts(worse)["tone"].reason
    assert low(await scored("Buy now! Hurry, last chance!", "promotion", tones=tones), "tone") < 0.6
    assert low(await scored("word " * 200, "chitchat", tones=tones), "tone") < 0.8
    assert low(await scored("yeah dude, gonna ship it", "faq", tones=tones), "tone") < 0.75
    assert low(await scored("Calm down. Read the FAQ, you idiot.", "chitchat", tones=tones), "tone") < 0.4
    assert (
        low(
            await scored(
                "申し訳ございません。発送が遅れておりますが、金曜日にお届け予定です。", "order_tracking", tones=tones
            ),
            "tone",
        )
        == 1.0
    )


async def test_an_empty_answer_is_not_fluent_and_a_missing_one_is_not_judged() -> None:
    assert (await scored("  \n")).value == 0.0
    assert (await scorer().score(Case(id="c", input="x"), BROKEN)).status == "error"
    assert (await scorer().score(Case(id="c", input="x"), SILENT)).status == "skipped"


async def test_a_judge_refines_grammar_and_tone_and_its_failure_is_no_number() -> None:
    judge = StagedJudge(lambda request: verdict(4))
    score = await scored("We have it.", "faq", judge=judge, tones={"faq": ["warm"]})
    assert (low(score, "grammar"), low(score, "tone"), low(score, "formatting")) == (0.75, 0.75, 1.0)
    assert score.producer == "judge+rule"
    assert any("courteous, natural, warm" in request.messages[0].content for request in judge.asked)
    failed = await scored("We have it.", judge=StagedJudge(lambda request: TimedOutError("too slow")))
    assert parts(failed)["grammar"].status == parts(failed)["tone"].status == "error"
    assert failed.value == 1.0
    assert failed.confidence is not None
    assert failed.confidence < 0.25
    light = StagedJudge(lambda request: verdict(1))
    await scored("We have it.", judge=light, light=True)
    assert light.asked == []


async def test_a_grammar_checker_that_is_asked_for_and_not_installed_is_named() -> None:
    part = parts(await scored("We have it.", checker="harper"))["grammar"]
    assert part.status == "ok" or "pip install harper-py" in part.reason
    assert parts(await scored("We have it.", checker="own"))["grammar"].value > 0.9  # type: ignore[operator]


@table(
    "wrong",
    [
        {"formats": {"faq": {"need": ["lists"]}}},
        {"tones": {"faq": ["kind"]}},
        {"formats": {"faq": {"patterns": ["("]}}},
        {"title_fields": ["ja"]},
        {"checker": "other"},
        {"weights": {"grammar": -1}},
    ],
)
def test_wrong_settings_are_refused(wrong: Mapping[str, Any]) -> None:
    with pytest.raises(MalformedError):
        scorer(**wrong)


SALAD = "Return can you the it of days fifteen within when packet opened not is."
LOOP = "You can return it. You can return it. You can return it. You can return it."
BROKEN_GRAMMAR = "You has to sended package back for us in 15 day after you are receive him."
FLUENT = [
    "You can return it within fifteen days if the packet is not opened.",
    "We have ONE PIECE, NANA and AKIRA, and Hell's Paradise arrives on Friday.",
    "Die Lieferung kommt am Montag zwischen neun und zwölf Uhr.",
    "Vous pouvez retirer votre commande demain à partir de dix heures.",
    "在庫はございますので、明日の午前中に発送いたします。",
]


async def test_broken_texts_are_far_below_fluent_ones() -> None:
    assert (await scored(SALAD)).value < 0.4  # type: ignore[operator]
    assert (await scored(LOOP)).value < 0.3  # type: ignore[operator]
    assert (await scored("I am very well. " * 40)).value < 0.3  # type: ignore[operator]
    assert (await scored(BROKEN_GRAMMAR)).value < 0.7  # type: ignore[operator]
    score = await scored(SALAD)
    assert "out of order" in score.reason
    assert any("days fifteen within" in each.quote for each in score.evidence)
    assert "local model" in parts(score)["grammar"].producer


@table("text", FLUENT)
async def test_fluent_texts_pass(text: str) -> None:
    assert (await scored(text)).value >= 0.85  # type: ignore[operator]


LONG = (
    "Thank you for your message. Your parcel left our warehouse this morning and should arrive on Thursday. You can "
    "follow it with the number in the mail. If nobody is at home, the driver leaves it with a neighbour or takes it "
    "to the nearest shop. We also checked the second order that you asked about. It is still being packed, because one "
    "of the books arrived late from the publisher. As soon as it is here, we send both volumes together, so you do not "
    "pay twice for the delivery. Please tell us if you would rather have your money back."
)


async def test_a_long_text_is_read_in_windows() -> None:
    bad = LONG.replace("It is still being packed, because", "Being it packed still is because")
    bad = bad.replace("so you do not pay twice for the delivery", "delivery the twice so pay not do you for")
    assert (await scored(bad, checker="own")).value < (await scored(LONG, checker="own")).value - 0.05  # type: ignore[operator]


async def test_light_and_a_missing_network_are_told() -> None:
    class Gone:
        async def wording(self, texts: object) -> object:
            raise StoreError("a weights file is missing")

    assert (await scored(SALAD, wording=Gone(), light=True)).status == "ok"
    score = await scored(SALAD, wording=Gone())
    assert parts(score)["grammar"].status == "error"
