"""Search a document for instructions to the agent, and find what to cut so that none is left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.core.sockets import Classifier
from proctor.core.verdict import Edit
from proctor.guard.edits import apply
from proctor.guard.passages import Span, blocks, pieces, regions, sentences, whole_sentences
from proctor.guard.step import Step
from proctor.guard.step_readings import Reading, quote, readings
from proctor.lexicon.injected_orders import closes_frame, is_prose, orders, speaks_to_somebody
from proctor.lexicon.takeover_phrases import attempts
from proctor.text.normalise import DocumentText, SearchedDocument
from proctor.text.normalise.language_likeness import is_noise, mixes_scripts

__all__ = ["Cut", "DocumentReading", "look_through"]

_RULE_SCORE: Final = 0.95
_MAX_ORDERS: Final = 32
_MAX_RUNS: Final = 64  # the rest is not checked or cut; if it is still suspect, the document is blocked
_MAX_SUSPECT_RUNS: Final = 16
_MAX_ORDER_CHARS: Final = 600  # of an order that are classified; the rest was covered by the whole text
_MAX_CARRYING_SENTENCES: Final = 12  # of a run in which the one that carries the suspicion is looked for
_MIN_NEIGHBOUR_WORDS: Final = 4  # of a sentence that is cut only because of its neighbours
_COLONS: Final = (":", "：")  # a sentence with one at its end announces the next line
_LINE: Final = re.compile(r"(?:[^\n\\]|\\(?!n))+")  # of a text, or of a string in JSON
_LIST_MARK: Final = re.compile(r"\s*(?:[-*•–]|\(?\d{1,2}[.)、．])\s*\S")


_Run = tuple[Reading, Sequence[Span], float]  # some sentences of a reading and their injection score


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A span of the original that instructs the agent, with its score and the detector that found it."""

    start: int
    end: int
    share: float
    text: str
    part: str
    kind: str = "indirect"
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentReading:
    """The result of a search: the injection score, what to cut, and whether the rest is harmless."""

    share: float
    cuts: tuple[Cut, ...] = ()
    clean: bool = True


async def look_through(step: Step, classifier: Classifier, *, low: float, high: float, rules: bool) -> DocumentReading:
    """Find instructions by rules and by the classifier; the rest after cutting is classified again.

    A sentence that addresses an agent counts from ``low``, any other from ``high``. If the classifier skipped
    suspicious text, the share is at least ``low``, so that a person reviews it.
    """
    read = list(readings(step))
    (row,) = await classifier.classify([DocumentText(_words(step.text))])
    share = row["injection"]
    cuts = list(_by_words(step)) if rules else []
    cuts += await _ordered(step, classifier, low, high, share)
    if share < high:
        return DocumentReading(share=max(share, low) if row.get("unread") else share, cuts=_joined(cuts))
    if all(is_noise(each.text) for each in read):  # noise has no separable sentences
        return DocumentReading(share=share, cuts=_joined(cuts), clean=not any(map(_speaking, read)))
    suspect = await _suspect(read, classifier, high, whole=share)
    if not suspect and not cuts:  # the attack has no location; it counts only if some sentence addresses a reader
        return DocumentReading(share=share, clean=not any(map(_speaking, read)))
    # Cut hidden text first, then sentences, then the one that carries the suspicion of its run, then every addressed
    # sentence of the runs: no more than necessary.
    for some, whole in ((read[1:], "no"), (read, "no"), (read, "carrying"), (read, "yes")):
        chosen = [each for each in suspect if each[0] in some]
        if whole == "carrying":
            cuts += await _carrying(chosen, classifier, high)
        else:
            cuts += await _told_in(chosen, classifier, low, high, whole=whole == "yes")
        rest = apply(step.text, [Edit(start=each.start, end=each.end, text="\n") for each in _joined(cuts)])
        left = readings(Step(point=step.point, text=rest))
        # a text without hidden parts has only one reading
        if not await _suspect(list(left) if len(read) > 1 else [next(left)], classifier, high, sure=True):
            return DocumentReading(share=share, cuts=_joined(cuts))
    return DocumentReading(share=share, cuts=_joined(cuts), clean=False)


