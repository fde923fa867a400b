"""Whether what an answer claims is supported by what the agent had read, and whether that was still true."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Entailer, Grounder
from proctor.core.trajectory import Source, Trajectory
from proctor.scorers.passages import MOST_EVIDENCE, quoted
from proctor.scorers.trust import trust
from proctor.text.claims import claims
from proctor.text.content import content, overlap_share
from proctor.text.dates import read_date
from proctor.text.facts import WORD_FOR_WORD, Prepared, compare, prepare
from proctor.text.money import CURRENCIES
from proctor.text.quantities import Quantity, find_quantities

__all__ = ["NAME", "Passage", "no_hallucination", "passages_of"]

NAME: Final = "no_hallucination"
MOST_CLAIMS: Final = 24
MOST_PASSAGES: Final = 40
NEAREST: Final = 3  # passages a claim is read against by a network
STALE: Final = 0.4  # what a claim is worth that an older source says and a newer one denies
_LETTERS: Final = 4_000
_ABOUT: Final = 0.25
_AS_NEAR: Final = 0.15  # a newer source that is less near than this to a claim is about another matter
_MANY_WORDS: Final = 5  # so many words that stand together by chance are rare
_SAME_MATTER: Final = 0.6  # of a claim's words, for another figure to contradict it
_CONTRADICTED: Final = 0.7
# What the readings weigh. The judge of support is the best of them; words help where it has not been trained.
_BACKING, _FOLLOWS, _COVERED = 0.65, 0.20, 0.15
# Words about the conversation, not about the world: there is nothing they could be held against.
_TALK = re.compile(
    r"^(?:i(?:'d| would|'ll| will|'m| am|'ve| have| can| could| recommend| suggest| think| hope| found| checked)\b"
    r"|here (?:are|is)|these (?:are|offers)|you (?:might|may|could|would|will) (?:also )?(?:like|enjoy|love|want)"
    r"|(?:please|just|simply)\b|let me|let'?s|enjoy|happy|glad|welcome|that'?s (?:great|a great)|what a)"
    r"|^[^\d]{0,12}(?:次の|以下の|こちらの)[^\d]{0,30}。$|(?:おすすめです|いかがでしょう|ください|どうぞ|お楽しみ|ご案内します|お探しします|お調べします)[。!！]?$",
    re.IGNORECASE,
)
# Figures that are copied, never counted up or put in other words: one that stands nowhere was made up.
_EXACT_UNITS: Final = frozenset({"percent", "hour", "business day", "minute", "month", "volume", "date"})
State = Literal["supported", "stale", "contradicted", "unsupported"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Something the agent had before it; ``order`` says how new it is, ``live`` that it holds now whatever its date.

    ``data`` marks fields and values: no prose, so a network does not read it well, but its figures are exact.
    """

    name: str
    text: str
    order: tuple[int, int, int] | None = None
    live: bool = False
    data: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finding:
    claim: str
    state: State
    value: float
    note: str
    passage: str = ""
    by_rule: bool = True


def passages_of(run: Trajectory, rows: Sequence[Mapping[str, Any]] = (), truths: Sequence[str] = ()) -> list[Passage]:
    """What the last answer may rest on: retrieved sources, results of tools, the catalogue, what is expected."""
    found = [_source(source) for source in run.sources if source.text.strip()]
    for call in run.tool_calls:
        if call.result is not None and call.error is None:
            found.append(Passage(name=call.name, text=_spoken(call.result)[:_LETTERS], data=True))
    found += [Passage(name="catalogue", text=_spoken(row)[:_LETTERS], live=True, data=True) for row in rows]
    found += [Passage(name="expected", text=text, live=True) for text in truths if text.strip()]
    return [each for each in found if each.text.strip()][-MOST_PASSAGES:]


async def no_hallucination(
    answer: str, passages: Sequence[Passage], entailer: Entailer | None, grounder: Grounder | None, *, retrieved: bool
) -> Score:
    """How far the answer's claims are supported by the passages.

    A claim that an older source supports and a newer one denies is stale. ``retrieved`` is false when the agent showed
    no source: then only what contradicts is held against the answer, since support could not be expected.
    """
    said = claims(answer, most=MOST_CLAIMS)
    said = [claim for claim in said if find_quantities(claim) or not _TALK.search(claim)]
    if not answer.strip():
        return Score(name=NAME, status="skipped", reason="the answer is empty")
    if not said:
        return Score(name=NAME, value=1.0, reason="the answer claims nothing that could be wrong", confidence=0.7)
    if not passages:
        return _unsourced(said)
    ready = [(passage, prepare(passage.text[:20_000])) for passage in passages]
    findings = [_by_rule(claim, ready, alone=entailer is None) for claim in said]
    open_ones = [claim for claim, found in zip(said, findings, strict=True) if found is None]
    try:
        asked = await _asked(open_ones, passages, entailer, grounder)
    except ProctorError as error:
        return Score(name=NAME, status="error", reason=f"the local model did not answer: {quoted(error.message)}")
    made = [found or asked[claim] for claim, found in zip(said, findings, strict=True)]
    if not retrieved:
        made = [each for each in made if each.state != "unsupported"]
        if not made:
            return Score(name=NAME, status="skipped", reason="no sources were retrieved, and nothing is contradicted")
    return _score(made, answer, networks=bool(open_ones) and entailer is not None)


