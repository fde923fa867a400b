"""Find conversations that repeat themselves or end without a way forward."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

from proctor.core.case import Case
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Embedder, socket
from proctor.core.tool_effect import StatedEffect, tool_effect
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.transcript import failed, result_text, steps
from proctor.core.verdict import STOPS
from proctor.scorers.checked_answers import (
    MOST_EVIDENCE,
    no_conversation,
    quoted,
    scored,
    turn_label,
    unjudged,
    unless_broken_off,
)
from proctor.scorers.conversation.dead_ends import closed_open_request
from proctor.scorers.conversation.repeat_requests import (
    accepts,
    asks_to_repeat,
    complains,
    has_way_forward,
    is_unhelpful,
    likeness,
    refuses,
    same_matter,
    whole,
)
from proctor.scorers.conversation.repeated_asks import given_again, looked_up_again, made_progress
from proctor.scorers.match_calls import shown
from proctor.text.content_words import content, overlap_share

__all__ = ["Loops"]

_SHORT: Final = 2  # minimum content words of a question; shorter replies may repeat
_LONG: Final = 5  # minimum content words of an answer
_WORDS_ALIKE: Final = 0.7
_WORDS_ALIKE_TOO: Final = 0.5  # of questions that the network takes as alike, where each was answered
_ANSWERS_ALIKE: Final = 0.9
_WRITTEN_CALL: Final = re.compile(r"<(?P<tag>tool_call|function_call|think)>.{0,20000}?(?:</(?P=tag)>|$)", re.DOTALL)
# What is not sold or in stock is an answer.
_UNAVAILABLE: Final = re.compile(r"\bwe (?:do not|don['’]t) (?:have|sell|carry|serve|stock)\b", re.IGNORECASE)
_ASKS: Final = ("?", "？", "؟")
_BACK: Final = 8  # turns compared, so that the work is linear in the turns


@dataclass(frozen=True, slots=True, kw_only=True)
class Loops:
    """No question or answer has to be repeated, and a refusal shows a way forward."""

    name: ClassVar[str] = "loops"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = None

    alike: float = 0.86
    asks: int = 3
    calls: int = 3
    dead_ends: bool = True
    tool_effects: Mapping[str, StatedEffect] = field(default_factory=dict)
    light: bool = False
    embedder: Embedder = socket()

    def __post_init__(self) -> None:
        if not 0.0 < self.alike <= 1.0:
            raise ValueError(f"alike is {self.alike:g}; it must be above 0 and at most 1")
        for name, least in (("asks", 2), ("calls", 2)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be {least} or more")

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Find repeated questions, answers and calls, and refusals without an alternative."""
        if (unanswered := no_conversation(self, run)) is not None:
            return unanswered
        return unless_broken_off(self, run, await self._judged(run))

    async def _judged(self, run: Trajectory) -> Score:
        said = [(turn.asked.strip(), _said(turn)) for turn in run.turns]
        try:
            near = await self._near([asked for asked, _ in said])
        except ProctorError as error:
            return unjudged(self, f"the local model did not answer: {quoted(error.message)}")
        checks: dict[str, Iterable[Evidence]] = {
            "customer_repeats": self._asked_again(said, near, run),
            "same_answer": _said_again(said),
            "same_call": [*self._called_again(run), *looked_up_again(run)],
            "value_given_again": given_again(run),
        }
        if self.dead_ends:
            checks["refusal"] = self._dead_ends(said, run, near)
            checks[""] = closed_open_request(run, self.tool_effects)  # names its check itself
        found = [replace(one, check=name or one.check) for name, some in checks.items() for one in some]
        producer = "rule" if self.light else "rule+local model"
        if not found:
            return scored(
                self, 1.0, "no question, answer or call comes round again", producer=producer, confidence=0.75
            )
        found.sort(key=lambda each: each.turn or 0)
        first = found[0]
        reason = f"{turn_label(first.turn or 0)}: {first.note}: {quoted(first.quote, 120)!r}"
        reason += f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        evidence = tuple(found[:MOST_EVIDENCE])
        return scored(self, 0.0, quoted(reason, 500), evidence=evidence, producer=producer, confidence=0.75)

    async def _near(self, asked: Sequence[str]) -> Mapping[int, int]:
        """Return for each customer message the nearest earlier one that asks the same."""
        words = [content(text) for text in asked]
        long = [index for index, some in enumerate(words) if len(some) >= _SHORT]
        cross = {index for index, text in enumerate(asked) if complains(text)}
        vectors = {}
        if not self.light and len(long) > 1:
            vectors = dict(zip(long, await self.embedder.embed([asked[index][:2000] for index in long]), strict=True))
        near: dict[int, int] = {}
        for index in long:
            for earlier in reversed([each for each in long if index - _BACK <= each < index]):
                one, two = asked[earlier], asked[index]
                few = min(len(words[earlier]), len(words[index])) <= _SHORT
                alike = words[earlier] == words[index] if few else likeness(one, two) >= _WORDS_ALIKE
                if not alike and vectors:
                    alike = sum(a * b for a, b in zip(vectors[earlier], vectors[index], strict=True)) >= self.alike
                if alike and same_matter(one, two):
                    near[index] = earlier
                    break
        for index in cross - near.keys():
            near.update(_meant(asked, index))
        return near

    def _asked_again(self, said: Sequence[tuple[str, str]], near: Mapping[int, int], run: Trajectory) -> list[Evidence]:
        found = []
        times: dict[int, int] = {}
        for index, earlier in sorted(near.items()):
            times[index] = times.get(earlier, 1) + 1
            asked, answer = said[index][0], said[earlier][1]
            if asks_to_repeat(asked) or accepts(asked) or not answer:
                continue
            if complains(asked):
                why = "the customer says that it was not answered"
            elif len(content(answer)) >= _SHORT and whole(answer) == whole(said[index][1]):
                why = "the answer is the same as before"
            elif is_unhelpful(answer):
                why = "the answer before did not help"
            elif (
                times[index] >= self.asks
                and likeness(asked, said[earlier][0]) >= _WORDS_ALIKE_TOO  # the network's likeness alone is no loop
                and not made_progress(run.turns[:index], earlier)
            ):
                why = f"it is asked for the {times[index]}. time"
            else:
                continue
            note = f"asked again ({turn_label(earlier)} asked it first): {why}"
            found.append(Evidence(quote=quoted(asked), turn=index, where="customer", note=note))
        return found

    def _called_again(self, run: Trajectory) -> list[Evidence]:
        """Find the same call with the same result so often in a row that it is a loop."""
        found, last, times = [], "", 0
        for step in steps(run):
            if step.call is None or step.by_user:
                continue
            key = f"{shown(step.call)} -> {step.call.error or result_text(step.call)[:2000]}"
            times = times + 1 if key == last else 1
            last = key
            if times == (self.calls if failed(step.call) else self.calls + 1):
                note = f"the same call {times} times with the same {'error' if failed(step.call) else 'outcome'}"
                found.append(Evidence(quote=quoted(shown(step.call)), turn=step.turn, where="tool call", note=note))
        return found

    def _dead_ends(self, said: Sequence[tuple[str, str]], run: Trajectory, near: Mapping[int, int]) -> list[Evidence]:
        """Find refusals without an alternative where the conversation ends or the customer asks again."""
        found = []
        again = set(near.values())
        for index, (_, answer) in enumerate(said):
            sentence = refuses(answer)
            turn = run.turns[index]
            if sentence is None or has_way_forward(answer) or self._handed_over(turn) or _was_blocked(turn):
                continue
            later = [asked for asked, _ in said[index + 1 :] if asked]
            ends = not later and not _UNAVAILABLE.search(sentence)
            stuck = bool(later) and (complains(later[0]) or index in again)
            if ends or stuck:
                note = "turned down with no way forward" + ("" if ends else ", and the customer comes back to it")
                found.append(Evidence(quote=quoted(sentence), turn=index, where="agent", note=note))
        return found

    def _handed_over(self, turn: Turn) -> bool:
        return turn.escalation is not None or any(
            tool_effect(call.name, self.tool_effects) == "hands_off" and not failed(call) for call in turn.tool_calls
        )


