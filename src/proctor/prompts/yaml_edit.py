"""Edit YAML text so that it has other data, keeping unchanged parts byte for byte.

Values are replaced in place; comments, order, quotes, blocks and blank lines of the rest are never rewritten. The
result is parsed again, and must be the requested data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any

from ruamel.yaml.error import YAMLError

from proctor.core.errors import InputError, PromptError
from proctor.prompts.layout import ValuePlace, places_in
from proctor.prompts.same_entries import entry_names, is_named
from proctor.prompts.yaml_text import read_yaml
from proctor.text.yaml_dump import to_yaml

__all__ = ["edit_yaml"]

_MAX_FLOW_CHARS = 100


class _CannotError(Exception):
    """The value cannot be edited in place: its container must be rewritten."""


def edit_yaml(text: str, wanted: Mapping[str, Any], *, file: str | None = None) -> str:
    """Return the text edited so that it parses as ``wanted``; the order of keys in a mapping is that of the text.

    Raises:
        PromptError: the text is not YAML of one mapping, or the change cannot be made without losing something.
    """
    old = read_yaml(text, file=file, error=PromptError)
    if old is None:
        return _below(text, wanted)
    if not isinstance(old, dict):
        raise PromptError("expected `key: value` lines", file=file, hint="only a mapping can be edited")
    if _same(old, wanted):
        return text
    try:
        root = places_in(text)
    except (YAMLError, RecursionError):
        root = None
    for deep in (True, False):
        made = _attempt(text, root, old, wanted, deep)
        if made is not None:
            return made
    if root is not None and root.kind == "map" and (root.flow or not old.keys() & wanted.keys()):
        return _anew(text, root, wanted)
    hint = "write out anchors and aliases (`&`, `*`), or make the change by hand"
    raise PromptError("the change cannot be made without rewriting the file", file=file, hint=hint)


def _below(text: str, wanted: Mapping[str, Any]) -> str:
    """Append the data to a text that contains at most comments."""
    newline = _newline(text)
    gap = newline if text and not text.endswith("\n") else ""
    return text + gap + to_yaml(wanted).replace("\n", newline) if wanted else text


def _anew(text: str, root: ValuePlace, wanted: Mapping[str, Any]) -> str:
    """Rewrite everything: all values differ, or the file is one mapping in brackets."""
    fresh = json.dumps(wanted, indent=2) if root.flow else to_yaml(wanted).removesuffix("\n")
    return text[: root.start] + fresh.replace("\n", _newline(text)) + text[root.end :]


def _attempt(text: str, root: ValuePlace | None, old: Any, wanted: Mapping[str, Any], deep: bool) -> str | None:
    if root is None or root.kind != "map":
        return None
    editor = _Editor(text, deep)
    try:
        editor.mapping(root, old, wanted)
        made = editor.done()
        got = read_yaml(made)
        return made if _same({} if got is None else got, wanted) else None
    except (_CannotError, InputError):
        return None


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are the same data; in Python, 1 equals true."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _newline(text: str) -> str:
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


class _Editor:
    """Collects replacements and applies them all at once."""

    def __init__(self, text: str, deep: bool) -> None:
        self.text, self.deep = text, deep
        self.newline = _newline(text)
        self.cuts: list[tuple[int, int, str]] = []

    def done(self) -> str:
        """Return the text with all replacements, applied from the end; insertions at one position keep their order."""
        made = self.text
        before = len(made) + 1
        for _, (start, end, piece) in sorted(enumerate(self.cuts), key=_by_place, reverse=True):
            if end > before:
                raise _CannotError
            made, before = made[:start] + piece + made[end:], start
        return made

    def mapping(self, place: ValuePlace, old: Mapping[str, Any], new: Mapping[str, Any], *, top: bool = True) -> None:
        """Change the values that differ, drop removed keys, and append new keys."""
        present = {key.text: (key, value) for key, value in place.entries if key.kind == "scalar"}
        if len(present) != len(place.entries) or (set(old) - set(present)) - set(new):
            raise _CannotError  # keys that are not text, or that come from a merge and cannot be dropped
        for name, (key, value) in present.items():
            if name in new and name in old:
                if not _same(old[name], new[name]):
                    self._value(place, key, value, old[name], new[name], top)
            elif name in old:
                self._drop(place, key.start, value.end)
        added = {
            name: new[name] for name in new if name not in present and not _same(old.get(name, _NO_VALUE), new[name])
        }
        if added:
            kept = [value.end for name, (_, value) in present.items() if name in new or name not in old]
            self._extend(place, added, max(kept, default=-1))

    def _value(self, place: ValuePlace, key: ValuePlace, value: ValuePlace, old: Any, new: Any, top: bool) -> None:
        marks = len(self.cuts)
        try:
            if not (self.deep or top):
                raise _CannotError
            self._inside(value, old, new)
        except _CannotError:
            del self.cuts[marks:]
            colon = self.text.find(":", key.end)
            if colon < 0 or self.text[key.end : colon].strip() or self.text[key.start : key.start + 1] == "?":
                raise
            if place.flow:
                self.cuts.append((colon + 1, value.end, " " + _flow(new)))
            else:
                self._put(colon + 1, value.end, _mapping_text({"k": new})[2:], place.column)

    def _inside(self, place: ValuePlace, old: Any, new: Any) -> None:
        """Change a part of a value; a completely different value cannot be changed in place."""
        if not self.deep or not new or (place.flow and len(_flow(new)) > _MAX_FLOW_CHARS):
            raise _CannotError
        if place.kind == "map" and isinstance(old, dict) and isinstance(new, dict):
            self.mapping(place, old, new, top=False)
        elif place.kind == "list" and isinstance(old, list) and isinstance(new, list) and len(old) == len(place.items):
            self._items(place, old, new)
        else:
            raise _CannotError

    def _items(self, place: ValuePlace, old: list[Any], new: list[Any]) -> None:
        here, there = entry_names(old, new)
        for _, begin, end, start, stop in SequenceMatcher(None, here, there, autojunk=False).get_opcodes():
            both = min(end - begin, stop - start)
            if here[begin:end] != there[start:stop] and all(map(is_named, (*old[begin:end], *new[start:stop]))):
                both = 0  # none of them became another
            for index in range(both):
                if not _same(old[begin + index], new[start + index]):
                    self._item(place, begin + index, old[begin + index], new[start + index])
            for index in range(begin + both, end):
                self._drop(place, self._dash(place, index), place.items[index].end)
            if start + both < stop:
                self._insert(place, begin + both, new[start + both : stop])

    def _item(self, place: ValuePlace, index: int, old: Any, new: Any) -> None:
        item = place.items[index]
        marks = len(self.cuts)
        try:
            self._inside(item, old, new)
        except _CannotError:
            del self.cuts[marks:]
            if place.flow:
                self.cuts.append((item.start, item.end, _flow(new)))
            else:
                self._put(self._dash(place, index) + 1, item.end, _list_text([new])[1:], place.column)

    def _dash(self, place: ValuePlace, index: int) -> int:
        """Return the position of an item's dash: the first token after the previous item that is no comment."""
        if place.flow:
            raise _CannotError
        at = place.items[index - 1].end if index else place.start
        while at < len(self.text) and self.text[at] != "-":
            if self.text[at] == "#":
                at = self._line_end(at)
            elif not self.text[at].isspace():
                raise _CannotError
            else:
                at += 1
        return at

    def _put(self, start: int, end: int, piece: str, column: int) -> None:
        """Replace the value after a key or dash; a comment at the end of the line stays on the first line."""
        first, *rest = piece.removesuffix("\n").split("\n")
        stop = self._line_end(end)
        remark = self.text[end:stop]
        if not rest:
            self.cuts.append((start, end, first))
        elif remark.strip() and not remark.strip().startswith("#"):
            raise _CannotError
        else:
            lines = [first + remark.rstrip(), *_indented(rest, column)]
            self.cuts.append((start, stop, self.newline.join(lines)))

    def _drop(self, place: ValuePlace, start: int, end: int) -> None:
        """Remove whole lines."""
        begin = self.text.rfind("\n", 0, start) + 1
        if place.flow or self.text[begin:start].strip():
            raise _CannotError
        stop = self._line_end(end)
        stop += len(self.newline) if self.text.startswith(self.newline, stop) else 0
        if self.text[end:stop].strip() and not self.text[end:stop].strip().startswith("#"):
            raise _CannotError
        self.cuts.append((begin, stop, ""))

    def _extend(self, place: ValuePlace, added: Mapping[str, Any], end: int) -> None:
        if end < 0:
            raise _CannotError
        if place.flow:
            self._extend_flow(place, [f"{_flow(name)}: {_flow(value)}" for name, value in added.items()])
        else:
            self._lines_after(end, _mapping_text(added), place.column)

    def _insert(self, place: ValuePlace, index: int, values: list[Any]) -> None:
        if place.flow:
            if index < len(place.items):
                raise _CannotError
            self._extend_flow(place, [_flow(value) for value in values])
        elif index:
            self._lines_after(place.items[index - 1].end, _list_text(values), place.column)
        else:
            begin = self.text.rfind("\n", 0, place.start) + 1
            if self.text[begin : place.start].strip():
                raise _CannotError
            begin = self._above_remarks(begin)
            lines = _indented(_list_text(values).removesuffix("\n").split("\n"), place.column)
            self.cuts.append((begin, begin, "".join(line + self.newline for line in lines)))

    def _above_remarks(self, begin: int) -> int:
        """Return the start of the comments directly above a line, since they describe it."""
        while begin:
            above = self.text.rfind("\n", 0, begin - 1) + 1
            if not self.text[above:begin].lstrip().startswith("#"):
                break
            begin = above
        return begin

    def _extend_flow(self, place: ValuePlace, pieces: list[str]) -> None:
        last = place.entries[-1][1].end if place.entries else place.items[-1].end if place.items else -1
        rest = self.text[last : place.end - 1]
        if last < 0 or rest.strip():
            raise _CannotError  # empty, or with a comma or a comment before the bracket
        self.cuts.append((last, last, "".join(f", {piece}" for piece in pieces)))

    def _lines_after(self, end: int, piece: str, column: int) -> None:
        stop = self._line_end(end)
        if self.text[end:stop].strip() and not self.text[end:stop].strip().startswith("#"):
            raise _CannotError
        lines = _indented(piece.removesuffix("\n").split("\n"), column)
        if self.text.startswith(self.newline, stop):  # below a line that may be dropped
            stop += len(self.newline)
            self.cuts.append((stop, stop, "".join(line + self.newline for line in lines)))
        else:
            self.cuts.append((stop, stop, "".join(self.newline + line for line in lines)))

    def _line_end(self, at: int) -> int:
        """Return the end of the line, before its line break."""
        stop = self.text.find("\n", at)
        stop = len(self.text) if stop < 0 else stop
        return stop - 1 if stop > at and self.text[stop - 1] == "\r" else stop


def _by_place(numbered: tuple[int, tuple[int, int, str]]) -> tuple[int, int, int]:
    number, (start, end, _) = numbered
    return start, end, number


_NO_VALUE: Any = {"\0": "no data says this"}


def _mapping_text(data: Mapping[str, Any]) -> str:
    return "".join(
        f"{_flow(key)}: {_flow(value)}\n" if _hungry(value) else to_yaml({key: value}) for key, value in data.items()
    )


def _list_text(values: list[Any]) -> str:
    return "".join(f"- {_flow(value)}\n" if _hungry(value) else to_yaml([value]) for value in values)


def _hungry(value: Any) -> bool:
    """Return whether some text in it ends with empty lines: as a block, it would absorb those that follow it."""
    if isinstance(value, Mapping):
        return any(map(_hungry, value.values()))
    return any(map(_hungry, value)) if isinstance(value, list) else isinstance(value, str) and value.endswith("\n\n")


def _indented(lines: list[str], column: int) -> list[str]:
    return [" " * column + line if line else line for line in lines]


def _flow(value: Any) -> str:
    """Return a value inside brackets, on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(name)}: {_flow(each)}" for name, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str) and value.isidentifier() and value.isascii():
        return to_yaml(value).strip()
    return json.dumps(value)
