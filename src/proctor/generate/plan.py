"""Estimate a generation before anything is spent: calls and tokens by stage, and cost if prices are known.

The pipeline runs with stand-in models, so the plan takes into account what exists, what is kept after an edit, and how
the rules are grouped into calls. It assumes the rules that code finds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from proctor.core.chat import Usage
from proctor.core.generated_test import GeneratedTest
from proctor.core.rule import Rule
from proctor.generate.artefacts import Artefacts
from proctor.generate.dry_run_model import Rehearsal
from proctor.generate.generation_request import Makers, Order
from proctor.generate.pipeline import generate
from proctor.generate.stages.answer_size import EXPECTED_TOKENS

__all__ = ["GenerationPlan", "PlanRow", "make_plan"]

Priced = Callable[[str, Usage], float | None]

_LETTERS_A_TOKEN = 3.6  # characters per token, for English with JSON; Japanese has fewer, so its plan is too low
# Maximum attempts per question: the question, a retry with the error, a new sample.
_MOST_ASKINGS = 3
_MOST_TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """One stage on one model. ``most`` is the number of calls if every question has to be repeated."""

    stage: str
    model: str
    calls: int
    most: int
    usage: Usage
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationPlan:
    """The planned calls, and the expected result."""

    rows: tuple[PlanRow, ...]
    rules: int
    tests: int
    baseline: int

    @property
    def calls(self) -> int:
        """The total number of calls."""
        return sum(row.calls for row in self.rows)

    @property
    def most(self) -> int:
        """The total number of calls if every question has to be repeated."""
        return sum(row.most for row in self.rows)

    @property
    def usage(self) -> Usage:
        """The total number of tokens."""
        return sum((row.usage for row in self.rows), Usage())

    @property
    def cost(self) -> float | None:
        """The total cost; ``None`` if the price of a model is unknown."""
        costs = [row.cost for row in self.rows]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None


async def make_plan(
    order: Order, makers: Makers, present: Artefacts, edited: Collection[str], *, priced: Priced
) -> GenerationPlan:
    """Run the generation without calling any model."""
    rules = _expected(order)
    cast = _cast(makers, rules)
    stand_ins = Makers(
        writer=cast.get(makers.writer.name) if makers.writer else None,
        for_stage={stage: cast[model.name] for stage, model in makers.for_stage.items()},
        judge=cast.get(makers.judge.name) if makers.judge else None,
        rehearsed=True,
    )
    made = await generate(replace(order, agreement=False), stand_ins, present, edited)
    rows = [row for each in cast.values() for row in _rows(each, order, priced)]
    tests = made.artefacts.tests
    if makers.truth is not None:
        open_tests = sum(case.expect.reference is None and not GeneratedTest.of(case).groundtruth for case in tests)
        rows += _truth_rows(order, makers, open_tests, priced)
    if order.agreement and makers.writer is not None and makers.judge is not None:
        rows += _agreement_rows(order, makers, sum(not GeneratedTest.of(case).agreement for case in tests), priced)
    enabled = [rule for rule in made.artefacts.rules if rule.polarity == "positive" and not rule.disabled]
    rows.sort(key=lambda row: list(EXPECTED_TOKENS).index(row.stage))
    return GenerationPlan(
        rows=tuple(row for row in rows if row.calls),
        rules=len(enabled),
        tests=len(tests),
        baseline=len(made.artefacts.baseline),
    )


def _expected(order: Order) -> tuple[Rule, ...]:
    from proctor.generate.extract import extract_rules  # noqa: PLC0415

    found = extract_rules(order.prompt)
    if found:
        return found
    return (Rule(text="The answer does what the prompt asks for.", kind="content"),)


def _cast(makers: Makers, rules: Sequence[Rule]) -> dict[str, Rehearsal]:
    models = [model for model in (makers.writer, makers.judge, *makers.for_stage.values()) if model is not None]
    return {model.name: Rehearsal(name=model.name, rules=rules) for model in models}


def _rows(each: Rehearsal, order: Order, priced: Priced) -> list[PlanRow]:
    rows = []
    for stage, calls in each.calls.items():
        per_item = EXPECTED_TOKENS.get(stage, 60)
        items = each.items[stage]
        if stage == "rules":
            items = len(each.rules)
        elif stage == "tests":
            items *= order.effort.tests_per_rule
        elif stage == "baseline":
            items = order.effort.baseline
        usage = Usage(input=_tokens(each.characters[stage]), output=items * per_item)
        turns = order.effort.generations if stage in ("tests", "validity") else 1
        rows.append(_row(stage, each.name, calls, calls * _MOST_ASKINGS * turns, usage, priced))
    return rows


def _truth_rows(order: Order, makers: Makers, tests: int, priced: Priced) -> list[PlanRow]:
    assert makers.truth is not None
    size = _tokens(len(order.prompt.text)) + EXPECTED_TOKENS["tests"]
    answers = Usage(input=tests * size, output=tests * EXPECTED_TOKENS["groundtruth"])
    rows = [_row("groundtruth", makers.truth.name, tests, tests * _MOST_TRIES, answers, priced)]
    for judge in makers.truth_judges:
        graded = Usage(input=tests * (size + 600), output=tests * EXPECTED_TOKENS["truth"])
        rows.append(_row("truth", judge.name, tests, tests * _MOST_TRIES * _MOST_ASKINGS, graded, priced))
    return rows


def _agreement_rows(order: Order, makers: Makers, tests: int, priced: Priced) -> list[PlanRow]:
    assert makers.writer is not None
    assert makers.judge is not None
    size = _tokens(len(order.prompt.text)) + EXPECTED_TOKENS["tests"]
    answers = Usage(input=tests * size, output=tests * EXPECTED_TOKENS["specified"])
    graded = Usage(input=tests * (size + 600), output=tests * EXPECTED_TOKENS["agreement"])
    return [
        _row("specified", makers.writer.name, tests, tests, answers, priced),
        _row("agreement", makers.judge.name, tests, tests * _MOST_ASKINGS, graded, priced),
    ]


def _row(stage: str, model: str, calls: int, most: int, usage: Usage, priced: Priced) -> PlanRow:
    row = PlanRow(stage=stage, model=model, calls=calls, most=most, usage=usage)
    return replace(row, cost=priced(model, usage))


def _tokens(characters: int) -> int:
    return round(characters / _LETTERS_A_TOKEN)
