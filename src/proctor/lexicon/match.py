"""Finds concepts of the lexicon in a text.

A file is read, and a pattern compiled, when it is first needed. Patterns of this package run over pieces of a text;
those of a project run only in engines that bound their time on any text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from proctor.lexicon.concept import ANY
from proctor.lexicon.files import read_fragments, read_wording
from proctor.lexicon.fold import fold, has_folding, places
from proctor.lexicon.project_concepts import ProjectConcepts, concepts_in_force
from proctor.text.pattern_prefilter import Haystack
from proctor.text.user_patterns import user_pattern

__all__ = ["ConceptMatch", "Matcher", "find", "matcher", "sentence_bounds", "words_of"]

_ENDS: Final = ".!?？！。؟।\n"
_NEVER: Final = "(?!)"
_FEW: Final = 3  # patterns that are tried faster than they are chosen


class ConceptMatch(NamedTuple):
    """Words that express a concept: which, in which language, and where."""

    concept: str
    language: str
    start: int
    end: int


def find(concept: str, text: str) -> Iterator[ConceptMatch]:
    """Every place where a text expresses a concept; matches that an exception in the same sentence rules out are not.

    Raises:
        FileNotFoundError: there is no such concept.
    """
    return matcher(concept).find(text)


def matcher(*concepts: str) -> Matcher:
    """The matcher of some concepts, with what the project adds to them. It is kept, so that patterns compile once."""
    return _matcher(concepts, concepts_in_force())


@lru_cache(maxsize=256)
def _matcher(concepts: tuple[str, ...], own: ProjectConcepts) -> Matcher:
    return Matcher(concepts, own)


def words_of(concept: str) -> frozenset[str]:
    """The words of a concept, in small letters, for use in a larger pattern: they hold no pattern of their own."""
    return _words_of(concept, concepts_in_force())


@lru_cache(maxsize=64)
def _words_of(name: str, own: ProjectConcepts) -> frozenset[str]:
    added = own.concepts.get(name, ())
    files = added if any(each.mode == "replace" for each in added) else (read_wording(name), *added)
    return frozenset(word.casefold() for file in files for words in file.words.values() for word in words)


class Matcher:
    """Several concepts that are searched together."""

    def __init__(self, concepts: Sequence[str], own: ProjectConcepts) -> None:
        self._concepts = tuple(concepts)
        self._patterns = _Patterns([row for name in concepts for row in _rows(name, "patterns", own)])
        self._folded = _Patterns([row for name in concepts for row in _rows(name, "folded", own)])
        # By concept and language.
        self._exceptions = {name: _by_language(_exception_rows(name, own)) for name in concepts}

    def find(self, text: str, *, whole: bool = False) -> Iterator[ConceptMatch]:
        """Matches that no exception rules out; with ``whole`` an exception anywhere in the text does."""
        known: dict[tuple[str, str, int], bool] = {}
        for found in self.hits(text):
            begin, end = (0, len(text)) if whole else sentence_bounds(text, found.start)
            key = (found.concept, found.language, begin)
            if key not in known:
                known[key] = self.rules_out(found.concept, text[begin:end], found.language)
            if not known[key]:
                yield found

    def has(self, text: str) -> bool:
        """Whether any pattern matches; exceptions are not looked at."""
        return next(self.hits(text), None) is not None

    def hits(self, text: str) -> Iterator[ConceptMatch]:
        """Every match of every pattern, pattern by pattern; exceptions are not looked at."""
        yield from self._patterns.find(text)
        if self._folded.is_empty or not has_folding(text):
            return
        at: list[int] = []
        for found in self._folded.find(fold(text)):
            at = at or places(text)
            yield found._replace(start=at[found.start], end=at[found.end - 1] + 1)

    def rules_out(self, concept: str, text: str, language: str = ANY) -> bool:
        """Whether an exception to a concept stands in the text: one of the language, or of all."""
        exceptions = self._exceptions[concept]
        return any(exceptions[each].has(text) for each in dict.fromkeys((ANY, language)) if each in exceptions)

    def exception_hits(self, text: str) -> Iterator[ConceptMatch]:
        """Every match of every exception."""
        for name in self._concepts:
            for patterns in self._exceptions[name].values():
                yield from patterns.find(text)

    def without(self, text: str, *, put: str = "") -> str:
        """The text with every match replaced by ``put``."""
        kept: list[str] = []
        at = 0
        for start, end in sorted((found.start, found.end) for found in self.hits(text)):
            if start >= at:
                kept += (text[at:start], put)
                at = end
        return "".join((*kept, text[at:]))

    def joined(self) -> str:
        """The patterns of this package as one, plain before folded, for use in a larger pattern."""
        return "|".join((*self._patterns.haystack.patterns, *self._folded.haystack.patterns)) or _NEVER

    def by_concept(self) -> dict[str, tuple[str, ...]]:
        """The patterns of this package under the name of each concept."""
        made: dict[str, tuple[str, ...]] = dict.fromkeys(self._concepts, ())
        for row in self._patterns.shipped:
            made[row.concept] += (row.pattern,)
        return made

    def own_hits(self, text: str) -> Iterator[ConceptMatch]:
        """Matches of the project's own patterns, which `joined` and `by_concept` leave out."""
        yield from self._patterns.find_own(text)
        yield from self._folded.find_own(text)


