"""Read rows of sample data: those in a prompt file, and those in a CSV, JSON or YAML file it names."""

from __future__ import annotations

import csv
import difflib
import io
import json
import re
from pathlib import Path
from typing import Any

from proctor.core.errors import PromptError
from proctor.prompts.file_boundary import FileBoundary, project_around
from proctor.prompts.yaml_text import read_yaml

__all__ = ["named_file", "read_data", "read_rows"]

_MAX_BYTES = 10_000_000
_DELIMITERS = {".csv": ",;\t", ".tsv": "\t"}
_ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml")
_REFERENCE = re.compile(r"\$\{file:([^}]*)\}")


def named_file(value: Any) -> str | None:
    """Return the file that a value names, if any: ``data.csv``, or ``${file:data.json}`` in Prompty."""
    if not isinstance(value, str):
        return None
    reference = _REFERENCE.fullmatch(value.strip())
    name = (reference.group(1) if reference else value).strip()
    return name if reference or ("\n" not in name and name.lower().endswith(_ENDINGS)) else None


def read_rows(name: str, *, prompt: str | None, field: str) -> list[dict[str, Any]]:
    """Return the rows of a file that ``prompt`` names in ``field``; a file with one mapping is one row.

    Raises:
        PromptError: the file is missing, cannot be read, or contains no rows.
    """
    path = _place(name, prompt, field)
    text = _read(path, prompt, field)
    ending = path.suffix.lower()
    if ending in _DELIMITERS:
        return _table(text, _DELIMITERS[ending], path)
    if ending == ".jsonl":
        return _mappings([_json(line, path, at) for at, line in enumerate(text.split("\n"), 1) if line.strip()], path)
    return _mappings(_listed(_document(text, path)), path)


def read_data(name: str, *, prompt: str | None, field: str) -> Any:
    """Return the data of a JSON or YAML file that ``prompt`` names in ``field``.

    Raises:
        PromptError: the file is missing or cannot be read.
    """
    path = _place(name, prompt, field)
    return _document(_read(path, prompt, field), path)


def _document(text: str, path: Path) -> Any:
    if path.suffix.lower() == ".json":
        return _json(text, path, 1)
    return read_yaml(text, file=str(path), error=PromptError)


def _place(name: str, prompt: str | None, field: str) -> Path:
    if prompt is None:
        hint = "write the rows out, or save the prompt to a file"
        raise PromptError(f"names the file {name}, and this prompt is in no folder", field=field, hint=hint)
    if Path(name).is_absolute() or name.startswith("~"):
        hint = "give the path from the folder of the prompt, as in `data/samples.csv`"
        raise PromptError(f"the path {name} does not begin at the prompt", file=prompt, field=field, hint=hint)
    if not name.lower().endswith(_ENDINGS):
        hint = "name a file that ends in " + ", ".join(_ENDINGS)
        raise PromptError(f"{name} is not a file of rows", file=prompt, field=field, hint=hint)
    folder = Path(prompt).parent
    hint = (
        "give a path inside the project, the folder with proctor.yaml or .git; without one, inside the prompt's folder"
    )
    return FileBoundary(folder=project_around(folder), source=prompt, hint=hint, error=PromptError).check(
        folder / name, field
    )


def _read(path: Path, prompt: str | None, field: str) -> str:
    try:
        with path.open("rb") as handle:
            data = handle.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        raise PromptError(f"there is no file {path}", file=prompt, field=field, hint=_near(path)) from None
    except OSError as error:
        what = f"{path} cannot be read: {error.strerror}"
        raise PromptError(what, file=prompt, field=field, hint="check what it is, and its permissions") from None
    except ValueError:  # a zero byte in the name
        raise PromptError("the name of the file is not one", file=prompt, field=field) from None
    if len(data) > _MAX_BYTES:
        what = f"is larger than {_MAX_BYTES // 1_000_000} MB"
        raise PromptError(what, file=str(path), hint="keep a few samples; a suite holds many cases")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 text: byte 0x{data[error.start]:02x} at offset {error.start:,}"
        raise PromptError(what, file=str(path), hint="save the file as UTF-8") from None


def _near(path: Path) -> str:
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}; the path begins at the prompt's folder"
    names = [entry.name for entry in path.parent.iterdir() if entry.name.lower().endswith(_ENDINGS)]
    guess = difflib.get_close_matches(path.name, names, n=1, cutoff=0.5)
    return f"did you mean {guess[0]}?" if guess else "the path begins at the prompt's folder: check it"


def _table(text: str, delimiters: str, path: Path) -> list[dict[str, Any]]:
    first = text.partition("\n")[0]
    delimiter = max(delimiters, key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        hint = "put a cell that holds quotes or line breaks in double quotes, with the quotes inside doubled"
        raise PromptError(f"not a table: {error}", file=str(path), hint=hint) from None
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    header = [cell.strip() for cell in rows[0]] if rows else []
    if len(set(header)) != len(header) or not all(header):
        hint = "give each column a name of its own in the first row"
        raise PromptError("the header row is not one", file=str(path), line=1, hint=hint)
    for number, row in enumerate(rows[1:], 1):
        if len(row) != len(header):
            what = f"row {number} has {len(row)} cells and the header has {len(header)}"
            hint = f"put a cell that holds `{delimiter}` in double quotes"
            raise PromptError(what, file=str(path), hint=hint)
    return [dict(zip(header, row, strict=True)) for row in rows[1:]]


def _json(text: str, path: Path, line: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        at = line + getattr(error, "lineno", 1) - 1
        raise PromptError(f"not valid JSON: {error}", file=str(path), line=at) from None


def _listed(data: Any) -> list[Any]:
    """Return the rows: a list, the only list in a mapping, or a mapping that is one row itself."""
    if isinstance(data, dict):
        lists = [value for value in data.values() if isinstance(value, list)]
        only = len(lists) == 1 and all(isinstance(item, dict) for item in lists[0])
        return lists[0] if only and lists[0] else [data]
    return data if isinstance(data, list) else [data]


def _mappings(rows: list[Any], path: Path) -> list[dict[str, Any]]:
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            hint = "write a list, and each row as `input: value`"
            raise PromptError(f"row {number} is not a mapping", file=str(path), hint=hint)
    return rows
