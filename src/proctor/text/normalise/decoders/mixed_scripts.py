"""Letters that no language wears together: marks on nearly every vowel or of many languages, scripts mixed in words."""

from __future__ import annotations

import re
from collections import Counter

from proctor.text.normalise.language_likeness import letter_words, per_letter

__all__ = ["mixes_scripts", "wears_no_language"]

_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_MARKED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_PLAIN = re.compile("[a-z]")
_VOWELS = "aeiou"
_FEWEST = 6  # marked letters
_FEWEST_KINDS = 4  # letters of different marks
_LANGUAGE = 6.0  # bits a letter that may come out
# The marked letters of a language each; a text that takes from several of them at once is written in none.
_TONAL = tuple(
    frozenset(letters)
    for letters in (
        "àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",  # Vietnamese
        "āáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜü",  # Chinese in Latin letters
        "àáèéẹẽìíòóọõùúṣńǹḿñŋɛɔāēīōū",  # languages of West Africa and the Pacific
    )
)  # a mark for the tone of nearly every syllable
_ALPHABETS = _TONAL + tuple(
    frozenset(letters)
    for letters in (
        "àâçèéêëîïôùûüÿœæ",  # French
        "áéíñóúüç",  # Spanish, with names
        "àáâãçéêíóôõúüè",  # Portuguese
        "àèéìíîòóùú",  # Italian
        "àçèéíïòóúüñ",  # Catalan
        "äöüéàè",  # German, with loans
        "áéëïóöüèê",  # Dutch
        "åäöéøæüàá",  # the languages of the north
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
        "āīūṛṝḷṅñṭḍṇśṣḥṃṁḻṟṉēōġẓṯẖḵáíúâîû",  # languages of India in Latin letters
        "āīūṣḍṭẓḥʿʾâîûṡġḫẖšṯḏáíú",  # Arabic in Latin letters
    )
)


def wears_no_language(text: str, bare: dict[int, str]) -> bool:
    """Whether marked letters are a costume: on nearly every vowel, or of kinds that no one language has."""
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
    """Whether look-alikes are a costume: nearly all that is not Latin passes for it, and comes out as language.

    Letters that belong to no alphabet of Europe, or that stand beside Latin ones in most words, are no language's.
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
