"""Write plain data as readable YAML: long texts as blocks, short lists on a line, keys in order.

The output is deterministic, and parsing it returns the same data, whatever the strings contain.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["to_yaml"]

# Words that YAML 1.1 or 1.2 does not read as text.
_RESERVED = frozenset({"", "true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "none"})
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")
_UNSAFE = re.compile(r":(?=\s|$)|\s#|\s$|[^\S ]")
_BRACKETS = re.compile(r"[\[\]{}]")
_MOST_OPEN = 400  # the parser rejects more than 500 open brackets, wherever they are
_SHORT_LIST = 100


def to_yaml(data: Any) -> str:
    """Return the data as YAML text.

    Mapping keys are text; values are those of JSON. Numbers that JSON cannot represent become text.
    """
    text = "".join(f"{line}\n" for line in _lines(data, 0, False))
    if _most_open(text) <= _MOST_OPEN:
        return text
    return "".join(f"{line}\n" for line in _lines(data, 0, True))


def _most_open(text: str) -> int:
    deepest = depth = 0
    for bracket in _BRACKETS.finditer(text):
        depth = depth + 1 if bracket.group() in "[{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest


def _lines(data: Any, depth: int, escaped: bool) -> Iterator[str]:
    if isinstance(data, Mapping) and data:
        for key, value in data.items():
            yield from _entry(f"{_text(str(key), escaped, inline=True)}:", value, depth, escaped)
    elif isinstance(data, (list, tuple)) and data:
        for item in data:
            yield from _item(item, depth, escaped)
    else:
        yield "  " * depth + _scalar(data, escaped)


def _entry(key: str, value: Any, depth: int, escaped: bool) -> Iterator[str]:
    pad = "  " * depth
    if isinstance(value, (list, tuple)) and (short := _short_list(value)) is not None:
        yield f"{pad}{key} {short}"
    elif isinstance(value, (Mapping, list, tuple)) and value:
        yield pad + key
        yield from _lines(value, depth + 1, escaped)
    else:
        yield from _led(pad + key, value, depth, escaped)


def _item(item: Any, depth: int, escaped: bool) -> Iterator[str]:
    pad = "  " * depth
    if isinstance(item, (Mapping, list, tuple)) and item:
        # The first line of the item's content is on the line of its dash.
        for number, line in enumerate(_lines(item, depth + 1, escaped)):
            yield f"{pad}- {line[len(pad) + 2 :]}" if number == 0 else line
    else:
        yield from _led(f"{pad}-", item, depth, escaped)


def _led(lead: str, value: Any, depth: int, escaped: bool) -> Iterator[str]:
    """Yield a scalar after its key or dash: on the same line, or as a block below."""
    if isinstance(value, str) and (block := _block(value, escaped)) is not None:
        head, lines = block
        yield f"{lead} {head}"
        yield from ("  " * (depth + 1) + line if line else "" for line in lines)
    else:
        yield f"{lead} {_scalar(value, escaped)}"


def _short_list(items: Any) -> str | None:
    if not items or not all(isinstance(item, str) and _is_word(item) for item in items):
        return None
    line = ", ".join(items)
    return f"[{line}]" if len(line) <= _SHORT_LIST else None


def _is_word(text: str) -> bool:
    return _WORD.fullmatch(text) is not None and text.lower() not in _RESERVED


def _scalar(value: Any, escaped: bool) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, (list, tuple)):
        return "[]"
    return _text(str(value), escaped)


def _number(value: float) -> str:
    if not math.isfinite(value):
        return json.dumps(str(value))
    text = repr(value)
    # YAML 1.1 requires a point before the exponent, and a sign after it.
    return re.sub(r"^(-?\d+)e", r"\1.0e", text)


def _text(text: str, escaped: bool, *, inline: bool = False) -> str:
    if _is_plain(text) and not (escaped and _BRACKETS.search(text)) and not (inline and not _is_word(text)):
        return text
    return _quoted(text, escaped)


def _is_plain(text: str) -> bool:
    if not text[:1].isalpha() or text.lower() in _RESERVED:
        return False
    return text.isprintable() and _UNSAFE.search(text) is None


def _quoted(text: str, escaped: bool) -> str:
    parts = []
    for each in json.dumps(text, ensure_ascii=False):
        hidden = not each.isprintable() or (escaped and each in "[]{}")
        parts.append(_code(each) if hidden else each)
    return "".join(parts)


def _code(each: str) -> str:
    number = ord(each)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def _block(text: str, escaped: bool) -> tuple[str, list[str]] | None:
    """Return the head and the lines of a literal block, for multi-line text that it preserves."""
    if "\n" not in text or not text.strip("\n") or (escaped and _BRACKETS.search(text)):
        return None
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    lines = body.split("\n")
    if not all(line.isprintable() and line == line.rstrip() for line in lines):
        return None
    first = next(line for line in lines if line)
    indent = "2" if first[0] in " \t" or not lines[0] else ""
    if indent and lines[0] == "" and first[0] != " ":
        indent = ""
    end = "-" if ends == 0 else "" if ends == 1 else "+"
    return f"|{indent}{end}", [*lines, *[""] * (ends - 1)]
