"""Predicates on the language, the script and the letter case of a text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from proctor.text.predicates.language_guess import LANGUAGES, could_be, language
from proctor.text.predicates.term import Check, Checked, Form, OutputView, no, short, skipped, unknown, verdict, yes
from proctor.text.script import scripts

__all__ = ["FORMS", "code_of", "in_language"]

_NAMES: Final = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt",
    "dutch": "nl", "swedish": "sv", "polish": "pl", "turkish": "tr", "indonesian": "id", "vietnamese": "vi",
    "greek": "el", "hebrew": "he", "thai": "th", "korean": "ko", "hindi": "hi", "japanese": "ja", "chinese": "zh",
    "russian": "ru",
 "deutsch": "de", "français": "fr", "español": "es", "日本語": "ja", "中文": "zh", "한국어": "ko",
 "ukrainian": "uk", "arabic": "ar", "persian": "fa",
}  # fmt: skip
_SCRIPTS: Final = (
    "latin", "cyrillic", "greek", "arabic", "hebrew", "devanagari", "thai", "hangul", "kana", "han", "japanese",
)  # fmt: skip
_SMALL = "a an and as at but by for from in into nor of on or over the to up with vs via"
_SMALL_WORDS = frozenset(_SMALL.split())
_NAME_CASES: Final = {
    "camel": re.compile(r"[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)*"),
    "pascal": re.compile(r"(?:[A-Z][a-z0-9]*)+"),
    "snake": re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*"),
    "kebab": re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"),
    "constant": re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*"),
}  # fmt: skip


def code_of(name: str) -> str | None:
    """Return the code of a language given by its English name, its own name or its code."""
    plain = name.strip().casefold()
    code = _NAMES.get(plain, plain.partition("-")[0].partition("_")[0])
    return code if code in LANGUAGES else None


def _language(name: str) -> Check:
    code = code_of(name)
    if code is None:
        raise ValueError(f"the language {name!r} cannot be told; these can: {', '.join(sorted(LANGUAGES))}")
    return lambda view: in_language(view.text, code)


def in_language(text: str, code: str) -> Checked:
    """Check whether the text is in the language."""
    found = language(text)
    if found is not None:
        return verdict(found == code, f"it is in {found} (asked: {code})", "" if found == code else text)
    if not any(map(str.isalpha, text[:20_000])):
        return skipped("there are no letters in it")
    if not could_be(text, code):
        return no(f"its letters are not those of {code}", text)
    return unknown("too few telling words to say which language it is in")


def _script(name: str) -> Check:
    if name not in _SCRIPTS:
        raise ValueError(f"the script {name!r} is not known; these are: {', '.join(_SCRIPTS)}")
    wanted = {"kana", "han"} if name == "japanese" else {name}

    def run(view: OutputView) -> Checked:
        found = scripts(view.text)
        if not found:
            return skipped("there are no letters in it")
        other = [script for script in found if script not in wanted]
        return verdict(not other, f"letters of {', '.join(found)} (asked: {name})")

    return run


def _case(name: str) -> Check:
    if name in _NAME_CASES:
        return _name_case(name, _NAME_CASES[name])
    if name not in _LETTER_CASES:
        raise ValueError(f"there is no case {name!r}, only {', '.join([*_NAME_CASES, *_LETTER_CASES])}")
    odd = _LETTER_CASES[name]

    def run(view: OutputView) -> Checked:
        text = view.text.strip()
        if not any(letter.lower() != letter.upper() for letter in text):
            return skipped("no letter in it has a case")
        word = odd(text)
        return yes(f"it is in {name} case") if word is None else no(f"{short(word, 40)!r} is not in {name} case", word)

    return run


def _name_case(name: str, pattern: re.Pattern[str]) -> Check:
    def run(view: OutputView) -> Checked:
        text = view.text.strip()
        said = f"{short(text, 60)!r}"
        ok = len(text) <= 500 and pattern.fullmatch(text) is not None
        return verdict(ok, f"{said} is in {name} case" if ok else f"{said} is not in {name} case", text)

    return run


# Each returns the first word that does not match, or None.
def _not_upper(text: str) -> str | None:
    return None if text == text.upper() else next((word for word in text.split() if word != word.upper()), text)


def _not_lower(text: str) -> str | None:
    return None if text == text.lower() else next((word for word in text.split() if word != word.lower()), text)


def _not_title(text: str) -> str | None:
    for at, word in enumerate(text.split()):
        letters = word.lstrip("\"'“‘(*[#-")
        if letters[:1].islower() and (at == 0 or letters.rstrip(".,:;!?\"'”’)*]").lower() not in _SMALL_WORDS):
            return word
    return None


def _not_sentence(text: str) -> str | None:
    first = next((letter for letter in text if letter.isalpha()), "")
    if first.islower():
        return text.split(maxsplit=1)[0]
    words = [word for word in text.split()[1:] if word[:1].isalpha()]
    if len(words) >= 2 and all(word[:1].isupper() for word in words):
        return words[0]
    return None


_LETTER_CASES: Final[dict[str, Callable[[str], str | None]]] = {
    "upper": _not_upper,
    "lower": _not_lower,
    "title": _not_title,
    "sentence": _not_sentence,
}

FORMS = (
    Form(
        form="language is NAME",
        meaning="most of it is in this language; open where too few words tell",
        example="language is en",
        make=_language,
        also=("is in NAME",),
        choices=LANGUAGES,
    ),
    Form(
        form="script is NAME",
        meaning="all letters are of this script",
        example="script is latin",
        make=_script,
        choices=_SCRIPTS,
    ),
    Form(
        form="case is NAME",
        meaning="all of it is a name in camel, pascal, snake, kebab or constant case, or a text in upper, lower, "
        "title or sentence case",
        example="case is camel",
        make=_case,
        choices=(*_NAME_CASES, *_LETTER_CASES),
    ),
)
