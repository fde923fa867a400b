"""Relevance with the real local models: scenario A, products in any script, page and history, judges that fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from proctor.core.case import Case, Expectation
from proctor.core.chat import Message
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, StoreError, TimedOutError
from proctor.core.score import Score
from proctor.core.trajectory import Source, Trajectory, Turn
from proctor.models.catalogue.rows import find_row
from proctor.scorers.answer.relevance import Relevance
from proctor.wiring.local_models import local_model
from tests.scorers.staging import BROKEN, SILENT, StagedJudge, verdict
from tests.tables import table

EMBEDDER = local_model("embedder")
SCORER = Relevance(embedder=EMBEDDER)
ASKED = "Recommend horror manga similar to Junji Ito's work."
HORROR = (
    "Horror fans often enjoy these:\n"
    "1. The Drifting Classroom by Kazuo Umezu - children stranded in a wasteland.\n"
    "2. Hell Baby by Hideshi Hino - grotesque and short.\n"
    "3. PTSD Radio by Masaaki Nakayama - interlocking ghost stories.\n"
    "Would you like to know more about one of them?"
)
PROMOTION = (
    "Great news! Our Shonen Starter Bundle is 30% off this week, with One Piece, Naruto and Bleach in one box. "
    "Don't miss it, the sale ends on Sunday!\n"
)
TITLES = ("The Drifting Classroom", "Hell Baby", "PTSD Radio")
ROWS = [{"id": "HD-1", "title_en": "The Dusk Ward", "title_romaji": "Yoiyami Byoto", "title_ja": "宵闇病棟"}]


class Shop:
    """A catalogue in memory that counts how often it was asked."""

    def __init__(self, rows: Sequence[Mapping[str, Any]] = ROWS) -> None:
        self.rows = rows
        self.asked: list[str] = []

    async def find(self, key: str) -> Mapping[str, Any] | None:
        self.asked.append(key)
        return find_row(self.rows, key)


class Closed:
    async def find(self, key: str) -> Mapping[str, Any] | None:
        raise StoreError("the database is away")


def talk(*pairs: tuple[str, str]) -> Trajectory:
    turns = [
        Turn(messages=(Message(role="user", content=asked), Message(role="assistant", content=answer)))
        for asked, answer in pairs
    ]
    return Trajectory(turns=tuple(turns))


def parts(score: Score) -> dict[str, Score]:
    return {part.name: part for part in score.parts}


def recommendation(*products: str) -> Case:
    return Case(id="a", input=ASKED, intent="recommendation", expect=Expectation(products=products))


async def test_scenario_a_an_unrelated_promotion_first_loses_relevance_though_the_titles_follow() -> None:
    case = recommendation(*TITLES)
    before = await SCORER.score(case, talk((ASKED, HORROR)))
    after = await SCORER.score(case, talk((ASKED, PROMOTION + HORROR)))
    assert before.value is not None
    assert after.value is not None
    assert before.value >= 0.82
    assert after.value < 0.75
    assert parts(after)["product_relevance"].value == 1.0
    low = parts(after)["intent_relevance"]
    assert low.value is not None
    assert low.value < 0.65
    assert "Shonen Starter Bundle" in low.evidence[0].quote
    assert "opens off the question" in low.evidence[0].note
    assert any("Shonen Starter Bundle" in each.quote for each in after.evidence), "low evidence is lifted"


async def test_the_same_promotion_at_the_end_costs_less() -> None:
    case = recommendation(*TITLES)
    first = await SCORER.score(case, talk((ASKED, PROMOTION + HORROR)))
    last = await SCORER.score(case, talk((ASKED, f"{HORROR}\n{PROMOTION}")))
    assert first.value is not None
    assert last.value is not None
    assert last.value > first.value + 0.05


async def test_scenario_a_in_japanese() -> None:
    asked = "ホラー漫画のおすすめは？"
    good = "ホラー漫画では、こちらの2作品がおすすめです。\n1. 『宵闇病棟』黒羽小夜さん\n2. 『湿り紙の家』虫代玄さん"
    promoted = "今週は少年漫画セットが30%オフです！ぜひお見逃しなく。人気の冒険漫画がまとめてお得です。\n" + good
    case = Case(id="a", input=asked, intent="recommendation", expect=Expectation(products=("宵闇病棟",)))
    before, after = await SCORER.score(case, talk((asked, good))), await SCORER.score(case, talk((asked, promoted)))
    assert before.value is not None
    assert after.value is not None
    assert before.value > 0.9
    assert after.value < 0.75
    assert before.confidence is not None
    assert before.confidence < 0.8, "the models are weaker in Japanese, and the score says so"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Good morning!", "Hello! I am Shiori, the assistant of the manga shop Hondana. How can I help you today?"),
        ("こんにちは", "こんにちは。漫画専門店「本棚」のアシスタント、栞です。本日はどのような漫画をお探しですか。"),
        ("Thank you so much!", "You are very welcome! Enjoy your reading."),
    ],
)
async def test_a_courtesy_answers_a_courtesy(asked: str, answer: str) -> None:
    earlier = ("How much is it?", "Copper Whale costs ¥726.")
    score = await SCORER.score(Case(id="c", input=asked), talk(earlier, (asked, answer)))
    assert score.value is not None
    assert score.value >= 0.75, score.reason
    assert parts(score)["context_relevance"].status == "skipped", "thanks lean on nothing"


async def test_an_offer_is_on_the_question_when_offers_were_asked_for() -> None:
    case = Case(id="a", input="Are there any deals this week?", intent="promotion")
    score = await SCORER.score(
        case, talk(("Are there any deals this week?", "The Shonen Bundle is 30% off until Sunday."))
    )
    assert score.value is not None
    assert score.value > 0.75


@table(
    ("asked", "answer", "intent"),
    [
        (
            "Where is my order H-2041?",
            "Your order H-2041 was shipped on 3 May. It should arrive on 6 May.",
            "order_tracking",
        ),
        (
            "注文H-2041はどこですか？",
            "ご注文H-2041は5月3日に発送されました。お届け予定日は5月6日です。",
            "order_tracking",
        ),
        ("Can I return a manga I already read?", "Opened manga can be returned within 15 days of delivery.", "faq"),
        ("Can I pay with PayPal?", "Yes, we accept PayPal, credit cards and bank transfer.", "checkout_help"),
        ("Hi there, how are you?", "I am doing well, thank you for asking! What would you like to read?", "chitchat"),
    ],
)
async def test_plain_good_answers_are_relevant(asked: str, answer: str, intent: str) -> None:
    score = await SCORER.score(Case(id="c", input=asked, intent=intent), talk((asked, answer)))
    assert score.value is not None
    assert score.value > 0.85, score.reason


@table(
    "answer",
    [
        "Our horror manga are the best. Many readers love them in autumn.",
        "I am sorry, I do not know that.",
        "今日は天気がいいです。",
        "",
    ],
)
async def test_answers_beside_the_point_are_not(answer: str) -> None:
    asked = "Where is my order H-2041?"
    score = await SCORER.score(Case(id="c", input=asked, intent="order_tracking"), talk((asked, answer)))
    assert score.value is not None
    assert score.value <= 0.35


async def test_products_are_found_as_ids_and_as_titles_in_any_script() -> None:
    shop = Shop()
    scorer = Relevance(embedder=EMBEDDER, catalogue=shop)
    for answer in ("Try HD-1.", "Try the dusk ward!", "『宵闇病棟』をどうぞ。", "Yoiyami Byōtō is a good one."):
        score = await scorer.score(recommendation("HD-1"), talk((ASKED, answer)))
        assert parts(score)["product_relevance"].value == 1.0, answer
        assert parts(score)["product_relevance"].producer == "catalogue"
    missing = parts(await scorer.score(recommendation("HD-1"), talk((ASKED, "Try Naruto."))))["product_relevance"]
    assert missing.value == 0.0
    assert "The Dusk Ward" in missing.evidence[0].note
    assert len(shop.asked) == 5, "the catalogue is asked each time"


async def test_products_do_not_apply_to_every_intent() -> None:
    case = Case(id="a", input=ASKED, intent="faq", expect=Expectation(products=("HD-1",)))
    part = parts(await SCORER.score(case, talk((ASKED, HORROR))))["product_relevance"]
    assert (part.status, part.reason) == ("skipped", "does not apply to faq")


async def test_a_catalogue_that_is_away_is_an_error_of_its_part_only() -> None:
    scorer = Relevance(embedder=EMBEDDER, catalogue=Closed())
    score = await scorer.score(recommendation("HD-1"), talk((ASKED, HORROR)))
    part = parts(score)["product_relevance"]
    assert part.status == "error"
    assert "away" in part.reason
    assert score.status == "ok"
    assert score.confidence is not None
    assert score.confidence < 0.6, "what is missing lowers the confidence"


async def test_the_page_bears_on_a_question_that_points_at_it() -> None:
    page = {"current_asin": "HD-1", "title": "The Dusk Ward"}
    case = Case(id="p", input="How much is this one?", intent="product_question", page=page)
    used = parts(await SCORER.score(case, talk((case.input or "", "The Dusk Ward costs $10.99."))))
    unused = parts(await SCORER.score(case, talk((case.input or "", "Naruto costs $9.99."))))
    assert used["context_relevance"].value == 1.0
    assert unused["context_relevance"].value == 0.0
    other = Case(id="p", input="Where is order H-2041?", intent="order_tracking", page=page)
    part = parts(await SCORER.score(other, talk(("Where is order H-2041?", "It was shipped."))))["context_relevance"]
    assert part.status == "skipped"


async def test_a_follow_up_is_answered_from_what_was_said_before() -> None:
    asked = "Tell me more about the second one."
    case = Case(id="f", input=asked, intent="product_question")
    good = await SCORER.score(
        case, talk((ASKED, HORROR), (asked, "Hell Baby is a short horror manga by Hideshi Hino."))
    )
    bad = await SCORER.score(case, talk((ASKED, HORROR), (asked, "Your refund was paid on Monday.")))
    assert parts(good)["context_relevance"].value == 1.0
    assert good.value is not None
    assert good.value > 0.75
    assert bad.value is not None
    assert bad.value < 0.2


async def test_light_asks_no_network_and_says_so() -> None:
    class Asleep:
        async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            raise AssertionError("asked")

    scorer = Relevance(embedder=Asleep(), light=True)
    after = await scorer.score(recommendation(*TITLES), talk((ASKED, PROMOTION + HORROR)))
    before = await scorer.score(recommendation(*TITLES), talk((ASKED, HORROR)))
    assert before.value == 1.0
    assert after.value is not None
    assert after.value < 0.75, "an offer at the head is seen without a network"
    assert after.producer == "rule"
    assert parts(after)["intent_relevance"].confidence == pytest.approx(0.35)


async def test_a_judge_takes_the_place_of_the_vectors() -> None:
    judge = StagedJudge(lambda request: verdict(4))
    score = await Relevance(embedder=EMBEDDER, judge=judge).score(recommendation(*TITLES), talk((ASKED, HORROR)))
    part = parts(score)["intent_relevance"]
    assert (part.value, part.producer, part.cost) == (0.75, "judge", 0.01)
    assert len(judge.asked) == 1


@table("answer", [TimedOutError("too slow"), verdict(9), verdict("good"), "nonsense", {}])
async def test_a_judge_that_fails_is_never_a_number(answer: Any) -> None:
    scorer = Relevance(embedder=EMBEDDER, judge=StagedJudge(lambda request: answer))
    score = await scorer.score(recommendation(*TITLES), talk((ASKED, HORROR)))
    assert parts(score)["intent_relevance"].status == "error"
    assert parts(score)["intent_relevance"].value is None
    assert "intent_relevance is missing" in score.reason
    alone = await scorer.score(Case(id="x", input=ASKED, intent="faq"), talk((ASKED, HORROR)))
    assert (alone.status, alone.value) == ("error", None)


async def test_no_answer_is_no_value() -> None:
    assert (await SCORER.score(recommendation(), BROKEN)).status == "error"
    assert (await SCORER.score(recommendation(), SILENT)).status == "skipped"


@pytest.mark.parametrize(
    "weights", [{"nonsense": 1}, {"intent_relevance": 0}, {"intent_relevance": -1, "product_relevance": 2}]
)
def test_wrong_weights(weights: dict[str, float]) -> None:
    with pytest.raises(MalformedError):
        decode(Relevance, {"weights": weights, "embedder": EMBEDDER}, strict=True)


POLICY = "Gift wrapping: 2.50 EUR per parcel, tick it at checkout. Three paper designs."


def with_source(question: str, answer: str, source: str = "") -> Trajectory:
    messages = (Message(role="user", content=question), Message(role="assistant", content=answer))
    sources = (Source(id="s", text=source),) if source else ()
    return Trajectory(turns=(Turn(messages=messages, sources=sources),))


async def test_an_answer_from_the_passage_about_the_question_is_above_one_with_its_words() -> None:
    asked = "do you gift wrap books, and how much is it?"
    case = Case(id="w", input=asked)
    on = await SCORER.score(case, with_source(asked, "We do, for 2.50 EUR a parcel; tick the box at checkout.", POLICY))
    beside = "Books are a lovely gift. Our readers liked the new novel, and much of it is set in Kyoto."
    off = await SCORER.score(case, with_source(asked, beside, POLICY))
    assert (on.value or 0) >= 0.75
    assert (off.value or 1) < (on.value or 0) - 0.1


@table(
    ("asked", "answer", "source", "right"),
    [
        ("What did my neighbour buy from you last week?", "I cannot share details about other customers.", "", True),
        (
            "Kann ich meinen Vermieter verklagen?",
            "Dazu können wir leider nichts sagen, fragen Sie einen Anwalt.",
            "",
            True,
        ),
        ("How do I build a bomb?", "I can't help with that.", "", True),
        ("do you gift wrap books, and how much is it?", "I'm afraid I can't discuss gift wrapping.", POLICY, False),
        ("送料はいくらですか？", "申し訳ございませんが、お答えできません。", "送料は全国一律300円です。", False),
    ],
)
async def test_a_right_refusal_is_relevant_and_a_wrong_one_is_not(
    asked: str, answer: str, source: str, right: bool
) -> None:
    score = await SCORER.score(Case(id="r", input=asked), with_source(asked, answer, source))
    assert score.value is not None
    assert (score.value >= 0.75) is right, score.reason
    assert right or score.value <= 0.4


async def test_what_the_case_expects_decides_about_a_refusal() -> None:
    asked, answer = "Can you open the parcel locker for me?", "I am sorry, I cannot do that."
    wanted = Case(id="r", input=asked, expect=Expectation(reference="We cannot open a locker for anyone."))
    facts = Case(id="r", input=asked, expect=Expectation(facts=("the code is 4711",)))
    right, wrong = [await SCORER.score(case, with_source(asked, answer)) for case in (wanted, facts)]
    assert (right.value or 0) > 0.8
    assert (wrong.value or 1) < 0.3
