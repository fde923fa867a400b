"""Parse the agent's answers, turn by turn, into statements and yes/no answers that can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from proctor.core.case import Case
from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Trajectory, Turn
from proctor.lexicon.comparable_claims import Saying, sayings
from proctor.scorers.conversation.cross_turn_wording import said_plainly
from proctor.text.claims import statements
from proctor.text.content_words import negated

__all__ = ["MOST_STATEMENTS", "Spoken", "spoken", "spoken_of", "yes_or_no"]

# Maximum statements compared per answer; longer answers are lists or pages, and the rest is only counted.
MOST_STATEMENTS: Final = 24
_LONGEST: Final = 20_000

_ASKS_WHETHER = re.compile(
    r"^(?:(?:so|and|but|okay|ok|just to be (?:sure|clear)|quick question|hi|hello)[\s,:]+)*"
    r"(?:can|could|may|do|does|did|is|are|was|were|will|would|shall|should|has|have|am)\s+(?!you (?:please |kindly )?"
    r"(?:help|tell|explain|check|look|confirm|show|give|send|let)\b)"
    r"|\b(?:is it (?:possible|ok|allowed)|am i (?:able|allowed|eligible)|whether (?:i|it|the|my|there|you)"
    r"|,? (?:right|correct|is that so)\?)",
    re.IGNORECASE,
)
_ASKS_WHETHER_JA = re.compile(r"(?:ますか|ですか|でしょうか|ませんか)[。?？\s]*$")
_ASKS_WHAT_JA = re.compile(r"いつ|どこ|誰|何|なに|なぜ|どう|いくら|どの|どれ|いくつ")
_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|correct|that['’]s (?:right|correct)|absolutely|you (?:can|may|are (?:allowed|eligible))\b"
    r"|はい|ええ|可能です)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^\W*(?:no\b(?! (?:problem|worries))|nope|unfortunately,?(?! yes)|i['’]?m afraid"
    r"|you (?:cannot|can['’]?t|may not)\b"
    r"|(?:i['’]?m )?sorry,? (?:but )?(?:no\b|you (?:cannot|can['’]?t)|that['’]?s not|it(?:['’]?s| is) not)"
    r"|いいえ|あいにく|残念ながら|申し訳(?:ござい|あり)ませんが、?.{0,40}(?:できません|ございません|不可))",
    re.IGNORECASE,
)
# [source-2025-03] is a citation, not a statement.
_CITED = re.compile(r"\s?\[[^\[\]\n]{1,60}\](?!\()")
# Past events; "is refunded" and "cannot be cancelled" are general statements.
_HAPPENED = re.compile(
    r"\b(?:has|have|had) (?:now |already |just |also |been )|['’]ve (?:now |already |just )?(?:been )?\w+ed\b"
    r"|\b(?:is|are) now\b|\b(?:was|were) (?:\w+ )?\w+ed\b|\bi (?:\w+ )?\w+ed\b|successfully"
    r"|なりました|いたしました|しました|完了",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """One answer of the agent and its context.

    ``at`` is the index among all answers. ``turn`` is the turn of the conversation; ``None`` is before it began.
    ``whether`` is the answer to a yes/no question if both are clear. ``left`` counts the statements beyond the maximum.
    """

    at: int
    turn: int | None
    asked: str
    answer: str
    sayings: tuple[Saying, ...]
    tool_calls: tuple[ToolCall, ...] = ()
    whether: bool | None = None
    left: int = 0


def spoken(case: Case, run: Trajectory, *, before: tuple[str, str, Sequence[ToolCall]] | None = None) -> list[Spoken]:
    """Return every answer in order, those of the history first.

    ``before`` replaces the history: a question, its answer at another time, and its tool calls.
    """
    made: list[Spoken] = []
    said: list[_Said] = [(None, *before)] if before is not None else _history(case.history)
    asks = case.asks
    for turn, asked, answer, calls in (*said, *_turns(run, [ask.text for ask in asks])):
        made.append(spoken_of(answer, at=len(made), turn=turn, asked=asked, calls=calls))
    return made


def yes_or_no(asked: str, answer: str) -> bool | None:
    """Return whether a yes/no question was answered with yes or with no; ``None`` if that is unclear."""
    question = _question(asked)
    if not question or negated(question):
        return None  # yes to "can't I?" is ambiguous
    begins = answer.lstrip()[:200]
    if _NO.match(begins):
        return False
    return True if _YES.match(begins) else None


def _question(asked: str) -> str:
    """Return the last question that can be answered with yes or no."""
    for each in reversed(statements(asked[:_LONGEST])):
        if each.kind == "question" and (
            _ASKS_WHETHER.search(each.text)
            or (_ASKS_WHETHER_JA.search(each.text) and not _ASKS_WHAT_JA.search(each.text))
        ):
            return each.text
    return ""


def spoken_of(
    answer: str, *, at: int, turn: int | None = None, asked: str = "", calls: Sequence[ToolCall] = ()
) -> Spoken:
    """Parse an answer into its statements."""
    words = _CITED.sub("", answer[:_LONGEST])
    found = [said_plainly(_steady(each)) for each in sayings(words, about=asked[:_LONGEST], most=2 * MOST_STATEMENTS)]
    return Spoken(
        at=at,
        turn=turn,
        asked=asked,
        answer=answer,
        sayings=tuple(found[:MOST_STATEMENTS]),
        tool_calls=tuple(calls),
        whether=yes_or_no(asked, answer),
        left=max(0, len(found) - MOST_STATEMENTS),
    )


def _steady(saying: Saying) -> Saying:
    """Return the statement, not marked as a change if it only describes what is generally done."""
    return replace(saying, changed=False) if saying.changed and not _HAPPENED.search(saying.text) else saying


_Said = tuple[int | None, str, str, Sequence[ToolCall]]


def _history(messages: Sequence[Message]) -> list[_Said]:
    made: list[_Said] = []
    asked, answers, calls = "", list[str](), list[ToolCall]()
    for message in messages:
        if message.role == "user":
            if answers:
                made.append((None, asked, "\n".join(answers), tuple(calls)))
                asked, answers, calls = "", [], []
            asked = f"{asked}\n{message.content}" if asked else message.content
        elif message.role == "assistant":
            calls.extend(message.tool_calls)
            if message.content.strip():
                answers.append(message.content)
    if answers:
        made.append((None, asked, "\n".join(answers), tuple(calls)))
    return made


def _turns(run: Trajectory, asks: Sequence[str]) -> Iterator[_Said]:
    for index, turn in enumerate(run.turns):
        asked = turn.asked or (asks[index] if index < len(asks) else "")
        yield index, asked, _words(turn), turn.tool_calls


def _words(turn: Turn) -> str:
    """Return everything the agent told the user in a turn, including text before a tool call."""
    return "\n".join(m.content for m in turn.messages if m.role == "assistant" and m.content.strip())
