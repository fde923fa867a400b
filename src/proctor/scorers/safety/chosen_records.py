"""Find calls that act on another record of a list than the one the conversation is about.

A tool gave a list of records, and a changing call takes the id of one. Each clause of the customer, and each question
of the agent with the sentence before it, counts for the record of which alone it has words. The record with most
clauses is the one that is meant, if it is clearly ahead of the one that the call takes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from proctor.core.chat import ToolCall
from proctor.core.scalars import is_scalar, scalars
from proctor.core.transcript import TranscriptStep, failed, parse_loosely
from proctor.text.claims import statements
from proctor.text.polarity import is_denied, root_words, split_clauses
from proctor.text.shared_runs import squeezed

__all__ = ["SpokenOf"]

_CODE: Final = re.compile(r"(?=\D*\d)[\w#][\w.#/-]{2,23}")
_NO_CODE: Final = re.compile(r"\d{4}-\d\d|\d\d[./]\d\d[./]|\d+[.,]\d+$|\d{1,2}:\d\d")
_DEEPEST: Final = 8
_MOST_RECORDS: Final = 8  # of longer lists, most are not spoken of
_MOST_LISTS: Final = 40
_AHEAD: Final = 2  # times as many clauses as for the record that the call takes


@dataclass(frozen=True, slots=True, kw_only=True)
class _ListedRecord:
    """A record of a list: its codes and its words, and how it is shown."""

    codes: frozenset[str]
    words: frozenset[str]
    shown: str


def _listed_records(call: ToolCall) -> Iterator[tuple[_ListedRecord, ...]]:
    """Yield each list of records in a result of a tool that has a few of them."""
    data = parse_loosely(call.result) if isinstance(call.result, str) else call.result
    waiting: list[tuple[Any, int]] = [(data, 0)]
    seen = 0
    while waiting and seen < _MOST_LISTS:
        one, depth = waiting.pop(0)
        seen += 1
        if depth > _DEEPEST:
            continue
        inner = list(one.values()) if isinstance(one, Mapping) else list(one) if isinstance(one, (list, tuple)) else []
        rows = [each for each in inner if isinstance(each, Mapping)]
        if isinstance(one, (list, tuple)) and 2 <= len(rows) <= _MOST_RECORDS:
            yield tuple(map(_record, rows))
        waiting += [(each, depth + 1) for each in inner if isinstance(each, (Mapping, list, tuple))]


def _record(row: Mapping[str, Any]) -> _ListedRecord:
    values = [str(each).strip() for each in scalars(row)]
    return _ListedRecord(
        codes=frozenset(squeezed(each) for each in values if _is_code(each)),
        words=root_words(" . ".join(each for each in values if not any(map(str.isdigit, each))) + " é"),
        shown=", ".join(values[:3]),
    )


def _is_code(value: str) -> bool:
    """Whether a value may be the id of a record: one word with a digit, and neither a date nor an amount."""
    return _CODE.fullmatch(value) is not None and _NO_CODE.match(value) is None


def _asked(text: str) -> Iterator[str]:
    """Yield the questions of an agent's message, and what it said right before each."""
    said = statements(text, most=40)
    for at, each in enumerate(said):
        if each.kind in ("question", "offer"):
            yield each.text
            if at and said[at - 1].kind not in ("question", "offer"):
                yield said[at - 1].text


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenOf:
    """What was said so far, and the lists that tools have given, each with the number of clauses before it.

    ``taken`` are the values of all changing calls: a record that one of them takes is not left out.
    """

    taken: Counter[str]
    clauses: list[str] = field(default_factory=list)
    lists: list[tuple[tuple[_ListedRecord, ...], int]] = field(default_factory=list)

    @classmethod
    def by(cls, changing: Sequence[ToolCall]) -> SpokenOf:
        """Return it for a conversation with these changing calls."""
        return cls(taken=Counter(value for call in changing for value in _values(call)))

    def hear(self, step: TranscriptStep) -> None:
        """Add what the customer said, or what the agent asked."""
        if step.kind == "request":
            self.clauses.extend(split_clauses(step.text))
        elif step.is_agent_message:
            self.clauses.extend(_asked(step.text))

    def read(self, call: ToolCall) -> None:
        """Add the lists in the result of a call."""
        if call.result is not None and not failed(call):
            self.lists.extend((each, len(self.clauses)) for each in _listed_records(call))
            del self.lists[:-_MOST_LISTS]

    def meant_instead(self, call: ToolCall) -> str | None:
        """Return the record that is meant where a call takes another one of the same list."""
        used = self.taken - Counter(_values(call))
        for value in call.arguments.values():
            if not is_scalar(value) or not _is_code(str(value).strip()):
                continue
            plain = squeezed(str(value))
            for records, since in self.lists:
                mine = [each for each in records if plain in each.codes]
                for other in records if len(mine) == 1 else ():
                    alone = other.codes - mine[0].codes
                    if other is mine[0] or not alone or any(each in used for each in alone):
                        continue
                    theirs, ours = _votes(other, mine[0], self.clauses[since:])
                    if theirs and theirs >= _AHEAD * ours:
                        return other.shown
        return None


def _values(call: ToolCall) -> set[str]:
    return {squeezed(str(each)) for each in scalars(call.arguments)}


def _votes(one: _ListedRecord, other: _ListedRecord, spoken: Sequence[str]) -> tuple[int, int]:
    """Return how many clauses speak of one record and not of the other, and the reverse."""
    mine, theirs = one.words - other.words, other.words - one.words
    codes, other_codes = one.codes - other.codes, other.codes - one.codes
    first = second = 0
    for clause in spoken:
        if is_denied(clause):
            continue
        words, plain = root_words(f"{clause} é"), squeezed(clause)
        names_one = bool(words & mine) or any(each in plain for each in codes)
        names_other = bool(words & theirs) or any(each in plain for each in other_codes)
        first += names_one and not names_other
        second += names_other and not names_one
    return first, second