def _unsourced(said: Sequence[str]) -> Score:
    """Without anything to hold claims against: figures cannot be checked; where there are none, little can be wrong."""
    figures = next((claim for claim in said if any(one.unit for one in find_quantities(claim))), None)
    if figures is None:
        reason = "no source was retrieved, and the answer gives no figure, date or price that would need one"
        return Score(name=NAME, value=1.0, reason=reason, confidence=0.3)
    evidence = (Evidence(quote=quoted(figures), note="gives figures without a source"),)
    reason = "the answer gives figures, and no source was retrieved to check them"
    return Score(name=NAME, status="error", reason=reason, evidence=evidence)


def _score(made: Sequence[_Finding], answer: str, *, networks: bool) -> Score:
    weights = [2.0 if find_quantities(each.claim) else 1.0 for each in made]  # a wrong figure does more harm
    mean = sum(weight * each.value for weight, each in zip(weights, made, strict=True)) / sum(weights)
    worst = min(made, key=lambda each: each.value)
    # One claim that is denied spoils an answer, however much is right beside it.
    value = min(mean, 0.5 + worst.value / 2) if worst.state in ("contradicted", "stale") else mean
    bad = sorted((each for each in made if each.state != "supported"), key=lambda each: each.value)
    counts = ", ".join(
        f"{sum(each.state == state for each in made)} {state}"
        for state in ("supported", "stale", "contradicted", "unsupported")
        if any(each.state == state for each in made)
    )
    return Score(
        name=NAME,
        value=min(1.0, max(0.0, value)),
        reason=f"of {len(made)} claims {counts}" + (f"; {bad[0].note}: {quoted(bad[0].claim, 80)!r}" if bad else ""),
        confidence=sum(0.9 if each.by_rule else trust(answer) for each in made) / len(made),
        producer="local model" if networks else "rule",
        evidence=tuple(
            Evidence(
                quote=quoted(each.claim), where=quoted(each.passage, 120) or None, note=f"{each.state}: {each.note}"
            )
            for each in (*bad, *(each for each in made if each.state == "supported"))
        )[:MOST_EVIDENCE],
    )


def _by_rule(claim: str, ready: Sequence[tuple[Passage, Prepared]], *, alone: bool) -> _Finding | None:
    """What words and numbers settle; nothing when a network has to look.

    Nearly the same words are no support: one of them may be the lie. So only a claim whose every word and number stands
    together in a passage is settled, unless the rules are ``alone``.
    """
    found = [(passage, compare(claim, text)) for passage, text in ready]
    stated = [(passage, each) for passage, each in found if each.verdict == "stated"]
    denied = [(passage, each) for passage, each in found if each.verdict == "conflict"]
    if stated:
        newest = _newest([passage for passage, _ in stated])
        best = _near(claim, newest)
        for passage, each in denied:
            if _near(claim, passage) >= max(_SAME_MATTER, best - _AS_NEAR) and _supersedes(passage, newest):
                newer = "what is expected" if passage.name == "expected" else f"a newer source ({passage.name})"
                note = f"{newer} {each.reason.replace('is expected', 'is claimed')}"
                return _Finding(claim=claim, state="stale", value=STALE, note=note, passage=each.quote)
        figures = [one for one in find_quantities(claim) if one.unit]
        if (recorded := _by_figures(claim, figures, ready)) is not None and recorded.state == "supported":
            return recorded
        many = len(content(claim)) >= _MANY_WORDS
        whole = any(each.share >= 1.0 and (many or each.reason == WORD_FOR_WORD) for _, each in stated)
        if whole or alone:
            note = f"in {newest.name}"
            return _Finding(claim=claim, state="supported", value=1.0, note=note, passage=newest.text[:200])
        return None
    numbers = find_quantities(claim)
    passage_of = max(denied, key=lambda pair: pair[1].share, default=None)
    if passage_of is not None and passage_of[1].share >= _SAME_MATTER and (_foreign(numbers, ready) or alone):
        passage, each = passage_of
        note = f"{passage.name} says otherwise: {quoted(each.quote, 100)}"
        return _Finding(claim=claim, state="contradicted", value=0.0, note=note, passage=each.quote)
    return _by_figures(claim, [one for one in numbers if one.unit], ready)


def _near(claim: str, passage: Passage) -> float:
    return overlap_share(content(claim), content(passage.text[:20_000]))


def _foreign(numbers: Sequence[Quantity], ready: Sequence[tuple[Passage, Prepared]]) -> bool:
    """Whether a figure stands in no passage; one that does may belong to another matter of the same source."""
    known = [other for passage, _ in ready for other in find_quantities(passage.text[:20_000])] if numbers else []
    return any(not any(one.same(other) for other in known) for one in numbers)


