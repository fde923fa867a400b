"""Check whether the agent's question speaks of the value that a call has, where an argument may have several."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from proctor.guard.tool_settings import shown
from proctor.lexicon.requested_acts import acts_in, acts_of_tool
from proctor.text.assent import asks
from proctor.text.split import sentences
from proctor.text.tool_mentions import about_action, says_verb

__all__ = ["other_choice"]

_LITERAL, _MEANT, _UNSAID = 2, 1, 0  # how nearly a question names a value
_LEAST_CHARS: Final = 2  # a single letter stands in any question
_MAX_VALUES: Final = 50


def other_choice(question: str, name: str, value: str, allowed: Sequence[str]) -> str | None:
    """Return why a yes to the question is none to this value of an argument: it speaks of another, or of none.

    A value such as ``cancel`` names an act; in languages whose words for acts are not known, a question without a value
    is no objection.
    """
    others = [each for each in allowed[:_MAX_VALUES] if each != value]
    for part in _asking_first(question):
        mine = _nearness(value, part)
        other = max(others, key=lambda each: _nearness(each, part), default=None)
        if other is None or not (mine or _nearness(other, part)):
            continue
        if mine > _nearness(other, part) or _only_act(value, other, part):
            return None
        if mine == _MEANT == _nearness(other, part) and not _only_act(other, value, part):
            return None  # two words for one act
        return f"that question speaks of {shown(other, name=name)}, and {name} is {shown(value, name=name)}"
    if others and acts_of_tool(value) and not about_action(question, value):
        return f"that question must say that {name} is {shown(value, name=name)}"
    return None


def _asking_first(question: str) -> Iterator[str]:
    """Yield the sentences from the last to the first: those that ask, then the rest."""
    parts = list(reversed(sentences(question)))
    asking = [asks(part) for part in parts]
    yield from (part for part, is_asking in zip(parts, asking, strict=True) if is_asking)
    yield from (part for part, is_asking in zip(parts, asking, strict=True) if not is_asking)


def _nearness(value: str, part: str) -> int:
    if len(value) >= _LEAST_CHARS and _word(value).search(part) is not None:
        return _LITERAL
    return _MEANT if _is_meant(value, part) else _UNSAID


def _is_meant(value: str, part: str) -> bool:
    """Whether a question has another word for the value, or for its kind of act in any language that is known."""
    return says_verb(part, value) or _asks_for(value, part)


def _asks_for(value: str, part: str) -> bool:
    acts = acts_of_tool(value)
    return bool(acts) and not acts.isdisjoint(acts_in(part))


def _only_act(value: str, other: str, part: str) -> bool:
    """Whether the question asks for the act of one value, and has the other as a noun: cancel order A-17."""
    return _asks_for(value, part) and not _asks_for(other, part)


@lru_cache(maxsize=1024)
def _word(value: str) -> re.Pattern[str]:
    written = r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", value.strip())))
    return re.compile(rf"(?<![\w-]){written}(?![\w-])", re.IGNORECASE)
