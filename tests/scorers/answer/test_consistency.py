from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import pytest

from proctor.core.case import Case
from proctor.core.chat import Message, Request
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, TimedOutError
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.answer.consistency import Consistency
from proctor.wiring.local_models import local_model
from tests.scorers.staging import BROKEN, SILENT, StagedJudge, verdict
from tests.tables import table

LIST = (
    "You might enjoy these:\n1. **Chainsaw Man** (チェンソーマン / Chensō Man) — $9.99\n"
    "2. **Spy×Family** (スパイファミリー / Supai Famirī) — $9.99\n3. **Jujutsu Kaisen** (呪術廻戦) — $10.99"
)
ART = "Chainsaw Man has a rough, kinetic art style by Tatsuki Fujimoto."
SPY = "Spy×Family follows a spy who builds a fake family. It costs $9.99 per volume."
CURSED = "Jujutsu Kaisen follows a student who swallows a cursed finger. It costs $10.99."


def scorer(**settings: Any) -> Consistency:
    """The scorer with the models that ship."""
    live = {"entailer": local_model("entailer"), "embedder": local_model("embedder")}
    return decode(Consistency, {**live, **settings}, strict=True)


def _always(answer: Any, request: Request) -> Any:
    return answer


def talk(*pairs: tuple[str, str]) -> Trajectory:
    return Trajectory(
        turns=tuple(
            Turn(messages=(Message(role="user", content=asked), Message(role="assistant", content=answer)))
            for asked, answer in pairs
        )
    )


async def scored(run: Trajectory, case: Case | None = None, **settings: Any) -> Score:
    return await scorer(**settings).score(case or Case(id="c", input="x"), run)


def parts(score: Score) -> Mapping[str, Score]:
    return {part.name: part for part in score.parts}


async def test_the_second_one_is_the_second_that_was_listed() -> None:
    begun = (("Recommend three.", LIST), ("What is the art style of the first one?", ART))
    good = await scored(talk(*begun, ("Now tell me about the second one.", SPY)))
    assert good.value is not None
    assert good.value > 0.9
    lost = await scored(talk(*begun, ("Now tell me about the second one.", CURSED)))
    assert lost.value is not None
    assert lost.value < 0.75
    cross = parts(lost)["cross_turn"]
    assert cross.value == 0.0
    assert "Spy×Family" in cross.reason
    assert "Jujutsu Kaisen" in cross.reason
    assert {each.turn for each in cross.evidence} == {0, 2}
    assert any("Jujutsu" in each.quote for each in lost.evidence)


async def test_the_list_is_found_in_the_history_and_in_a_summary_of_it() -> None:
    summary = "Summary of the conversation: the assistant recommended Chainsaw Man, Spy×Family and Jujutsu Kaisen."
    for role, text in (("assistant", LIST), ("system", summary)):
        case = Case(
            id="c",
            input="Tell me about the second one.",
            history=(Message(role="user", content="Recommend three."), Message(role=role, content=text)),  # type: ignore[arg-type]
        )
        lost = await scored(talk(("Tell me about the second one.", CURSED)), case)
        assert parts(lost)["cross_turn"].value == 0.0
        assert "the history" in parts(lost)["cross_turn"].reason
        good = await scored(talk(("Tell me about the second one.", SPY)), case)
        assert parts(good)["cross_turn"].value == 1.0


async def test_a_japanese_reference_is_resolved() -> None:
    listed = (
        "おすすめは次の3作品です。\n1. 宵闇病棟（Yoiyami Byoto）：770円\n"
        "2. 湿り紙の家（Shimerigami no Ie）：748円\n3. 塩の社の下：792円"
    )
    asked = "二つ目について教えてください"
    good = await scored(talk(("おすすめは？", listed), (asked, "湿り紙の家は、襖のある家に引っ越す物語です。")))
    lost = await scored(talk(("おすすめは？", listed), (asked, "塩の社の下は、海底の社を見つける物語です。")))
    assert parts(good)["cross_turn"].value == 1.0
    assert parts(lost)["cross_turn"].value == 0.0


async def test_asking_back_for_what_was_listed_is_a_lost_reference_too() -> None:
    asked = await scored(talk(("Recommend three.", LIST), ("Tell me about #2", "Which one do you mean?")))
    value = parts(asked)["cross_turn"].value
    assert value is not None
    assert value < 0.5


async def test_every_earlier_turn_counts_however_far_back() -> None:
    first = ("What is your return policy?", "Returns are accepted within 15 days of delivery.")
    between = [(f"Do you have series {n}?", f"Yes, series number {n} is on the shelf.") for n in range(8)]
    last = ("So how long do I have to return it?", "Returns are accepted within 30 days of delivery.")
    score = await scored(talk(first, *between, last), where="answer")
    cross = parts(score)["cross_turn"]
    assert cross.value is not None
    assert cross.value < 0.3
    assert "15 days against 30 days" in cross.reason
    assert any(each.turn == 0 and "15 days" in each.quote for each in cross.evidence)


async def test_a_contradiction_in_other_words_is_read_by_the_network() -> None:
    run = talk(("Can I return it?", "You can return opened manga within 15 days. Opened manga cannot be returned."))
    intra = parts(await scored(run))["intra_turn"]
    assert intra.value is not None
    assert intra.value < 0.6
    assert "local model" in intra.producer
    light = parts(await scored(run, light=True))["intra_turn"]
    assert light.producer == "rule"
    assert light.confidence is not None
    assert light.confidence <= 0.5
    assert "light" in light.reason


