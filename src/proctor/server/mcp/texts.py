"""Find every string in a message of an MCP server, and write changed texts back."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from proctor.core.verdict import Edit
from proctor.guard.edits import apply
from proctor.server.mcp.protocol_words import FIXED, KEYS, LITERALS
from proctor.text.base64_data import unpack_base64

__all__ = ["Field", "Place", "change", "decode_text", "encode_text", "fields", "is_prose", "joined", "spoken"]

Kind = Literal["text", "fixed", "key"]
Place = tuple[int, Any]  # id of an object or list, and the key or index in it
# Free-form data below these keys: each text may be changed, whatever its key.
_DATA: Final = frozenset({"structuredContent", "_meta", "data", "input", "metadata", "experimental", "extensions"})
_NAMES: Final = frozenset({"properties", "patternProperties", "$defs", "definitions"})  # the keys below are field names
_PLAIN: Final = re.compile(r"[0-9A-Fa-f][0-9A-Fa-f:.TZ+-]{0,63}")  # numbers, times and hashes are not checked
_BETWEEN: Final = "\n\n"
_LONG_NAME: Final = re.compile(r"(?=.{40})[^\W_]+(?:[_.-]+[^\W_]+){5,}")  # at least six words; fewer are too common
_AS_SPACE: Final = str.maketrans("_-.", "   ")
_SPACES: Final = re.compile(r"\S\s+\S+\s+\S")
_RAW: Final = "raw"  # not base64: check the string itself
_TEXT_TYPES: Final = re.compile(
    r"\s*(?:text/|application/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript|toml|sql|x-sh|rtf)|image/svg)", re.I
)
_CONTROL: Final = re.compile("[\0-\x08\x0e-\x1a\x1c-\x1f]")
_FIRST: Final = 4_096  # bytes that are enough to recognise most binary data


@dataclass(slots=True, kw_only=True)
class Field:
    """One string of a message: its place and its value.

    A ``text`` may be changed. A ``fixed`` string (a name, a URL) must not be changed. A ``key`` may be changed only in
    ``data``. ``meta`` means that it is in the ``_meta`` of the message. ``encoding`` is set if the text is in base64.
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
        """Whether it must not be changed."""
        return self.kind == "fixed" or (self.kind == "key" and not self.data)


def fields(value: Any, *, skip: Collection[Place] = ()) -> Iterator[Field]:
    """Yield every string in the value, including keys, in order.

    Words of the protocol, plain numbers, times and binary base64 data are left out.
    """
    yield from _walk(value, "", False, frozenset(skip))


def is_prose(field: Field) -> bool:
    """Return whether the string is part of the message text; names and URLs are checked separately."""
    return field.kind == "text" or _SPACES.search(field.text) is not None


def joined(found: Iterable[Field]) -> str:
    """Join the strings to one text, a paragraph each: an instruction split in two parts is still found."""
    return _BETWEEN.join(some[0].text for some in _alike(found))


def spoken(found: Iterable[Field]) -> list[Field]:
    """Return long names with spaces between their words, as a model reads them; lengths are unchanged."""
    return [
        Field(place=each.place, key=each.key, text=each.text.translate(_AS_SPACE), kind="fixed")
        for each in found
        if _LONG_NAME.fullmatch(each.text)
    ]


def change(found: Sequence[Field], edits: Iterable[tuple[Edit, bool]]) -> bool:
    """Apply edits of the joined text to the fields; return whether all could be applied.

    An edit with ``True`` only masks personal data: it is skipped if the field must not be changed.
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
                left[place] = (Edit(start=edit.start, end=edit.end, text=""), personal)  # insert the replacement once
        if local:
            made += [(field, apply(field.text, local)) for field in some if not field.stays]
    for field, text in sorted(made, key=lambda each: each[0].kind == "key"):  # values first, found by the old keys
        _put(field, text)
    return True


def _alike(found: Iterable[Field]) -> list[list[Field]]:
    """Group fields with equal text, in order; a result is often twice in a message."""
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
        name = key if named else above  # strings of a list belong to the list's key
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
    held = dict(field.place)  # keeps the order of the object
    field.place.clear()
    for key, value in held.items():
        if key != field.key:
            field.place.setdefault(key, value)
        elif text not in held:
            field.place[text] = value


def decode_text(value: str, media_type: str = "") -> tuple[str, str] | None:
    """Return the text and its encoding; ``None`` for binary data such as images.

    A string that is not base64 is its own text. Data with a text media type is read even if it is not UTF-8.
    """
    is_text = _TEXT_TYPES.match(media_type) is not None
    data = unpack_base64(value)
    if data is None:
        return value, _RAW
    if not is_text and not _starts_as_text(data[:_FIRST]):
        return None
    for encoding in ("utf-16",) if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8",):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if is_text or _CONTROL.search(text) is None:
            return (text, encoding) if text else None
    return (data.decode("latin-1"), "latin-1") if is_text else None


def encode_text(text: str, encoding: str) -> str:
    """Encode the text as it was sent."""
    if encoding == _RAW:
        return text
    return base64.b64encode(text.encode(encoding, "replace")).decode("ascii")


def _starts_as_text(data: bytes) -> bool:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    return _CONTROL.search(data.decode("latin-1")) is None