def _words(text: str) -> str:
    """Return the words of a text; for JSON only its strings, since braces and quotes look like an attack."""
    return "\n".join(text[start:end] for start, end in regions(text)) or " "


async def _suspect(
    read: Sequence[Reading], classifier: Classifier, high: float, *, sure: bool = False, whole: float | None = None
) -> list[_Run]:
    """Return the runs of sentences that look like an attack and address a reader; plain records do not.

    ``whole`` is the known score of the text, used when it has only one run.
    """
    runs = [(reading, run) for reading in read for run in pieces(reading.text) if _speaking(reading, run, sure=sure)]
    runs = runs[:_MAX_RUNS]
    if whole is not None and len(runs) == len(read) == 1 == len(pieces(read[0].text)):
        return [(*runs[0], whole)]
    shares = await _shares(classifier, [_told(reading, run) for reading, run in runs])
    found = [(reading, run, share) for (reading, run), share in zip(runs, shares, strict=True)]
    return [each for each in found if each[2] >= high]


async def _shares(classifier: Classifier, texts: Sequence[str]) -> list[float]:
    """Return the injection score of each part of a reading; hidden text in it is a separate reading."""
    return [row["injection"] for row in await classifier.classify([SearchedDocument(text) for text in texts])]


def _speaking(reading: Reading, run: Sequence[Span] | None = None, *, sure: bool = True) -> list[Span]:
    """Return the sentences, of a run or all, that address a reader; without ``sure`` also any prose."""
    spans = run if run is not None else [span for piece in pieces(reading.text) for span in piece]
    told = ((span, reading.text[span[0] : span[1]]) for span in spans)
    return [span for span, text in told if speaks_to_somebody(text) or (not sure and is_prose(text))]


def _by_words(step: Step) -> Iterator[Cut]:
    """Yield the sentences with words that no honest document contains."""
    for reading in readings(step):
        hits = [hit for hit in attempts(reading.text) if not hit.mentioned]
        if not hits:
            continue
        for start, end in (each for piece in pieces(reading.text) for each in piece):
            if any(start < hit.end and hit.start < end for hit in hits):
                yield _cut(reading, (start, end), _RULE_SCORE, "rules")


async def _ordered(step: Step, classifier: Classifier, low: float, high: float, share: float) -> list[Cut]:
    """Return imperative instructions that the classifier confirms, or that are one order after a label.

    A long one is scored by its first characters, or by the ``share`` of the whole text if that is more.
    """
    found: list[tuple[Reading, Span, float]] = []
    for reading in readings(step):
        for start, end in regions(reading.text):
            for order in orders(reading.text[start:end]):
                least = 0.0 if order.terse else low if order.marked else high
                span = whole_sentences(reading.text, (start + order.start, start + order.end))
                found.append((reading, span, least))
    found = found[:_MAX_ORDERS]
    told = [reading.text[start:end] for reading, (start, end), _ in found]
    firsts = await _shares(classifier, [text[:_MAX_ORDER_CHARS] for text in told])
    shares = [max(own, share if len(text) > _MAX_ORDER_CHARS else 0.0) for text, own in zip(told, firsts, strict=True)]
    return [
        _cut(reading, await _narrowed(reading, span, classifier, low), own, "orders")
        for (reading, span, least), own in zip(found, shares, strict=True)
        if own >= least
    ]


