from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from proctor.core.case import Ask, Case, Expectation
from proctor.core.errors import MalformedError
from proctor.core.score import Score
from proctor.core.trajectory import Source, Trajectory
from proctor.scorers.conversation.turns import Turns
from tests.scorers.safety.speaking import CASE, built, call, talk, turn
from tests.scorers.staging import BROKEN, SILENT
from tests.tables import table

REFUNDS = Source(id="pol-3", text="Bookings can be cancelled free of charge up to 24 hours before the start.")
PETS = Source(id="faq-12", text="Small dogs may come on all boat tours.")
FAR = Source(id="faq-99", text="The office is in Oslo.")


def parts(score: Score) -> Mapping[str, Score]:
    return {part.name: part for part in score.parts}


def asked(*expects: Expectation) -> Case:
    return Case(id="c", turns=tuple(Ask(text="x", expect=each) for each in expects))


async def test_intents_by_turn() -> None:
    case = asked(Expectation(intents=("policy_inquiry",)), Expectation(intents=("booking",)))
    run = talk(turn("a", "b", intents=("Policy inquiry",)), turn("c", "d", intents=("complaint",)))
    part = parts(await built(Turns).score(case, run))["intent"]
    assert part.value == 0.5
    assert [each.value for each in part.parts] == [1.0, 0.0]
    assert part.parts[1].name == "turn 2"


async def test_intents_of_the_conversation() -> None:
    run = talk(turn("a", "b", intents=("booking",)), turn("c", "d", intents=("complaint",)))
    case = Case(id="c", expect=Expectation(intents=("complaint", "refund")))
    assert parts(await built(Turns).score(case, run))["intent"].value == 0.5
    assert parts(await built(Turns).score(Case(id="c", intent="booking"), run))["intent"].value == 1.0


async def test_retrieval_at_k() -> None:
    case = asked(Expectation(sources=("pol-3", "pol-4")))
    run = talk(turn("a", "Up to 24 hours.", sources=(PETS, REFUNDS, FAR)))
    found = parts(await built(Turns).score(case, run))
    assert found["precision"].value == pytest.approx(1 / 3)
    assert found["recall"].value == 0.5
    first = parts(await built(Turns, k=1).score(case, run))
    assert first["precision"].value == 0.0
    assert first["recall"].value == 0.0


async def test_retrieval_of_the_conversation_counts_what_tools_returned() -> None:
    case = Case(id="c", expect=Expectation(sources=("pol-3", "faq-12")))
    told = call("get_faq", {"id": "faq-12", "text": PETS.text})
    run = talk(turn("a", "Up to 24 hours.", sources=(REFUNDS,)), turn("b", "Small dogs may come.", told))
    found = parts(await built(Turns).score(case, run))
    assert found["recall"].value == 1.0
    assert found["precision"].value == 1.0


@pytest.mark.parametrize("light", [True, False])
async def test_support_by_what_was_retrieved_by_then(light: bool) -> None:
    run = talk(
        turn("How late?", "You can cancel free of charge up to 24 hours before the start.", sources=(REFUNDS,)),
        turn("Sure?", "You can cancel free of charge up to 72 hours before the start."),
        turn("Dogs?", "Small dogs may come on all boat tours.", sources=(PETS,)),
    )
    part = parts(await built(Turns, light=light).score(CASE, run))["support"]
    by_turn = {each.name: each.value for each in part.parts}
    assert by_turn["turn 1"] == pytest.approx(1.0, abs=0.06)
    assert by_turn["turn 3"] == pytest.approx(1.0, abs=0.06)
    assert by_turn["turn 2"] is not None
    assert by_turn["turn 2"] < 0.5
    assert {each.turn for each in part.evidence} == {1}


async def test_bertscore_where_a_reference_is_known() -> None:
    case = asked(Expectation(reference="You can cancel until one day before."), Expectation())
    near = talk(("a", "Cancelling is possible until a day before."), ("b", "Fine."))
    far = talk(("a", "Our whales are blue and large."), ("b", "Fine."))
    one = parts(await built(Turns).score(case, near))["bertscore"]
    two = parts(await built(Turns).score(case, far))["bertscore"]
    assert one.value is not None
    assert two.value is not None
    assert one.value > two.value + 0.1
    assert [each.name for each in one.parts] == ["turn 1"]
    assert parts(await built(Turns, light=True).score(case, near))["bertscore"].status == "skipped"
    same = await built(Turns).score(Case(id="c", expect=Expectation(reference="Fine.")), near)
    assert parts(same)["bertscore"].value == pytest.approx(1.0)


async def test_time_and_money() -> None:
    run = talk(turn("a", "b", latency=1.0, cost=0.01), turn("c", "d", latency=3.0, cost=0.02))
    found = parts(await built(Turns, at_most_seconds=2, at_most_cost=0.1).score(CASE, run))
    assert found["latency"].value == 0.5
    assert found["latency"].measured == 4.0
    assert [each.turn for each in found["latency"].evidence] == [1]
    assert found["cost"].value == 1.0
    free = parts(await built(Turns).score(CASE, run))
    assert free["latency"].status == "skipped"
    assert free["latency"].measured == 4.0


async def test_weights_choose_what_counts() -> None:
    case = asked(Expectation(intents=("booking",), sources=("pol-3",)))
    run = talk(turn("a", "b", intents=("booking",), sources=(FAR,)))
    score = await built(Turns, weights={"intent": 1, "precision": 0, "recall": 0, "support": 0}).score(case, run)
    assert score.value == 1.0


@pytest.mark.parametrize("run", [talk(("a", "b")), SILENT])
async def test_nothing_known(run: Trajectory) -> None:
    assert (await built(Turns).score(CASE, run)).status == "skipped"


async def test_no_answer() -> None:
    assert (await built(Turns).score(CASE, BROKEN)).status == "error"


@table("wrong", [{"k": 0}, {"at_most_seconds": -1}, {"weights": {"smell": 1}}, {"weights": {"cost": -1}}])
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MalformedError):
        built(Turns, **wrong)
