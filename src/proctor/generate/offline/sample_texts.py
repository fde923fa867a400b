"""A bank of texts of many kinds, topics, lengths and languages, and the selection for an input."""

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

# Words in an input's name, its description or the prompt -> kinds of text.
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
# Kinds recognised only by a variable's name: in running text these words are too ambiguous.
_BY_NAME_ONLY = frozenset(
    {"name", "place", "topic", "url", "answer", "data list", "review feedback", "product", "code", "http"}
)
_STOP_WORDS = """
    a an and are as at be by can do each for from has have how if in into is it its not of on one only or out return
    should that the their then this to use user what when which will with you your must may given
"""
_STOP = frozenset(_STOP_WORDS.split())
# Generic kinds, used if nothing more specific is found.
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
    """One text of the bank: the kinds of input it suits, its topics, and its language."""

    text: str
    kinds: frozenset[str]
    about: frozenset[str]
    language: str = "en"


@cache
def bank() -> tuple[BankText, ...]:
    """Return all texts, cached."""
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
    """Return the kinds of text that suit an input, likeliest first: by name, description, then the prompt."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", spec.name).lower()
    told = f"{spec.description} {' '.join(spec.statements)}".lower()
    found: list[str] = []
    for text, trusted in ((name, True), (told, False), (prompt_text.lower(), False)):
        mentions: list[tuple[int, str]] = []
        for pattern, kinds in _WANTS:
            hit = re.search(rf"\b(?:{pattern})\b", text) if trusted or kinds not in _BY_NAME_ONLY else None
            if hit is not None:
                mentions.append((hit.start(), kinds))
        # The input is usually named before the output.
        found += [kind for _, kinds in sorted(mentions) for kind in kinds.split()]
        if not set(found) <= _VAGUE:
            break
    clear = [kind for kind in found if kind not in _VAGUE]
    return tuple(dict.fromkeys(clear + found)) or ("article", "text", "sentence", "question")


def language_wanted(*texts: str) -> str:
    """Return the language that a scenario or a value names, as a two-letter code; empty if there is none."""
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
    """Return the suitable texts of the bank, best first; ties are ordered by the seed.

    ``length`` is the number of words of the samples, if there are any.
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
    """Return every text of one kind, in an order given by the seed."""
    found = [passage for passage in bank() if kind in passage.kinds]
    random.Random(seed).shuffle(found)  # noqa: S311 - no secret
    return found


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word