class _Row(NamedTuple):
    concept: str
    language: str
    pattern: str
    is_own: bool


class _Patterns:
    """Patterns of one kind: those of this package behind a prefilter, those of a project one by one."""

    def __init__(self, rows: Sequence[_Row]) -> None:
        self.shipped = [row for row in rows if not row.is_own]
        self._own = [(row, user_pattern(row.pattern, ignore_case=True)) for row in rows if row.is_own]
        self.haystack = Haystack(tuple(row.pattern for row in self.shipped))
        self.is_empty = not rows
        self._search = self.haystack.find if len(self.shipped) > _FEW else self.haystack.try_all

    def find(self, text: str) -> Iterator[ConceptMatch]:
        for number, hit in self._search(text):
            row = self.shipped[number]
            yield ConceptMatch(row.concept, row.language, hit.start(), hit.end())
        yield from self.find_own(text)

    def find_own(self, text: str) -> Iterator[ConceptMatch]:
        for row, pattern in self._own:
            for hit in pattern.finditer(text):
                yield ConceptMatch(row.concept, row.language, hit.start(), hit.end())

    def has(self, text: str) -> bool:
        return next(self.find(text), None) is not None


def _rows(name: str, wording: str, own: ProjectConcepts) -> Iterator[_Row]:
    """The patterns of a concept: those of this package unless a project replaces them, then the project's."""
    added = own.concepts.get(name, ())
    if not any(each.mode == "replace" for each in added):
        shipped = read_wording(name)
        parts = read_fragments(shipped.fragments) if shipped.fragments else None
        for language, pattern in shipped.expressions(wording, parts):
            yield _Row(name, language, pattern, is_own=False)
    for concept in added:
        for language, pattern in concept.expressions(wording):
            yield _Row(name, language, pattern, is_own=True)


def _exception_rows(name: str, own: ProjectConcepts) -> Iterator[_Row]:
    yield from _rows(name, "exceptions", own)
    added = own.concepts.get(name, ())
    files = added if any(each.mode == "replace" for each in added) else (read_wording(name), *added)
    for other in dict.fromkeys(each for file in files for each in file.unless):
        yield from _rows(other, "patterns", own)


def _by_language(rows: Iterable[_Row]) -> dict[str, _Patterns]:
    made: dict[str, list[_Row]] = {}
    for row in rows:
        made.setdefault(row.language, []).append(row)
    return {language: _Patterns(each) for language, each in made.items()}


def sentence_bounds(text: str, place: int) -> tuple[int, int]:
    """Where the sentence in which a place stands begins and ends."""
    begin = max(text.rfind(sign, 0, place) for sign in _ENDS) + 1
    after = [at for sign in _ENDS if (at := text.find(sign, place)) >= 0]
    return begin, min(min(after, default=len(text)) + 1, len(text))
