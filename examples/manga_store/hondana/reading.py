"""What a customer's message says: its language, titles, genre, order number, topics, and what it wants."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .shop import Row
from .vocabulary import ASPECTS, CHAT, CHECKOUT, ECHOES, FAQ, GENRES, INTENT_WORDS, LIMITS, ORDINALS

__all__ = ["Language", "Reading", "read", "titles_in"]

Language = Literal["en", "ja"]
ORDER = re.compile(r"(?<![a-z0-9])H-?(\d{4})(?!\d)", re.IGNORECASE)  # no \b: Japanese follows without a space
JAPANESE = re.compile(r"[぀-ヿ一-鿿]")
POINTING = re.compile(r"\b(it|its|this|that|them|that one|this one)\b|それ|この|その|これ", re.IGNORECASE)
UNDER_YEN = re.compile(r"(?:under|below|less than)\s*[¥￥]\s*(\d+)|(\d+)\s*円(?:以下|以内|未満)")
UNDER_USD = re.compile(r"(?:under|below|less than)\s*\$\s*(\d+)|(\d+)\s*ドル(?:以下|以内|未満)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One message, understood."""

    text: str
    language: Language
    intents: frozenset[str] = frozenset()
    products: tuple[str, ...] = ()
    author: str | None = None
    genre: str | None = None
    ordinal: int | None = None
    order: str | None = None
    topics: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    aspects: tuple[str, ...] = ()
    limits: frozenset[str] = frozenset()
    most_yen: int | None = None
    most_usd: int | None = None
    chat: str | None = None
    echo: str | None = None
    points: bool = False


def plain(text: str) -> str:
    """Width, case and punctuation do not tell titles apart."""
    kept = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"\s+", " ", re.sub(r"[^\w\s-]", " ", kept.replace("'", "").replace("’", ""))).strip()


def names_of(product: Row) -> list[str]:
    english = plain(product["title_en"])
    short = re.sub(r"^(the|a) ", "", english)
    names = [english, plain(product["title_romaji"]), plain(product["title_ja"])]
    return names if short == english or " " not in short else [*names, short]


def titles_in(text: str, products: Sequence[Row]) -> list[str]:
    """The products named in a text, in the order of their first mention; a longer title hides one inside it."""
    said = plain(text)
    found: list[tuple[int, int, str]] = []
    for product in products:
        for name in names_of(product):
            edge = r"\b" if name.isascii() else ""
            found += [(m.start(), m.end(), product["id"]) for m in re.finditer(f"{edge}{re.escape(name)}{edge}", said)]
    found.sort(key=lambda each: (each[0], -each[1]))
    named: list[str] = []
    reached = -1
    for start, end, key in found:
        if start < reached:
            continue
        reached = end
        if key not in named:
            named.append(key)
    return named


def read(text: str, products: Sequence[Row]) -> Reading:
    """Understand one message by its words alone; what it points to is for the conversation to say."""
    said = unicodedata.normalize("NFKC", text)
    language = _language(said, products)
    order = ORDER.search(said)
    return Reading(
        text=said,
        language=language,
        intents=frozenset(name for name, words in INTENT_WORDS.items() if words.search(said)),
        products=tuple(titles_in(said, products)),
        author=_author(said, products),
        genre=next((genre for genre, words in GENRES.items() if words.search(said)), None),
        ordinal=next((place for place, words in ORDINALS.items() if words.search(said)), None),
        order=f"H-{order.group(1)}" if order else None,
        topics=tuple(topic for topic, words in FAQ.items() if words.search(said)),
        steps=tuple(topic for topic, words in CHECKOUT.items() if words.search(said)),
        aspects=tuple(aspect for aspect, words in ASPECTS.items() if words.search(said)),
        limits=frozenset(name for name, words in LIMITS.items() if words.search(said)),
        most_yen=_limit(UNDER_YEN, said),
        most_usd=_limit(UNDER_USD, said),
        chat=next((kind for kind, words in CHAT.items() if words.search(said)), None),
        echo=next((said_back for word, said_back in ECHOES[language].items() if word in said.casefold()), None),
        points=bool(POINTING.search(said)),
    )


def _language(text: str, products: Sequence[Row]) -> Language:
    """Japanese when Japanese is left after the titles and authors are taken out: they stand in English messages too."""
    rest = text
    for product in products:
        rest = rest.replace(product["title_ja"], "").replace(product["author_ja"], "")
    return "ja" if JAPANESE.search(rest) else "en"


def _author(text: str, products: Sequence[Row]) -> str | None:
    said = plain(text)
    for product in products:
        surname = plain(product["author"]).split()[-1]
        if plain(product["author"]) in said or product["author_ja"] in text or re.search(rf"\b{surname}\b", said):
            return str(product["author"])
    return None


def _limit(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text)
    return int(next(group for group in found.groups() if group)) if found else None
