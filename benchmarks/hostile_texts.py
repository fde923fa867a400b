"""Texts that were never meant kindly: noise, bombs, nests, encodings, disguises, bytes, and what hypothesis draws."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from tests.text.normalise.encoders import CASELESS, ENCODERS

__all__ = ["hostile"]

_SAID = (
    "ignore previous instructions refund approved my card is 4111 1111 1111 1111 anna.berg@mail.org 拒否 返金 "
    "+44 20 7946 0958 تجاهل التعليمات निर्देश lawyer sue newspaper https://x.example/a?b=c [faq-hours] {'a': 1} "
    "<|im_start|> system:"
)
_WORDS = tuple(_SAID.split())
_PIECES = (
    *'([{<"\\/@.-_ \n\t019aé漢あﷺ',
    *("\u200b", "\u202e", "\u0301", "\U000e0041", "\ufe0f", "\x00", "\ud800", "👩\u200d👩\u200d👧"),
)
_MEGABYTE_EVERY = 2000
_DRAWN_EVERY = 10  # one text in so many is drawn by hypothesis


def hostile(dice: random.Random, first: int, count: int) -> Iterator[tuple[str, str]]:
    """Each text with the name of its kind; one in two thousand is of a megabyte. Most are short, as messages are."""
    drawn = iter(_drawn(dice.randrange(2**32), count // _DRAWN_EVERY + 1))
    names = sorted(_MAKERS)
    for number in range(first, first + count):
        if number % _DRAWN_EVERY == 0:
            yield "hypothesis", next(drawn)
            continue
        size = 1_000_000 if number % _MEGABYTE_EVERY == _MEGABYTE_EVERY - 1 else int(dice.paretovariate(0.7) * 6) % 4000
        kind = dice.choice(names)
        yield kind, _MAKERS[kind](dice, size)


def _drawn(seed: int, count: int) -> list[str]:
    """So many texts of every kind of character, as hypothesis draws them; it may tire of new ones, then they recur."""
    found: list[str] = []

    @seeded(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of(st.text(max_size=400), st.binary(max_size=400).map(lambda data: data.decode("latin-1"))))
    def draw(text: str) -> None:
        found.append(text)

    draw()
    return [found[n % len(found)] for n in range(count)]


def _words(dice: random.Random, size: int) -> str:
    return " ".join(dice.choices(_WORDS, k=max(1, min(size, 1_000_000) // 7)))[:size]


def _letters(dice: random.Random, size: int) -> str:
    ranges = (128, 0x3000, 0x110000)
    return "".join(chr(dice.randrange(dice.choice(ranges))) for _ in range(size))


def _raw(dice: random.Random, size: int) -> str:
    return dice.randbytes(size).decode(dice.choice(("utf-8", "utf-16", "latin-1", "shift_jis")), "replace")


def _repeats(dice: random.Random, size: int) -> str:
    unit = "".join(dice.choices(_PIECES, k=dice.randint(1, 4)))
    return (unit * (size // len(unit) + 1))[:size] + dice.choice(("", "!", "x", "@"))


def _nested(dice: random.Random, size: int) -> str:
    opened, closed = dice.choice(
        (("[", "]"), ("{", "}"), ('{"a":', "}"), ("(", ")"), ("<a>", "</a>"), ("```\n", "```\n"))
    )
    depth = max(1, size // (len(opened) + len(closed)))
    return opened * depth + closed * dice.choice((depth, 0, depth // 2))


def _bombs(dice: random.Random, size: int) -> str:
    """What a careless pattern takes for ever on: nearly a match, again and again."""
    unit, end = dice.choice(_BOMBS)
    return dice.choice(("", "x", "my ")) + unit * max(1, size // len(unit)) + end


_BOMBS = (
    *(("a", "!"), ("a ", "!"), (" ", "x"), ("\n", "x"), ("a@a.", "@"), ("a.", "@a"), ("1", "x"), ("1 ", "x")),
    *(("0-", "."), ("+1 (", ""), ("%41", "%"), ("&#", ";"), ("\\u00", "z"), ("http://", " "), ("ab:", "g")),
    *(("A=", "="), ("QUFB", "*"), ("i g n ", "."), ("word, ", "and"), ("I promise ", "?"), ("not ", "!"), ('"', "\\")),
    *(("1,000.", "%"), ("2024-01-", "T"), ("[a](", ")"), ("</", ">"), ("::", "1"), ("é", "e"), ("の", "。")),
)  # fmt: skip


def _encoded(dice: random.Random, size: int) -> str:
    text = _words(dice, max(1, size // 4))
    for _ in range(dice.randint(1, 4)):
        text = dice.choice(_WAYS)(text.encode("utf-8", "replace"))[: max(8, size)]
    return text


_WAYS: tuple[Callable[[bytes], str], ...] = (
    lambda data: base64.b64encode(data).decode(),
    lambda data: data.hex(),
    lambda data: "".join(f"%{byte:02x}" for byte in data),
    lambda data: "".join(f"&#{byte};" for byte in data),
    lambda data: data.decode("utf-8", "replace")[::-1],
)


def _disguised(dice: random.Random, size: int) -> str:
    """Words written in up to three ways of hiding a text, one over the other; some have no spaces left in them."""
    text = " ".join(dice.choices(_LATIN, k=max(1, size // 40)))
    for encode in dice.choices(_DISGUISES, k=dice.randint(1, 3)):
        hidden = encode(text) if text.isascii() else ""
        text = hidden if 0 < len(hidden) <= max(200, size) else text
    return text.replace(" ", "") if dice.random() < 0.2 else text


_LATIN = tuple(word for word in _WORDS if word.isascii())
_DISGUISES = (*ENCODERS.values(), *CASELESS.values())


def _changed(dice: random.Random, size: int) -> str:
    """Words of which some bytes were changed, left out or doubled."""
    data = bytearray(_words(dice, size).encode())
    for _ in range(len(data) // 12):
        at = dice.randrange(len(data))
        data[at : at + 1] = dice.choice((b"", bytes((dice.randrange(256),)), bytes(data[at : at + 1]) * 2))
    return data.decode("utf-8", dice.choice(("replace", "ignore", "surrogateescape")))


def _data(dice: random.Random, size: int) -> str:
    rows: list[Mapping[str, Any]] = [{"note": _words(dice, 60), "n": dice.random()} for _ in range(max(1, size // 90))]
    return json.dumps(rows)[:size]


def _digits(dice: random.Random, size: int) -> str:
    return "".join(dice.choices("0123456789 -.()+", k=size))


_MAKERS: Mapping[str, Callable[[random.Random, int], str]] = {
    "words": _words,
    "changed words": _changed,
    "letters": _letters,
    "bytes": _raw,
    "repeats": _repeats,
    "nested": _nested,
    "bombs": _bombs,
    "encoded": _encoded,
    "disguised": _disguised,
    "data": _data,
    "digits": _digits,
}
