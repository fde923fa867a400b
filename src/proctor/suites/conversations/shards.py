"""Shards of recorded conversations: a file, a range of a large file, or a part of the sessions of event files."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from proctor.core.case import Case
from proctor.core.errors import InputError, SuiteError
from proctor.suites.conversations.detect import AUTO, cases_of_entries, conversation_files, find_importer
from proctor.suites.conversations.entries import Entry, entries_of
from proctor.suites.conversations.events import read_event_log
from proctor.suites.conversations.json_text import read_json
from proctor.suites.conversations.parquet import is_parquet, parquet_entries, parquet_facts
from proctor.suites.document import parse_json
from proctor.suites.files import decode_text, near, open_file

__all__ = ["Shard", "ShardPlan", "UnreadableFile", "cases_of_shard", "named_files", "plan_shards"]

_EDGE_BYTES = 65_536  # at both ends of a file, read for its fingerprint
_SPLIT_ENDINGS = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """A unit of work with its own output file.

    ``span`` is a range of a large file: rows of Parquet, bytes of JSON Lines. ``part`` is (number, parts) of the
    sessions of Parquet files with events. ``content`` is a fingerprint of the input files.
    """

    name: str
    files: tuple[str, ...]
    content: str
    span: tuple[int, int] | None = None
    part: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableFile:
    """A file that belongs to no shard, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardPlan:
    """The shards of the named files, in a stable order, and the files that cannot be read."""

    root: str
    shards: tuple[Shard, ...]
    unreadable: tuple[UnreadableFile, ...] = ()


def named_files(patterns: Sequence[str], folder: Path) -> list[Path]:
    """Return the files of patterns, folders and paths, each once, sorted.

    Raises:
        InputError: a pattern fits no file, or there is no such file.
    """
    found: dict[Path, None] = {}
    for pattern in patterns:
        path = folder / pattern
        if path.exists():
            files = conversation_files(path)
        elif glob.has_magic(pattern):
            files = [Path(each) for each in glob.glob(str(path), recursive=True) if os.path.isfile(each)]
            if not files:
                raise InputError(f"no file fits {pattern!r}", hint="quote the pattern, and check its folder")
        else:
            raise InputError("no such file", file=str(path), hint=near(path))
        found.update(dict.fromkeys(file.absolute() for file in files))
    return sorted(found)


def plan_shards(
    files: Sequence[Path], *, root: Path | None = None, format: str = AUTO, rows: int = 50_000, size: int = 64_000_000
) -> ShardPlan:
    """Return the shards of files. A file that cannot be read is named and left out.

    A Parquet file of more than ``rows`` conversations, or JSON Lines of more than ``size`` bytes, is split if each of
    its entries is a whole conversation. Parquet files with events are one set: a session may go on in the next file.

    Raises:
        InputError: a file is outside ``root``; or there is no such format.
    """
    root = root or Path(os.path.commonpath([str(file.parent) for file in files]))
    shards: list[Shard] = []
    unreadable: list[UnreadableFile] = []
    events: list[tuple[Path, int]] = []
    for file in files:
        if not file.is_relative_to(root):
            hint = "name an output folder of its own for other files: -o FOLDER"
            raise InputError(f"is not in {root}, where the files of this batch are", file=str(file), hint=hint)
        try:
            whole = Shard(name=_name(file, root), files=(str(file),), content=_fingerprint(file))
            if not is_parquet(file):
                shards += _split_lines(whole, file, format, size)
                continue
            facts = parquet_facts(file)
            if facts.has_events:
                events.append((file, facts.rows))
            else:
                shards += _split_rows(whole, file, facts.rows, format, rows)
        except SuiteError as error:
            unreadable.append(UnreadableFile(file=_name(file, root), reason=str(error)))
    if events:
        shards += _event_shards(events, root, rows)
    return ShardPlan(root=str(root), shards=tuple(shards), unreadable=tuple(unreadable))


