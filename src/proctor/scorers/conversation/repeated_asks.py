"""Find what the agent asks or looks up again although the customer has answered and nothing has changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from proctor.core.chat import ToolCall
from proctor.core.score import Evidence
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.transcript import failed, result_text
from proctor.scorers.checked_answers import quoted, turn_label
from proctor.scorers.conversation.repeat_requests import accepts, asks_to_repeat
from proctor.scorers.match_calls import shown
from proctor.text.claims import statements
from proctor.text.content_words import content
from proctor.text.normalise.language_likeness import common_words
from proctor.text.number_words import SpelledNumber, find_number_words
from proctor.text.polarity import root_words
from proctor.text.shared_runs import squeezed

__all__ = [
    "asked_again",
    "asked_although_given",
    "common_roots",
    "given_again",
    "given_in_vain",
    "looked_up_again",
    "made_progress",
]

_VALUE: Final = re.compile(r"(?=[\w-]{0,30}\d)[\w][\w-]{1,30}", re.ASCII)
_SHORT_NAME: Final = re.compile(r"\b[^\W\d_a-zß-öø-ÿ]{2,5}\b")
_ASKS: Final = re.compile(r"[?？؟]")
_SAME_ASK: Final = 0.75  # share of the words of the shorter question
_LIKE_ASK: Final = 0.3  # share of the words of the shorter message, where the customer had to repeat a value
_NEW_WORDS: Final = 4  # words of a message that mostly repeats what the customer said before
_SHORT: Final = 8  # content words of a message that only answers a question
_LEAST_WORDS: Final = 2
_TIMES: Final = 3  # questions, or turns with the same call, from which it is a loop
_BACK: Final = 4  # turns
_ASKING: Final = content(
    "give tell have need please know provide confirm send share let get ask still also again once more"
)
_LEAST_CODE: Final = 3  # characters of a number that is asked for
_LEAST_DIGITS: Final = 3  # words for digits in a row that are one number


def given_again(run: Trajectory) -> Iterator[Evidence]:
    """Yield where the customer gives a value again that the agent has neither used nor repeated since."""
    for later in range(1, len(run.turns)):
        said = _values(run.turns[later].asked)
        if _ASKS.search(run.turns[later].asked) and not _ASKS.search(run.turns[later - 1].answer):
            continue
        for earlier in range(max(0, later - _BACK), later):
            between = run.turns[earlier:later]
            again = said & _values(between[0].asked)
            if not again or not all(each.answer.strip() for each in between):
                continue
            used = squeezed(" ".join(_used(each) for each in between))
            left = sorted(each for each in again if each not in used)
            new = root_words(run.turns[later].asked) - root_words(between[0].asked)
            asked = run.turns[earlier - 1] if earlier else Turn(messages=())
            # The question may come back at once, or after others were asked.
            ranked = [(_asks_alike(asked, run.turns[at]), at) for at in range(earlier, later)]
            share, place = max(ranked, key=lambda each: each[0])
            if len(new) > _NEW_WORDS or len(root_words(run.turns[later].asked)) > _SHORT or share < _LIKE_ASK:
                continue
            if left and not any(asks_to_repeat(each.asked) for each in between[1:]):
                note = f"asked for again, although the customer gave {left[0]!r} (again in {turn_label(later)})"
                quote = quoted(run.turns[place].answer)
                yield Evidence(quote=quote, turn=place, where="agent", note=note)
                return


def given_in_vain(run: Trajectory) -> Iterator[Evidence]:
    """Yield the last message of at least three that give the same number, which the agent has used nowhere.

    No words are compared: an agent that asks for it in other words each time is in a loop as well.
    """
    given: dict[str, list[int]] = {}
    for index, turn in enumerate(run.turns):
        for value in _values(turn.asked):
            if sum(map(str.isdigit, value)) >= _LEAST_CODE:
                given.setdefault(value, []).append(index)
    found: tuple[int, str] | None = None
    for value, places in given.items():
        for first, last in zip(places, places[_TIMES - 1 :], strict=False):
            between = run.turns[first:last]
            if last - first <= _BACK and value not in squeezed(" ".join(_used(each) for each in between)):
                found = max(found or (last, value), (last, value))
    if found is not None:
        last, value = found
        note = f"the customer gave {value!r} {_TIMES} times or more, and the agent has used it nowhere"
        yield Evidence(quote=quoted(run.turns[last].asked), turn=last, where="customer", note=note)


def asked_although_given(run: Trajectory) -> Iterator[Evidence]:
    """Yield a question that the agent asks again although the customer gave the number and it has used it nowhere."""
    asks = [_matter(_questions(turn)) for turn in run.turns]
    for later in range(2, len(run.turns)):
        if not asks[later] or asks_to_repeat(run.turns[later].asked):
            continue
        for earlier in range(max(0, later - _BACK), later - 1):
            reply = run.turns[earlier + 1]
            given = {each for each in _values(reply.asked) if any(map(str.isdigit, each)) and len(each) >= _LEAST_CODE}
            if not given or not asks[earlier] or not _is_one_matter(asks[earlier], asks[later]):
                continue
            used = squeezed(" ".join(_used(each) for each in run.turns[earlier + 1 : later + 1]))
            if not any(each in used for each in given):
                note = f"asked for again, although the customer gave {min(given)!r} in {turn_label(earlier + 1)}"
                yield Evidence(quote=quoted(run.turns[later].answer), turn=later, where="agent", note=note)
                return


def _matter(question: str) -> frozenset[str]:
    """Return what a question is about: its rare words, or the whole words of one that has only everyday words."""
    return root_words(f"{question} é") - common_roots() or content(question) - _ASKING


def _is_one_matter(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether both ask for the same: all words of the shorter question are in the longer."""
    return one <= other or other <= one


