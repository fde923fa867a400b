"""Replace personal data by typed placeholders, consistent within a session and reversible."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from threading import Lock
from typing import Final

from proctor.core.verdict import Finding
from proctor.text.pii.same_value import is_part_of, value_key

__all__ = ["Masked", "Placeholders", "mask", "unmask"]

# The format of placeholders. In external text a ~ is inserted after the bracket, so that it matches no value.
_WRITTEN: Final = re.compile(r"\[(~{0,64})([A-Z][A-Z0-9_]{0,63})\]")
_LABEL: Final = re.compile(r"[^A-Z0-9]+")
_PERSON: Final = "person"
_SHORTEST_ANYWHERE: Final = 6  # a shorter value may be part of an unrelated word or number
_MOST: Final = 2_000


class Masked(str):
    """A text whose placeholders come from ``mask``; masking it again leaves them unchanged."""

    __slots__ = ()


@dataclass(slots=True)
class _Value:
    kind: str
    key: str
    written: dict[str, str] = field(default_factory=dict)  # by source, as first or most completely written
    keys: set[str] = field(default_factory=set)  # its known keys; a person has several


class Placeholders:
    """The placeholders of one session: equal values share one, and no number is used twice.

    The first value of a kind is ``[PHONE]``, the second ``[PHONE_2]``. Beyond ``most`` values the least recently used
    one is forgotten; its placeholder then stays in the text. Thread-safe, because a blocked gate is retried on another
    thread.
    """

    __slots__ = ("_by_key", "_counts", "_lock", "_most", "_values")

    def __init__(self, *, most: int = _MOST) -> None:
        if most < 1:
            raise ValueError(f"most is {most}; a session needs room for one value at least")
        self._most = most
        self._lock = Lock()
        self._values: OrderedDict[str, _Value] = OrderedDict()
        self._by_key: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def __getstate__(self) -> dict[str, object]:
        """Return the state for pickling, without the lock."""
        with self._lock:
            return deepcopy({name: getattr(self, name) for name in self.__slots__ if name != "_lock"})

    def __setstate__(self, state: dict[str, object]) -> None:
        """Restore the pickled state."""
        self._lock = Lock()
        for name, value in state.items():
            setattr(self, name, value)

    def __len__(self) -> int:
        return len(self._values)

    def __bool__(self) -> bool:
        return True  # an empty session is truthy: ``names or Placeholders()`` must not replace it

    def of(self, kind: str, value: str, *, source: str = "") -> str:
        """Return the placeholder of a value, a new one if it was not seen before."""
        key = value_key(kind, value) or value
        with self._lock:
            placeholder = self._by_key.get((kind, key))
            if placeholder is None and kind == _PERSON:
                placeholder = self._same_person(key)
            if placeholder is None:
                placeholder = self._new(kind, key)
            self._by_key[kind, key] = placeholder
            self._values.move_to_end(placeholder)
            held = self._values[placeholder]
            held.keys.add(key)
            known = held.written.setdefault(source, value)
            if kind == _PERSON and is_part_of(value_key(kind, known), key):
                held.written[source] = value  # unmasking must not lose the family name
        return placeholder

    def vault(self, *, source: str | None = None, without: str | None = None) -> dict[str, str]:
        """Map each placeholder to its value, as first written, or to a person's fullest name.

        A ``source`` sees only its own values, as it wrote them; those of ``without`` are left out.
        """
        made: dict[str, str] = {}
        with self._lock:
            for placeholder, value in self._values.items():
                told = [
                    each for by, each in value.written.items() if by != without and (source is None or by == source)
                ]
                if told:
                    made[placeholder] = max(told, key=len) if value.kind == _PERSON else told[0]
        return made

    def forms(self) -> dict[str, str]:
        """Map every written form of each value to its placeholder; never store this."""
        with self._lock:
            return {each: name for name, value in self._values.items() for each in value.written.values()}

    def _new(self, kind: str, key: str) -> str:
        label = _LABEL.sub("_", kind.upper()).strip("_") or "VALUE"
        count = self._counts[label] = self._counts.get(label, 0) + 1
        placeholder = f"[{label}]" if count == 1 else f"[{label}_{count}]"
        self._values[placeholder] = _Value(kind, key)
        if len(self._values) > self._most:
            _, forgotten = self._values.popitem(last=False)
            for known in forgotten.keys:
                del self._by_key[forgotten.kind, known]
        return placeholder

    def _same_person(self, key: str) -> str | None:
        """Return the one person with a matching shorter or fuller name; None if it is ambiguous."""
        people = [(held, value) for held, value in self._values.items() if value.kind == _PERSON]
        fuller = [held for held, value in people if is_part_of(key, value.key)]
        if len(fuller) == 1:
            return fuller[0]
        parts = [held for held, value in people if is_part_of(value.key, key)]
        if fuller or len(parts) != 1:
            return None
        self._values[parts[0]].key = key
        return parts[0]


def mask(text: str, findings: Iterable[Finding], names: Placeholders, *, source: str = "") -> Masked:
    """Return the text with a placeholder for each finding, and for every repetition of a found value.

    Overlapping findings are cut to what is left. A placeholder already in the text is escaped (``[~EMAIL]``), unless
    the text is itself ``Masked``.
    """
    kept = _WRITTEN.finditer(text) if isinstance(text, Masked) else ()
    taken = [hit.span() for hit in kept]
    places = _places(text, findings, taken)
    made: list[str] = []
    last = 0
    for start, end, kind in places:
        made += (_outside(text[last:start], text), names.of(kind, text[start:end], source=source))
        last = end
    made.append(_outside(text[last:], text))
    return Masked("".join(made))


def unmask(text: str, vault: Mapping[str, str]) -> str:
    """Replace placeholders by their values; unknown ones stay, and ``[~EMAIL]`` is unescaped."""

    def value(hit: re.Match[str]) -> str:
        if hit[1]:
            return f"[{hit[1][1:]}{hit[2]}]"
        return vault.get(hit.group(), hit.group())

    return _WRITTEN.sub(value, text) if "[" in text else text


def _outside(part: str, text: str) -> str:
    """Escape placeholders in the text between findings, unless the text is already masked."""
    if "[" not in part or isinstance(text, Masked):
        return part
    return _WRITTEN.sub(r"[~\1\2]", part)


def _places(text: str, findings: Iterable[Finding], taken: Sequence[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """Return the spans to replace, in order and without overlaps: the findings, then repeats of their values."""
    given = [(each.start, each.end, each.kind) for each in findings if each.start is not None and each.end is not None]
    given = [(max(0, start), min(end, len(text)), kind) for start, end, kind in given]
    first = _without_overlap(sorted(given, key=lambda place: (place[0], -place[1])), taken)
    repeats = sorted(_repeats(text, {text[start:end]: kind for start, end, kind in first}))
    occupied = sorted((*taken, *((start, end) for start, end, _ in first)))
    return sorted(first + _free(repeats, occupied))


def _without_overlap(
    places: Sequence[tuple[int, int, str]], taken: Sequence[tuple[int, int]]
) -> list[tuple[int, int, str]]:
    kept: list[tuple[int, int, str]] = []
    last = 0
    for place, end, kind in places:
        start = max(place, last)
        if start < end:
            kept.append((start, end, kind))
            last = end
    return _free(kept, taken)


def _free(places: Sequence[tuple[int, int, str]], occupied: Sequence[tuple[int, int]]) -> list[tuple[int, int, str]]:
    """Return the sorted spans that overlap neither an occupied one nor each other."""
    kept: list[tuple[int, int, str]] = []
    at, last = 0, 0
    for start, end, kind in places:
        while at < len(occupied) and occupied[at][1] <= start:
            at += 1
        if start >= last and (at == len(occupied) or end <= occupied[at][0]):
            kept.append((start, end, kind))
            last = end
    return kept


def _repeats(text: str, values: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Yield every occurrence of every value in one pass, the longest value first."""
    known = [value for value in values if len(value) > 1]
    if not known:
        return
    ordered = sorted(known, key=lambda value: (-len(value), value))
    for hit in re.finditer("|".join(_form(value, values[value]) for value in ordered), text):
        yield hit.start(), hit.end(), values[hit.group()]


def _form(value: str, kind: str) -> str:
    """Return the regex of a value: a long number also matches inside a longer one, a name only as a word."""
    if kind not in ("person", "place", "org") and len(value) >= _SHORTEST_ANYWHERE:
        return re.escape(value)
    if not value.isascii():
        return re.escape(value)
    return rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])"