def _meant(asked: Sequence[str], index: int) -> Mapping[int, int]:
    """Return the earlier question that a complaint repeats: most of its words are in the complaint."""
    words = content(asked[index])
    for earlier in range(index - 1, max(-1, index - 1 - _BACK), -1):
        before = content(asked[earlier])
        if before and overlap_share(before, words) >= _WORDS_ALIKE and same_matter(asked[earlier], asked[index]):
            return {index: earlier}
    return {}


def _said(turn: Turn) -> str:
    """Return the agent's text without tool calls that were written out as text."""
    said = "\n".join(message.content for message in turn.messages if message.role == "assistant" and message.content)
    return _WRITTEN_CALL.sub("", said).strip()


def _said_again(said: Sequence[tuple[str, str]]) -> list[Evidence]:
    """Find answers repeated verbatim, including numbers, although the customer did not ask for it."""
    found = []
    for index in range(1, len(said)):
        asked, answer = said[index]
        if asks_to_repeat(asked) or accepts(asked):
            continue
        if len(content(answer)) < _LONG:  # a short question may come twice, not three times in a row
            last = [each for _, each in said[max(0, index - 2) : index]]
            if answer.endswith(_ASKS) and len(last) == 2 and all(whole(each) == whole(answer) for each in last):
                note = f"the agent says the same in {turn_label(index - 2)}, {turn_label(index - 1)} and now"
                found.append(Evidence(quote=quoted(answer), turn=index, where="agent", note=note))
            continue
        for earlier in range(max(0, index - 2), index):
            before = said[earlier][1]
            same = whole(before) == whole(answer)
            if same or (likeness(before, answer) >= _ANSWERS_ALIKE and _numbers_agree(before, answer)):
                note = f"the agent says again what it said in {turn_label(earlier)}"
                found.append(Evidence(quote=quoted(answer), turn=index, where="agent", note=note))
                break
    return found


def _numbers_agree(one: str, other: str) -> bool:
    return [word for word in whole(one).split() if any(map(str.isdigit, word))] == [
        word for word in whole(other).split() if any(map(str.isdigit, word))
    ]


def _was_blocked(turn: Turn) -> bool:
    """Whether a gate stopped the turn: an attack needs no alternative."""
    return any(verdict.action in STOPS for verdict in turn.verdicts)
