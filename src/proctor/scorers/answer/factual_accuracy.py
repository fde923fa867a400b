"""Check the facts of an answer: expected facts stated, no unsupported claims, correct live prices and stock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

from proctor.core.case import Case
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Catalogue, Entailer, Grounder, Model, socket
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.quality_parts import context, coverage, live_check, products, support
from proctor.scorers.answer.quality_parts.rubric_judge import by_judge
from proctor.scorers.checked_answers import last_expectation, no_answer, quoted
from proctor.scorers.judge_material import Included
from proctor.scorers.weighted_parts import check_weights, combined, weighed
from proctor.text.money import find_money, same_amount

__all__ = ["FactualAccuracy"]

_PARTS: Final = (coverage.NAME, support.NAME, live_check.NAME)
_FACTS: Final = """How many of the expected facts does the answer convey?
Another wording of the same content is as good; another number, unit or date, or a denial, is not the same content.
5: all of them. 3: half of them. 1: none of them. 4 and 2 lie between."""
_SOURCES: Final = """How much of what the answer claims is supported by the sources and the results of tools?
5: every claim is supported
4: nearly every claim; what is not is of no weight
3: a claim of weight is not supported, or only an older source supports it and a newer one contradicts it
2: most claims are not supported
1: what matters in the answer is contradicted or made up
Greetings, questions and offers of help are no claims."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactualAccuracy:
    """Whether the answer states the expected facts, makes nothing up, and gives live prices and stock right."""

    name: ClassVar[str] = "factual_accuracy"
    version: ClassVar[str] = "2"
    threshold: ClassVar[float | None] = 0.8
    primary: ClassVar[str | None] = None

    weights: Mapping[str, float] = field(
        default_factory=lambda: {coverage.NAME: 0.40, support.NAME: 0.40, live_check.NAME: 0.20}
    )
    price_intents: tuple[str, ...] = ("product_question", "recommendation", "promotion")
    light: bool = False
    entailer: Entailer = socket()
    grounder: Grounder = socket()
    catalogue: Catalogue | None = socket(optional=True)
    judge: Model | None = socket(optional=True)

    def __post_init__(self) -> None:
        check_weights(self.weights, _PARTS)

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Score the last answer on its three parts."""
        return await self.score_from(self.threshold or 0.0, case, run)

    async def score_from(self, threshold: float, case: Case, run: Trajectory) -> Score:
        """Score the last answer where it passes from ``threshold`` on.

        From there on it is left to a person if an expected fact is in doubt; below it has failed whatever that fact is.
        """
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        found, failure = await self._live(case, run)
        rows = [product.row for product in found if product.row is not None]
        facts = [fact for expect in last_expectation(case, run) for fact in expect.facts]
        parts = (
            await self._coverage(case, run, facts),
            await self._support(case, run, rows, facts),
            self._prices(case, run, found, failure),
        )
        whole = combined(self.name, weighed(parts, self.weights, version=self.version), version=self.version)
        return _reviewed(whole, threshold)

    async def _live(self, case: Case, run: Trajectory) -> tuple[list[products.Product], str | None]:
        """Return the products the answer names as the catalogue has them now, or why the lookup failed."""
        if self.catalogue is None:
            return [], None
        extra = (*products.expected_products(case, run), *context.page_names(case.page))
        try:
            return await products.mentioned_products(run.answer, run, self.catalogue, extra), None
        except ProctorError as error:
            return [], f"the catalogue did not answer: {quoted(error.message)}"

    async def _coverage(self, case: Case, run: Trajectory, facts: Sequence[str]) -> Score:
        entailer = None if self.light else self.entailer
        found = await coverage.fact_coverage(facts, run.answer, entailer)
        # The judge decides only open facts, not numbers that the rules have already settled.
        is_open = found.label == coverage.REVIEW or (found.status == "ok" and found.producer != "rule")
        if self.judge is None or self.light or not is_open:
            return found
        return await self._judged(self.judge, coverage.NAME, _FACTS, case, run, ("facts", "input", "answer"))

    async def _support(
        self, case: Case, run: Trajectory, rows: Sequence[Mapping[str, object]], facts: Sequence[str]
    ) -> Score:
        reference = next((each.reference for each in last_expectation(case, run) if each.reference), "")
        passages = support.passages_of(run, rows, (*facts, reference or ""))
        retrieved = bool(run.sources or any(call.result is not None for call in run.tool_calls))
        if self.judge is not None and not self.light and retrieved:
            include: tuple[Included, ...] = ("sources", "tool_calls", "input", "answer")
            return await self._judged(self.judge, support.NAME, _SOURCES, case, run, include)
        entailer, grounder = (None, None) if self.light else (self.entailer, self.grounder)
        return await support.no_hallucination(run.answer, passages, entailer, grounder, retrieved=retrieved)

    async def _judged(
        self, judge: Model, part: str, rubric: str, case: Case, run: Trajectory, include: tuple[Included, ...]
    ) -> Score:
        weight = self.weights.get(part, 0.0)
        return await by_judge(part, weight=weight, rubric=rubric, include=include, judge=judge, case=case, run=run)

    def _prices(self, case: Case, run: Trajectory, found: Sequence[products.Product], failure: str | None) -> Score:
        name = live_check.NAME
        if case.intent is not None and case.intent not in self.price_intents:
            return Score(name=name, status="skipped", reason=f"does not apply to {quoted(case.intent, 40)}")
        if failure is not None:
            return Score(name=name, status="error", reason=failure, producer="catalogue")
        if self.catalogue is not None:
            return live_check.price_accuracy(run.answer, found)
        return _against_sources(run)


def _reviewed(whole: Score, threshold: float) -> Score:
    """Leave the answer unscored if an expected fact is in doubt and nothing else is wrong: a person has to look."""
    doubtful = next((part for part in whole.parts if part.label == coverage.REVIEW), None)
    if doubtful is None or doubtful.weight <= 0 or whole.value is None or whole.value < threshold:
        return whole
    return replace(whole, status="error", value=None, confidence=None, reason=quoted(doubtful.reason, 500))


def _against_sources(run: Trajectory) -> Score:
    """Without a catalogue, compare the prices in the answer with those in the text the agent read."""
    name = live_check.NAME
    given = find_money(run.answer[:50_000])
    if not given:
        return Score(name=name, status="skipped", reason="the answer gives no price")
    known = live_check.amounts_in([passage.text for passage in support.passages_of(run)])
    if not known:
        reason = "the answer gives prices, and no catalogue is set to check them"
        return Score(name=name, status="error", reason=reason, label=support.UNSOURCED)
    wrong = [money for money in given if not same_amount(money, known)]
    return Score(
        name=name,
        value=1 - len(wrong) / len(given),
        reason=f"{len(given) - len(wrong)} of {len(given)} prices are in the sources; no catalogue is set",
        confidence=0.6,
        evidence=tuple(Evidence(quote=money.quote, note="in no source") for money in wrong[:10]),
    )
