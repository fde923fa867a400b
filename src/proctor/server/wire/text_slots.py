"""Slots for the strings of a JSON value: every string is read, and can be replaced where it stands."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final

from proctor.core.verdict import Edit
from proctor.guard.edits import difference
from proctor.server.wire.stream_events import Slot
from proctor.server.wire.strict_json import MAX_DEPTH

__all__ = ["ObjectEntry", "all_strings", "has_space", "is_token", "joined", "put"]

MAX_TOKEN_CHARS: Final = 256

_DATA_URL: Final = re.compile(r"data:(?P<type>[^,;]*)(?:;[^,;]*)*?(?P<base64>;base64)?,", re.IGNORECASE)
_SPACE: Final = re.compile(r"\s")
_NO_TEXT: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")

Skip = Callable[[str, Any], bool]


def all_strings(
    channel: Hashable, place: Any, key: Any, *, skip: Skip | None = None, known: frozenset[str] = frozenset()
) -> Iterator[Slot]:
    """Slots for every string in ``place[key]``: values, and the keys of objects that are not in ``known``.

    ``skip(key, value)`` names entries of objects that are left out. Base64 data in a data URL or under ``file_data`` is
    decoded where it is text and left out where it is not.

    Raises:
        ValueError: the value has more than ``MAX_DEPTH`` levels. The message continues "the body".
    """
    stack: list[tuple[Any, Any, int]] = [(place, key, 0)]
    while stack:
        where, name, depth = stack.pop()
        value = where[name]
        if isinstance(value, str):
            is_file = isinstance(where, ObjectEntry) and where["key"] == "file_data"
            if slot := _string_slot(channel, where, name, value, is_file):
                yield slot
            continue
        if not isinstance(value, (list, dict)):
            continue
        if depth >= MAX_DEPTH:
            raise ValueError(f"has more than {MAX_DEPTH} levels of nesting; send a flatter structure")
        if isinstance(value, list):
            stack.extend((value, number, depth + 1) for number in range(len(value) - 1, -1, -1))
            continue
        entries = [ObjectEntry(value, each) for each in value if skip is None or not skip(str(each), value[each])]
        yield from (Slot(channel, entry, "key") for entry in entries if entry["key"] not in known)
        stack.extend((entry, "value", depth + 1) for entry in reversed(entries))


def joined(channel: Hashable, slots: Sequence[Slot], *, whole: bool = False) -> Slot | None:
    """One slot for several, read as their texts line by line; None where none of them has text."""
    held = [slot for slot in slots if slot.text]
    return Slot(channel, _Joined(held), "text", whole) if held else None


def is_token(value: Any) -> bool:
    """Whether a value is an id, a number or a name without spaces, and no sentence."""
    if isinstance(value, str):
        return len(value) <= MAX_TOKEN_CHARS and not has_space(value)
    return not isinstance(value, (list, dict))


def has_space(text: str) -> bool:
    """Whether a text has white space, as sentences have and ids and encoded data have not."""
    return _SPACE.search(text) is not None


def put(slots: Sequence[Slot], text: str) -> bool:
    """Give several texts, read line by line, this new text; returns whether that changed anything."""
    old = "\n".join(slot.text for slot in slots)
    edit = difference(old, text)
    if edit is None:
        return False
    if text.count("\n") == old.count("\n"):  # line for line: each text keeps its own
        lines, at = text.split("\n"), 0
        for slot in slots:
            size = slot.text.count("\n") + 1
            slot.place[slot.key] = "\n".join(lines[at : at + size])
            at += size
        return True
    at = 0
    for slot in slots:
        start, end = at, at + len(slot.text)
        at = end + 1
        slot.place[slot.key] = _edited(slot.text, start, edit)
        if start <= edit.start <= end:  # its text stands once
            edit = Edit(start=edit.start, end=edit.end, text="")
    return True


def _edited(text: str, start: int, edit: Edit) -> str:
    """What is left of a text that begins at ``start`` of the whole, with the edit where it begins."""
    low, high = edit.start - start, edit.end - start
    if low > len(text) or (high <= 0 and low < 0):
        return text
    return text[: max(low, 0)] + (edit.text if low >= 0 else "") + text[max(high, low, 0) :]


def _string_slot(channel: Hashable, place: Any, key: Any, value: str, is_file: bool) -> Slot | None:
    found = _DATA_URL.match(value)
    head = found[0] if found is not None and found["base64"] else ""
    if not head and not is_file:
        return Slot(channel, place, key)
    data = _data(value[len(head) :])
    if data is None:
        return Slot(channel, place, key)  # a sentence in the place of data is read as it is
    return None if _text(data) is None else Slot(channel, _Encoded(place, key, head), "text")


def _data(value: str) -> bytes | None:
    """The bytes of base64 with its padding; one word of a sentence would pass for base64 without padding."""
    try:
        return base64.b64decode(value.encode("ascii"), validate=True)
    except (ValueError, binascii.Error):
        return None


def _text(data: bytes) -> str | None:
    """The text in some data; ``None`` where it is other data."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if _NO_TEXT.search(text) else text


class ObjectEntry:
    """One entry of an object: ``"value"`` is its value, ``"key"`` its key, which can be renamed."""

    __slots__ = ("_holder", "_name")

    def __init__(self, holder: dict[str, Any], name: str) -> None:
        self._holder, self._name = holder, name

    def __getitem__(self, part: str) -> Any:
        return self._name if part == "key" else self._holder[self._name]

    def __setitem__(self, part: str, value: Any) -> None:
        if part != "key":
            self._holder[self._name] = value
        elif value != self._name:
            self._rename(value or "withheld")

    def _rename(self, name: str) -> None:
        taken = set(self._holder)
        number, free = 1, name
        while free in taken:
            number += 1
            free = f"{name}_{number}"
        entries = [(free if each == self._name else each, value) for each, value in self._holder.items()]
        self._holder.clear()
        self._holder.update(entries)
        self._name = free


class _Encoded:
    """A text that stands as base64 behind a head, such as that of a data URL."""

    __slots__ = ("_head", "_key", "_place")

    def __init__(self, place: Any, key: Any, head: str) -> None:
        self._place, self._key, self._head = place, key, head

    def __getitem__(self, part: str) -> str:
        return _text(_data(self._place[self._key][len(self._head) :]) or b"") or ""

    def __setitem__(self, part: str, text: str) -> None:
        self._place[self._key] = self._head + base64.b64encode(text.encode("utf-8", "replace")).decode()


class _Joined:
    """Several texts as one."""

    __slots__ = ("_slots",)

    def __init__(self, slots: Sequence[Slot]) -> None:
        self._slots = slots

    def __getitem__(self, part: str) -> str:
        return "\n".join(slot.text for slot in self._slots)

    def __setitem__(self, part: str, text: str) -> None:
        put(self._slots, text)
