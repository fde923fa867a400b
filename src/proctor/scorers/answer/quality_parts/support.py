"""Check whether the claims of an answer are supported by what the agent read, and whether that was current."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Entailer, Grounder
from proctor.core.trajectory import Source, Trajectory
from proctor.scorers.answer.quality_parts.claim_checks import CheckedClaim, check_claims, checkable
from proctor.scorers.answer.quality_parts.source_passages import LETTERS, SourcePassage
from proctor.scorers.checked_answers import MOST_EVIDENCE, quoted
from proctor.scorers.model_trust import trust
from proctor.text.dates import Day, read_date
from proctor.text.quantities import find_quantities
from proctor.text.split import words

__all__ = ["NAME", "UNSOURCED", "no_hallucination", "passages_of", "source_passage", "spoken"]

NAME: Final = "no_hallucination"
MOST_PASSAGES: Final = 40
_FEW_PAIRS: Final = 4  # pairs of words below which a claim is too short to be called copied
_MOSTLY_COPIED, _REWORDED = 0.6, 0.08
UNSOURCED: Final = "no source"  # label of a score that is missing only because nothing was retrieved


def passages_of(
    run: Trajectory, rows: Sequence[Mapping[str, Any]] = (), truths: Sequence[str] = ()
) -> list[SourcePassage]:
    """Return the texts the last answer may rely on: sources, tool results, catalogue rows, expected facts."""
    found = [source_passage(source) for source in run.sources if source.text.strip()]
    for call in run.tool_calls:
        if call.result is not None and call.error is None:
            found.append(SourcePassage(name=call.name, text=spoken(call.result)[:LETTERS], data=True))
    found += [SourcePassage(name="catalogue", text=spoken(row)[:LETTERS], live=True, data=True) for row in rows]
    found += [SourcePassage(name="expected", text=text, live=True) for text in truths if text.strip()]
    return [each for each in found if each.text.strip()][-MOST_PASSAGES:]


async def no_hallucination(
    answer: str,
    passages: Sequence[SourcePassage],
    entailer: Entailer | None,
    grounder: Grounder | None,
    *,
    retrieved: bool,
) -> Score:
    """Score how far the answer's claims are supported by the passages.

    A claim that an older source supports and a newer one denies is stale. ``retrieved`` is false if the agent retrieved
    no source: then only contradictions lower the score, because no support can be expected.
    """
    said = checkable(answer)
    if not answer.strip():
        return Score(name=NAME, status="skipped", reason="the answer is empty")
    if not said:
        return Score(name=NAME, value=1.0, reason="the answer claims nothing that could be wrong", confidence=0.7)
    if not passages:
        return _unsourced(said)
    try:
        checked = await check_claims(said, passages, entailer, grounder)
        made = [each for each in checked if each is not None]
    except ProctorError as error:
        return Score(name=NAME, status="error", reason=f"the local model did not answer: {quoted(error.message)}")
    networks = entailer is not None and any(not each.by_rule for each in made)
    if not retrieved:
        made = [each for each in made if each.state != "unsupported"]
        if not made:
            return Score(name=NAME, status="skipped", reason="no sources were retrieved, and nothing is contradicted")
    return _score([_copied(each, passages) for each in made], answer, networks=networks)


def _copied(each: CheckedClaim, passages: Sequence[SourcePassage]) -> CheckedClaim:
    """Return the claim with a value that also reflects how much of its wording is a passage's own.

    A network that hesitates over a copied sentence is overruled, and of two supported claims the reworded one is a
    little less certain. Rules have compared the wording already, and data has none.
    """
    if each.by_rule or each.state in ("contradicted", "stale") or all(passage.data for passage in passages):
        return each
    pairs = _pairs(each.claim)
    if len(pairs) < _FEW_PAIRS:
        return each
    share = max(len(pairs & _pairs(passage.text)) for passage in passages) / len(pairs)
    value = max(each.value, share) if share >= _MOSTLY_COPIED else each.value
    return replace(each, value=value * (1 - _REWORDED * (1 - share)))


@lru_cache(maxsize=256)
def _pairs(text: str) -> frozenset[tuple[str, str]]:
    said = [word.strip(".,;:!?()\"'«»“”。、").casefold() for word in words(text)]
    return frozenset(pairwise(said))


def _unsourced(said: Sequence[str]) -> Score:
    """Score claims without any passage: figures cannot be checked; without figures little can be wrong."""
    figures = next((claim for claim in said if any(one.unit for one in find_quantities(claim))), None)
    if figures is None:
        reason = "no source was retrieved, and the answer gives no figure, date or price that would need one"
        return Score(name=NAME, value=1.0, reason=reason, confidence=0.3)
    evidence = (Evidence(quote=quoted(figures), note="gives figures without a source"),)
    reason = "the answer gives figures, and no source was retrieved to check them"
    return Score(name=NAME, status="error", reason=reason, evidence=evidence, label=UNSOURCED)


def _score(made: Sequence[CheckedClaim], answer: str, *, networks: bool) -> Score:
    weights = [2.0 if find_quantities(each.claim) else 1.0 for each in made]  # a wrong figure is worse
    mean = sum(weight * each.value for weight, each in zip(weights, made, strict=True)) / sum(weights)
    worst = min(made, key=lambda each: each.value)
    # A denied claim caps the score, however many other claims are correct.
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


def source_passage(source: Source) -> SourcePassage:
    """Convert a retrieved source to a passage. A text that stands for its own id is no name to tell people."""
    day = _day(source.date)
    text = f"{source.title}: {source.text}" if source.title and source.title not in source.text else source.text
    name = source.id if source.id.strip() != source.text.strip() else "a source"
    return SourcePassage(name=name, text=text, order=day.order if day else None)


@lru_cache(maxsize=1024)
def _day(written: str | None) -> Day | None:
    return read_date(written)


def spoken(value: Any, depth: int = 0) -> str:
    """Return data as text, such as ``price jpy: 770. stock: 24``."""
    if isinstance(value, (str, int, float)):  # nearly always; the checks below take longer
        return str(value)[:2000]
    if isinstance(value, Mapping) and depth < 4:
        pairs = [f"{str(key).replace('_', ' ')}: {spoken(each, depth + 1)}" for key, each in list(value.items())[:60]]
        return ". ".join(pairs)
    if isinstance(value, (list, tuple)) and depth < 4:
        return "\n".join(spoken(each, depth + 1) for each in value[:40])
    return str(value)[:2000]
