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
from proctor.text.normalise.language_likeness import common_words
from proctor.text.number_words import SpelledNumber, find_number_words
from proctor.text.polarity import root_words
from proctor.text.shared_runs import squeezed

__all__ = [
    "common_roots",
    "given_again",
    "looked_up_again",
    "made_progress",
]

_VALUE: Final = re.compile(r"(?=[\w-]{0,30}\d)[\w][\w-]{1,30}", re.ASCII)
_SHORT_NAME: Final = re.compile(r"\b[^\W\d_a-zß-öø-ÿ]{2,5}\b")
_ASKS: Final = re.compile(r"[?？؟]")
_LIKE_ASK: Final = 0.3  # share of the words of the shorter message, where the customer had to repeat a value
_NEW_WORDS: Final = 4  # words of a message that mostly repeats what the customer said before
_SHORT: Final = 8  # content words of a message that only answers a question
_TIMES: Final = 3  # turns with the same call, from which it is a loop
_BACK: Final = 4  # turns
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
