"""A plan says what will be asked: it is held against what is asked then."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.generate.answering import Answering, prompt_of
from tests.tables import table

from proctor.core.chat import Usage
from proctor.generate.artefacts import Artefacts
from proctor.generate.dry_run_model import Rehearsal
from proctor.generate.effort import PRESETS
from proctor.generate.extract import extract_rules
from proctor.generate.generation_request import Makers, Order
from proctor.generate.pipeline import generate
from proctor.generate.plan import make_plan
from proctor.generate.provenance import provenance_of
from proctor.generate.spec import Scenario


def price(name: str, usage: Usage) -> float | None:
    return usage.input / 1000 + usage.output / 100 if name == "dear" else None


@table("effort", list(PRESETS))
@table("scenarios", [(), (Scenario(name="a"), Scenario(name="b"))])
async def test_what_is_planned_is_what_is_asked(effort: str, scenarios: tuple[Scenario, ...]) -> None:
    order = Order(prompt=prompt_of(), effort=PRESETS[effort], scenarios=scenarios)
    model = Rehearsal(name="dear", rules=extract_rules(order.prompt))
    makers = Makers(writer=model, judge=model)
    plan = await make_plan(order, makers, Artefacts(), (), priced=price)
    assert not model.calls  # nothing was asked
    made = await generate(order, makers, Artefacts())
    assert {row.stage: row.calls for row in plan.rows} == dict(model.calls)
    assert plan.calls == model.calls.total()
    assert (plan.tests, plan.baseline) == (len(made.artefacts.tests), len(made.artefacts.baseline))
    assert plan.most >= plan.calls
    assert plan.cost == pytest.approx(price("dear", plan.usage))


async def test_nothing_is_planned_for_what_is_there() -> None:
    order = Order(prompt=prompt_of(), effort=PRESETS["medium"], cross_check=False)
    model = Answering()
    makers = Makers(writer=model, judge=model)
    made = await generate(order, makers, Artefacts())
    present = replace(made.artefacts, provenance=provenance_of(order, makers, made, Artefacts(), []))
    plan = await make_plan(order, makers, present, (), priced=price)
    assert (plan.calls, plan.rows) == (0, ())
    more = await make_plan(replace(order, effort=PRESETS["high"]), makers, present, (), priced=price)
    assert {row.stage for row in more.rows} >= {"tests", "validity"}
    assert "intent" not in {row.stage for row in more.rows}


async def test_expected_outputs_and_unknown_prices_are_in_the_plan() -> None:
    order = Order(prompt=prompt_of(), effort=PRESETS["min"])
    model, judge = Answering(name="dear"), Answering(name="unpriced")
    makers = Makers(writer=model, judge=judge, truth=model, truth_judges=(judge,))
    plan = await make_plan(order, makers, Artefacts(), (), priced=price)
    rows = {(row.stage, row.model): row for row in plan.rows}
    assert rows["groundtruth", "dear"].calls == rows["truth", "unpriced"].calls == plan.tests
    assert rows["groundtruth", "dear"].cost is not None
    assert rows["truth", "unpriced"].cost is None
    assert plan.cost is None


async def test_more_effort_is_never_planned_cheaper() -> None:
    model = Answering()
    makers = Makers(writer=model, judge=model)
    calls = []
    for effort in PRESETS.values():
        order = Order(prompt=prompt_of(), effort=effort)
        calls.append((await make_plan(order, makers, Artefacts(), (), priced=price)).calls)
    assert calls == sorted(calls)
    assert calls[0] < calls[-1]


async def test_without_a_model_there_is_nothing_to_pay() -> None:
    order = Order(prompt=prompt_of(), effort=PRESETS["high"])
    plan = await make_plan(order, Makers(), Artefacts(), (), priced=price)
    assert plan.rows == ()
    assert plan.tests > 0


async def test_holding_the_specification_against_the_prompt_is_in_the_plan() -> None:
    order = Order(prompt=prompt_of(), effort=PRESETS["min"], agreement=True, cross_check=False)
    model = Answering(name="dear")
    plan = await make_plan(order, Makers(writer=model, judge=model), Artefacts(), (), priced=price)
    rows = {row.stage: row.calls for row in plan.rows}
    assert rows["specified"] == rows["agreement"] == plan.tests
