"""Score each turn: intent, retrieval, support by sources, similarity to the reference, latency and cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

from proctor.core.case import Case, Expectation
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Embedder, Entailer, Grounder, socket
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.transcript import failed
from proctor.scorers.answer.quality_parts.source_passages import SourcePassage
from proctor.scorers.answer.quality_parts.support import no_hallucination, passages_of
from proctor.scorers.checked_answers import MOST_EVIDENCE, no_answer, quoted, turn_label
from proctor.scorers.safety.citation_spans import retrieved
from proctor.scorers.weighted_parts import check_weights, combined

__all__ = ["Turns"]

WEIGHTS: Final = {
    "intent": 1.0,
    "precision": 1.0,
    "recall": 1.0,
    "support": 2.0,
    "bertscore": 1.0,
    "latency": 1.0,
    "cost": 1.0,
}
_LETTERS: Final = 4_000
_MOST_PASSAGES: Final = 24
_MOST_SHOWN: Final = 60  # turns shown one by one in each part


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """Each turn by itself: the right intent, the right sources, an answer they support, in time."""

    name: ClassVar[str] = "turns"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = None
    primary: ClassVar[str | None] = None

    k: int = 5
    at_most_seconds: float | None = None
    at_most_cost: float | None = None
    weights: Mapping[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    light: bool = False
    entailer: Entailer = socket(fast=True)
    grounder: Grounder = socket(fast=True)
    embedder: Embedder = socket()

    def __post_init__(self) -> None:
        check_weights(self.weights, WEIGHTS)
        if self.k < 1:
            raise ValueError(f"k is {self.k}; it must be 1 or more")
        for name in ("at_most_seconds", "at_most_cost"):
            limit = getattr(self, name)
            if limit is not None and not limit >= 0:
                raise ValueError(f"{name} is {limit:g}; it must be 0 or more")

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Score every turn on each measure; a measure is a part, with the turns as its parts."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        expects = _expectations(case, run)
        parts = [
            _gathered("intent", _intents(case, run, expects), "no intent is expected or recorded"),
            *self._retrieval(case, run, expects),
            _gathered("support", await self._support(run), "nothing was retrieved that an answer could rest on"),
            _gathered("bertscore", self._bertscores(case, run, expects), self._why_no_bertscore()),
            self._limited("latency", [turn.latency for turn in run.turns], self.at_most_seconds, "s"),
            self._limited("cost", [turn.cost for turn in run.turns], self.at_most_cost, None),
        ]
        weighted = [
            replace(part, weight=self.weights.get(part.name, WEIGHTS[part.name]), version=self.version)
            for part in parts
        ]
        return combined(self.name, weighted, version=self.version)

    def _retrieval(self, case: Case, run: Trajectory, expects: Sequence[Expectation | None]) -> list[Score]:
        """Return precision@k and recall@k per turn if its expected sources are known, else for the conversation."""
        wanted = [frozenset(each.sources) if each is not None else frozenset() for each in expects]
        if not any(wanted) and case.expect.sources:
            return self._retrieval_of_all(frozenset(case.expect.sources), run)
        precision, recall = [], []
        for index, (turn, gold) in enumerate(zip(run.turns, wanted, strict=False)):
            if not gold:
                continue
            found = [source.id for source in retrieved(turn)[: self.k]]
            hits = len(gold & set(found))
            if found:
                reason = f"{hits} of {len(found)} found are expected"
                precision.append(_turn(index, sum(each in gold for each in found) / len(found), reason))
            recall.append(_turn(index, hits / len(gold), f"{hits} of {len(gold)} expected are found"))
        nothing = "no sources are expected"
        return [_gathered("precision", precision, nothing), _gathered("recall", recall, nothing)]

    def _retrieval_of_all(self, gold: frozenset[str], run: Trajectory) -> list[Score]:
        by_turn = [(index, [source.id for source in retrieved(turn)[: self.k]]) for index, turn in enumerate(run.turns)]
        precision = [
            _turn(index, sum(each in gold for each in found) / len(found), f"{len(gold & set(found))} of {len(found)}")
            for index, found in by_turn
            if found
        ]
        hits = gold & {each for _, found in by_turn for each in found}
        recall = Score(
            name="recall", value=len(hits) / len(gold), reason=f"{len(hits)} of {len(gold)} expected are found"
        )
        return [_gathered("precision", precision, "nothing was retrieved"), recall]

    async def _support(self, run: Trajectory) -> list[Score]:
        """Score how far the sources retrieved so far support each answer."""
        made: list[Score] = []
        passages: list[SourcePassage] = []
        entailer, grounder = (None, None) if self.light else (self.entailer, self.grounder)
        for index, turn in enumerate(run.turns):
            passages = [*passages, *_passages(turn)][-_MOST_PASSAGES:]
            # A hand-over message is not a claim about the world.
            if not passages or not turn.answer.strip() or turn.escalation is not None:
                continue
            score = await no_hallucination(turn.answer, passages, entailer, grounder, retrieved=bool(retrieved(turn)))
            if score.status == "skipped":
                continue
            evidence = tuple(
                replace(each, turn=index) for each in score.evidence if not each.note.startswith("supported")
            )
            made.append(replace(score, name=turn_label(index), evidence=evidence[:4], parts=()))
        return made

    def _why_no_bertscore(self) -> str:
        return "light: no network is asked" if self.light else "no reference is known"

    def _bertscores(self, case: Case, run: Trajectory, expects: Sequence[Expectation | None]) -> list[Score]:
        """Return the BERTScore F1 of answer and reference, by token vectors of the embedder."""
        vectors_of = getattr(self.embedder, "token_vectors", None)
        if self.light or vectors_of is None:
            return []
        made = []
        for index, turn in enumerate(run.turns):
            expect = expects[index]
            reference = expect.reference if expect is not None else None
            if reference is None and index == len(run.turns) - 1:
                reference = case.expect.reference
            if not reference or not reference.strip() or not turn.answer.strip():
                continue
            try:
                (_, one), (_, two) = vectors_of([turn.answer[:_LETTERS], reference[:_LETTERS]])
            except ProctorError as error:
                made.append(Score(name=turn_label(index), status="error", reason=quoted(error.message)))
                continue
            made.append(_turn(index, _f1(one, two), "likeness of tokens", producer="local model"))
        return made

    def _limited(self, name: str, values: Sequence[float | None], limit: float | None, unit: str | None) -> Score:
        """Compare the largest value with the limit; without a limit, only report it."""
        known = [(value, index) for index, value in enumerate(values) if value is not None]
        if not known:
            return Score(name=name, status="skipped", reason="not known")
        worst, index = max(known)
        total = sum(value for value, _ in known)
        more: dict[str, Any] = {"measured": total, "unit": unit}
        if limit is None:
            what = f"{total:.3g} in all, at most {worst:.3g} in {turn_label(index)}"
            return Score(name=name, status="skipped", reason=f"{what}; no limit is set", **more)
        kept = sum(value <= limit for value, _ in known)
        evidence = tuple(
            Evidence(turn=at, note=f"{value:.3g}; at most {limit:g}") for value, at in known if value > limit
        )[:MOST_EVIDENCE]
        reason = f"{kept} of {len(known)} turns within {limit:g}; the most is {worst:.3g} in {turn_label(index)}"
        return Score(name=name, value=kept / len(known), reason=reason, evidence=evidence, **more)


def _expectations(case: Case, run: Trajectory) -> list[Expectation | None]:
    asks = case.asks
    return [asks[index].expect if index < len(asks) else None for index in range(len(run.turns))]


def _intents(case: Case, run: Trajectory, expects: Sequence[Expectation | None]) -> list[Score]:
    """Compare each turn's intents with the expected ones; otherwise check that the conversation's intent occurred."""
    made = []
    for index, expect in enumerate(expects):
        named = [intent.name for intent in run.turns[index].intents]
        if expect is not None and expect.intents and named:
            hit = bool(set(map(_fold, named)) & set(map(_fold, expect.intents)))
            reason = f"{', '.join(named)}; expected {', '.join(expect.intents)}"
            made.append(_turn(index, float(hit), quoted(reason, 120)))
    gold = case.expect.intents or ((case.intent,) if case.intent else ())
    if made or not gold:
        return made
    came = {_fold(intent.name) for turn in run.turns for intent in turn.intents}
    if not came:
        return []
    return [
        Score(
            name=name, value=float(_fold(name) in came), reason="came up" if _fold(name) in came else "did not come up"
        )
        for name in gold
    ]


def _fold(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")


def _passages(turn: Turn) -> list[SourcePassage]:
    """Return what a turn retrieved: documents as prose, other tool results as data."""
    kept = tuple(call for call in turn.tool_calls if not failed(call))
    return passages_of(Trajectory(turns=(replace(turn, sources=tuple(retrieved(turn)), tool_calls=kept),)))


def _f1(one: Any, two: Any) -> float:
    if not len(one) or not len(two):
        return 0.0
    near = one @ two.T
    precision, recall = float(near.max(axis=1).mean()), float(near.max(axis=0).mean())
    value = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return min(1.0, max(0.0, value))


def _turn(index: int, value: float, reason: str, **more: Any) -> Score:
    return Score(name=turn_label(index), value=min(1.0, max(0.0, value)), reason=reason, **more)


def _gathered(name: str, found: Sequence[Score], nothing: str) -> Score:
    """Return the mean over the turns, with each turn as a part."""
    values = [score.value for score in found if score.value is not None]
    broken = [score for score in found if score.status == "error"]
    shown = tuple(found[:_MOST_SHOWN])
    if not values:
        if broken:
            return Score(name=name, status="error", reason=f"{broken[0].name}: {broken[0].reason}", parts=shown)
        return Score(name=name, status="skipped", reason=nothing)
    mean = min(1.0, sum(values) / len(values))
    worst = min((score for score in found if score.value is not None), key=lambda score: score.value or 0.0)
    reason = f"{mean:.2f} over {len(values)}" + (
        "" if worst.value is None or worst.value >= mean else f"; lowest in {worst.name}: {worst.reason}"
    )
    evidence = tuple(one for score in found for one in score.evidence)[:MOST_EVIDENCE]
    sure = [score.confidence for score in found if score.confidence is not None]
    return Score(
        name=name,
        value=mean,
        reason=quoted(reason, 300),
        evidence=evidence,
        parts=shown,
        confidence=sum(sure) / len(sure) if sure else None,
        producer="+".join(dict.fromkeys(each for score in found for each in score.producer.split("+"))),
    )
