"""Find what scores quote in the texts of a conversation, so that it can be marked where it was said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal

from proctor.core.record import dataclass
from proctor.core.report import Result
from proctor.core.score import Score

__all__ = ["EvidenceMarks", "MarkState", "MarkedPiece", "Quotation", "TextPlace", "mark_text", "quotations", "state_of"]

MarkState = Literal["pass", "doubt", "fail", "info", "error", "skipped"]
_RULE: Final = "rule"  # the ``where`` of evidence that holds the words of a rule, which nobody said
_LEAST: Final = 3  # characters of a quotation; shorter ones are found anywhere
_LEAST_PASSAGE: Final = 16  # characters of a ``where`` that is a passage and not a word
_MOST: Final = 400  # quotations of one result
_LAST_TEXTS: Final = 400  # where a quotation of no known turn is looked for
_ELLIPSIS: Final = re.compile(r"\s*(?:…|\.\.\.)\s*")
_WORST: Final[Sequence[MarkState]] = ("fail", "error", "doubt", "info", "skipped", "pass")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """What one score quotes: ``number`` names it in the page, ``turn`` is where it was said, if known.

    ``is_source`` means that it stands in a source or a tool's result: what the answer is held against.
    """

    number: int
    score: str
    state: MarkState
    text: str
    turn: int | None = None
    note: str = ""
    is_source: bool = False


@dataclass(frozen=True, slots=True)
class MarkedPiece:
    """A piece of a text and the quotations it belongs to; ``begins`` are those that begin with it."""

    text: str
    marks: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()
    state: str = ""


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A text of the conversation: its turn, what it is, and its number within that."""

    turn: int
    kind: Literal["message", "source", "tool"]
    number: int


def state_of(score: Score) -> MarkState:
    """Return the state of a score: its verdict, or why it has none."""
    if score.status != "ok":
        return score.status
    if score.passed is None:
        return "info"
    return "fail" if not score.passed else "doubt" if score.in_doubt else "pass"


def quotations(scores: Iterable[Score], *, only: str = "") -> list[Quotation]:
    """Return what the scores and their parts quote, numbered in order; ``only`` is the name of one score."""
    found: list[Quotation] = []
    known: set[tuple[str, int | None, bool]] = set()
    for top in scores:
        if only and top.name != only:
            continue
        for score in _every(top):
            for text, turn, note, is_source in _quoted(score):
                key = (text, turn, is_source)
                if key in known or len(found) >= _MOST:
                    continue  # a part repeats the evidence of its whole
                known.add(key)
                name = top.name if score is top else f"{top.name} · {score.label or score.name}"
                found.append(
                    Quotation(
                        number=len(found) + 1,
                        score=name,
                        state=state_of(score),
                        text=text,
                        turn=turn,
                        note=note,
                        is_source=is_source,
                    )
                )
    return found


def mark_text(text: str, spans: Sequence[tuple[int, int, Quotation]]) -> list[MarkedPiece]:
    """Cut a text at the ends of the spans; a piece may belong to several."""
    ends = sorted({0, len(text), *(end for start, stop, _ in spans for end in (start, stop))})
    pieces = []
    for start, stop in pairwise(ends):
        here = [(begin, mark) for begin, end, mark in spans if begin <= start and stop <= end]
        states: list[MarkState] = [mark.state for _, mark in here]
        pieces.append(
            MarkedPiece(
                text[start:stop],
                tuple(mark.number for _, mark in here),
                tuple(mark.number for begin, mark in here if begin == start),
                min(states, key=_WORST.index) if states else "",
            )
        )
    return pieces


class EvidenceMarks:
    """The marks of one result: which text of the conversation each quotation was found in."""

    def __init__(self, result: Result, quoted: Sequence[Quotation]) -> None:
        self._spans: dict[TextPlace, list[tuple[int, int, Quotation]]] = {}
        self.places: dict[int, TextPlace] = {}  # by the number of the quotation; without those that were not found
        said = list(_said(result))
        shown = list(_shown(result))
        for mark in quoted:
            texts = [*shown, *reversed(said)] if mark.is_source else [*reversed(said), *shown]
            if mark.turn is None:
                texts = texts[:_LAST_TEXTS]
            for place, text in texts:
                if mark.turn is not None and place.turn != mark.turn:
                    continue
                if spans := _find(text, mark.text):
                    self.places[mark.number] = place
                    self._spans.setdefault(place, []).extend((start, stop, mark) for start, stop in spans)
                    break

    def pieces(self, place: TextPlace, text: str) -> list[MarkedPiece]:
        """Return the pieces of one text."""
        return mark_text(text, [span for span in self._spans.get(place, ()) if span[1] <= len(text)])


def _every(score: Score) -> Iterator[Score]:
    yield score
    for part in score.parts:
        yield from _every(part)


def _quoted(score: Score) -> Iterator[tuple[str, int | None, str, bool]]:
    for each in score.evidence:
        if each.where == _RULE:
            continue
        if len(each.quote.strip()) >= _LEAST:
            yield each.quote, each.turn, each.note, False
        if each.where and len(each.where) >= _LEAST_PASSAGE:
            yield each.where, None, f"against: {each.quote}"[:200], True


def _said(result: Result) -> Iterator[tuple[TextPlace, str]]:
    """Yield the messages; those of the agent last in their turn, since a search from the end meets them first."""
    for number, turn in enumerate(result.trajectory.turns):
        order = sorted(enumerate(turn.messages), key=lambda each: (each[1].role == "assistant", each[0]))
        for at, message in order:
            yield TextPlace(number, "message", at), message.content


def _shown(result: Result) -> Iterator[tuple[TextPlace, str]]:
    for number, turn in enumerate(result.trajectory.turns):
        for at, source in enumerate(turn.sources):
            yield TextPlace(number, "source", at), source.text
        for at, call in enumerate(turn.tool_calls):
            yield TextPlace(number, "tool", at), call.result if isinstance(call.result, str) else ""


def _find(text: str, quote: str) -> list[tuple[int, int]]:
    """Return where a quotation stands: as it is, else with other white space, or the parts between omissions."""
    at = text.find(quote)
    if at >= 0:
        return [(at, at + len(quote))]
    spans, start = [], 0
    for part in _ELLIPSIS.split(quote):
        words = part.split()
        if sum(map(len, words)) < _LEAST:
            continue
        found = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE).search(text, start)
        if found is None:
            return []
        spans.append(found.span())
        start = found.end()
    return spans
