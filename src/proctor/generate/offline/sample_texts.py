"""A bank of texts of many kinds, topics, lengths and languages, and which of them an input is likely to want."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from proctor.generate.spec import InputSpec

__all__ = ["LANGUAGES", "BankText", "bank", "kinds_wanted", "language_wanted", "ranked", "texts_of"]

OTHER = "other"
NOTHING = "nothing"

# Which kinds of text an input wants, by a word in its name, its description or the prompt.
_WANTS: tuple[tuple[str, str], ...] = (
    (r"jokes?|riddles?", "joke"),
    (r"headlines?|titles?", "headline"),
    (r"abstracts?|papers?", "abstract"),
    (r"reviews?|feedback|ratings?|user_?response", "review feedback"),
    (r"conversations?|dialogues?|transcripts?|chat[_ ]?history|chat log|history", "conversation"),
    (r"code|snippets?|functions?|diffs?|patch|program|script|source_?code", "code"),
    (r"http|endpoint|requests? url|operation id|openapi", "http"),
    (r"urls?|links?|website", "url"),
    (r"tickets?|complaints?|support|customer (?:message|e-?mail|query)|inquiry|enquiry", "support"),
    (r"e-?mails?|mails?|letters?", "email message"),
    (r"images?|photos?|pictures?|scene|drawing|artwork", "description image"),
    (r"product|item description|listing", "product"),
    (r"recipes?|ingredients?|dish", "recipe"),
    (r"biograph\w*|bio|resume|cv|profile", "bio"),
    (r"minutes|meeting notes|notes", "notes"),
    (r"patients?|symptoms?|clinical|diagnos\w+", "clinical"),
    (r"csv|tables?|json|records?|log|logs|dataset", "data list"),
    (r"topics?|subjects?|themes?|keywords?|ideas?", "topic"),
    (r"city|cities|country|countries|location|place|destination|address", "place"),
    (r"names?|person|people|author|company", "name"),
    (r"questions?|quer(?:y|ies)|ask", "question"),
    (r"answers?|replies|reply|responses?", "answer"),
    (r"sentences?|phrase", "sentence"),
    (r"news|articles?|passages?|documents?|essays?|posts?|blog", "article headline"),
    (r"paragraphs?|stor(?:y|ies)|texts?|content|body|description", "article text"),
    (r"requests?|tasks?|instructions?|messages?|prompts?", "request question support"),
)
# Kinds that a variable's name alone can ask for: in running text these words mean too many things.
_BY_NAME_ONLY = frozenset(
    {"name", "place", "topic", "url", "answer", "data list", "review feedback", "product", "code", "http"}
)
_STOP_WORDS = """
    a an and are as at be by can do each for from has have how if in into is it its not of on one only or out return
    should that the their then this to use user what when which will with you your must may given
"""
_STOP = frozenset(_STOP_WORDS.split())
# What almost any prompt speaks of: an input is called so when there is nothing better to call it.
_VAGUE = frozenset({"article", "text", "request", "question", "support"})
LANGUAGES = {
    "french": "fr",
    "german": "de",
    "spanish": "es",
    "italian": "it",
    "portuguese": "pt",
    "japanese": "ja",
    "chinese": "zh",
    "korean": "ko",
    "russian": "ru",
    "arabic": "ar",
    "hindi": "hi",
    "english": "en",
}
_CODE = re.compile(r"\b([a-z]{2})[-_][A-Za-z]{2}\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class BankText:
    """One text of the bank: which kinds of input it can be, what it is about, and its language."""

    text: str
    kinds: frozenset[str]
    about: frozenset[str]
    language: str = "en"


@cache
def bank() -> tuple[BankText, ...]:
    """Every text there is, read once."""
    lines = files("proctor.generate.offline").joinpath("bank.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return tuple(
        BankText(
            text=row["text"],
            kinds=frozenset(row["kinds"].split()),
            about=frozenset(row["about"].split()),
            language=row.get("lang", "en"),
        )
        for row in rows
    )


def kinds_wanted(spec: InputSpec, prompt_text: str) -> tuple[str, ...]:
    """The kinds of text that suit an input, the likeliest first: by its name, what is said of it, the prompt."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", spec.name).lower()
    told = f"{spec.description} {' '.join(spec.statements)}".lower()
    found: list[str] = []
    for text, trusted in ((name, True), (told, False), (prompt_text.lower(), False)):
        mentions: list[tuple[int, str]] = []
        for pattern, kinds in _WANTS:
            hit = re.search(rf"\b(?:{pattern})\b", text) if trusted or kinds not in _BY_NAME_ONLY else None
            if hit is not None:
                mentions.append((hit.start(), kinds))
        # What is named first is rather what goes in; what comes out is named later.
        found += [kind for _, kinds in sorted(mentions) for kind in kinds.split()]
        if not set(found) <= _VAGUE:
            break
    clear = [kind for kind in found if kind not in _VAGUE]
    return tuple(dict.fromkeys(clear + found)) or ("article", "text", "sentence", "question")


def language_wanted(*texts: str) -> str:
    """The language that a scenario or an input's value names, as a two-letter code; empty when none is named."""
    for text in texts:
        lower = text.lower()
        if code := _CODE.search(text):
            return code.group(1)
        for name, short in LANGUAGES.items():
            if re.search(rf"\b{name}\b", lower):
                return short
    return ""


def ranked(
    kinds: Sequence[str], prompt_text: str, *, language: str = "", length: int = 0, seed: int = 0
) -> list[BankText]:
    """The texts of the bank that suit, the most fitting first; those equally fitting in an order of the seed.

    ``length`` is how many words the samples have, where there are samples.
    """
    words = {_stem(word) for word in re.findall(r"[a-z]+", prompt_text.lower()) if word not in _STOP}
    dice = random.Random(seed)  # noqa: S311 - no secret
    scored: list[tuple[float, float, BankText]] = []
    for passage in bank():
        draw = dice.random()
        if passage.language != (language or "en") or (OTHER in passage.kinds and language in ("", "en")):
            continue
        if NOTHING in passage.kinds:
            continue
        rank = min((kinds.index(kind) for kind in passage.kinds if kind in kinds), default=len(kinds) + 3)
        topic = min(3, sum(_stem(word) in words for word in passage.about))
        odd = abs(math.log((len(passage.text.split()) + 2) / (length + 2))) if length else 0.0
        scored.append((rank - 0.6 * topic + odd, draw, passage))
    return [passage for _, _, passage in sorted(scored, key=lambda each: each[:2])]


def texts_of(kind: str, *, seed: int = 0) -> list[BankText]:
    """Every text of one kind, in an order of the seed."""
    found = [passage for passage in bank() if kind in passage.kinds]
    random.Random(seed).shuffle(found)  # noqa: S311 - no secret
    return found


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word