def _by_figures(claim: str, figures: Sequence[Quantity], ready: Sequence[tuple[Passage, Prepared]]) -> _Finding | None:
    """A figure that stands in no passage was made up; when all stand in one record, the record is what was read."""
    if not figures:
        return None
    known = [(passage, find_quantities(passage.text[:20_000])) for passage, _ in ready]
    for passage, has in known:
        if passage.data and all(any(one.same(other) for other in has) for one in figures):
            note = f"its figures are in {passage.name}"
            return _Finding(claim=claim, state="supported", value=0.95, note=note, passage=passage.text[:200])
    for one in figures:
        exact = one.unit in _EXACT_UNITS or one.unit in CURRENCIES
        if exact and not any(one.same(other) for _, has in known for other in has):
            note = f"{one.quote.strip()!r} is in no source"
            return _Finding(claim=claim, state="unsupported", value=0.1, note=note)
    return None


async def _asked(
    open_ones: Sequence[str], passages: Sequence[Passage], entailer: Entailer | None, grounder: Grounder | None
) -> dict[str, _Finding]:
    """What words and networks say of each open claim against the passages nearest to it."""
    if not open_ones:
        return {}
    whole = "\n".join(passage.text for passage in passages)
    covered = {claim: overlap_share(content(claim), content(whole[:60_000])) for claim in open_ones}
    if entailer is None:
        return {claim: _by_words(claim, covered[claim]) for claim in open_ones}
    near = {claim: _nearest(claim, passages) for claim in open_ones}
    pairs = [(passage.text[:_LETTERS], claim) for claim in open_ones for passage in near[claim]]
    shares = iter(await entailer.entails(pairs))
    joined = [("\n".join(passage.text[:_LETTERS] for passage in near[claim]), claim) for claim in open_ones]
    support = await grounder.supports(joined) if grounder is not None else [0.0] * len(open_ones)
    made = {}
    for claim, backing in zip(open_ones, support, strict=True):
        readings = [(passage, next(shares)) for passage in near[claim]]
        made[claim] = _weighed(claim, readings, backing, covered[claim])
    return made


def _weighed(
    claim: str, readings: Sequence[tuple[Passage, Mapping[str, float]]], backing: float, covered: float
) -> _Finding:
    source, best = max(readings, key=lambda each: each[1]["entailment"])
    against, worst = max(readings, key=lambda each: each[1]["contradiction"])
    follows, denies = best["entailment"], worst["contradiction"]
    words = content(claim)
    about = overlap_share(words, content(against.text)) >= _ABOUT
    if denies >= _CONTRADICTED and about and follows < 0.5 and denies > backing:
        return _Finding(
            claim=claim,
            state="contradicted",
            value=0.15 * (1 - denies),
            by_rule=False,
            passage=against.text[:200],
            note=f"{against.name} contradicts it ({denies:.2f})",
        )
    if follows >= 0.5 and denies >= _CONTRADICTED and about and _supersedes(against, source):
        return _Finding(
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
    return _Finding(claim=claim, state=state, value=share, note=note, passage=source.text[:200], by_rule=False)


def _by_words(claim: str, covered: float) -> _Finding:
    """Without a network: the share of the claim's words that the passages have."""
    share = _lifted(covered)
    state: State = "supported" if share >= 0.6 else "unsupported"
    return _Finding(claim=claim, state=state, value=share, note=f"words {covered:.2f}", by_rule=False)


def _lifted(share: float) -> float:
    """A network that is more sure than not is right more often than its share says; below that it is left as it is."""
    if share < 0.4:
        return share
    return min(1.0, 0.4 + (share - 0.4) * 1.6)


def _nearest(claim: str, passages: Sequence[Passage]) -> list[Passage]:
    words = content(claim)
    ranked = sorted(passages, key=lambda each: overlap_share(words, content(each.text[:20_000])), reverse=True)
    return ranked[:NEAREST]


def _newest(passages: Sequence[Passage]) -> Passage:
    return max(passages, key=lambda each: (each.live, each.order or (0, 0, 0)))


def _supersedes(one: Passage, other: Passage) -> bool:
    """Whether what one says holds against what the other says: it is live, or its date is later."""
    if one.live or other.live:
        return one.live and not other.live
    return one.order is not None and other.order is not None and one.order > other.order


def _source(source: Source) -> Passage:
    day = read_date(source.date)
    text = f"{source.title}: {source.text}" if source.title and source.title not in source.text else source.text
    return Passage(name=source.id, text=text, order=day.order if day else None)


def _spoken(value: Any, depth: int = 0) -> str:
    """Data as words, such as ``price jpy: 770. stock: 24``."""
    if isinstance(value, Mapping) and depth < 4:
        pairs = [f"{str(key).replace('_', ' ')}: {_spoken(each, depth + 1)}" for key, each in list(value.items())[:60]]
        return ". ".join(pairs)
    if isinstance(value, (list, tuple)) and depth < 4:
        return "\n".join(_spoken(each, depth + 1) for each in value[:40])
    return str(value)[:2000]
