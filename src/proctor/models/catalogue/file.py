"""A catalogue in a file: CSV, JSON, JSON Lines or YAML."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.core.decode import decode
from proctor.core.errors import ConfigError, StoreError
from proctor.core.sockets import Kit
from proctor.models.catalogue.local_path import local_path
from proctor.models.catalogue.rows import find_row

__all__ = ["FileCatalogue", "FileSettings", "file"]

_ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".yaml", ".yml")
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSettings:
    """Settings of a product file.

    ``file`` is a CSV, JSON, JSON Lines or YAML file with one product a row. ``columns`` names the columns of ids and
    titles; without it they are recognised by their names (``id``, ``asin``, ``title``, ``name`` …). ``rows`` names the
    list in a JSON or YAML file that holds more than the list.
    """

    file: str
    columns: tuple[str, ...] = ()
    rows: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCatalogue:
    """Products from a file. A changed file is read again at the next query, so no answer is stale."""

    path: Path
    columns: tuple[str, ...] = ()
    rows: str | None = None
    # The file's state when it was read, and its rows: not a cache of answers.
    _seen: dict[tuple[int, int, int], Rows] = field(default_factory=dict, repr=False, compare=False)

    async def find(self, key: str) -> Mapping[str, Any] | None:
        """Return the product with this id or title, from the current file.

        Raises:
            StoreError: the file cannot be read.
        """
        return await asyncio.to_thread(self._find, key)

    def _find(self, key: str) -> Mapping[str, Any] | None:
        try:
            state = self.path.stat()
            stamp = (state.st_mtime_ns, state.st_size, state.st_ino)
            rows = self._seen.get(stamp)
            if rows is None:
                rows = read_rows(self.path, self.rows)
                self._seen.clear()
                self._seen[stamp] = rows
        except OSError as error:
            raise StoreError(
                f"the file cannot be read: {error.strerror}", file=str(self.path), hint="check `catalogue:`"
            ) from error
        return find_row(rows, key, self.columns)


def read_rows(path: Path, name: str | None = None) -> Rows:
    """Return the products of a file.

    Raises:
        StoreError: it holds no list of products.
    """
    ending = path.suffix.lower()
    try:
        text = path.read_bytes().decode("utf-8-sig")
        if ending in (".csv", ".tsv"):
            table = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if ending == ".tsv" else ",")
            # Drop cells without a column name.
            return [{name: cell for name, cell in row.items() if name} for row in table]
        if ending in (".jsonl", ".ndjson"):
            data: Any = [json.loads(line) for line in text.split("\n") if line.strip()]
        elif ending == ".json":
            data = json.loads(text)
        else:
            data = _yaml(text)
    except (ValueError, csv.Error, RecursionError) as error:
        raise StoreError(
            f"the catalogue is no {ending[1:]} file: {error}", file=str(path), hint="fix the file"
        ) from None
    return _listed(data, name, path)


def _yaml(text: str) -> Any:
    from ruamel.yaml import YAML  # noqa: PLC0415 - 40 ms, and most catalogues are no YAML
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    try:
        return YAML(typ="safe", pure=True).load(text)
    except YAMLError as error:
        raise ValueError(str(error).splitlines()[0]) from None


def _listed(data: Any, name: str | None, path: Path) -> Rows:
    if isinstance(data, Mapping):
        lists = [value for value in data.values() if isinstance(value, list)]
        if name is not None:
            data = data.get(name)
        elif len(lists) == 1:
            data = lists[0]
        elif data and all(isinstance(value, Mapping) for value in data.values()):
            data = [{"id": key, **value} for key, value in data.items()]  # products keyed by id
    if not isinstance(data, list) or not all(isinstance(row, Mapping) for row in data):
        raise StoreError(
            "the catalogue holds no list of products",
            file=str(path),
            hint="name the list with `rows:`, or fix the file",
        )
    return data


def file(kit: Kit) -> FileCatalogue:
    """Products from a CSV, JSON, JSON Lines or YAML file."""
    settings = decode(FileSettings, kit.settings, strict=True)
    ending = Path(settings.file).suffix
    if ending.lower() not in _ENDINGS:
        raise ConfigError(
            f"a catalogue cannot be a {ending or 'nameless'} file",
            field="catalogue.file",
            hint=f"use one of {', '.join(_ENDINGS)}; a database is `sql:`",
        )
    path = local_path(kit, settings.file, field="file")
    return FileCatalogue(path=path, columns=settings.columns, rows=settings.rows)
