"""Decode letters written as numbers or signs: decimal and octal codes, Morse, Braille."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

from proctor.text.normalise.decoders.bits import text_of
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.offsets import OffsetMap
from proctor.text.normalise.patches import Found, Patch, patch_of_bytes

__all__ = ["find_braille", "find_decimal", "find_morse"]

_DECIMAL = re.compile(r"(?<![0-9.,])[0-9]{2,3}(?:[\s,;]{1,3}[0-9]{2,3}){5,}(?![0-9])")
_NUMBER = re.compile(r"[0-9]+")
_MORSE = re.compile(r"(?:[.\-]{1,6}(?: {1,7}|\s?[/|]\s?|\n)){3,}[.\-]{1,6}")
_MORSE_SIGNS = ".-_·•∙⋅−–—‐‑"
_FEWEST_SIGNS = 8
_FEWEST_DIGITS = 12
_MORSE_SIGN = re.compile(r"([.\-]+)([^.\-]*)")
_MORSE_LIKE = str.maketrans("·•∙⋅−–—‐‑_", "....------")
_BRAILLE = re.compile("[\u2801-\u28ff][\u2801-\u28ff \n]{3,}")

_MORSE_LETTERS = (
    "a.- b-... c-.-. d-.. e. f..-. g--. h.... i.. j.--- k-.- l.-.. m-- n-. o--- p.--. q--.- r.-. s... t- u..- v...- "
    "w.-- x-..- y-.-- z--.. 0----- 1.---- 2..--- 3...-- 4....- 5..... 6-.... 7--... 8---.. 9----. ..-.-.- ,--..-- "
    "?..--.. '.----. !-.-.-- /-..-. :---... =-...- @.--.-."
)
_MORSE_TABLE = {entry[1:]: entry[0] for entry in _MORSE_LETTERS.split()}
# The dots of each letter, as the low bits of its code point in the Braille block.
_BRAILLE_TABLE = dict(zip("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵⠲⠂⠦⠖⠄", "abcdefghijklmnopqrstuvwxyz.,?!'", strict=True))


def find_decimal(layer: Layer) -> Iterator[Found]:
    """Find character codes in decimal or octal, one number per letter."""
    if layer.shape.count("0") < _FEWEST_DIGITS or not layer.has("00 00", "00  00"):
        return
    runs = [
        [(match.start() + n.start(), n.group()) for n in _NUMBER.finditer(match.group())]
        for match in _DECIMAL.finditer(layer.text)
    ]
    for kind, base in (("decimal", 10), ("octal", 8)):
        patches = tuple(patch for numbers in runs if (patch := _from_numbers(numbers, base)))
        if patches:
            yield Found(kind=kind, patches=patches)


def _from_numbers(numbers: list[tuple[int, str]], base: int) -> Patch | None:
    try:
        values = [int(digits, base) for _, digits in numbers]
    except ValueError:
        return None
    found = text_of(bytes(values)) if max(values) < 256 else None
    if found is None:
        return None
    return patch_of_bytes(*found, array("I", (at for at, _ in numbers)), array("I", (at + len(d) for at, d in numbers)))


def find_morse(layer: Layer) -> Iterator[Found]:
    """Find Morse code with words separated by a slash, a line break or three spaces."""
    text = layer.text
    if sum(map(text.count, _MORSE_SIGNS)) < _FEWEST_SIGNS:
        return
    plain = text.translate(_MORSE_LIKE)
    patches = [patch for match in _MORSE.finditer(plain) if (patch := _from_morse(match))]
    if patches:
        yield Found(kind="morse", patches=tuple(patches))


def _from_morse(match: re.Match[str]) -> Patch | None:
    letters: list[str] = []
    starts, ends = array("I"), array("I")
    unknown = 0
    for sign in _MORSE_SIGN.finditer(match.group()):
        letter = _MORSE_TABLE.get(sign.group(1))
        gap = sign.group(2)
        unknown += letter is None
        parts_words = gap and (len(gap) > 2 or gap.strip() or "\n" in gap)
        at = match.start() + sign.start()
        letters.append(letter or "?")
        starts.append(at)
        ends.append(at + len(sign.group(1)))
        if parts_words:
            letters.append(" ")
            starts.append(at + len(sign.group(1)))
            ends.append(match.start() + sign.end())
    decoded = "".join(letters)
    if unknown * 10 > len(letters) or len(set(decoded)) < 3:
        return None
    return Patch(start=match.start(), end=match.end(), decoded=decoded, offsets=OffsetMap(starts, ends))


def find_braille(layer: Layer) -> Iterator[Found]:
    """Find Braille letters without contractions."""
    text = layer.text
    if text.isascii():
        return
    patches = []
    for match in _BRAILLE.finditer(text):
        decoded = "".join(_BRAILLE_TABLE.get(sign, sign if sign.isspace() else "?") for sign in match.group())
        offsets = OffsetMap(range(*match.span()), range(match.start() + 1, match.end() + 1))
        patches.append(Patch(start=match.start(), end=match.end(), decoded=decoded, offsets=offsets))
    if patches:
        yield Found(kind="braille", patches=tuple(patches))
