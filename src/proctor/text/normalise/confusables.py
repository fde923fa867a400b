"""Fold letters that look like Latin ones, where they are a disguise and not a language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from proctor.text.chunked_regex import PIECE, finditer
from proctor.text.normalise.language_likeness import common_words

__all__ = ["faux_letters", "fold_confusables"]

_WORD = re.compile(r"[^\W_]+")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_LATIN_WORD = re.compile("[A-Za-z]{2}")
_SCRIPTS = (
    ("cyrillic", "\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f"),
    ("greek", "\u0370-\u03ff\u1f00-\u1fff"),
    ("armenian", "\u0530-\u058f"),
    ("cherokee", "\u13a0-\u13ff\uab70-\uabbf"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tables:
    strict: dict[str, str]
    inside: dict[str, str]  # strict and loose: for words that also have Latin letters
    faux: dict[str, str]  # everything
    scripts: dict[str, re.Pattern[str]]
    back: dict[str, dict[str, str]]  # by script: Latin letter -> the letter it resembles
    foreign: re.Pattern[str]


@cache
def _tables() -> _Tables:
    tiers: dict[str, dict[str, str]] = {}
    tier = ""
    for line in Path(__file__).with_name("confusables.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            tier = line[1 : line.index("]")]
        elif not line.startswith("#"):
            latin, others = line.split()
            tiers.setdefault(tier, {}).update(dict.fromkeys(others, latin))
    for letters in tiers.values():
        letters.update({c.lower(): a.lower() for c, a in letters.items() if "\u13a0" <= c <= "\u13ef"})
    strict, inside = tiers["strict"], {**tiers["loose"], **tiers["strict"]}
    scripts = {name: re.compile(f"[{letters}]") for name, letters in _SCRIPTS}
    back = {
        name: {a: c for c, a in reversed(strict.items()) if scripts[name].match(c)} for name in ("cyrillic", "greek")
    }
    ranges = "".join(letters for _, letters in _SCRIPTS) + "".join(map(re.escape, inside))
    return _Tables(
        strict=strict,
        inside=inside,
        faux={**tiers["faux"], **inside},
        scripts=scripts,
        back=back,
        foreign=re.compile(f"[{ranges}]"),
    )


def faux_letters() -> dict[int, str]:
    """Return a translation table of every look-alike, however poor, to a Latin letter."""
    return _faux()


@cache
def _faux() -> dict[int, str]:
    return {ord(c): latin for c, latin in _tables().faux.items()}


def fold_confusables(text: str) -> list[tuple[int, str]]:
    """Return the positions of letters that imitate another script, each with the imitated letter.

    A word that mixes Latin letters with look-alikes is folded to Latin; a word of another script with a few Latin
    letters is folded to that script. A word of only look-alikes is folded only if the text around it is Latin, so that
    real Russian or Greek keeps its short words.
    """
    tables = _tables()
    long = len(text) > PIECE
    letters = set(filter(tables.foreign.match, set(text)) if long else tables.foreign.findall(text))
    if not letters or _is_one_language(text, letters):
        return []
    latin = {character for character in set(text) - letters if _LATIN.match(character)}
    telling = letters - tables.strict.keys()
    mixed: list[tuple[int, str]] = []
    undecided: list[tuple[int, str]] = []
    in_languages: set[str] = set()
    for match in finditer(_WORD, text):
        word = match.group()
        if word.isascii() or letters.isdisjoint(word):
            continue
        if not latin.isdisjoint(word):
            mixed.append((match.start(), word))
        elif telling.isdisjoint(word):
            undecided.append((match.start(), word))
        else:
            in_languages.update(word)
    genuine = {_script(letter) for letter in in_languages & letters}
    found = [place for start, word in mixed for place in _fold_mixed(start, word, letters, genuine)]
    has_latin = bool(mixed) or bool(_LATIN_WORD.search(text))
    found += _fold_undecided(text, undecided, letters, genuine, has_latin=has_latin)
    return sorted(found)


def _fold_undecided(
    text: str, words: list[tuple[int, str]], letters: set[str], genuine: set[str], *, has_latin: bool
) -> Iterator[tuple[int, str]]:
    """Fold words of only look-alikes, depending on the text around them."""
    scripts = [_script(next(c for c in word if c in letters)) for _, word in words]
    alone = [word for (_, word), script in zip(words, scripts, strict=True) if script not in genuine]
    reading = has_latin or _read_as_words(alone)
    for (start, word), script in zip(words, scripts, strict=True):
        if reading if script not in genuine else _stands_in_latin(text, start, word):
            yield from _replace(start, word, _tables().strict)


def _is_one_language(text: str, letters: set[str]) -> bool:
    """Whether there is no Latin, and each script has letters that resemble nothing: the usual case."""
    if _LATIN.search(text):
        return False
    strict = _tables().strict
    genuine = {_script(letter) for letter in letters if letter not in strict}
    return bool(genuine) and all(_script(letter) in genuine for letter in letters if letter in strict)


@lru_cache(maxsize=2048)
def _script(letter: str) -> str:
    return next((name for name, pattern in _tables().scripts.items() if pattern.match(letter)), "other")


def _fold_mixed(start: int, word: str, letters: set[str], genuine: set[str]) -> Iterator[tuple[int, str]]:
    """Fold a word of two scripts to one: Latin, or the other script if Latin letters are the exception."""
    tables = _tables()
    is_word = "".join(tables.inside.get(c, c) for c in word).lower() in common_words()
    table = tables.inside if is_word or len(word) > 3 else tables.strict
    foreign = [c for c in word if c in letters]
    script = _script(foreign[0])
    back = tables.back.get(script, {})
    reads_back = bool(back) and all(c in back for c in word if c not in letters and _LATIN.match(c))
    if all(c in table for c in foreign) and (is_word or not (reads_back and script in genuine)):
        return _replace(start, word, table)
    return _replace(start, word, back) if reads_back else iter(())


def _replace(start: int, word: str, table: dict[str, str]) -> Iterator[tuple[int, str]]:
    return ((start + i, table[c]) for i, c in enumerate(word) if c in table)


def _skeleton(word: str) -> str:
    return "".join(_tables().strict.get(c, c) for c in word).lower()


def _read_as_words(words: list[str]) -> bool:
    """Whether words of only look-alikes, without other text, are English in disguise."""
    known = [word for word in words if _skeleton(word) in common_words()]
    return len(known) * 2 >= len(words) and any(len(word) > 3 for word in known)


def _stands_in_latin(text: str, start: int, word: str) -> bool:
    """Whether a word of only look-alikes has a Latin neighbour and reads as a common word."""
    end = start + len(word)
    around = text[max(0, start - 3) : start] + text[end : end + 3]
    return len(word) > 3 and bool(re.search("[A-Za-z]", around)) and _skeleton(word) in common_words()
