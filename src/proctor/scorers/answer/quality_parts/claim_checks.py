"""Check each claim of an answer against passages: by rules first, by networks for the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Literal

from proctor.core.sockets import Entailer, Grounder, entailer_for_facts
from proctor.scorers.answer.quality_parts.echoed_values import is_echoed
from proctor.scorers.answer.quality_parts.source_passages import LETTERS, Ready, SourcePassage, ready_for
from proctor.scorers.answer.quality_parts.value_conflicts import ValueConflict, find_conflict, has_times
from proctor.scorers.checked_answers import quoted
from proctor.text.claims import claims
from proctor.text.clock_times import find_clock_times
from proctor.text.content_words import content, overlap_share
from proctor.text.facts import WORD_FOR_WORD, compare
from proctor.text.known_values import KnownValues
from proctor.text.numbers import find_numbers
from proctor.text.quantities import Quantity, find_quantities

__all__ = ["CheckedClaim", "State", "check_claims", "checkable"]

MOST_CLAIMS: Final = 24
NEAREST: Final = 3  # passages a network compares with a claim
STALE: Final = 0.4  # value of a claim that an older source states and a newer one denies
_ABOUT: Final = 0.25
_AS_NEAR: Final = 0.15  # maximum gap in word overlap for a newer source to be about the same topic
_MANY_WORDS: Final = 5  # this many words rarely occur together by chance
_SAME_MATTER: Final = 0.6  # share of a claim's words another passage must have for a different figure to contradict it
_CONTRADICTED: Final = 0.7
_FEW: Final = 8  # passages compared with a claim word by word
_AHEAD: Final = 0.25
_UNSURE: Final = (0.3, 0.75)  # range in which the support model is undecided
# Weights of support, entailment and word overlap. The support model is the best; word overlap helps outside its
# training data.
_BACKING, _FOLLOWS, _COVERED = 0.65, 0.20, 0.15
# Sentences about the conversation, not about the world: no source can support them.
_TALK = re.compile(
    r"^(?:i(?:'d| would|'ll| will|'m| am|'ve| have| can| could| recommend| suggest| think| hope| found| checked)\b"
    r"|here (?:are|is)|these (?:are|offers)|you (?:might|may|could|would|will) (?:also )?(?:like|enjoy|love|want)"
    r"|(?:please|just|simply)\b|let me|let'?s|enjoy|happy|glad|welcome|that'?s (?:great|a great)|what a)"
    r"|^[^\d]{0,12}(?:次の|以下の|こちらの)[^\d]{0,30}。$|(?:おすすめです|いかがでしょう|ください|どうぞ|お楽しみ|ご案内します|お探しします|お調べします)[。!！]?$",
    re.IGNORECASE,
)
State = Literal["supported", "stale", "contradicted", "unsupported"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """The result for one claim: its state, its support from 0 to 1, and the reason."""

    claim: str
    state: State
    value: float
    note: str
    passage: str = ""
    by_rule: bool = True
    in_words: bool = False  # contradicted by words of denial, not by a figure
    figures: bool | None = None  # whether the nearest passage has all its figures; None if the claim has none


def checkable(answer: str, *, most: int = MOST_CLAIMS) -> list[str]:
    """Return the claims of an answer that are about the world and can be checked against sources."""
    said = claims(answer, most=most)
    return [claim for claim in said if find_quantities(claim) or not _TALK.search(claim)]


async def check_claims(
    said: Sequence[str],
    passages: Sequence[SourcePassage],
    entailer: Entailer | None,
    grounder: Grounder | None,
    *,
    frugal: bool = False,
    ask: Collection[str] | None = None,
    heard: Sequence[str] = (),
) -> list[CheckedClaim | None]:
    """Check each claim: rules decide what they can; networks read the rest, all claims in one call.

    ``frugal`` asks the support model alone, and the entailer only where the support model is undecided. With ``ask``,
    networks read only those claims; other claims that rules leave open are None. ``heard`` are the customer's words: a
    figure of theirs is not invented.

    Raises:
        ProctorError: a network did not answer.
    """
    ready = [ready_for(passage) for passage in passages]
    alone = entailer is None and ask is None
    texts, answer = [passage.text for passage in passages], "\n".join(said)
    known = KnownValues.of(texts, heard, answer)
    told = partial(KnownValues.of, texts, (), answer)
    found = []
    for claim in said:
        some = _near_to(claim, ready) if frugal else ready
        found.append(
            _by_rule(claim, some, known, told, alone=alone) or (_other_number(claim, some, known) if frugal else None)
        )
    open_ones = [claim for claim, each in zip(said, found, strict=True) if each is None]
    open_ones = [claim for claim in dict.fromkeys(open_ones) if ask is None or claim in ask][:MOST_CLAIMS]
    way = _asked_frugally if frugal and grounder is not None and entailer is not None else _asked
    asked = await way(open_ones, ready, entailer, grounder) if open_ones else {}
    return [each or asked.get(claim) for claim, each in zip(said, found, strict=True)]


def _other_number(claim: str, ready: Sequence[Ready], known: KnownValues) -> CheckedClaim | None:
    """Find a sentence with all words of the claim and a different bare number: under 5 is not under 12."""
    words = content(claim)
    numbers = [one for one in find_quantities(claim) if not one.unit and not known.explains(one)]
    if len(words) < 3 or not numbers:
        return None
    said = [
        (one.passage, piece)
        for one in ready
        for level in one.read.pieces.levels[:2]
        for piece in level
        if words <= piece.words and any(not other.unit for other in piece.quantities)
    ]
    if not said or any(all(any(n.same(o) for o in piece.quantities) for n in numbers) for _, piece in said):
        return None
    passage, piece = said[0]
    note = f"{passage.name} says otherwise: {quoted(piece.text, 100)}"
    return CheckedClaim(claim=claim, state="contradicted", value=0.0, note=note, passage=piece.text)


def _near_to(claim: str, ready: Sequence[Ready]) -> Sequence[Ready]:
    """Return the passages about the claim's topic; all of them if there are few."""
    if len(ready) <= _FEW:
        return ready
    words, figures = content(claim), find_quantities(claim)
    ranked = sorted(ready, key=lambda each: -overlap_share(words, each.read.words))
    # Also keep passages that contain one of the claim's figures.
    rest = [each for each in ranked[_FEW:] if any(one.same(other) for one in figures for other in each.read.figures)]
    return [*ranked[:_FEW], *rest[:_FEW]]


