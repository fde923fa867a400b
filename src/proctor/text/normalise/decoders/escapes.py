"""Decode escaped characters inside a text: percent, HTML entities, backslash escapes, quoted-printable."""

from __future__ import annotations

import html
import re
from array import array
from collections.abc import Callable, Iterator
from itertools import islice

from proctor.text.normalise.decoders.bits import text_of
from proctor.text.normalise.language_likeness import is_readable
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.patches import Found, Patch, patch_of_bytes, patch_of_text

__all__ = ["find_backslash", "find_entities", "find_percent", "find_quoted_printable"]

_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_QUOTED = re.compile(r"(?:=[0-9A-F]{2})+|=\r?\n")
_QUOTED_ONE = re.compile(r"=(?:[0-9A-F]{2}|\r?\n)")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});?")
_CODE = (
    r"\\u\{[0-9A-Fa-f]{1,6}\}|\\U[0-9A-Fa-f]{8}|\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}"
    r"|\\u[0-9A-Fa-f]{4}|(?:\\x[0-9A-Fa-f]{2})+|(?:\\[0-3][0-7]{2})+|U\+[0-9A-Fa-f]{4,6}[ ]?"
)
_BACKSLASH_CODE = re.compile(_CODE)
_BACKSLASH = re.compile(_CODE + r"|\\[nrt\"'/\\]")
_MOST_CODES = 16_384
_ALIKE = {"percent": re.compile(r"%[0-9A-Za-z]{2}"), "quoted-printable": re.compile(r"=[0-9A-Za-z]{2}")}
_PLAIN_ESCAPES = {"\\n": "\n", "\\r": "\r", "\\t": "\t"}


def find_percent(layer: Layer) -> Iterator[Found]:
    """Find percent codes, as in URLs."""
    if "%" in layer.text:
        yield from _found("percent", layer.text, _PERCENT, lambda match: _byte_codes(match, 3, 16))


def find_quoted_printable(layer: Layer) -> Iterator[Found]:
    """Find quoted-printable, as in mail; soft line breaks are removed too."""
    if "=" in layer.text and len(_QUOTED_ONE.findall(layer.text)) > 1:
        yield from _found("quoted-printable", layer.text, _QUOTED, _quoted)


def find_entities(layer: Layer) -> Iterator[Found]:
    """Find HTML entities, by number or by name."""
    if "&" in layer.text:
        yield from _found("html", layer.text, _ENTITY, _entity)


def find_backslash(layer: Layer) -> Iterator[Found]:
    r"""Find escapes of programming languages: ``\u0069``, ``\x69``, ``\151``, and ``U+0069``."""
    if ("\\" in layer.text or "U+" in layer.text) and _BACKSLASH_CODE.search(layer.text):
        yield from _found("escape", layer.text, _BACKSLASH, _backslash)


def _found(
    kind: str, text: str, pattern: re.Pattern[str], decode: Callable[[re.Match[str]], Patch | None]
) -> Iterator[Found]:
    patches = tuple(patch for match in islice(pattern.finditer(text), _MOST_CODES) if (patch := decode(match)))
    if patches and _hides(patches) and not _is_chance(kind, text, patches):
        yield Found(kind=kind, patches=patches, tested=_hides_words(text, patches), place="inside")


def _hides(patches: tuple[Patch, ...]) -> bool:
    """Whether more was escaped than an occasional quotation mark or ampersand."""
    return len(patches) > 2 or any(len(p.decoded) > 2 or p.decoded.isalnum() or p.decoded > "\x7f" for p in patches)


def _is_chance(kind: str, text: str, patches: tuple[Patch, ...]) -> bool:
    """Whether many similar sequences are not codes: then the rest is chance, or another encoding covers it."""
    alike = _ALIKE.get(kind)
    width = {"percent": 3, "quoted-printable": 3}.get(kind, 1)
    return alike is not None and len(alike.findall(text)) * 4 > sum((p.end - p.start) // width for p in patches) * 5


def _hides_words(text: str, patches: tuple[Patch, ...]) -> bool:
    """Whether letters or the spaces between words were escaped without need."""
    coded = [patch for patch in patches if not text.startswith("\\", patch.start) or patch.end - patch.start > 2]
    decoded = "".join(patch.decoded for patch in coded)
    if sum(c.isascii() and c.isalnum() for c in decoded) > 2 or any(_is_in_word(text, patch) for patch in coded):
        return True
    if sum(c.isalpha() for c in decoded) > 3 and is_readable(decoded):
        return True
    return sum(_parts_words(text, patch) for patch in coded) > 1


def _is_in_word(text: str, patch: Patch) -> bool:
    """Whether a plain letter is escaped inside a word."""
    beside = text[max(0, patch.start - 1) : patch.start] + text[patch.end : patch.end + 1]
    return patch.decoded.isascii() and patch.decoded.isalpha() and any(map(str.isalpha, beside))


def _parts_words(text: str, patch: Patch) -> bool:
    beside = text[patch.start - 1 : patch.start] + text[patch.end : patch.end + 1]
    return (not patch.decoded or patch.decoded.isspace()) and len(beside) == 2 and beside.isalpha()


def _byte_codes(match: re.Match[str], width: int, base: int) -> Patch | None:
    codes = match.group()
    count = len(codes) // width
    values = [int(codes[i * width + 1 + (base == 16 and width == 4) : (i + 1) * width], base) for i in range(count)]
    found = text_of(bytes(values)) if max(values) < 256 else None
    if found is None:
        return None
    first = match.start()
    starts = array("I", range(first, first + count * width, width))
    ends = array("I", range(first + width, first + (count + 1) * width, width))
    return patch_of_bytes(*found, starts, ends)


def _quoted(match: re.Match[str]) -> Patch | None:
    return patch_of_text(*match.span(), "") if match.group()[-1] == "\n" else _byte_codes(match, 3, 16)


def _entity(match: re.Match[str]) -> Patch | None:
    code = match.group()
    decoded = html.unescape(code)
    return None if decoded == code or "\x00" in decoded else patch_of_text(*match.span(), decoded)


def _backslash(match: re.Match[str]) -> Patch | None:
    code = match.group()
    if code in _PLAIN_ESCAPES or len(code) == 2:
        return patch_of_text(*match.span(), _PLAIN_ESCAPES.get(code, code[-1]))
    if code.startswith("\\x"):
        return _byte_codes(match, 4, 16)
    if code[1].isdigit():
        return _byte_codes(match, 4, 8)
    if len(code) == 12 and code[6] == "\\":
        high, low = int(code[2:6], 16), int(code[8:], 16)
        return patch_of_text(*match.span(), chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)))
    value = int(code[2:].strip("{} "), 16)
    if value > 0x10FFFF or 0xD800 <= value < 0xE000 or value == 0:
        return None
    return patch_of_text(*match.span(), chr(value))
