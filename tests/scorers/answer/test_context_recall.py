from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Source, Trajectory, Turn
from proctor.scorers.answer.context_precision import ContextPrecision
from proctor.scorers.answer.context_recall import ContextRecall
from proctor.wiring.local_models import local_model
from tests.scorers.staging import BROKEN, case
from tests.tables import table

RETURNS = Source(id="returns", text="Opened manga can be returned within 15 days of delivery.", title="Returns")
SHIPPING = Source(id="shipping", text="Standard delivery costs 480 yen and takes 3 to 5 days.")
HOURS = Source(id="hours", text="The shop is open from nine to six.")


def retrieved(*sources: Source, calls: Sequence[ToolCall] = ()) -> Trajectory:
    words = (Message(role="user", content="how?"), Message(role="assistant", content="so"))
    return Trajectory(turns=(Turn(messages=words, sources=tuple(sources), tool_calls=tuple(calls)),))


def scorers(**settings: Any) -> tuple[ContextRecall, ContextPrecision]:
    grounder = local_model("grounder")
    return ContextRecall(grounder=grounder, **settings), ContextPrecision(grounder=grounder, **settings)


@table(
    ("sources", "recall", "precision"),
    [
        ((RETURNS, SHIPPING), 1.0, 1.0),
        ((HOURS, RETURNS), 0.5, 0.5),
        ((HOURS, RETURNS, SHIPPING), 1.0, (1 / 2 + 2 / 3) / 2),
        ((HOURS,), 0.0, 0.0),
    ],
)
async def test_by_ids_and_by_what_the_sources_state(
    sources: tuple[Source, ...], recall: float, precision: float
) -> None:
    by_ids = case(sources=("shipping", "Returns"))
    by_text = case(facts=("opened manga: returned within 15 days", "delivery costs 480 yen"))
    for asked in (by_ids, by_text):
        one, other = [await scorer.score(asked, retrieved(*sources)) for scorer in scorers(light=asked is by_text)]
        assert one.value == pytest.approx(recall)
        assert other.value == pytest.approx(precision)


async def test_another_number_is_not_the_fact() -> None:
    recall, precision = scorers()
    asked = case(facts=("opened manga: returned within 30 days",))
    score = await recall.score(asked, retrieved(RETURNS))
    assert (score.value, (await precision.score(asked, retrieved(RETURNS))).value) == (0.0, 0.0)
    assert "30 days" in score.reason


async def test_documents_of_tools_count_and_the_reference_serves_without_facts() -> None:
    call = ToolCall(name="search", result=[{"id": "shipping", "text": SHIPPING.text}])
    recall, _ = scorers()
    assert (await recall.score(case(sources=("shipping",)), retrieved(calls=[call]))).value == 1.0
    asked = case(reference="Standard delivery costs 480 yen. Opened manga can be returned within 15 days of delivery.")
    assert (await recall.score(asked, retrieved(SHIPPING))).value == 0.5


async def test_without_expectation_or_sources_there_is_no_score() -> None:
    for scorer in scorers():
        assert (await scorer.score(case(), retrieved(RETURNS))).status == "skipped"
        assert (await scorer.score(case(sources=("returns",)), retrieved())).status == "skipped"
        assert (await scorer.score(case(sources=("returns",)), BROKEN)).status == "error"
    only = ContextRecall(by="ids", grounder=local_model("grounder"))
    assert (await only.score(case(facts=("15 days",)), retrieved(RETURNS))).status == "skipped"