def cases_of_shard(shard: Shard, format: str = AUTO) -> Iterator[Case]:
    """Yield the conversations of a shard.

    Raises:
        SuiteError: a file cannot be read, or an entry is not a conversation; with the line.
    """
    files = [Path(each) for each in shard.files]
    first = files[0]
    if shard.part is not None:
        yield from read_event_log(parquet_entries(files, part=shard.part))
        return
    if is_parquet(first):
        entries = parquet_entries(files, rows=shard.span)
    elif shard.span is not None:
        entries = _lines_between(first, *shard.span)
    else:
        entries = entries_of(first)
    try:
        yield from cases_of_entries(first, entries, format)
    except SuiteError as error:
        if shard.span is None or error.line is None or is_parquet(first):
            raise
        raise SuiteError(
            error.message,
            file=error.file,
            line=error.line + _line_ends(first, shard.span[0]),
            field=error.field,
            hint=error.hint,
        ) from error


def _name(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix()


def _fingerprint(file: Path) -> str:
    """Return a hash of a file's size and both ends: cheap for any size, and the same on every machine."""
    with open_file(file) as handle:
        size = os.fstat(handle.fileno()).st_size
        digest = hashlib.blake2b(f"{size}:".encode(), digest_size=12)
        digest.update(handle.read(_EDGE_BYTES))
        if size > _EDGE_BYTES:
            handle.seek(max(_EDGE_BYTES, size - _EDGE_BYTES))
            digest.update(handle.read(_EDGE_BYTES))
    return digest.hexdigest()


def _split_rows(whole: Shard, file: Path, count: int, format: str, most: int) -> list[Shard]:
    if count <= most:
        return [whole]
    first = next(parquet_entries([file], rows=(0, 1)))
    if not find_importer(first, format).by_entry(first.data):
        return [whole]
    return _spans(whole, [*range(0, count, most), count])


def _split_lines(whole: Shard, file: Path, format: str, most: int) -> list[Shard]:
    size = file.stat().st_size
    if size <= most or not file.name.lower().endswith(_SPLIT_ENDINGS):
        return [whole]
    first = next(entries_of(file))
    if not find_importer(first, format).by_entry(first.data):
        return [whole]
    cuts = [0]
    with file.open("rb") as handle:
        for place in range(most, size, most):
            handle.seek(place - 1)
            handle.readline()  # a cut is the beginning of a line
            if cuts[-1] < handle.tell() < size:
                cuts.append(handle.tell())
    return _spans(whole, [*cuts, size])


def _spans(whole: Shard, cuts: Sequence[int]) -> list[Shard]:
    spans = list(pairwise(cuts))
    if len(spans) == 1:
        return [whole]
    digits = max(4, len(str(len(spans))))
    return [replace(whole, name=f"{whole.name}.{number:0{digits}d}", span=span) for number, span in enumerate(spans, 1)]


def _event_shards(events: Sequence[tuple[Path, int]], root: Path, most: int) -> list[Shard]:
    parts = max(1, -(-sum(rows for _, rows in events) // most))
    digest = hashlib.blake2b(digest_size=12)
    for file, _ in events:
        digest.update(f"{_name(file, root)}\0{_fingerprint(file)}\0".encode())
    digits = max(4, len(str(parts)))
    return [
        Shard(
            name=f"events.{number + 1:0{digits}d}-of-{parts:0{digits}d}",
            files=tuple(str(file) for file, _ in events),
            content=digest.hexdigest(),
            part=(number, parts),
        )
        for number in range(parts)
    ]


def _lines_between(path: Path, start: int, stop: int) -> Iterator[Entry]:
    with open_file(path) as handle:
        handle.seek(start)
        number = 0
        while handle.tell() < stop and (line := handle.readline()):
            number += 1
            if not line.strip():
                continue
            try:
                data = read_json(line)
            except ValueError:
                data = parse_json(decode_text(line, path, line=number, offset=1), path, line=number)
            yield Entry(data=data, file=path, line=number)


def _line_ends(path: Path, before: int) -> int:
    """Return the number of lines that end before this byte."""
    found = 0
    with open_file(path) as handle:
        while before > 0 and (block := handle.read(min(before, 1_000_000))):
            found += block.count(b"\n")
            before -= len(block)
    return found
