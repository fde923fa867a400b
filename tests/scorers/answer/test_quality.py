from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from proctor.core.case import Case, Expectation
from proctor.core.chat import Message
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, TimedOutError
from proctor.core.score import Score
from proctor.core.trajectory import Source, Trajectory, Turn
from proctor.runner.grade import Grader, grade
from proctor.scorers.answer.quality import Quality
from proctor.scorers.weighted_parts import LOW
from proctor.wiring.local_models import local_model
from tests.scorers.staging import BROKEN, SILENT, StagedJudge, verdict
from tests.tables import table

POLICY = "Opened manga can be returned within 15 days of delivery."
CASE = Case(
    id="c",
    input="How long can I return opened manga?",
    intent="faq",
    expect=Expectation(facts=("within 15 days of delivery",)),
)
GOOD = "You can return opened manga within 15 days of delivery. Please start the return on your account page."
WRONG = "You can return opened manga within 30 days of delivery. Please start the return on your account page."


def quality(**settings: Any) -> Quality:
    live = {name: local_model(name) for name in ("entailer", "grounder", "embedder", "wording")}
    return decode(Quality, {**live, **settings}, strict=True)


def answered(answer: str) -> Trajectory:
    turn = Turn(
        messages=(Message(role="user", content=CASE.input or ""), Message(role="assistant", content=answer)),
        sources=(Source(id="policy", text=POLICY, date="2026-01-01"),),
    )
    return Trajectory(turns=(turn,))


async def test_four_dimensions_weighed_by_the_intent_make_the_whole() -> None:
    weights = {"relevance": 0.2, "factual_accuracy": 0.4, "consistency": 0.25, "fluency": 0.15}
    scorer = quality(intents={"faq": {"weights": weights, "threshold": 0.85}})
    score = await scorer.score(CASE, answered(GOOD))
    assert score.name == "quality"
    assert score.threshold == 0.85
    assert [part.name for part in score.parts] == list(weights)
    assert score.value == pytest.approx(sum(weights[part.name] * (part.value or 0) for part in score.parts))
    assert score.value is not None
    assert score.value > 0.85
    assert score.confidence is not None
    assert 0 < score.confidence < 1
    for part in score.parts:
        assert part.parts, "each dimension has its parts"
        assert part.producer
    other = await scorer.score(Case(id="c", input=CASE.input, intent="unknown", expect=CASE.expect), answered(GOOD))
    assert other.threshold == 0.75
    assert {part.weight for part in other.parts} == {0.25}


async def test_a_wrong_fact_lowers_the_right_dimension_and_is_quoted() -> None:
    good, wrong = [await quality().score(CASE, answered(answer)) for answer in (GOOD, WRONG)]
    values = {part.name: part.value for part in wrong.parts}
    assert (wrong.value or 0) < (good.value or 0) - 0.1
    assert min(values, key=lambda name: values[name] or 0) == "factual_accuracy"
    assert (values["factual_accuracy"] or 0) < LOW
    assert "factual_accuracy" in wrong.reason
    assert any("30 days" in each.quote for each in wrong.evidence)


async def test_a_dimension_without_a_value_leaves_the_case_unscored() -> None:
    hello = Case(id="c", input="Hello!", intent="chitchat")
    run = Trajectory(
        turns=(
            Turn(
                messages=(Message(role="user", content="Hello!"), Message(role="assistant", content="")),
            ),
        )
    )
    failing = StagedJudge(lambda request: TimedOutError("too slow"))
    weights = {"relevance": 1.0}
    score = await quality(judge=failing, default={"weights": weights}).score(hello, answered("Hi!"))
    assert score.status == "error"
    assert score.threshold == 0.75
    assert "relevance is missing" in score.reason
    assert "too slow" in score.reason
    graded = await grade(
        hello,
        answered("Hi!"),
        [
            Grader(
                scorer=quality(judge=failing, default={"weights": weights}), name="quality", threshold=0.75, named=False
            )
        ],
    )
    assert graded.outcome == "unscored"
    assert (await quality().score(hello, run)).status in ("ok", "error")


async def test_what_does_not_apply_may_be_left_out_where_the_intent_says_so() -> None:
    case = Case(id="c", input="Where is it?", intent="chitchat")
    run = Trajectory(
        turns=(
            Turn(
                messages=(Message(role="user", content="Where?"), Message(role="assistant", content="")),
            ),
        )
    )
    blend = {"weights": {"consistency": 0.5, "fluency": 0.5}}
    plain = await quality(default=blend).score(case, run)
    assert plain.status == "ok"
    assert [part.name for part in plain.parts] == ["consistency", "fluency"]


