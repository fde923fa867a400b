"""The scores of a result for a page: value against threshold, reason, evidence with links into the text, parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.core.score import Score
from proctor.report.evidence_marks import Quotation, state_of
from proctor.server.pages.table import Chip, State

__all__ = ["ScoreEvidence", "ScoreRow", "score_rows"]

_RULE: Final = "rule"
_CHIPS: Final[dict[str, tuple[State, str]]] = {
    "pass": ("pass", "pass"),
    "doubt": ("doubt", "in doubt"),
    "fail": ("fail", "fail"),
    "info": ("info", "informs"),
    "error": ("unscored", "not judged"),
    "skipped": ("unscored", "skipped"),
}
_MOST_PARTS: Final = 200
_MOST_DEPTH: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreEvidence:
    """A quotation with its place; ``to`` leads to it in the text, if it was found there."""

    quote: str
    place: str = ""
    note: str = ""
    to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """One score or part of one; ``width`` and ``mark`` are for the meter, in percent."""

    name: str
    title: str
    chip: Chip
    depth: int
    value: float | None
    threshold: float | None
    reason: str
    facts: str
    evidence: Sequence[ScoreEvidence] = ()
    raw: str = ""

    @property
    def width(self) -> float:
        """The value in percent."""
        return 100 * (self.value or 0.0)


def score_rows(scores: Sequence[Score], quoted: Sequence[Quotation], to: Mapping[int, str]) -> list[ScoreRow]:
    """Return every score with its parts below it: what failed first."""
    order = {"fail": 0, "error": 1, "doubt": 2}
    places = {(each.text, each.turn): to[each.number] for each in quoted if each.number in to and not each.is_source}
    sources = {each.text: to[each.number] for each in quoted if each.number in to and each.is_source}
    ordered = sorted(scores, key=lambda score: order.get(state_of(score), 3))
    return [row for score in ordered for row in _rows(score, places, sources, 0)]


def _rows(
    score: Score, places: Mapping[tuple[str, int | None], str], sources: Mapping[str, str], depth: int
) -> Iterator[ScoreRow]:
    rule = next((each.quote for each in score.evidence if each.where == _RULE), "")
    yield ScoreRow(
        name=score.name,
        title=rule or score.name,
        chip=Chip(*_CHIPS[state_of(score)]),
        depth=depth,
        value=score.value,
        threshold=score.threshold,
        reason=score.reason,
        facts=_facts(score),
        evidence=list(_evidence(score, places, sources)),
        raw=score.raw or "",
    )
    if depth < _MOST_DEPTH:
        for part in score.parts[:_MOST_PARTS]:
            yield from _rows(part, places, sources, depth + 1)


def _evidence(
    score: Score, places: Mapping[tuple[str, int | None], str], sources: Mapping[str, str]
) -> Iterator[ScoreEvidence]:
    for each in score.evidence:
        if each.where == _RULE:
            continue
        place = f"turn {each.turn + 1}" if each.turn is not None else ""
        yield ScoreEvidence(quote=each.quote, place=place, note=each.note, to=places.get((each.quote, each.turn), ""))
        if each.where:
            to = sources.get(each.where, "")
            yield (
                ScoreEvidence(quote=each.where, place="in the source", to=to)
                if to
                else ScoreEvidence(quote="", note=each.where)
            )


def _facts(score: Score) -> str:
    facts = [score.producer or "rule"]
    if score.version:
        facts.append(f"version {score.version}")
    if score.measured is not None:
        facts.append(f"measured {score.measured:.4g}{f' {score.unit}' if score.unit else ''}")
    if score.label:
        facts.append(f"label {score.label}")
    if score.confidence is not None:
        facts.append(f"confidence {score.confidence:.2f}")
    if score.weight != 1.0:
        facts.append(f"weight {score.weight:g}")
    return " · ".join(facts)
