"""proctor scan: check texts with the local models."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.core.errors import InputError

if TYPE_CHECKING:
    from proctor.models.local.read_texts import SeenText

__all__ = ["read_content", "read_fields", "verb"]

_AT_ONCE = 64  # batch size
_SHOWN = 12  # maximum number of printed entities per text; --json has all


@click.command("scan", short_help="Find injections, dangerous intents and names in a text, with the local models.")
@click.argument("text", required=False)
@click.option("--file", "file", type=click.Path(path_type=Path), help="Read the text from this file.")
@click.option("--jsonl", metavar="FIELD", help="The input is JSON Lines; scan this field of every line.")
@click.option(
    "--level",
    type=click.Choice(["1%", "0.1%"]),
    default="0.1%",
    show_default=True,
    help="The share of harmless support messages that may be flagged.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per text.")
def verb(text: str | None, file: Path | None, jsonl: str | None, level: str, as_json: bool) -> int:
    """Find injections, dangerous intents and names in TEXT, in a file, or in piped input (-).

    Needs no key and no network. Exit code 1 when an injection or a dangerous intent was found, 0 when none was, 2 when
    the input cannot be read.
    """
    if text not in (None, "-") and file is not None:
        raise click.UsageError("give a text or --file, not both")
    name, content = read_content(text, file)
    texts = read_fields(content, jsonl, name) if jsonl else iter([(None, content)])
    flagged = count = 0
    while batch := list(islice(texts, _AT_ONCE)):
        for (line, _), seen in zip(batch, asyncio.run(_look([t for _, t in batch], level)), strict=True):
            count += 1
            flagged += seen.flagged
            place = f"line {line}" if line else name
            click.echo(json.dumps({"line": line, **seen.as_json()}) if as_json else _told(place, seen))
    if not as_json and count > 1:
        click.echo(f"{flagged} of {count} texts flagged at {level}")
    return 1 if flagged else 0


async def _look(texts: Sequence[str], level: str) -> Sequence[SeenText]:
    from proctor.models.local.read_texts import look  # noqa: PLC0415 - onnxruntime takes a third of a second

    return await look(texts, level)


def read_content(text: str | None, file: Path | None, *, what: str = "scan") -> tuple[str, str]:
    """Return the name of the input, and its text.

    Raises:
        InputError: there is no input, or it is not text.
    """
    if text not in (None, "-"):
        name, found = "text", text or ""
        if os.path.isfile(found):
            told = f"the text {found!r} is read as it stands; `--file {found}` reads the file of this name"
            click.echo(told, err=True)
    elif file is not None:
        name, found = str(file), _decoded(_read(file), str(file))
    else:
        if text is None and sys.stdin.isatty():
            raise click.UsageError(
                f"there is nothing to {what}: give a text, --file FILE, or - to read what is piped in"
            )
        name, found = "standard input", _decoded(sys.stdin.buffer.read(), "standard input")
    if not found.strip():
        raise InputError(f"there is nothing to {what}: the text is empty", file=None if name == "text" else name)
    return name, found


def _read(file: Path) -> bytes:
    if file.is_dir():
        raise InputError("this is a folder", file=str(file), hint="name one file after --file")
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise InputError("there is no such file", file=str(file), hint="check the path after --file") from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror}", file=str(file)) from error


def _decoded(content: bytes, name: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"this is not text in UTF-8 (byte {error.start})", file=name, hint="convert it to UTF-8 first"
        ) from None
    if "\0" in text:
        raise InputError("this is a binary file, not text", file=name, hint="extract its text first")
    return text


def read_fields(content: str, field: str, name: str, *, what: str = "scan") -> Iterator[tuple[int, str]]:
    """Yield the texts of one field of JSON Lines, with line numbers.

    Raises:
        InputError: a line is not a JSON object, or has no such text.
    """
    found = False
    for number, line in enumerate(content.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"this line is not JSON: {error}", file=name, line=number) from None
        if not isinstance(row, dict) or not isinstance(row.get(field), str):
            known = ", ".join(sorted(row)) if isinstance(row, dict) else "none: it is not an object"
            raise InputError(
                f"this line has no text in the field {field!r}", file=name, line=number, hint=f"its fields: {known}"
            )
        found = True
        yield number, row[field]
    if not found:
        raise InputError(f"there is nothing to {what}", file=name)


def _told(place: str, seen: SeenText) -> str:
    """Return the findings of one text for display."""
    kind = f", {seen.kind}" if seen.injection > seen.cut else ""
    hidden = f", hidden in {' in '.join(seen.hidden)}" if seen.hidden and seen.injection > seen.cut else ""
    lines = [
        f"{place}: {'FLAGGED: ' + ', '.join(seen.reasons) if seen.flagged else 'clear'}",
        f"  injection  {seen.injection:.3f} (flagged above {seen.cut:.3f}){kind}{hidden}",
    ]
    if seen.intent is None:
        lines.append("  intent     not read: the text is too long")
    else:
        risk = f"risk {seen.risk:.3f}, flagged above {seen.intent_cut:.3f}"
        lines.append(f"  intent     {seen.intent} {seen.intent_share:.3f} ({risk})")
    if seen.entities is None:
        lines.append("  names      not read: the text is too long")
    elif seen.entities:
        names = [f"{each.kind} {_plain(each.text)}" for each in seen.entities[:_SHOWN]]
        more = len(seen.entities) - len(names)
        lines.append(f"  names      {'; '.join(names)}{f'; and {more} more' if more > 0 else ''}")
    return "\n".join(lines)


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
