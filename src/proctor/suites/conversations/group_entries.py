"""Group the entries of one conversation that are scattered in a file, using a temporary file."""

from __future__ import annotations

import itertools
import tempfile
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from proctor.core.codec import dumps
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.json_text import read_json

__all__ = ["group_entries"]


_Key = Callable[[Entry], str | None]
_Groups = Iterator[tuple[str | None, Iterator[Entry]]]


def group_entries(entries: Iterator[Entry], key: _Key, session: _Key | None = None) -> _Groups:
    """Yield groups by key in order of first appearance; entries without a key are yielded one by one.

    ``session`` names a larger group: all keys with an entry that names the same session are merged. Until an entry has
    a key, nothing is stored. From then on the rest of the file goes through a temporary file, and only the offsets of
    its entries are held in memory.
    """
    entries = iter(entries)
    for entry in entries:
        if key(entry) is None:
            yield None, iter([entry])
        else:
            yield from _sorted(itertools.chain([entry], entries), key, session or _none)
            return


def _none(entry: Entry) -> str | None:
    return None


def _sorted(entries: Iterator[Entry], key: _Key, session: _Key) -> _Groups:
    places: dict[str | int, array[int]] = {}
    sessions: dict[str, str] = {}
    with tempfile.TemporaryFile() as spool:
        for index, entry in enumerate(entries):
            name = key(entry)
            if name is not None and (larger := session(entry)) is not None:
                sessions.setdefault(name, larger)
            at = spool.tell()
            spool.write(_line([entry.data, str(entry.file), entry.line, list(entry.path)]))
            places.setdefault(index if name is None else name, array("Q")).append(at)
        for group, offsets in _joined(places, sessions).items():
            yield (group if isinstance(group, str) else None), _read(spool, offsets)


def _joined(places: dict[str | int, array[int]], sessions: dict[str, str]) -> dict[str | int, array[int]]:
    made: dict[str | int, array[int]] = {}
    for group, offsets in places.items():
        name = sessions.get(group, group) if isinstance(group, str) else group
        made.setdefault(name, array("Q")).extend(offsets)
    return made


def _line(data: list[Any]) -> bytes:
    try:
        return orjson.dumps(data) + b"\n"
    except TypeError:  # an integer of more than 64 bits
        return dumps(data) + b"\n"


def _read(spool: Any, offsets: array[int]) -> Iterator[Entry]:
    for at in offsets:
        spool.seek(at)
        data, file, line, path = read_json(spool.readline())
        yield Entry(data=data, file=Path(file), line=line, path=tuple(path))
