"""Check whether the agent contradicts in one turn what it said in another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from proctor.core.case import Case
from proctor.core.chat import ToolCall
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Embedder, Entailer, socket
from proctor.core.trajectory import Trajectory
from proctor.lexicon.comparable_claims import Saying
from proctor.scorers.checked_answers import (
    MOST_EVIDENCE,
    no_conversation,
    quoted,
    scored,
    skipped,
    turn_label,
    unjudged,
    unless_broken_off,
)
from proctor.scorers.conversation.cross_turn_conflicts import conflict_of, opposite_answers, read_pairs, worth_reading
from proctor.scorers.conversation.cross_turn_news import KNOWLEDGE_TOOLS, News
from proctor.scorers.conversation.cross_turn_statements import Pair, Spoken, candidates, same_questions, spoken
from proctor.scorers.model_trust import trust
from proctor.text.user_patterns import user_pattern

__all__ = ["CrossTurn"]

_EXACT: Final = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Two statements that cannot both be true."""

    earlier: Spoken
    later: Spoken
    one: str
    two: str
    why: str
    sure: float
    check: str


@dataclass(slots=True, kw_only=True)
class _Looked:
    found: list[_Found]
    excused: list[str]
    doubts: list[str] = field(default_factory=list)
    pairs: int = 0
    read: int = 0
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossTurn:
    """Whether the agent's statements agree across turns; one contradiction fails it.

    Numbers, dates, windows, amounts and yes/no answers are compared exactly. Other statements with similar meaning are
    read by the bundled network in both directions. An answer that differs because the user or a tool brought new
    information, or that openly corrects an earlier one, is no contradiction. ``knowledge_tools`` is a regex of the
    names of tools that read data which does not change during a conversation, so that a different result is not new
    information. ``asked_before`` and ``answered_before`` are a question and its earlier answer, with its tool calls:
    the conversation is compared with them instead of its history.
    """

    name: ClassVar[str] = "cross_turn"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = None

    knowledge_tools: str = KNOWLEDGE_TOOLS
    asked_before: str = ""
    answered_before: str = ""
    calls_before: tuple[ToolCall, ...] = ()
    light: bool = False
    entailer: Entailer = socket(fast=True)
    embedder: Embedder = socket()

    def __post_init__(self) -> None:
        try:
            user_pattern(self.knowledge_tools, ignore_case=True)
        except ValueError as error:
            raise ValueError(f"knowledge_tools: {error}") from None

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compare each answer with earlier ones on the same topic."""
        if (unanswered := no_conversation(self, run)) is not None:
            return unanswered
        return unless_broken_off(self, run, await self._judged(case, run))

    async def _judged(self, case: Case, run: Trajectory) -> Score:
        before = (self.asked_before, self.answered_before, self.calls_before) if self.answered_before else None
        said = spoken(case, run, before=before)
        told = [each for each in said if each.sayings or each.whether is not None]
        if len(told) < 2:
            return skipped(self, self._nothing(said))
        looked = await self._look(said)
        statements = sum(len(each.sayings) for each in said)
        note = self._note(looked, statements, sum(each.left for each in said))
        sure = trust(said[-1].answer) if not self.light else 0.5
        if looked.found:
            first = min(looked.found, key=lambda each: (-each.sure, each.later.at))
            reason = f"{_where(first.later)} contradicts {_where(first.earlier)}: {first.why}; {note}"
            evidence = [one for each in looked.found for one in _shown(each)]
            return scored(
                self,
                0.0,
                reason,
                confidence=max(each.sure for each in looked.found),
                evidence=tuple(evidence[:MOST_EVIDENCE]),
                producer=self._producer(looked),
            )
        if looked.failure:
            return unjudged(self, f"the statements could not be read: {looked.failure}")
        return scored(self, 1.0, note, confidence=sure, producer=self._producer(looked))

    async def _look(self, said: Sequence[Spoken]) -> _Looked:
        news = News(said, user_pattern(self.knowledge_tools, ignore_case=True))
        looked = _Looked(found=[], excused=[])
        embedder = None if self.light else self.embedder
        try:
            pairs = await candidates(said, embedder)
        except Exception as error:  # a failing model leaves the exact part, and is reported
            looked.failure = quoted(f"{type(error).__name__}: {error}", 200)
            embedder, pairs = None, await candidates(said, None)
        looked.pairs = len(pairs)
        rest = []
        for pair in pairs:
            if (why := conflict_of(pair, same_question=bool(self.answered_before))) is not None:
                _keep(looked, news, pair, why, _EXACT, exact=True, check="value")
            elif worth_reading(pair) and not _said_together(pair):
                rest.append(pair)
        for earlier, later in await self._asked_again(said, embedder):
            if (why := opposite_answers(earlier, later)) is not None:
                _keep(looked, news, _whole(earlier, later), why, _EXACT, exact=True, check="answer")
        if not self.light and not looked.failure:
            try:
                await self._read(looked, news, said, rest)
            except Exception as error:  # as above
                looked.failure = quoted(f"{type(error).__name__}: {error}", 200)
        return looked

    async def _read(self, looked: _Looked, news: News, said: Sequence[Spoken], rest: Sequence[Pair]) -> None:
        """Add what the networks find."""
        served = any(each.tool_calls for each in said) and not self.answered_before
        for pair, sure in await read_pairs(rest, self.entailer):
            if served:  # records may explain it, which the network cannot know: its reading alone decides nothing
                looked.doubts.append(f"{_where(pair.later)} may contradict {_where(pair.earlier)} ({sure:.2f})")
                continue
            _keep(looked, news, pair, "read as a contradiction", sure, exact=False, check="read")
        looked.read = len(rest)

    async def _asked_again(self, said: Sequence[Spoken], embedder: Embedder | None) -> list[tuple[Spoken, Spoken]]:
        if self.answered_before:  # both answer the same question
            return [(said[0], later) for later in said[1:]]
        return await same_questions(said, embedder)

    def _nothing(self, said: Sequence[Spoken]) -> str:
        if len(said) < 2:
            return "there is one answer: nothing to contradict"
        return "there are no two answers with statements to compare"

    def _note(self, looked: _Looked, statements: int, left: int) -> str:
        note = f"{statements} statements, {looked.pairs} pairs compared"
        note += "; light: by words and numbers only" if self.light else f", {looked.read} read by the network"
        if looked.excused:
            note += f"; {len(looked.excused)} changed for a reason ({quoted(looked.excused[0], 160)})"
        if looked.doubts:
            note += f"; in doubt: {quoted(looked.doubts[0], 160)}"
        return note + (f"; {left} more were not looked at" if left else "")

    def _producer(self, looked: _Looked) -> str:
        return "rule+local model" if looked.read else "rule"


def _keep(looked: _Looked, news: News, pair: Pair, why: str, sure: float, *, exact: bool, check: str) -> None:
    if (excuse := news.excuse(pair, exact=exact)) is not None:
        looked.excused.append(excuse)
        return
    looked.found.append(
        _Found(
            earlier=pair.earlier,
            later=pair.later,
            one=pair.one.text,
            two=pair.two.text,
            why=why,
            sure=sure,
            check=check,
        )
    )


def _said_together(pair: Pair) -> bool:
    """Whether one of the answers makes both statements: then it takes them to agree, whatever the network reads."""
    return _makes(pair.earlier, pair.two) or _makes(pair.later, pair.one)


def _makes(said: Spoken, saying: Saying) -> bool:
    return any(each.text.casefold() == saying.text.casefold() for each in said.sayings)


def _whole(earlier: Spoken, later: Spoken) -> Pair:
    """Return two whole answers as a pair, each represented by its opening."""
    return Pair(earlier=earlier, later=later, one=_opening(earlier), two=_opening(later))


def _opening(said: Spoken) -> Saying:
    if said.sayings:
        return said.sayings[0]
    none: frozenset[str] = frozenset()
    return Saying(
        text=quoted(said.answer), words=none, quantities=(), denies=False, own=none, names=none, codes=none, kinds={}
    )


def _where(said: Spoken) -> str:
    return "what was said before" if said.turn is None else turn_label(said.turn)


def _shown(found: _Found) -> tuple[Evidence, Evidence]:
    return (
        Evidence(quote=quoted(found.two), turn=found.later.turn, note=found.why, check=found.check),
        Evidence(
            quote=quoted(found.one),
            turn=found.earlier.turn,
            note=f"said before, in {_where(found.earlier)}",
            check=found.check,
        ),
    )