async def test_light_asks_no_network_and_no_judge() -> None:
    class Never:
        async def entails(self, pairs: object) -> object:
            raise AssertionError("asked")

        supports = embed = wording = entails

    judge = StagedJudge(lambda request: verdict(5))
    never = Never()
    score = await quality(light=True, entailer=never, grounder=never, embedder=never, wording=never, judge=judge).score(
        CASE, answered(WRONG)
    )
    assert score.status == "ok"
    assert judge.asked == []
    assert "local model" not in score.producer
    full = await quality().score(CASE, answered(WRONG))
    assert score.confidence is not None
    assert full.confidence is not None
    assert score.confidence < full.confidence


async def test_settings_reach_the_dimensions() -> None:
    scorer = quality(
        fluency={"formats": {"default": {"need": ["table"]}}}, consistency={"persona": {"must_say": ["Hondana"]}}
    )
    score = await scorer.score(CASE, answered(GOOD))
    assert "has no table" in str(score.parts)
    assert "Hondana" in str(score.parts)


async def test_no_answer_is_no_value_and_keeps_the_threshold() -> None:
    for run, status in ((BROKEN, "error"), (SILENT, "skipped")):
        score = await quality(default={"threshold": 0.6}).score(CASE, run)
        assert (score.status, score.threshold) == (status, 0.6)


@table(
    ("wrong", "why"),
    [
        ({"intents": {"faq": {"weights": {"relevanse": 1}}}}, "relevanse"),
        ({"intents": {"faq": {"weights": {"relevance": -1}}}}, "0 or more"),
        ({"intents": {"faq": {"weights": {"relevance": 0}}}}, "more than 0"),
        ({"default": {"threshold": 2}}, "from 0 to 1"),
        ({"default": {"optional": ["tone"]}}, "tone"),
        ({"fluency": {"tnes": {}}}, "fluency"),
        ({"relevance": {"judge": "openai:x"}}, "whole of quality"),
        ({"intent": {}}, "unknown key"),
    ],
)
def test_wrong_settings_are_named(wrong: Mapping[str, Any], why: str) -> None:
    with pytest.raises(MalformedError, match=why):
        quality(**wrong)


def _of(score: Score, name: str) -> Score:
    return next(part for part in score.parts if part.name == name)


async def test_the_same_answer_gets_the_same_score() -> None:
    first, second = [await quality().score(CASE, answered(GOOD)) for _ in range(2)]
    assert first == second
    assert _of(first, "fluency").version == "2"


async def test_a_wholly_wrong_fact_fails_the_answer_whatever_the_other_dimensions_reach() -> None:
    score = await quality().score(CASE, answered(WRONG))
    facts = next(part for part in score.parts if part.name == "factual_accuracy")
    assert facts.passed is False
    assert score.passed is False, "three good dimensions do not make up for it"
    assert score.value == facts.value
    assert "factual_accuracy" in score.reason
    assert "under its threshold" in score.reason
    lenient = await quality(default={"floors": {"factual_accuracy": 0.0}}).score(CASE, answered(WRONG))
    assert (lenient.value or 0) > (score.value or 0), "without a floor it is the weighted mean"


async def test_a_dimension_under_its_own_floor_fails_though_it_reaches_the_threshold_of_the_intent() -> None:
    usual = await quality().score(CASE, answered(GOOD))
    fluency = _of(usual, "fluency").value
    assert usual.passed
    assert fluency is not None
    assert 0.75 < fluency < 1.0
    strict = await quality(default={"floors": {"fluency": (1.0 + fluency) / 2}}).score(CASE, answered(GOOD))
    assert strict.passed is False
    assert "fluency" in (strict.reason or "")


async def test_a_failed_dimension_decides_though_another_could_not_be_judged() -> None:
    unsourced = Trajectory(
        turns=(
            Turn(
                messages=(
                    Message(role="user", content="Name two"),
                    Message(role="assistant", content="1. Akira\n2. Monster"),
                )
            ),
            Turn(
                messages=(
                    Message(role="user", content="How much is the second one?"),
                    Message(role="assistant", content="Akira is 770 yen."),
                )
            ),
        )
    )
    score = await quality().score(
        decode(Case, {"id": "c", "turns": ["Name two", "How much is the second one?"]}), unsourced
    )
    parts = {part.name: part for part in score.parts}
    assert parts["factual_accuracy"].value is None, "a price without any source cannot be judged"
    assert parts["consistency"].passed is False
    assert score.status == "ok"
    assert score.passed is False
    assert "factual_accuracy is missing" in score.reason


