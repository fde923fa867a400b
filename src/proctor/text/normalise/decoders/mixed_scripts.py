"""Detect letters that no language combines: accents on nearly every vowel or of many languages, mixed scripts."""

from __future__ import annotations

import re
from collections import Counter

from proctor.text.normalise.language_likeness import letter_words, per_letter

__all__ = ["is_no_language", "mixes_scripts"]

_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_MARKED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_PLAIN = re.compile("[a-z]")
_VOWELS = "aeiou"
_FEWEST = 6  # accented letters
_FEWEST_KINDS = 4  # letters with different accents
_LANGUAGE = 6.0  # maximum bits per letter of the result
# The accented letters of each language; a text that combines several sets is in no language.
_TONAL = tuple(
    frozenset(letters)
    for letters in (
        "àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",  # Vietnamese
        "āáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜü",  # romanised Chinese
        "àáèéẹẽìíòóọõùúṣńǹḿñŋɛɔāēīōū",  # West African and Pacific languages
    )
)  # languages with a tone mark on nearly every syllable
_ALPHABETS = _TONAL + tuple(
    frozenset(letters)
    for letters in (
        "àâçèéêëîïôùûüÿœæ",  # French
        "áéíñóúüç",  # Spanish, with names
        "àáâãçéêíóôõúüè",  # Portuguese
        "àèéìíîòóùú",  # Italian
        "àçèéíïòóúüñ",  # Catalan
        "äöüéàè",  # German, with loanwords
        "áéëïóöüèê",  # Dutch
        "åäöéøæüàá",  # Nordic languages
        "áéíóúýöðþæ",  # Icelandic
        "áčďéěíňóřšťúůýžäĺľôŕćđ",  # Czech, Slovak, Croatian, Slovene
        "ąćęłńóśźżé",  # Polish
        "áéíóöőúüű",  # Hungarian
        "âçğıîöşüûİəéäňýž",  # Turkish, Azerbaijani, Turkmen
        "ăâîșşțţé",  # Romanian
        "āčēģīķļņšūžōŗ",  # Latvian
        "ąčęėįšųūž",  # Lithuanian
        "äõöüšž",  # Estonian
        "çëéâê",  # Albanian
        "ċġħżàèìòùî",  # Maltese
        "âêîôûŵŷáéíóúàèìòùẁẃẅäëïöüẁ",  # Welsh, Irish, Gaelic
        "ĉĝĥĵŝŭ",  # Esperanto
        "āīūṛṝḷṅñṭḍṇśṣḥṃṁḻṟṉēōġẓṯẖḵáíúâîû",  # romanised Indian languages
        "āīūṣḍṭẓḥʿʾâîûṡġḫẖšṯḏáíú",  # romanised Arabic
    )
)


def is_no_language(text: str, bare: dict[int, str]) -> bool:
    """Whether the accents are a disguise: on nearly every vowel, or of kinds that no single language has."""
    found = _MARKED.findall(text)
    if len(found) < _FEWEST:
        return False
    low = text.lower()
    marked = {letter: count for letter, count in Counter("".join(found).lower()).items() if ord(letter) in bare}
    total = sum(marked.values())
    if total < _FEWEST or len(marked) < 2:
        return False
    on_vowels = sum(count for letter, count in marked.items() if bare[ord(letter)] in _VOWELS)
    vowels = on_vowels + sum(map(low.count, _VOWELS))
    if on_vowels > _FEWEST and on_vowels * 10 >= vowels * 9 and not any(each.issuperset(marked) for each in _TONAL):
        return True
    if len(marked) < _FEWEST_KINDS or total * 12 < total + len(_PLAIN.findall(low)):
        return False
    return not any(alphabet.issuperset(marked) for alphabet in _ALPHABETS)


def mixes_scripts(text: str, table: dict[int, str]) -> bool:
    """Whether look-alikes are a disguise: nearly all non-Latin letters resemble Latin and give language.

    Either most of them belong to no European alphabet, or most words mix them with Latin letters.
    """
    strange = [letter for letter in text if letter > "\x7f" and letter.isalpha() and not _LATIN.match(letter)]
    known = [letter for letter in strange if ord(letter) in table]
    if len(known) < 2 * _FEWEST or len(known) * 10 < len(strange) * 9:
        return False
    words = [word for word in text.split() if not word.isascii() and len(word) > 1]
    mixed = sum(bool(re.search("[A-Za-z]", word)) for word in words)
    from_afar = sum(letter >= "\u1100" and not "\u1f00" <= letter <= "\u1fff" for letter in known)
    if from_afar * 10 < len(known) * 6 and mixed * 2 < len(words):
        return False
    after = [word for word in letter_words(text.translate(table)) if len(word) > 1]
    return per_letter(after[:200]) < _LANGUAGE
