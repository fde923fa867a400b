"""Golden suites: freeze them to one canonical file, and compare them case by case."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

from proctor.core.case import Case, Suite
from proctor.core.codec import dumps, loads
from proctor.core.errors import StoreError, SuiteError
from proctor.suites.jsonl import COUNT, HEADER, SEAL, VERSION, canonical, read_jsonl, sealing
from proctor.suites.load import open_suite

__all__ = ["CaseChange", "Diff", "FieldChange", "Frozen", "diff", "freeze"]

ENDING = ".jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """The result of freezing: the version, the number of cases and the content hash."""

    path: Path
    name: str
    version: str
    hash: str
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One changed field of a case; ``None`` if it is absent."""

    field: str
    old: Any = None
    new: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseChange:
    """A case that is in both suites and differs."""

    id: str
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """The difference of two suites: added ids, removed ids, changed cases."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[CaseChange, ...] = field(default=())

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def freeze(cases: Iterable[Case], out: str | Path, *, suite: Suite | None = None, version: str | None = None) -> Frozen:
    """Write the cases, sorted by id, after a header line with the suite, its version and its hash.

    Without ``version``, an existing file keeps its version if nothing changed and gets the next number otherwise. The
    file is replaced atomically.

    Raises:
        SuiteError: an id occurs twice, or ``out`` does not end in ``.jsonl``.
        StoreError: the file cannot be written.
    """
    out = Path(out)
    if out.suffix != ENDING:
        raise SuiteError(f"a frozen suite ends in {ENDING}", file=str(out), hint=f"write {out.with_suffix(ENDING)}")
    suite = suite or Suite(name=out.stem)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out.parent) as heap:
            index = _heap_up(cases, heap, out)
            header = _plain(suite)
            seal = _seal(header, heap, index)
            version = version or _next_version(out, seal)
            header |= {VERSION: version, SEAL: seal, COUNT: len(index)}
            _write(out, canonical({HEADER: header}), heap, index)
    except OSError as error:
        hint = "check the folder, its permissions and the free space"
        raise StoreError(f"cannot be written: {error.strerror}", file=str(out), hint=hint) from None
    return Frozen(path=out, name=suite.name, version=version, hash=seal, cases=len(index))


def diff(old: str | Path, new: str | Path) -> Diff:
    """Compare two suites, frozen or not, by the ids and the content of their cases.

    Raises:
        SuiteError: one of them cannot be read, or was frozen and has changed since.
    """
    before, after = open_suite(old), open_suite(new)
    known = {case.id: _digest(case) for case in before.cases()}
    added: list[str] = []
    differing: dict[str, Case] = {}
    for case in after.cases():
        digest = known.pop(case.id, None)
        if digest is None:
            added.append(case.id)
        elif digest != _digest(case):
            differing[case.id] = case
    changed = [
        CaseChange(id=case.id, fields=tuple(_changes(_plain(case), _plain(differing[case.id]))))
        for case in before.cases()
        if case.id in differing
    ]
    return Diff(
        added=tuple(sorted(added)),
        removed=tuple(sorted(known)),
        changed=tuple(sorted(changed, key=lambda change: change.id)),
    )


Index = list[tuple[str, int, int]]  # id, offset and length in the heap file


def _heap_up(cases: Iterable[Case], heap: BinaryIO, out: Path) -> Index:
    """Write the lines in their given order; return a sorted index of their offsets."""
    index: Index = []
    for case in cases:
        line = canonical(_plain(case))
        index.append((case.id, heap.tell(), len(line)))
        heap.write(line)
    index.sort()
    for (one, *_), (other, *_) in pairwise(index):
        if one == other:
            raise SuiteError(f"the id {one!r} is there twice", file=str(out), hint="give one of them another id")
    return index


def _lines(heap: BinaryIO, index: Index) -> Iterator[bytes]:
    for _, offset, length in index:
        heap.seek(offset)
        yield heap.read(length)


def _seal(header: Mapping[str, Any], heap: BinaryIO, index: Index) -> str:
    digest = sealing(header)
    for line in _lines(heap, index):
        digest.update(line)
    return f"sha256:{digest.hexdigest()}"


def _write(out: Path, header: bytes, heap: BinaryIO, index: Index) -> None:
    handle, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(header)
            for line in _lines(heap, index):
                file.write(line)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(out)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _plain(noun: Case | Suite) -> dict[str, Any]:
    data: dict[str, Any] = loads(dumps(noun))
    return data


def _digest(case: Case) -> bytes:
    return hashlib.blake2b(canonical(_plain(case)), digest_size=16).digest()


def _next_version(out: Path, seal: str) -> str:
    if not out.exists():
        return "1"
    try:
        present = read_jsonl(out)
    except SuiteError:
        return "1"
    version = present.header.get(VERSION)
    if not isinstance(version, str) or present.seal is None:
        return "1"
    if present.seal == seal:
        return version
    return str(int(version) + 1) if version.isdigit() else f"{version}+1"


def _changes(old: Any, new: Any, name: str = "") -> Iterator[FieldChange]:
    """Yield the smallest named parts that differ; lists are compared whole."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new}):
            yield from _changes(old.get(key), new.get(key), f"{name}.{key}" if name else str(key))
    elif old != new:
        yield FieldChange(field=name, old=old, new=new)
