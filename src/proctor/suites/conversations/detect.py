"""Read recorded conversations as cases and detect which tool wrote them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from proctor import registry
from proctor.core.case import Case
from proctor.core.codec import content_id
from proctor.core.decode import closest
from proctor.core.errors import ConfigError, InputError, ProctorError, SuiteError
from proctor.suites.conversations.entries import ENDINGS, Entry, entries_of
from proctor.suites.conversations.importer import Importer
from proctor.suites.conversations.parquet import is_parquet, parquet_entries
from proctor.suites.id_filter import Seen

__all__ = [
    "AUTO",
    "cases_of_entries",
    "conversation_files",
    "find_importer",
    "importers",
    "open_all",
    "open_conversations",
]

AUTO = "auto"
_GROUP = "importers"
_FOLDER_ENDINGS = (*ENDINGS, ".parquet")
_log = logging.getLogger(__name__)


def importers() -> dict[str, Importer]:
    """Return every installed importer, in the order they are tried; one that cannot be loaded is left out."""
    found: dict[str, Importer] = {}
    for name in registry.names(_GROUP):
        try:
            found[name] = _loaded(name)
        except ProctorError as error:  # it names the importer; the others still work
            _log.warning("%s", error)
    return dict(sorted(found.items(), key=lambda item: (item[1].order, item[0])))


def open_conversations(path: str | Path, format: str = AUTO) -> Iterator[Case]:
    """Yield the conversations of a file, or of a folder of files, each as a case with its recording.

    They are streamed, not held in memory. Ids are unique: a second conversation with the same name gets a content hash
    as a suffix.

    Raises:
        SuiteError: a file cannot be read, or an entry is not a conversation; with the line and the field.
        InputError: there is no such format.
    """
    return open_all([Path(path)], format)


def open_all(paths: Iterable[Path], format: str = AUTO) -> Iterator[Case]:
    """Yield the conversations of several files or folders, like `open_conversations`.

    Raises:
        SuiteError: as `open_conversations` does.
        InputError: there is no such format.
    """
    taken = Seen()
    chosen = _importer(format)
    for path in paths:
        for file in conversation_files(path):
            entries = parquet_entries([file]) if is_parquet(file) else entries_of(file)
            for case in _cases(file, entries, chosen):
                yield _named_once(case, taken)


def cases_of_entries(file: Path, entries: Iterator[Entry], format: str = AUTO) -> Iterator[Case]:
    """Yield the conversations of these entries of a file; their ids are unique among them.

    Raises:
        SuiteError: as `open_conversations` does.
        InputError: there is no such format.
    """
    taken = Seen()
    for case in _cases(file, entries, _importer(format)):
        yield _named_once(case, taken)


def find_importer(first: Entry, format: str = AUTO) -> Importer:
    """Return the importer of this format, or the one that the first entry of a file fits.

    Raises:
        SuiteError: no importer fits.
        InputError: there is no such format.
    """
    return _importer(format) or _detected(first)


def conversation_files(path: Path) -> list[Path]:
    """Return the files to read conversations from: the given one, or those of a folder.

    Raises:
        SuiteError: the folder has none.
    """
    if not path.is_dir():
        return [path]
    found = sorted(each for each in path.rglob("*") if each.name.lower().endswith(_FOLDER_ENDINGS) and each.is_file())
    found = [each for each in found if not any(part.startswith(".") for part in each.relative_to(path).parts)]
    if not found:
        hint = f"put a file into it that ends in {', '.join(_FOLDER_ENDINGS)}"
        raise SuiteError("the folder has no conversations", file=str(path), hint=hint)
    return found


def _importer(name: str) -> Importer | None:
    if name == AUTO:
        return None
    known = registry.names(_GROUP)
    if name not in known:
        guess = closest(name, known)
        hint = f"did you mean {guess!r}?" if guess else f"known: {', '.join((AUTO, *known))}"
        raise InputError(f"there is no format {name!r}", field="--format", hint=hint)
    return _loaded(name)


def _loaded(name: str) -> Importer:
    found = registry.load(_GROUP, name)
    if not isinstance(found, Importer):
        where = f"{registry.find(_GROUP, name).value} is no Importer"
        raise ConfigError(f"the importer {name!r} cannot be used: {where}", hint="correct its entry point")
    return found


def _cases(file: Path, entries: Iterator[Entry], chosen: Importer | None) -> Iterator[Case]:
    first = next(entries, None)
    if first is None:
        raise SuiteError("the file holds no conversation", file=str(file), hint="export some first")
    chosen = chosen or _detected(first)
    any_case = False
    for case in _read(file, chosen, chain([first], entries)):
        any_case = True
        yield case
    if not any_case:
        raise SuiteError("the file holds no conversation", file=str(file), hint="export some first")


def _read(file: Path, importer: Importer, entries: Iterator[Entry]) -> Iterator[Case]:
    """Yield the importer's cases; an exception that is not ours becomes an error with the line that was read last."""
    line: int | None = None

    def counted() -> Iterator[Entry]:
        nonlocal line
        for entry in entries:
            line = entry.line
            yield entry

    try:
        yield from importer.read(counted())
    except (ProctorError, OSError):
        raise
    except Exception as error:  # a third-party importer may raise anything
        what = f"the importer of {importer.title} failed: {type(error).__name__}: {error}"
        hint = "check that the file has this format; an importer should raise `entry.wrong(…)` for what it cannot read"
        raise SuiteError(what, file=str(file), line=line, hint=hint) from error


def _detected(first: Entry) -> Importer:
    known = importers()
    for name, each in known.items():
        if _fits(name, each, first):
            return each
    keys = ", ".join(list(first.data)[:8]) if isinstance(first.data, dict) else type(first.data).__name__
    raise first.wrong(
        f"no format is known by what comes first here ({keys})", hint=f"name it with --format: {', '.join(known)}"
    )


def _fits(name: str, importer: Importer, first: Entry) -> bool:
    try:
        return bool(importer.fits(first.data))
    except Exception as error:  # a third-party importer may raise anything; the others are still tried
        _log.warning("the importer %s cannot tell whether %s is its own: %s", name, first.file, type(error).__name__)
        return False


def _named_once(case: Case, taken: Seen) -> Case:
    if not taken.add(case.id):
        return case
    name = f"{case.id}~{content_id(case.recorded, length=8)}"
    number = 2
    while taken.add(name):  # an identical conversation is kept, with a number
        name = f"{case.id}~{number}"
        number += 1
    return replace(case, id=name)
