"""Guess the language of a text by its script and its most frequent words; None if that is not enough."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import Final

from proctor.text.script import scripts
from proctor.text.split import tokens

__all__ = ["FUNCTION_WORDS", "LANGUAGES", "could_be", "language"]

SAMPLE: Final = 20_000

# Frequent words of each language in Latin script; words shared by several cancel out in the count.
_FREQUENT: Final = {
    "en": """the and of to is in it you that for are this with on your be have was not as we can or our will at by from
        if has an there they please all but my so here its which would more what does do any also about just their
        his her he she who when how these than then into been were could should i am me us him them out up over
        some too being while through across where both each many most other such only own same because upon between
        under every after before during without within against""",
    "de": """der die das und ist nicht mit für ein eine sie wir von zu den dem des auf im sich auch es ich werden wird
        sind bei oder aus nach wie über einen einer haben hat kann nur noch als wenn ihr ihre um am sehr durch wurde
        ihren bitte danke guten uns einem man mehr diese dieser""",
    "fr": """le la les et un une est que pour dans vous nous avec pas sur des du au ce cette qui il elle en ne se son
        sa ses par plus aux être sont mais ou où leur votre notre très c'est je tu de suis été
        avez avons ces mon ma mes nos vos merci bonjour ai ont cela comme aussi sans peut""",
    "es": """el la los las y es que por con para una un su se en de del al lo como más pero sus no le ya este esta está
        son muy también hay ser fue nos sin sobre usted yo qué cuando ha sido
        han hola gracias eso esto si porque desde entre todo puede""",
    "it": """il lo la gli le e è che di non per una un sono della del dei delle con in si da al alla come più ma anche
        nel nella questo questa ha essere molto ci io suo sua""",
    "pt": """o a os as e é que de não para com uma um por do da dos das em no na se mais como mas ao seu sua são está
        você também muito foi ser isso nos pelo pela""",
    "nl": """de het een en van is dat niet op te in met voor zijn ik je er aan ook als maar dan bij naar uit deze dit om
        hebben wordt worden kan zij wij heeft nog wel over""",
    "sv": """och att det som en på är av för med till den har de inte om ett han men var jag från vi så kan när eller
        ska också""",
    "pl": """i w na z do nie się że to jest o jak po co tak za od ale czy dla przez są być może tylko jego ich oraz""",
    "tr": """ve bir bu için ile da de çok ne daha var olarak gibi ama olan kadar sonra en mi ben değil veya""",
    "id": """yang dan di ini itu dengan untuk dari tidak pada dalam adalah ke akan juga saya anda atau oleh karena bisa
        ada""",
    "vi": """và của là có trong cho không được với một các những này đã người khi để tôi bạn""",
}  # fmt: skip
_WORDS: Final = {code: frozenset(words.split()) for code, words in _FREQUENT.items()}
FUNCTION_WORDS: Final = frozenset().union(*_WORDS.values())
_BY_SCRIPT: Final = {
    "greek": "el", "hebrew": "he", "thai": "th", "hangul": "ko", "devanagari": "hi",
}  # fmt: skip
_ARABIC_ONLY_PERSIAN: Final = frozenset("پچژگک")
_UKRAINIAN: Final = frozenset("іїєґ")
_RUSSIAN: Final = frozenset("ыэъё")
_TAG = re.compile(r"<[^<>]{1,200}>")
_ENGLISH_ENDING = re.compile(r"^\w{3,}(?:ing|ly|ness|ful|ship|ment|ed)$")
LANGUAGES: Final = (*_WORDS, *_BY_SCRIPT.values(), "ja", "zh", "ru", "uk", "ar", "fa")


@lru_cache(maxsize=64)
def language(text: str) -> str | None:
    """Return the code of the main language of the text; None if it is unclear."""
    found = scripts(text)
    total = sum(found.values())
    if not total:
        return None
    kana, han, latin = found.get("kana", 0), found.get("han", 0), found.get("latin", 0)
    if kana and 2.5 * (kana + han) >= latin and kana >= 0.15 * (kana + han):
        return "ja"
    if 2.5 * han > latin and han * 2 > total:
        # Chinese has no kana, but short Japanese texts may have none either.
        return "zh" if han >= 8 else None
    script, most = max(found.items(), key=lambda each: each[1])
    if most * 2 <= total:
        return None
    if script == "latin":
        return _latin(text)
    return _by_letters(script, set(text[:SAMPLE].lower()))


def _by_letters(script: str, letters: set[str]) -> str | None:
    if script == "cyrillic":
        if letters & _UKRAINIAN:
            return "uk"
        return "ru" if letters & _RUSSIAN else None
    if script == "arabic":
        return "fa" if letters & _ARABIC_ONLY_PERSIAN else "ar"
    return _BY_SCRIPT.get(script)


def _latin(text: str) -> str | None:
    said = Counter(word for word in tokens(_TAG.sub(" ", text[:SAMPLE])) if len(word) > 1 or not word.isascii())
    counts = {code: sum(said[word] for word in known if word in said) for code, known in _WORDS.items()}
    endings = sum(count for word, count in said.items() if _ENGLISH_ENDING.search(word))
    weights = {code: count + (0.5 * endings if code == "en" else 0) for code, count in counts.items()}
    (code, best), (_, second) = sorted(weights.items(), key=lambda each: -each[1])[:2]
    distinct = sum(word in said for word in _WORDS[code])
    # Two different frequent words, clearly more than any other language, and a sufficient share of the text.
    if best < 2 or not distinct or (distinct < 2 and code != "en"):
        return None
    return code if best >= 1.3 * second and best * 12 >= sum(said.values()) else None


def could_be(text: str, code: str) -> bool:
    """Whether the script of the text allows this language."""
    found = scripts(text)
    wanted = _SCRIPTS_OF.get(code, frozenset({"latin"}))
    return not found or sum(found.get(script, 0) for script in wanted) * 2 >= sum(found.values())


_SCRIPTS_OF: Final = {
    "ja": frozenset({"kana", "han"}), "zh": frozenset({"han"}), "ru": frozenset({"cyrillic"}),
    "uk": frozenset({"cyrillic"}), "ar": frozenset({"arabic"}), "fa": frozenset({"arabic"}),
    **{code: frozenset({script}) for script, code in _BY_SCRIPT.items()},
}  # fmt: skip