def _by_rule(
    claim: str, ready: Sequence[Ready], known: KnownValues, told: Callable[[], KnownValues], *, alone: bool
) -> CheckedClaim | None:
    """Decide by words and numbers; return None if a network has to read the claim.

    Nearly the same words are not support: the differing word may be the false one. So a claim is settled only if all
    its words and numbers occur together in one passage, unless the rules are ``alone``.
    """
    words = content(claim)
    found = [(one.passage, compare(claim, one.read.pieces, nearest=False)) for one in ready]
    near = {id(one.passage): overlap_share(words, one.read.words) for one in ready}
    stated = [(passage, each) for passage, each in found if each.verdict == "stated"]
    denied = [(passage, each) for passage, each in found if each.verdict == "conflict"]
    if stated:
        newest = _newest([passage for passage, _ in stated])
        # A verbatim match has the right topic: a newer source must match as closely to deny it.
        best = near[id(newest)] + (_AS_NEAR if any(each.reason == WORD_FOR_WORD for _, each in stated) else 0.0)
        for passage, each in denied:
            if near[id(passage)] >= max(_SAME_MATTER, best - _AS_NEAR) and _supersedes(passage, newest):
                newer = "what is expected" if passage.name == "expected" else f"a newer source ({passage.name})"
                note = f"{newer} {each.reason.replace('is expected', 'is claimed')}"
                return CheckedClaim(claim=claim, state="stale", value=STALE, note=note, passage=each.quote)
        figures = [one for one in find_quantities(claim) if one.unit]
        if not any(each.reason == WORD_FOR_WORD for _, each in stated) and not alone:
            conflict = find_conflict(claim, known, ready)
            if conflict is not None and conflict.passage is not None:
                return _contradicted(claim, conflict)
        if (recorded := _by_figures(claim, figures, ready, known)) is not None and recorded.state == "supported":
            return recorded
        many = len(words) >= _MANY_WORDS
        whole = any(
            each.share >= 1.0 and (many or each.reason == WORD_FOR_WORD or (passage.data and len(words) > 1))
            for passage, each in stated
        )
        if whole or alone:
            note = f"in {newest.name}"
            return CheckedClaim(claim=claim, state="supported", value=1.0, note=note, passage=newest.text[:200])
        return None
    numbers = find_quantities(claim)
    passage_of = max(denied, key=lambda pair: pair[1].share, default=None)
    if (
        passage_of is not None
        and passage_of[1].share >= _SAME_MATTER
        and (_foreign(numbers, known) or alone or is_echoed(claim, passage_of[1].quote, known, told))
    ):
        passage, each = passage_of
        note = f"{passage.name} says otherwise: {quoted(each.quote, 100)}"
        return CheckedClaim(claim=claim, state="contradicted", value=0.0, note=note, passage=each.quote)
    return _by_figures(claim, [one for one in numbers if one.unit], ready, known)


