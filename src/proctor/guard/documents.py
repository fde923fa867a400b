"""Looks through a document for instructions to the agent, and finds what to cut so that none is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.core.sockets import Classifier
from proctor.guard.edits import Edit, apply
from proctor.guard.passages import Span, pieces, regions, sentences
from proctor.guard.readings import Reading, quote, readings
from proctor.guard.step import Step
from proctor.text.injected_orders import is_prose, orders, speaks_to_somebody
from proctor.text.normalise import DocumentText, SearchedDocument
from proctor.text.normalise.likeness import is_noise, is_strewn
from proctor.text.overrides import attempts

__all__ = ["Cut", "Seen", "look_through"]

_BY_RULE: Final = 0.95
_MOST_ORDERS: Final = 32
_MOST_RUNS: Final = 64  # what is not looked at is not cut, and what is then still suspect is blocked
_MOST_SUSPECT: Final = 16
_LONGEST_ORDER: Final = 600  # letters: of one that goes on the first are read, the rest was with the whole text
_FEWEST_WORDS: Final = 4  # of a sentence that is cut for the company it keeps


_Run = tuple[Reading, Sequence[Span], float]  # some sentences of a reading, and how much they look like an attack


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A stretch of the original that tells the agent what to do, how sure that is, and what says so."""

    start: int
    end: int
    share: float
    text: str
    part: str
    kind: str = "indirect"
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What stands in a document: how much it looks like an attack, what to cut, and whether the rest is harmless."""

    share: float
    cuts: tuple[Cut, ...] = ()
    clean: bool = True


async def look_through(step: Step, classifier: Classifier, *, low: float, high: float, rules: bool) -> Seen:
    """Find the instructions by their words and by the classifier; what is left after cutting is read once more.

    A sentence that addresses an agent counts from ``low``, any other from ``high``. A text of which the classifier
    left out what looks suspicious has at least the share ``low``, so that a person sees it.
    """
    read = list(readings(step))
    (row,) = await classifier.classify([DocumentText(_words(step.text))])
    share = row["injection"]
    cuts = list(_by_words(step)) if rules else []
    cuts += await _ordered(step, classifier, low, high, share)
    if share < high:
        return Seen(share=max(share, low) if row.get("unread") else share, cuts=_joined(cuts))
    if all(is_noise(each.text) for each in read):  # noise has no sentences that could be told apart
        return Seen(share=share, cuts=_joined(cuts), clean=not any(map(_speaking, read)))
    suspect = await _suspect(read, classifier, high, whole=share)
    if not suspect and not cuts:  # somewhere, if anybody is spoken to at all
        return Seen(share=share, clean=not any(map(_speaking, read)))
    # What is hidden first, then sentences, then all that the runs tell somebody: no more is cut than must be.
    for some, whole in ((read[1:], False), (read, False), (read, True)):
        cuts += await _told_in([each for each in suspect if each[0] in some], classifier, low, high, whole=whole)
        rest = apply(step.text, [Edit(start=each.start, end=each.end, text="\n") for each in _joined(cuts)])
        left = readings(Step(point=step.point, text=rest))
        # where nothing was hidden nothing is
        if not await _suspect(list(left) if len(read) > 1 else [next(left)], classifier, high, sure=True):
            return Seen(share=share, cuts=_joined(cuts))
    return Seen(share=share, cuts=_joined(cuts), clean=False)


def _words(text: str) -> str:
    """The words of a text; of JSON what its strings say, since braces and quotes look like an attack themselves."""
    return "\n".join(text[start:end] for start, end in regions(text)) or " "


async def _suspect(
    read: Sequence[Reading], classifier: Classifier, high: float, *, sure: bool = False, whole: float | None = None
) -> list[_Run]:
    """The runs of sentences that look like an attack and speak to somebody; what a record says is no instruction.

    Where there is only one, ``whole`` says how much it does: it was read already.
    """
    runs = [(reading, run) for reading in read for run in pieces(reading.text) if _speaking(reading, run, sure=sure)]
    runs = runs[:_MOST_RUNS]
    if whole is not None and len(runs) == len(read) == 1 == len(pieces(read[0].text)):
        return [(*runs[0], whole)]
    shares = await _shares(classifier, [_told(reading, run) for reading, run in runs])
    found = [(reading, run, share) for (reading, run), share in zip(runs, shares, strict=True)]
    return [each for each in found if each[2] >= high]


async def _shares(classifier: Classifier, texts: Sequence[str]) -> list[float]:
    """How much each of some parts of readings looks like an attack; what is hidden in them is a reading of its own."""
    return [row["injection"] for row in await classifier.classify([SearchedDocument(text) for text in texts])]


def _speaking(reading: Reading, run: Sequence[Span] | None = None, *, sure: bool = True) -> list[Span]:
    """The sentences, of a run or of all, that speak to somebody, or if that need not be sure are prose."""
    spans = run if run is not None else [span for piece in pieces(reading.text) for span in piece]
    told = ((span, reading.text[span[0] : span[1]]) for span in spans)
    return [span for span, text in told if speaks_to_somebody(text) or (not sure and is_prose(text))]


def _by_words(step: Step) -> Iterator[Cut]:
    """The sentences with words that no honest document has."""
    for reading in readings(step):
        hits = [hit for hit in attempts(reading.text) if not hit.mentioned]
        if not hits:
            continue
        for start, end in (each for piece in pieces(reading.text) for each in piece):
            if any(start < hit.end and hit.start < end for hit in hits):
                yield _cut(reading, (start, end), _BY_RULE, "rules")


async def _ordered(step: Step, classifier: Classifier, low: float, high: float, share: float) -> list[Cut]:
    """Instructions in the imperative of which the classifier thinks so too, or that are one order behind a label.

    A long one counts with its first letters, or with the ``share`` of the whole text if that is more.
    """
    found: list[tuple[Reading, Span, float]] = []
    for reading in readings(step):
        for start, end in regions(reading.text):
            for order in orders(reading.text[start:end]):
                least = 0.0 if order.terse else low if order.marked else high
                found.append((reading, (start + order.start, start + order.end), least))
    found = found[:_MOST_ORDERS]
    told = [reading.text[start:end] for reading, (start, end), _ in found]
    firsts = await _shares(classifier, [text[:_LONGEST_ORDER] for text in told])
    shares = [max(own, share if len(text) > _LONGEST_ORDER else 0.0) for text, own in zip(told, firsts, strict=True)]
    return [
        _cut(reading, await _narrowed(reading, span, classifier, low), own, "orders")
        for (reading, span, least), own in zip(found, shares, strict=True)
        if own >= least
    ]


async def _narrowed(reading: Reading, span: Span, classifier: Classifier, low: float) -> Span:
    """The sentences from the first to the last that count by themselves; all when none does, or there are none."""
    parts = list(sentences(reading.text, *span))
    if len(parts) < 2 or is_strewn(reading.text[span[0] : span[1]]):
        return span
    shares = await _shares(classifier, [reading.text[start:end] for start, end in parts])
    counting = [part for part, share in zip(parts, shares, strict=True) if share >= low]
    return (counting[0][0], counting[-1][1]) if counting else span


async def _told_in(
    suspect: Sequence[_Run], classifier: Classifier, low: float, high: float, *, whole: bool
) -> list[Cut]:
    """The sentences that the classifier takes for an attack, or all in the suspect runs that speak to somebody."""
    cuts: list[Cut] = []
    for reading, run, share in suspect[:_MOST_SUSPECT]:
        if whole:
            cuts += [_cut(reading, span, share, "model") for span in _speaking(reading, run)]
            continue
        if is_strewn(_told(reading, run)):  # no sentences that could be told apart
            cuts.append(_cut(reading, (run[0][0], run[-1][1]), share, "model"))
            continue
        shares = await _shares(classifier, [reading.text[start:end] for start, end in run])
        speaking = _speaking(reading, run, sure=False)
        telling = [one >= high and span in speaking for one, span in zip(shares, run, strict=True)]
        for at, span in enumerate(run):
            beside = any(telling[max(0, at - 1) : at + 2]) and shares[at] >= low and _is_long(reading, span)
            if telling[at] or beside:
                cuts.append(_cut(reading, span, shares[at], "model"))
    return cuts


def _is_long(reading: Reading, span: Span) -> bool:
    return len(reading.text[span[0] : span[1]].split()) >= _FEWEST_WORDS


def _told(reading: Reading, run: Sequence[Span]) -> str:
    return " ".join(reading.text[start:end] for start, end in run)


def _cut(reading: Reading, span: Span, share: float, part: str) -> Cut:
    start, end = reading.span(*span)
    kind = "smuggling" if reading.kinds else "indirect"
    text = quote(reading.text, *span)
    return Cut(start=start, end=end, share=share, text=text, part=part, kind=kind, hidden=reading.kinds)


def _joined(cuts: Sequence[Cut]) -> tuple[Cut, ...]:
    """The cuts in order, those that overlap as one."""
    made: list[Cut] = []
    for each in sorted(cuts, key=lambda cut: (cut.start, -cut.end)):
        if made and each.start < made[-1].end:
            last = made.pop()
            surer = each if each.share > last.share else last
            made.append(
                Cut(
                    start=last.start,
                    end=max(last.end, each.end),
                    share=surer.share,
                    text=last.text,
                    part=surer.part,
                    kind=last.kind,
                    hidden=last.hidden or each.hidden,
                )
            )
        else:
            made.append(each)
    return tuple(made)
