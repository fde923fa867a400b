"""Check each claim of the last answer against the sources and tool results, and mark critical claims."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal

from proctor.core.case import Case
from proctor.core.chat import ToolCall
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Entailer, Grounder, socket
from proctor.core.tool_effect import StatedEffect
from proctor.core.trajectory import Source, Trajectory
from proctor.core.transcript import failed, result_text
from proctor.scorers.answer.quality_parts.claim_checks import CheckedClaim, check_claims, checkable
from proctor.scorers.answer.quality_parts.source_passages import LETTERS, SourcePassage, reading
from proctor.scorers.answer.quality_parts.support import source_passage, spoken
from proctor.scorers.checked_answers import MOST_EVIDENCE, no_answer, quoted, scored, skipped, unjudged
from proctor.scorers.model_trust import trust
from proctor.scorers.safety.citation_spans import citations, documents
from proctor.scorers.safety.claimed_actions import backed, claimed_actions
from proctor.text.normalise.language_likeness import mixes_scripts
from proctor.text.policy_sections import SECTIONS, about_the_talk, section_key, sections_of

__all__ = ["Grounded"]

_MOST_CLAIMS: Final = 60
_SHORT_ARGUMENT: Final = 40  # characters
_MOST: Final = 40  # maximum passages; the newest are kept
_LONGEST: Final = 400  # maximum characters of a claim sent to a network
_CODE: Final = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{3,40}\b")
_BRACKETED: Final = re.compile(r"\[([^\[\]\n]{1,80})\](?!\()")
_STATES: Final = ("contradicted", "stale", "unsupported", "supported")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """Every claim of the answer is supported by sources and tool results; networks check the critical claims.

    ``critical`` names the sections in which a claim is critical. The section of a claim comes from the case
    (``metadata.section``) or, without it, from the sentence. ``known`` lists statements that are true without a source.
    With ``read: all``, networks check every claim that rules leave open; with ``light``, they check none. The ``where``
    of each claim's evidence holds its state and its critical sections: ``unsupported: policy``. A claim that is too
    long for a network, or beyond the maximum count, is ``unread``.
    """

    name: ClassVar[str] = "grounded"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 0.6
    primary: ClassVar[str | None] = None

    critical: tuple[str, ...] = SECTIONS
    known: tuple[str, ...] = ()
    read: Literal["critical", "all"] = "critical"
    doubt: float = 0.25
    thorough: bool = False
    tool_effects: Mapping[str, StatedEffect] = field(default_factory=dict)
    light: bool = False
    entailer: Entailer = socket()
    grounder: Grounder = socket()

    def __post_init__(self) -> None:
        if not 0.0 <= self.doubt <= 1.0:
            raise ValueError(f"doubt is {self.doubt:g}; it must be from 0 to 1")

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Check each claim against sources, tool results and known statements; the evidence holds the state of each."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        section = case.metadata.get("section")
        names = {name.casefold() for source in run.sources for name in (source.id, source.title) if name}
        said = {claim: self._sections(claim, section) for claim in _claims(run.answer, names)}
        if not said:
            return skipped(self, "the answer claims nothing that a source could bear out")
        passages = [*_passages(run), *(SourcePassage(name="known", text=text, live=True) for text in self.known)]
        if not passages:
            return self._unsourced(said)
        done = {claim for claim in said if _was_done(claim, run.tool_calls, self.tool_effects)}
        wanted = [claim for claim, sections in said.items() if sections or self.read == "all"]
        entailer, grounder = (None, None) if self.light else (self.entailer, self.grounder)
        try:
            made = await check_claims(
                list(said),
                passages,
                entailer,
                grounder,
                frugal=not self.thorough,
                ask=() if self.light else [each for each in wanted if each not in done and not _is_run(each)],
                heard=[message.content for message in run.messages if message.role == "user"],
            )
        except ProctorError as error:
            return unjudged(self, f"the local model did not answer: {quoted(error.message)}")
        checked = [_done(claim) if claim in done else each for claim, each in zip(said, made, strict=True)]
        unread = [claim for claim, each in zip(said, checked, strict=True) if each is None and claim in wanted]
        told = () if self.light else tuple(_unread(claim, said[claim]) for claim in unread)
        made_claims = [each for each in checked if each is not None]
        # Unless the caller limits the sections, another value counts whatever the answer or the claim is about.
        everywhere = set(SECTIONS) <= set(map(section_key, self.critical))
        return self._told(made_claims, said, run.answer, told, everywhere=everywhere)

    def ahead(self, run: Trajectory) -> Iterator[None]:
        """Prepare the passages in small steps before the answer arrives; the results are cached by text."""
        yield from reading(_passages(run))

    def _state(self, each: CheckedClaim, *, everywhere: bool) -> str:
        """Return the claim's state; "in doubt" if the nearest source has its figures and the network is undecided.

        "other value" is a contradiction found by comparing values, which counts in every section.
        """
        if each.state == "contradicted" and each.by_rule and everywhere:
            # Denials in other words met right and wrong answers alike.
            return "in doubt" if each.in_words else "other value"
        doubtful = each.state == "unsupported" and not each.by_rule and bool(each.figures) and each.value >= self.doubt
        return "in doubt" if doubtful else each.state

    def _sections(self, claim: str, section: object) -> tuple[str, ...]:
        """Return the critical sections of a claim: the section given by the caller, or those found in the claim."""
        wanted = {section_key(name) for name in self.critical}
        if isinstance(section, str) and section.strip():
            key = section_key(section)
            return (key,) if key in wanted else ()
        return tuple(sorted(wanted & sections_of(claim)))

    def _unsourced(self, said: dict[str, tuple[str, ...]]) -> Score:
        order = sorted(said.items(), key=lambda each: not each[1])
        evidence = tuple(
            Evidence(quote=claim, where=_where("unsourced", sections), note="there is no source to hold it against")
            for claim, sections in order[:MOST_EVIDENCE]
        )
        return skipped(self, "no source was retrieved and no tool told anything", evidence=evidence)

    def _told(
        self,
        made: Sequence[CheckedClaim],
        said: dict[str, tuple[str, ...]],
        answer: str,
        unread: tuple[Evidence, ...],
        *,
        everywhere: bool,
    ) -> Score:
        if not made:
            why = f"{len(unread)} claims were not read" if unread else "no claim is critical, and the rules settle none"
            return skipped(self, why, evidence=unread[:MOST_EVIDENCE])
        order = sorted(made, key=lambda each: (_STATES.index(each.state), not said[each.claim]))
        weights = [2.0 if said[each.claim] else 1.0 for each in made]
        value = sum(weight * each.value for weight, each in zip(weights, made, strict=True)) / sum(weights)
        bad = [each for each in order if each.state != "supported"]
        if bad and said[bad[0].claim] and bad[0].state != "unsupported":
            value = min(value, 0.5)  # a denied critical claim caps the score
        counts = ", ".join(
            f"{sum(each.state == state for each in made)} {state}"
            for state in _STATES
            if any(each.state == state for each in made)
        )
        reason = f"of {len(made)} claims {counts}" + (f"; {bad[0].note}: {quoted(bad[0].claim, 80)!r}" if bad else "")
        reason += f"; {len(unread)} were not read" if unread else ""
        return scored(
            self,
            min(1.0, max(0.0, value)),
            reason,
            confidence=sum(0.9 if each.by_rule else trust(answer) for each in made) / len(made),
            producer="rule" if all(each.by_rule for each in made) else "rule+local model",
            evidence=unread[:1]  # the first unread claim is always shown
            + tuple(
                Evidence(
                    quote=each.claim,
                    where=_where(self._state(each, everywhere=everywhere), said[each.claim]),
                    note=each.note + (f" ({quoted(each.passage, 100)})" if each.passage and not each.by_rule else ""),
                )
                for each in order[: MOST_EVIDENCE - len(unread[:1])]
            ),
        )


def _is_run(claim: str) -> bool:
    """Whether a claim is a run of words rather than a sentence: it is too long or mixes scripts."""
    return len(claim) > _LONGEST or mixes_scripts(claim)


def _unread(claim: str, sections: tuple[str, ...]) -> Evidence:
    """Return the evidence for a claim that no network checked."""
    if len(claim) > _LONGEST:
        note = f"a sentence of {len(claim)} letters is longer than is read"
    else:
        note = "it is no sentence of any language" if mixes_scripts(claim) else "there are more claims than are read"
    return Evidence(quote=quoted(claim, 200), where=_where("unread", sections), note=note)


def _where(state: str, sections: tuple[str, ...]) -> str:
    """Return ``unsupported: policy, price`` for a critical claim, ``unsupported`` for any other."""
    return f"{state}: {', '.join(sections)}" if sections else state


def _claims(answer: str, names: Collection[str]) -> list[str]:
    """Return the claims of the answer about the world, without citation marks."""
    text = answer[:60_000]
    for written in {mark.written for mark in citations(text) if not mark.link}:
        text = text.replace(written, " ")
    if "[" in text:
        text = _BRACKETED.sub(lambda hit: " " if hit[1].strip().casefold() in names else hit[0], text)
    return [claim for each in checkable(text, most=_MOST_CLAIMS) if not about_the_talk(claim := _claim(each))]


def _claim(sentence: str) -> str:
    """Return the sentence without a leading part about the agent: "I cannot decide it: the team does"."""
    head, colon, rest = sentence.partition(": ")
    return rest if colon and rest.strip() and about_the_talk(head) else sentence


def _was_done(claim: str, calls: Sequence[ToolCall], tool_effects: Mapping[str, StatedEffect]) -> bool:
    """Whether the claim reports an action that a tool call performed on the object the claim names."""
    said = list(claimed_actions(claim))
    if not said or not calls or not all(backed(deed, calls, tool_effects=tool_effects) for deed in said):
        return False
    names = _CODE.findall(claim)
    told = [f"{dict(call.arguments)} {result_text(call)[:8000]}" for call in calls if not failed(call)] if names else []
    return all(any(name in each for each in told) for name in names)


def _done(claim: str) -> CheckedClaim:
    return CheckedClaim(claim=claim, state="supported", value=0.95, note="a tool did it")


def _passages(run: Trajectory) -> list[SourcePassage]:
    """Return the sources and the documents returned by tools, without duplicates; other tool results as records."""
    known: dict[str, Source] = {source.id: source for source in run.sources if source.text.strip()}
    records: list[SourcePassage] = []
    for call in run.tool_calls:
        if failed(call) or call.result is None:
            continue
        found = list(documents(call))
        for source in found:
            known.setdefault(source.id, source)
        if not found:
            told = f"{spoken(call.result)} {spoken(_asked(call))}"
            records += _record(call.name, told[:LETTERS])
    return [*map(source_passage, list(known.values())[-_MOST:]), *records[-_MOST:]]


def _asked(call: ToolCall) -> dict[str, object]:
    """Return the short arguments of a successful call: days, numbers, ids. Longer ones are the agent's own words."""
    return {name: value for name, value in call.arguments.items() if len(str(value)) <= _SHORT_ARGUMENT}


def _record(name: str, text: str) -> Iterator[SourcePassage]:
    if text.strip():
        yield SourcePassage(name=name, text=text, data=True)
