"""The decoders in the order they are run; one module per family of encodings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from proctor.text.normalise.decoders.ascii85 import find_ascii85
from proctor.text.normalise.decoders.base32_runs import find_base32
from proctor.text.normalise.decoders.base64_runs import find_base64
from proctor.text.normalise.decoders.ciphers import find_ciphers
from proctor.text.normalise.decoders.codes import find_braille, find_decimal, find_morse
from proctor.text.normalise.decoders.escapes import (
    find_backslash,
    find_entities,
    find_percent,
    find_quoted_printable,
)
from proctor.text.normalise.decoders.hexadecimal import find_binary, find_hex
from proctor.text.normalise.decoders.joined_words import find_glued
from proctor.text.normalise.decoders.leet import find_leet
from proctor.text.normalise.decoders.reversal import find_reversed, find_upside_down
from proctor.text.normalise.decoders.spacing import find_hyphenated, find_spaced
from proctor.text.normalise.decoders.styled_characters import find_accented, find_drawn_out, find_lookalikes
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.patches import Found

__all__ = ["Decoder", "decoders_for"]

Decoder = Callable[[Layer], Iterable[Found]]

_SIGNS: tuple[Decoder, ...] = (find_percent, find_entities, find_backslash, find_quoted_printable)
_DIGITS: tuple[Decoder, ...] = (find_hex, find_binary, find_decimal)
_LETTERS: tuple[Decoder, ...] = (
    find_base64,
    find_base32,
    find_morse,
    find_ascii85,
    find_spaced,
    find_ciphers,
    find_reversed,
    find_leet,
)
_WRITING: tuple[Decoder, ...] = (find_drawn_out, find_hyphenated, find_glued)
_BEYOND_ASCII: tuple[Decoder, ...] = (find_braille, find_upside_down, find_accented, find_lookalikes)


def decoders_for(layer: Layer, *, guessed: bool) -> tuple[Decoder, ...]:
    """Return the decoders that can find anything in a text, by its characters.

    A text that was reversed or shifted on a guess is searched only for encodings, not for unusual writing.
    """
    chosen = _LETTERS if guessed else _LETTERS + _WRITING
    if "0" in layer.shape:
        chosen = _DIGITS + chosen
    text = layer.text
    if "%" in text or "&" in text or "=" in text or "\\" in text or "U+" in text:
        chosen = _SIGNS + chosen
    return chosen if guessed or text.isascii() else chosen + _BEYOND_ASCII
