"""What the agent said, turn by turn: its statements, and which of them are worth comparing.

The work for a turn is bounded whatever was said before it, so a conversation costs in proportion to its length.
"""

from __future__ import annotations

import heapq
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Final

from proctor.core.case import Case
from proctor.core.chat import Message, ToolCall
from proctor.core.sockets import Embedder
from proctor.core.trajectory import Trajectory, Turn
from proctor.lexicon.comparable_claims import Saying, sayings
from proctor.scorers.conversation.cross_turn_things import said_plainly, things
from proctor.text.claims import statements
from proctor.text.content_words import content, negated

__all__ = [
    "MOST_STATEMENTS",
    "PER_STATEMENT",
    "PER_TURN",
    "Pair",
    "Spoken",
    "candidates",
    "likeness",
    "same_questions",
    "spoken",
    "spoken_of",
    "yes_or_no",
]

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


PER_STATEMENT: Final = 6
PER_TURN: Final = 48
# Remembered positions of a word: the first ones, where a policy is usually stated, and the newest.
_FIRST: Final = 4
_NEWEST: Final = 8
# Newest statements compared by meaning alone; older ones are found by their words.
_WINDOW: Final = 160
NEAR: Final = 0.6
# Similarity from which two questions count as the same: by vectors, or by words without vectors.
SAME_QUESTION: Final = 0.84
SAME_QUESTION_IN_WORDS: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """An earlier and a later statement, with their similarity if known.

    ``asked_again``: the later one answers a rewording of the question that the earlier one answered.
    """

    earlier: Spoken
    later: Spoken
    one: Saying
    two: Saying
    near: float | None = None
    asked_again: bool = False


@dataclass(slots=True)
class _Places:
    """The positions of a word: the first and the newest."""

    first: list[int] = field(default_factory=list)
    newest: deque[int] = field(default_factory=lambda: deque(maxlen=_NEWEST))
    times: int = 0

    def add(self, place: int) -> None:
        self.times += 1
        if len(self.first) < _FIRST:
            self.first.append(place)
        else:
            self.newest.append(place)


async def candidates(said: Sequence[Spoken], embedder: Embedder | None) -> list[Pair]:
    """Return the pairs of statements from different answers that may be about the same thing."""
    flat = [(spoken, saying) for spoken in said for saying in spoken.sayings]
    vectors = await _vectors([saying.text for _, saying in flat], embedder)
    asks = await _vectors([spoken.asked for spoken in said], embedder)
    by_words = _by_words(flat)
    by_meaning = _by_meaning(flat, vectors) if vectors is not None else {}
    made: list[Pair] = []
    for place, (later, two) in enumerate(flat):
        chosen = _in_turns(by_meaning.get(place, ()), by_words.get(place, ()))
        others = [other for other in chosen if flat[other][1].text != two.text]
        # A long answer divides the turn's limit among its statements.
        for other in others[: max(2, min(2 * PER_STATEMENT, PER_TURN // len(later.sayings)))]:
            earlier, one = flat[other]
            near = likeness(vectors[place], vectors[other]) if vectors is not None else None
            again = _alike(earlier, later, asks) >= _enough(asks)
            made.append(Pair(earlier=earlier, later=later, one=one, two=two, near=near, asked_again=again))
    return made


def _in_turns(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """Interleave two rankings, without duplicates."""
    both = [place for pair in zip_longest(one, other) for place in pair if place is not None]
    return list(dict.fromkeys(both))


async def same_questions(said: Sequence[Spoken], embedder: Embedder | None) -> list[tuple[Spoken, Spoken]]:
    """Return pairs of answers to the same yes/no question: each with the newest earlier ones."""
    asked = [each for each in said if each.whether is not None]
    asks = await _vectors([spoken.asked for spoken in said], embedder)
    made = []
    for place, later in enumerate(asked):
        for earlier in asked[max(0, place - _NEWEST) : place]:
            if _alike(earlier, later, asks) >= _enough(asks):
                made.append((earlier, later))
    return made


def likeness(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the dot product of two unit vectors."""
    return float(sum(a * b for a, b in zip(one, other, strict=True)))


async def _vectors(texts: Sequence[str], embedder: Embedder | None) -> Sequence[Sequence[float]] | None:
    if embedder is None or not texts:
        return None
    each = list(dict.fromkeys(texts))
    found = dict(zip(each, await embedder.embed(each), strict=True))
    return [found[text] for text in texts]


def _by_words(flat: Sequence[tuple[Spoken, Saying]]) -> dict[int, list[int]]:
    """Return for each statement the earlier ones that share most of its rarer words and names."""
    places: dict[str, _Places] = {}
    found: dict[int, list[int]] = {}
    waiting: list[tuple[int, frozenset[str]]] = []
    turn = -1
    for place, (spoken, saying) in enumerate(flat):
        if spoken.at != turn:  # an answer is compared with earlier ones, not with itself
            for other, keys in waiting:
                for key in keys:
                    places.setdefault(key, _Places()).add(other)
            waiting, turn = [], spoken.at
        keys = saying.words | saying.own | saying.codes | things(saying.text).named
        waiting.append((place, keys))
        weights: dict[int, float] = {}
        for known in (places[key] for key in keys if key in places):
            for other in (*known.first, *known.newest):
                weights[other] = weights.get(other, 0.0) + known.times**-0.5
        best = heapq.nlargest(PER_STATEMENT, ((weight, other) for other, weight in weights.items()))
        found[place] = [other for _, other in best]
    return found


def _by_meaning(flat: Sequence[tuple[Spoken, Saying]], vectors: Sequence[Sequence[float]]) -> dict[int, list[int]]:
    """Return for each statement the nearest of the newest earlier ones."""
    import numpy as np  # noqa: PLC0415 - light checks do not need numpy

    table = np.asarray(vectors, dtype=np.float32)
    found: dict[int, list[int]] = {}
    for begin, end in _blocks(flat):
        first = max(0, begin - _WINDOW)
        if first == begin:
            continue
        near = table[begin:end] @ table[first:begin].T
        for row in range(end - begin):
            order = np.argsort(-near[row])[:PER_STATEMENT]
            found[begin + row] = [first + int(at) for at in order if near[row][at] >= NEAR]
    return found


def _blocks(flat: Sequence[tuple[Spoken, Saying]]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each answer's statements."""
    begin = 0
    for place in range(1, len(flat) + 1):
        if place == len(flat) or flat[place][0].at != flat[begin][0].at:
            yield begin, place
            begin = place


def _alike(earlier: Spoken, later: Spoken, asks: Sequence[Sequence[float]] | None) -> float:
    if not earlier.asked.strip() or not later.asked.strip():
        return 0.0
    if asks is not None:
        return likeness(asks[earlier.at], asks[later.at])
    left, right = content(earlier.asked), content(later.asked)
    return len(left & right) / len(left | right) if len(left & right) > 1 else 0.0


def _enough(asks: Sequence[Sequence[float]] | None) -> float:
    return SAME_QUESTION if asks is not None else SAME_QUESTION_IN_WORDS