async def test_a_fact_in_doubt_leaves_the_case_unscored_from_the_threshold_of_the_intent_on() -> None:
    policy = "L'arrivée est possible à partir de 15 h. Le départ se fait jusqu'à 11 h."
    facts = ("arrivée à partir de 15 h", "départ jusqu'à 11 h")
    case = Case(id="c", input="Quand arriver et partir ?", intent="faq", expect=Expectation(facts=facts))
    answer = "L'arrivée est possible à partir de 11 h et le départ se fait jusqu'à 15 h."
    said = (Message(role="user", content=case.input or ""), Message(role="assistant", content=answer))
    run = Trajectory(turns=(Turn(messages=said, sources=(Source(id="policy", text=policy),)),))
    doubtful = await quality(intents={"faq": {"floors": {"factual_accuracy": 0.7}}}).score(case, run)
    assert (doubtful.status, doubtful.value) == ("error", None)
    assert "in doubt: 'arrivée à partir de 15 h' (it also says '11 h'" in doubtful.reason
    wrong = await quality(intents={"faq": {"threshold": 0.85}}).score(case, run)
    assert wrong.passed is False, "what is wrong besides decides"


def test_a_floor_lies_between_nought_and_one() -> None:
    for floor in (-0.1, 1.1):
        with pytest.raises(MalformedError, match="the floor of fluency"):
            quality(default={"floors": {"fluency": floor}})
    with pytest.raises(MalformedError, match="no dimension"):
        quality(default={"floors": {"speed": 0.5}})


async def test_every_dimension_must_reach_the_threshold_of_its_intent() -> None:
    scorer = quality(intents={"faq": {"weights": {"factual_accuracy": 0.05, "fluency": 0.95}}})
    score = await scorer.score(CASE, answered(WRONG))
    assert (score.measured or 0) > 0.75, "the mean alone would pass"
    assert score.passed is False
    assert {part.name: part.threshold for part in score.parts} == {"factual_accuracy": 0.75, "fluency": 0.75}
    strict = quality(intents={"faq": {"threshold": 0.9, "floors": {"fluency": 0.3}}}).blend("faq")
    assert [strict.floor(name) for name in ("relevance", "factual_accuracy", "fluency")] == [0.75, 0.85, 0.3]


STOREFRONT = {
    "recommendation": (0.40, 0.20, 0.20, 0.20, 0.75),
    "product_question": (0.25, 0.40, 0.20, 0.15, 0.80),
    "faq": (0.20, 0.40, 0.25, 0.15, 0.85),
    "order_tracking": (0.15, 0.50, 0.25, 0.10, 0.90),
    "return_request": (0.15, 0.50, 0.25, 0.10, 0.90),
    "promotion": (0.30, 0.35, 0.20, 0.15, 0.80),
    "checkout_help": (0.20, 0.40, 0.25, 0.15, 0.85),
    "chitchat": (0.30, 0.10, 0.30, 0.30, 0.70),
    "any other": (0.25, 0.25, 0.25, 0.25, 0.80),
}


@table("intent", list(STOREFRONT))
def test_the_preset_has_the_weights_and_thresholds_of_a_shop(intent: str) -> None:
    row = quality(preset="storefront").blend(intent)
    assert (*row.weights.values(), row.passes_from) == STOREFRONT[intent]


def test_what_a_suite_sets_goes_over_the_preset() -> None:
    own = quality(preset="storefront", intents={"faq": {"threshold": 0.6}}, default={"threshold": 0.5})
    assert own.blend("faq").passes_from == 0.6
    assert own.blend("faq").weights["factual_accuracy"] == 0.40, "what is not set stays the preset's"
    assert own.blend("other").passes_from == 0.5
    with pytest.raises(MalformedError, match="storefront"):
        quality(preset="shop")


async def test_the_preset_brings_persona_tones_and_formats() -> None:
    scorer = quality(preset="storefront", fluency={"formats": {"chitchat": {"most_words": 3}}})
    hello = Case(id="c", input="Who is best?", intent="chitchat")
    said = "As an AI language model I cannot say. Ask Alexa or ChatGPT about political matters."
    score = await scorer.score(hello, answered(said))
    persona = _of(_of(score, "consistency"), "persona")
    assert persona.value == 0.0
    assert "more than 3" in str(score.parts)
    assert score.passed is False


async def test_what_has_no_source_may_be_left_out_where_it_is_optional() -> None:
    case = Case(id="c", input="Recommend a horror manga", intent="recommendation")
    said = "You will love Uzumaki by Junji Ito, a gripping horror manga about spirals. It costs ¥770!"
    turn = Turn(messages=(Message(role="user", content=case.input or ""), Message(role="assistant", content=said)))
    run = Trajectory(turns=(turn,))
    assert (await quality(preset="storefront").score(case, run)).status == "ok"
    assert (await quality().score(case, run)).status == "error"