async def _narrowed(reading: Reading, span: Span, classifier: Classifier, low: float) -> Span:
    """Return what to cut of an order: the first to the last sentence that scores ``low``, and what they announce.

    The frame of an order looks like an attack, the order itself often does not. So an element that the order closes is
    cut as a whole, and otherwise the rest of the block goes too, or the next one if the frame is a block of its own.
    """
    parts = list(sentences(reading.text, *span))
    if (
        len(parts) < 2
        or mixes_scripts(reading.text[span[0] : span[1]])
        or closes_frame(reading.text[span[0] : span[1]])
    ):
        return span
    shares = await _shares(classifier, [reading.text[start:end] for start, end in parts])
    counting = [part for part, share in zip(parts, shares, strict=True) if share >= low]
    if not counting:
        return span
    within = blocks(reading.text, counting[-1][0], span[1])
    rest = reading.text[counting[-1][1] : within[0][1]].strip()
    end = within[0][1] if rest or len(within) == 1 else within[1][1]
    return counting[0][0], max(counting[-1][1], end)


async def _told_in(
    suspect: Sequence[_Run], classifier: Classifier, low: float, high: float, *, whole: bool
) -> list[Cut]:
    """Return the sentences that the classifier flags; with ``whole`` all in the suspect runs that address a reader."""
    cuts: list[Cut] = []
    for reading, run, share in suspect[:_MAX_SUSPECT_RUNS]:
        if whole:
            cuts += [_cut(reading, _with_announced(reading, span), share, "model") for span in _speaking(reading, run)]
            continue
        if mixes_scripts(_told(reading, run)):  # no separable sentences
            cuts.append(_cut(reading, (run[0][0], run[-1][1]), share, "model"))
            continue
        shares = await _shares(classifier, [reading.text[start:end] for start, end in run])
        speaking = _speaking(reading, run, sure=False)
        telling = [one >= high and span in speaking for one, span in zip(shares, run, strict=True)]
        for at, span in enumerate(run):
            beside = any(telling[max(0, at - 1) : at + 2]) and shares[at] >= low and _is_long(reading, span)
            if telling[at] or beside:
                cuts.append(_cut(reading, _with_announced(reading, span), shares[at], "model"))
    return cuts


async def _carrying(suspect: Sequence[_Run], classifier: Classifier, high: float) -> list[Cut]:
    """Return of each run the sentence without which it is no longer suspect, if one is enough."""
    cuts: list[Cut] = []
    for reading, run, share in suspect[:_MAX_SUSPECT_RUNS]:
        if not 1 < len(run) <= _MAX_CARRYING_SENTENCES:
            continue
        rests = [_told(reading, [each for each in run if each is not span]) for span in run]
        shares = await _shares(classifier, rests)
        least = min(shares)
        span = run[shares.index(least)]
        if least < high and span in _speaking(reading, run, sure=False):
            cuts.append(_cut(reading, _with_announced(reading, span), share, "model"))
    return cuts


def _with_announced(reading: Reading, span: Span) -> Span:
    """Return a sentence with what it announces: after a colon at its end, the next line, or the list that follows.

    "Please do the following first:" looks like an attack, the order after it often does not.
    """
    text = reading.text
    if not text[: span[1]].endswith(_COLONS):
        return span
    end = next(stop for start, stop in regions(text) if span[1] <= stop)
    reached = span[1]
    for line in _LINE.finditer(text, span[1], end):
        if not line.group().strip():
            continue
        if reached > span[1] and not _LIST_MARK.match(line.group()):
            break
        reached = line.end()
        if not _LIST_MARK.match(line.group()):
            break
    return span[0], reached


def _is_long(reading: Reading, span: Span) -> bool:
    return len(reading.text[span[0] : span[1]].split()) >= _MIN_NEIGHBOUR_WORDS


def _told(reading: Reading, run: Sequence[Span]) -> str:
    return " ".join(reading.text[start:end] for start, end in run)


def _cut(reading: Reading, span: Span, share: float, part: str) -> Cut:
    start, end = reading.span(*span)
    kind = "smuggling" if reading.kinds else "indirect"
    text = quote(reading.text, *span)
    return Cut(start=start, end=end, share=share, text=text, part=part, kind=kind, hidden=reading.kinds)


def _joined(cuts: Sequence[Cut]) -> tuple[Cut, ...]:
    """Return the cuts in order, with overlapping ones merged."""
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
