"""Check that the answer is about the question, names the right products and uses the context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

from proctor.core.case import Case
from proctor.core.errors import ProctorError
from proctor.core.score import Score
from proctor.core.sockets import Catalogue, Embedder, Model, socket
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.quality_parts import context, products, support, topic
from proctor.scorers.answer.quality_parts.rubric_judge import by_judge
from proctor.scorers.checked_answers import no_answer, quoted
from proctor.scorers.weighted_parts import check_weights, combined, weighed

__all__ = ["Relevance"]

_RUBRIC: Final = """How well does the answer address what the user asked?
5: it addresses it fully, with information the user can act on
4: it addresses it well and misses minor details
3: it addresses it in part, or opens with something the user did not ask for
2: it is on a neighbouring matter and does not answer
1: it has nothing to do with the question
What the answer opens with counts more than what comes later. Whether its facts are right does not count here."""
_PARTS: Final = (topic.NAME, products.NAME, context.NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """Whether the answer addresses what was asked, names the right products and uses page and history."""

    name: ClassVar[str] = "relevance"
    version: ClassVar[str] = "2"
    threshold: ClassVar[float | None] = 0.7
    primary: ClassVar[str | None] = None

    weights: Mapping[str, float] = field(
        default_factory=lambda: {topic.NAME: 0.50, products.NAME: 0.30, context.NAME: 0.20}
    )
    product_intents: tuple[str, ...] = ("recommendation", "product_question", "promotion")
    promotion_intents: tuple[str, ...] = ("promotion", "checkout_help")
    small_talk_intents: tuple[str, ...] = ("chitchat",)
    light: bool = False
    embedder: Embedder = socket()
    catalogue: Catalogue | None = socket(optional=True)
    judge: Model | None = socket(optional=True)

    def __post_init__(self) -> None:
        check_weights(self.weights, _PARTS)

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Score the last answer on its three parts."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        wanted, failure = [], None
        keys = products.expected_products(case, run)
        page_names = context.page_names(case.page)
        shown = products.Product(key=page_names[0], names=page_names) if page_names else None
        try:
            wanted = await products.looked_up(keys, run, self.catalogue)
            for found in await products.looked_up(page_names[:1], run, self.catalogue):
                shown = replace(found, names=tuple(dict.fromkeys((*page_names, *found.names))))
        except ProctorError as error:
            wanted = [products.Product(key=key, names=(key,)) for key in keys]
            failure = f"the catalogue did not answer: {quoted(error.message)}"
        asked = topic.asked_of(case, run, [name for product in wanted for name in product.names])
        embedder = None if self.light else self.embedder
        parts = (
            await self._intent(case, run, asked, embedder),
            self._products(case, wanted, run.answer, failure),
            await context.context_relevance(asked, run.answer, case.page, shown, embedder),
        )
        return combined(self.name, weighed(parts, self.weights, version=self.version), version=self.version)

    async def _intent(self, case: Case, run: Trajectory, asked: topic.AskedTopic, embedder: Embedder | None) -> Score:
        if self.judge is not None and not self.light:
            return await by_judge(
                topic.NAME,
                weight=self.weights.get(topic.NAME, 0.0),
                rubric=_RUBRIC,
                include=("page", "history", "input", "answer"),
                judge=self.judge,
                case=case,
                run=run,
            )
        promotes, small_talk = case.intent in self.promotion_intents, case.intent in self.small_talk_intents
        passages = [passage.text for passage in support.passages_of(run)]
        return await topic.intent_relevance(
            asked, run.answer, embedder, promotes=promotes, small_talk=small_talk, passages=passages
        )

    def _products(self, case: Case, wanted: list[products.Product], answer: str, failure: str | None) -> Score:
        if case.intent is not None and case.intent not in self.product_intents:
            return Score(name=products.NAME, status="skipped", reason=f"does not apply to {quoted(case.intent, 40)}")
        if not wanted:
            return Score(name=products.NAME, status="skipped", reason="the case expects no products")
        found = products.product_relevance(wanted, answer)
        if failure is not None and found.value != 1.0:
            return Score(name=products.NAME, status="error", reason=failure)
        return found