@table(
    "pairs",
    [
        [
            (
                "Ship?",
                "Standard delivery takes 3 to 5 days and costs $4.99. Express delivery takes 1 day and costs $12.99.",
            )
        ],
        [("Monster?", "Monster has 18 volumes."), ("And Vinland Saga?", "It has 27 volumes.")],
        [
            ("Returns?", "You can return items within 15 days of delivery."),
            ("Books?", "Books can be returned within 15 days too."),
        ],
        [("Cancel H-1", "Order H-1001 is pending."), ("Yes please", "Order H-1001 has been cancelled.")],
        [("hi", "Hello! How can I help you today?"), ("thanks", "You're welcome!")],
        [("Recommend", LIST), ("Which is cheapest?", "Chainsaw Man and Spy×Family are both $9.99.")],
        [("返品は？", "返品は15日以内に承ります。"), ("送料は？", "送料は500円です。")],
    ],
)
async def test_what_agrees_is_left_alone(pairs: Sequence[tuple[str, str]]) -> None:
    score = await scored(talk(*pairs))
    assert score.value is not None
    assert score.value > 0.9, score.reason


async def test_the_persona_is_kept() -> None:
    persona = {
        "name": "Shiori",
        "must_not_say": ["guaranteed"],
        "topics": {"politics": ["election", "選挙"]},
        "language": "same",
        "person": "I",
    }
    kept = parts(await scored(talk(("hi", "Hello! I'm Shiori, and I am happy to help.")), persona=persona))["persona"]
    assert kept.value == 1.0
    broken = {
        "As an AI language model, I have no opinion.": "out of character",
        "This is guaranteed.": "must not be said",
        "I think the election was close.": "politics",
        "I'm Siri, your assistant.": "Siri",
        "I am Botty, and I can help.": "calls itself Botty",
        "We have it, and our shop is open.": "not as",
        "こんにちは、何をお探しですか。": "answers in ja",
    }
    for answer, why in broken.items():
        part = parts(await scored(talk(("hi, what do you think?", answer)), persona=persona))["persona"]
        assert part.value is not None
        assert part.value <= 0.7, answer
        assert why in part.reason


async def test_what_must_be_said_is_owed_once_in_the_conversation() -> None:
    persona = {"must_say": ["Hondana"]}
    run = talk(("hi", "Welcome to Hondana!"), ("bye", "Goodbye."))
    assert parts(await scored(run, persona=persona))["persona"].value == 1.0
    assert parts(await scored(talk(("hi", "Welcome!")), persona=persona))["persona"].value == 0.7


async def test_a_product_that_works_with_another_assistant_is_no_breach() -> None:
    run = talk(("Is it smart?", "Yes, it is compatible with Google Assistant."))
    assert parts(await scored(run))["persona"].value == 1.0


async def test_one_answer_has_nothing_before_it_and_an_empty_one_nothing_in_it() -> None:
    alone = await scored(talk(("hi", "Hello! We are open from 9 to 5.")))
    assert parts(alone)["cross_turn"].status == "skipped"
    assert alone.value == 1.0
    empty = await scored(talk(("hi", "")))
    assert empty.value == 0.0
    assert (await scored(BROKEN)).status == "error"
    assert (await scored(SILENT)).status == "skipped"


async def test_a_judge_is_asked_where_one_is_set_and_its_failure_is_no_number() -> None:
    run = talk(("a", "We ship to Canada."), ("b", "We ship to Mexico."))
    judge = StagedJudge(lambda request: verdict(3))
    score = await scored(run, judge=judge)
    assert parts(score)["intra_turn"].value == 0.5
    assert parts(score)["cross_turn"].producer == "judge"
    assert len(judge.asked) == 2
    assert score.cost == pytest.approx(0.02)
    for answer in (TimedOutError("too slow"), {"nonsense": 1}, verdict(11), verdict("five")):
        failed = await scored(run, judge=StagedJudge(partial(_always, answer)))
        assert parts(failed)["cross_turn"].status == "error"
        assert failed.confidence is not None
        assert failed.confidence < 0.3
    assert len(judge.asked) == 2
    await scored(run, judge=judge, light=True)
    assert len(judge.asked) == 2, "light asks nobody"


async def test_a_judge_does_not_overrule_what_is_plain() -> None:
    judge = StagedJudge(lambda request: verdict(5))
    run = talk(("Recommend three.", LIST), ("Tell me about the second one.", CURSED))
    cross = parts(await scored(run, judge=judge))["cross_turn"]
    assert cross.value == 0.0
    assert cross.producer == "rule+judge"


async def test_a_model_that_does_not_work_is_a_missing_part() -> None:
    class Out:
        async def entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
            raise OSError("the file is gone")

    run = talk(("a", "We ship parcels to Canada within 5 days. Parcels go to Canada by ship."))
    score = await scored(run, entailer=Out())
    assert parts(score)["intra_turn"].status == "error"
    assert "the file is gone" in score.reason
    assert score.value == 1.0
    assert score.confidence is not None
    assert score.confidence < 0.5


async def test_the_number_of_readings_is_bounded() -> None:
    class Counting:
        read = 0

        async def entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
            Counting.read += len(pairs)
            return [{"entailment": 0.1, "neutral": 0.8, "contradiction": 0.1}] * len(pairs)

    claim = "Parcel {n} from the red house goes to the blue house by the green road."
    long = " ".join(claim.format(n=n) for n in range(60))
    await scored(
        talk(("a", long), ("b", long.replace("red", "old"))), entailer=Counting(), most_pairs=10, where="answer"
    )
    assert 0 < Counting.read <= 40


@pytest.mark.parametrize("wrong", [{"most_pairs": -1}, {"weights": {"tone": 1}}, {"persona": {"nme": "x"}}])
def test_wrong_settings_are_refused(wrong: Mapping[str, Any]) -> None:
    with pytest.raises(MalformedError):
        scorer(**wrong)