def _foreign(numbers: Sequence[Quantity], known: KnownValues) -> bool:
    """Whether a figure follows from nothing known. One that does may still belong to another topic of the source."""
    return any(not known.explains(one, [each for each in numbers if each is not one]) for one in numbers)


def _by_figures(
    claim: str, figures: Sequence[Quantity], ready: Sequence[Ready], known: KnownValues
) -> CheckedClaim | None:
    """Decide by figures: if one record has all, the claim is supported; one that follows from nothing is invented.

    If a source has another value for the same thing, the claim is contradicted; otherwise it is not confirmed.
    """
    times = tuple(find_clock_times(claim)) if figures else ()
    for each in ready if figures else ():
        passage, has = each.passage, each.read.figures
        if passage.data and all(any(one.same(other) for other in has) for one in figures) and has_times(each, times):
            note = f"its figures are in {passage.name}"
            return CheckedClaim(claim=claim, state="supported", value=0.95, note=note, passage=passage.text[:200])
    if (conflict := find_conflict(claim, known, ready)) is None:
        return None
    if conflict.passage is None:
        lonely = next((one for one in figures if one.quote.strip() == conflict.said), None)
        if lonely is not None and _bare(lonely, [(each.passage, each.read.figures) for each in ready]):
            return None
        note = f"{conflict.said!r} is in no source"
        return CheckedClaim(claim=claim, state="unsupported", value=0.1, note=note)
    return _contradicted(claim, conflict)


def _contradicted(claim: str, conflict: ValueConflict) -> CheckedClaim:
    source = conflict.passage
    name, text = (source.name, source.text) if source is not None else ("", "")
    note = f"{name} says {quoted(conflict.told, 80)!r} where the claim has {quoted(conflict.said, 80)!r}"
    return CheckedClaim(
        claim=claim, state="contradicted", value=0.0, note=note, passage=text[:200], in_words=conflict.in_words
    )


def _bare(one: Quantity, known: Sequence[tuple[SourcePassage, Sequence[Quantity]]]) -> bool:
    """Whether its numbers occur in a passage without a unit: "5 to 12" for "5 to 12 years"."""
    said = {number.value for number in find_numbers(one.quote)}
    told = {other.value for _, has in known for other in has if not other.unit}
    return one.unit == "month" and bool(said) and said <= told


async def _asked(
    open_ones: Sequence[str], ready: Sequence[Ready], entailer: Entailer | None, grounder: Grounder | None
) -> dict[str, CheckedClaim]:
    """Combine word overlap and network readings of each open claim against its nearest passages."""
    covered = _covered(open_ones, ready)
    if entailer is None:
        return {claim: _by_words(claim, covered[claim]) for claim in open_ones}
    near = {claim: _nearest(claim, ready) for claim in open_ones}
    pairs = [(passage.text[:LETTERS], claim) for claim in open_ones for passage in near[claim]]
    shares = iter(await entailer_for_facts(entailer).entails(pairs))
    joined = [_joined(near[claim], claim) for claim in open_ones]
    support = await grounder.supports(joined) if grounder is not None else [0.0] * len(open_ones)
    made = {}
    for claim, backing in zip(open_ones, support, strict=True):
        readings = [(passage, next(shares)) for passage in near[claim]]
        made[claim] = _weighed(claim, readings, backing, covered[claim])
    return made


async def _asked_frugally(
    open_ones: Sequence[str], ready: Sequence[Ready], entailer: Entailer | None, grounder: Grounder | None
) -> dict[str, CheckedClaim]:
    """Ask the support model once per claim, and the entailer only where that is undecided."""
    assert entailer is not None
    assert grounder is not None
    covered = _covered(open_ones, ready)
    near = {claim: _nearest(claim, ready) for claim in open_ones}
    support = await grounder.supports([_joined(_ahead(claim, near[claim]), claim) for claim in open_ones])
    made: dict[str, CheckedClaim] = {}
    again: list[tuple[str, float]] = []
    for claim, backing in zip(open_ones, support, strict=True):
        if _UNSURE[0] <= backing < _UNSURE[1]:
            again.append((claim, backing))
            continue
        # Word overlap takes the weight of the missing entailment.
        share = _lifted(_BACKING * backing + (_FOLLOWS + _COVERED) * (backing + covered[claim]) / 2)
        note = f"support {backing:.2f}, words {covered[claim]:.2f}"
        state: State = "supported" if share >= 0.6 else "unsupported"
        quote = near[claim][0].text[:200]
        made[claim] = CheckedClaim(claim=claim, state=state, value=share, note=note, passage=quote, by_rule=False)
    if again:
        shares = await entailer_for_facts(entailer).entails(
            [(near[claim][0].text[:LETTERS], claim) for claim, _ in again]
        )
        for (claim, backing), reading in zip(again, shares, strict=True):
            made[claim] = _with_figures(
                _weighed(claim, [(near[claim][0], reading)], backing, covered[claim]), near[claim]
            )
    return {claim: replace(each, figures=_has_figures(claim, near[claim][0])) for claim, each in made.items()}