def looked_up_again(run: Trajectory) -> Iterator[Evidence]:
    """Yield a call that was made in several turns with the same result, with nothing else done in between."""
    places: dict[str, list[int]] = {}
    for index, turn in enumerate(run.turns):
        kept = {_key(call): call for call in turn.tool_calls if not failed(call)}
        if len(kept) != 1:
            places = {} if kept else places
            continue
        key = next(iter(kept))
        places = {key: [*places.get(key, []), index]}
        if len(places[key]) >= _TIMES:
            note = f"the same call with the same result in {_TIMES} turns, and nothing else was done"
            call = shown(kept[key])
            yield Evidence(quote=quoted(call), turn=places[key][1], where="tool call", note=note)
            return


def asked_again(run: Trajectory) -> Iterator[Evidence]:
    """Yield a question that the agent asks for the third time without having done anything in between."""
    row: list[int] = []
    asks = [_questions(turn) for turn in run.turns]
    for index in range(1, len(run.turns)):
        turn = run.turns[index]
        new = [call for call in turn.tool_calls if not _was_made(call, run.turns[:index])]
        same = not new and _is_same(asks[index - 1], asks[index]) and bool(turn.asked.strip())
        if not same or asks_to_repeat(turn.asked) or _ASKS.search(turn.asked):
            row = []
            continue
        row = [*row, index]
        if len(row) >= _TIMES - 1:
            note = f"asked for the {_TIMES}. time, and the customer has answered each time"
            yield Evidence(quote=quoted(asks[row[0]]), turn=row[0], where="agent", note=note)
            return


def _questions(turn: Turn) -> str:
    return " ".join(each.text for each in statements(turn.answer, most=40) if each.kind == "question")


def _is_same(one: str, other: str) -> bool:
    left, right = root_words(one), root_words(other)
    shared = len(left & right)
    return shared >= _LEAST_WORDS and shared >= _SAME_ASK * min(len(left), len(right))


def _asks_alike(one: Turn, other: Turn) -> float:
    """Return how much a sentence of the later answer is like a question of the earlier: a request need not be one."""
    questions = [each.text for each in statements(one.answer, most=40) if each.kind == "question"]
    said = [each.text for each in statements(other.answer, most=40)]
    pairs = [(one.answer, other.answer), *((question, sentence) for question in questions for sentence in said)]
    return max(_shared(left, right) for left, right in pairs)


def _shared(one: str, other: str) -> float:
    """Return the share of the words of the shorter text; abbreviations such as DNI or PIN are words too."""
    left, right = (root_words(text) | frozenset(_SHORT_NAME.findall(text)) for text in (one, other))
    return len(left & right) / min(len(left), len(right)) if left and right else 0.0


def made_progress(turns: Sequence[Turn], since: int) -> bool:
    """Whether a call was made after a turn that had not been made before."""
    return any(not _was_made(call, turns[: since + 1]) for turn in turns[since + 1 :] for call in turn.tool_calls)


def _was_made(call: ToolCall, turns: Sequence[Turn]) -> bool:
    return any(_key(call) == _key(other) for turn in turns for other in turn.tool_calls)


def _key(call: ToolCall) -> str:
    return f"{shown(call)} -> {call.error or result_text(call)[:2000]}"


def _values(text: str) -> frozenset[str]:
    """Return the numbers and codes of a message, or the words of a short one; a single digit says little."""
    found = frozenset(plain for each in _VALUE.findall(text) if len(plain := squeezed(each)) > 1) | _spelled(text)
    words = root_words(text)
    if found or len(words) > _NEW_WORDS or accepts(text):
        return found
    return frozenset(each for each in words - common_roots() if len(each) > 1)


def _spelled(text: str) -> frozenset[str]:
    """Return a number that is spelled out digit by digit: "six six three one"."""
    digits = [each for each in find_number_words(text) if each.value in range(10)]
    runs: list[list[SpelledNumber]] = []
    for each in digits:
        if runs and not text[runs[-1][-1].end : each.start].strip(" ,-"):
            runs[-1].append(each)
        else:
            runs.append([each])
    return frozenset("".join(str(int(each.value)) for each in run) for run in runs if len(run) >= _LEAST_DIGITS)


@lru_cache(maxsize=1)
def common_roots() -> frozenset[str]:
    """Return the beginnings of everyday words: "please" and "another" are no values that were asked for."""
    return frozenset[str]().union(*(root_words(f"{each} é") for each in common_words()))


def _used(turn: Turn) -> str:
    """Return what the agent said and called in a turn."""
    said = " ".join(message.content for message in turn.messages if message.role == "assistant")
    return f"{said} {' '.join(str(dict(call.arguments)) for call in turn.tool_calls)}"
