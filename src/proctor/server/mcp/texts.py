"""Finds every string in a message of a tool server, and puts changed texts back where they stood."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from proctor.core.verdict import Edit
from proctor.guard.edits import apply
from proctor.server.mcp.base64_text import decode_text, encode_text
from proctor.server.mcp.protocol_words import FIXED, KEYS, LITERALS

__all__ = ["Field", "Place", "change", "fields", "is_prose", "joined", "spoken"]

Kind = Literal["text", "fixed", "key"]
Place = tuple[int, Any]  # the id of an object or list, and the key or number in it

# Below these keys stands data in any shape: each text may be changed, whatever its key is called.
_DATA: Final = frozenset({"structuredContent", "_meta", "data", "input", "metadata", "experimental", "extensions"})
_NAMES: Final = frozenset({"properties", "patternProperties", "$defs", "definitions"})  # keys below are names of fields
_PLAIN: Final = re.compile(r"[0-9A-Fa-f][0-9A-Fa-f:.TZ+-]{0,63}")  # numbers, times, hashes: no words
_BETWEEN: Final = "\n\n"
_LONG_NAME: Final = re.compile(r"(?=.{40})[^\W_]+(?:[_.-]+[^\W_]+){5,}")  # six words or more; short ones are too common
_AS_SPACE: Final = str.maketrans("_-.", "   ")
_SPACES: Final = re.compile(r"\S\s+\S+\s+\S")


@dataclass(slots=True, kw_only=True)
class Field:
    """One string of a message: where it stands and what it says.

    A ``text`` may be changed. What is ``fixed`` (a name, an address) means something else when it is changed. A
    ``key`` may be changed only in ``data``. ``meta``: it stands beside what the message says, in its ``_meta``.
    ``encoding`` is set where the text stands there in base64.
    """

    place: Any
    key: Any
    text: str
    kind: Kind = "text"
    data: bool = False
    meta: bool = False
    encoding: str | None = None

    @property
    def stays(self) -> bool:
        """Whether a change would make something else of the message."""
        return self.kind == "fixed" or (self.kind == "key" and not self.data)


def fields(value: Any, *, skip: Collection[Place] = ()) -> Iterator[Field]:
    """Every string in the value, keys too, in the order they stand in.

    Left out are the words of the protocol itself, plain numbers and times, and binary data in base64.
    """
    yield from _walk(value, "", False, frozenset(skip))


def is_prose(field: Field) -> bool:
    """Whether the string belongs to what the message says; names and addresses are read apart from that."""
    return field.kind == "text" or _SPACES.search(field.text) is not None


def joined(found: Iterable[Field]) -> str:
    """The strings as one text, a paragraph for each: an order in two parts is still an order."""
    return _BETWEEN.join(some[0].text for some in _alike(found))


def spoken(found: Iterable[Field]) -> list[Field]:
    """Long names with spaces between their words, as a model reads them; each is as long as the name itself."""
    return [
        Field(place=each.place, key=each.key, text=each.text.translate(_AS_SPACE), kind="fixed")
        for each in found
        if _LONG_NAME.fullmatch(each.text)
    ]


def change(found: Sequence[Field], edits: Iterable[tuple[Edit, bool]]) -> bool:
    """Make the edits of the joined text in the fields; says whether all of them could be made.

    An edit with ``True`` only hides personal data: it is left out where the field must stay as it is.
    """
    made: list[tuple[Field, str]] = []
    at = 0
    left = list(edits)
    for some in _alike(found):
        size = len(some[0].text)
        start, end = at, at + size
        at = end + len(_BETWEEN)
        local: list[Edit] = []
        hits = [place for place, (edit, _) in enumerate(left) if _touches(edit, start, end)]
        if any(field.stays for field in some) and not all(left[place][1] for place in hits):
            return False
        for place in hits:
            edit, personal = left[place]
            local.append(Edit(start=max(edit.start - start, 0), end=min(edit.end - start, size), text=edit.text))
            if not all(field.stays for field in some):
                left[place] = (Edit(start=edit.start, end=edit.end, text=""), personal)  # its text stands once
        if local:
            made += [(field, apply(field.text, local)) for field in some if not field.stays]
    for field, text in sorted(made, key=lambda each: each[0].kind == "key"):  # values first: they stand under old keys
        _put(field, text)
    return True


def _alike(found: Iterable[Field]) -> list[list[Field]]:
    """The fields in order, with those together that say the same: a result often stands in a message twice."""
    groups: dict[object, list[Field]] = {}
    for field in found:
        told_once = field.kind != "text" or _SPACES.search(field.text)
        groups.setdefault(field.text if told_once else id(field), []).append(field)
    return list(groups.values())


def _touches(edit: Edit, start: int, end: int) -> bool:
    return (edit.start < end and edit.end > start) or start <= edit.start == edit.end <= end


def _walk(value: Any, above: str, data: bool, skip: frozenset[Place], meta: bool = False) -> Iterator[Field]:
    named = isinstance(value, dict)
    for key, each in list(value.items() if named else enumerate(value) if isinstance(value, list) else ()):
        if (id(value), key) in skip:
            continue
        if named and key not in KEYS:
            yield Field(place=value, key=key, text=key, kind="key", data=data, meta=meta)
        name = key if named else above  # the strings of a list are what its own key says
        if isinstance(each, str):
            yield from _string(value, key, each, name, data, meta)
        else:
            within = data or (name in _DATA and above not in _NAMES)
            yield from _walk(each, name, within, skip, meta or (name == "_meta" and within))


def _string(place: Any, key: Any, text: str, name: str, data: bool, meta: bool) -> Iterator[Field]:
    if not data and (name == "blob" or (name == "data" and _is_media(place))):
        read = decode_text(text, str(place.get("mimeType", "")) if isinstance(place, dict) else "")
        if read is not None:
            yield Field(place=place, key=key, text=read[0], encoding=read[1])
    elif data or name not in FIXED:
        yield Field(place=place, key=key, text=text, data=data, meta=meta)
    elif text not in LITERALS and _PLAIN.fullmatch(text) is None:
        yield Field(place=place, key=key, text=text, kind="fixed")


def _is_media(place: Any) -> bool:
    return isinstance(place, dict) and place.get("type") in ("image", "audio")


def _put(field: Field, text: str) -> None:
    if field.kind != "key":
        field.place[field.key] = encode_text(text, field.encoding) if field.encoding else text
        return
    held = dict(field.place)  # the object keeps its order
    field.place.clear()
    for key, value in held.items():
        if key != field.key:
            field.place.setdefault(key, value)
        elif text not in held:
            field.place[text] = value