def _ahead(claim: str, near: Sequence[SourcePassage]) -> Sequence[SourcePassage]:
    """Return only the nearest passage if it is clearly nearest: short inputs are read faster and more accurately."""
    words = content(claim)
    shares = [overlap_share(words, ready_for(passage).read.words) for passage in near[:2]]
    return near[:1] if len(shares) < 2 or shares[0] - shares[1] >= _AHEAD else near[:2]


def _with_figures(each: CheckedClaim, near: Sequence[SourcePassage]) -> CheckedClaim:
    """If the networks are undecided, require the claim's figures in the nearest passage."""
    if each.state == "supported" and _has_figures(each.claim, near[0]) is False:
        return replace(
            each, state="unsupported", value=min(each.value, 0.5), note=f"{each.note}; figures not in {near[0].name}"
        )
    return each


def _has_figures(claim: str, passage: SourcePassage) -> bool | None:
    said, told = find_quantities(claim), [(passage, ready_for(passage).read.figures)]
    if not said:
        return None
    return all(_bare(one, told) or any(one.same(other) for other in told[0][1]) for one in said)


def _covered(claims_: Sequence[str], ready: Sequence[Ready]) -> dict[str, float]:
    words = frozenset[str]().union(*(one.read.words for one in ready))
    return {claim: overlap_share(content(claim), words) for claim in claims_}


def _joined(passages: Sequence[SourcePassage], claim: str) -> tuple[str, str]:
    return "\n".join(passage.text[:LETTERS] for passage in passages), claim


def _weighed(
    claim: str, readings: Sequence[tuple[SourcePassage, Mapping[str, float]]], backing: float, covered: float
) -> CheckedClaim:
    source, best = max(readings, key=lambda each: each[1]["entailment"])
    against, worst = max(readings, key=lambda each: each[1]["contradiction"])
    follows, denies = best["entailment"], worst["contradiction"]
    words = content(claim)
    about = overlap_share(words, content(against.text)) >= _ABOUT
    if denies >= _CONTRADICTED and about and follows < 0.5 and denies > backing:
        return CheckedClaim(
            claim=claim,
            state="contradicted",
            value=0.15 * (1 - denies),
            by_rule=False,
            passage=against.text[:200],
            note=f"{against.name} contradicts it ({denies:.2f})",
        )
    if follows >= 0.5 and denies >= _CONTRADICTED and about and _supersedes(against, source):
        return CheckedClaim(
            claim=claim,
            state="stale",
            value=STALE,
            by_rule=False,
            passage=against.text[:200],
            note=f"a newer source ({against.name}) contradicts it ({denies:.2f})",
        )
    share = _lifted(_BACKING * backing + _FOLLOWS * follows + _COVERED * covered)
    state: State = "supported" if share >= 0.6 else "unsupported"
    note = f"entailment {follows:.2f}, support {backing:.2f}, words {covered:.2f}"
    return CheckedClaim(claim=claim, state=state, value=share, note=note, passage=source.text[:200], by_rule=False)


def _by_words(claim: str, covered: float) -> CheckedClaim:
    """Without a network, use the share of the claim's words that the passages have."""
    share = _lifted(covered)
    state: State = "supported" if share >= 0.6 else "unsupported"
    return CheckedClaim(claim=claim, state=state, value=share, note=f"words {covered:.2f}", by_rule=False)


def _lifted(share: float) -> float:
    """Raise shares above 0.4: networks are right more often than those shares state. Lower shares stay."""
    if share < 0.4:
        return share
    return min(1.0, 0.4 + (share - 0.4) * 1.6)


def _nearest(claim: str, ready: Sequence[Ready]) -> list[SourcePassage]:
    words = content(claim)
    ranked = sorted(ready, key=lambda each: overlap_share(words, each.read.words), reverse=True)
    return [each.passage for each in ranked[:NEAREST]]


def _newest(passages: Sequence[SourcePassage]) -> SourcePassage:
    return max(passages, key=lambda each: (each.live, each.order or (0, 0, 0)))


def _supersedes(one: SourcePassage, other: SourcePassage) -> bool:
    """Whether one passage overrides the other: it is live, or its date is later."""
    if one.live or other.live:
        return one.live and not other.live
    return one.order is not None and other.order is not None and one.order > other.order
