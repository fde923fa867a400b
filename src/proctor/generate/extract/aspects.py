"""A checkable part of a clause, and the nouns that mean the whole output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from proctor.generate.extract.vocabulary import worded
from proctor.text.predicates import PredicateError, parse

__all__ = ["NUMBER", "Aspect", "Kind", "Scope", "checkable", "number_of", "quoted", "quoted_texts"]

Kind = Literal["format", "content", "refusal", "style", "safety"]

_OUTPUT: Final = worded(
    "output response answer reply result completion it everything they them text texts message genera"
    "tion responses answers "
    "outputs replies results content you"
)
_COUNTED: Final = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_NUMBERS: Final = {word: number for number, word in enumerate(_COUNTED.split())} | {
    "a": 1,
    "an": 1,
    "single": 1,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "eighty": 80,
    "hundred": 100,
}
NUMBER: Final = r"(?:\d{1,3}(?:,\d{3})+|\d{1,6}|(?:" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r"))"
_QUOTE: Final = re.compile(
    r"\"([^\"\n]{1,400})\"|“([^”\n]{1,400})”|`([^`\n]{1,400})`|「([^」\n]{1,200})」|『([^』\n]{1,200})』|"
    r"(?<!\w)'([^'\n]{1,200})'(?!\w)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aspect:
    """What a part of a clause requires, as text and as a predicate."""

    text: str
    predicate: str
    start: int
    end: int
    kind: Kind = "format"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What is known of a prompt as a whole before its clauses are parsed.

    ``nouns`` mean the whole output here, ``parts`` a part of it; ``labels`` are the allowed answers, ``special`` those
    named in conditions; ``fields`` are the keys of the requested JSON, ``array`` is whether it is an array, ``blank``
    what represents a missing value. ``alone`` is whether the label, ``numeric`` whether a number, is the whole output.
    """

    nouns: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    structured: bool = False
    array: bool = False
    blank: tuple[str, ...] = ()
    alone: bool = False
    numeric: bool = False
    inputs: tuple[str, ...] = ()
    language: str = ""
    closed: bool = False
    part_labels: tuple[str, ...] = ()
    several: bool = False
    html: bool = False
    each: tuple[str, str] = (
        "",
        "",
    )  # the name of each of the things that the answer is, and the form of its predicates
    line_labels: tuple[str, ...] = ()  # labels of the lines that the answer has
    nested: tuple[tuple[str, str], ...] = ()  # a key of the objects in a field, and that field

    def means_output(self, noun: str) -> bool:
        """Whether this noun means the whole output."""
        noun = noun.lower()
        bare = {noun, noun.removesuffix("s"), re.sub(r"ies$", "y", noun)}
        return not bare & self.parts and bool(bare & (self.nouns | _OUTPUT))


def checkable(predicate: str) -> str | None:
    """Return the predicate in canonical form; None if it is invalid."""
    try:
        return parse(predicate).text
    except PredicateError:
        return None


def number_of(word: str) -> int:
    """Return the number of a word or of digits."""
    word = word.lower().replace(",", "")
    return _NUMBERS[word] if word in _NUMBERS else int(word)


def quoted(texts: Iterable[str]) -> str:
    """Return texts as predicates write them: in double quotes, separated by commas."""
    return ", ".join('"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"' for text in texts)


def quoted_texts(text: str) -> Sequence[str]:
    """Return the texts in quotes or backticks."""
    return [next(group for group in match.groups() if group is not None) for match in _QUOTE.finditer(text)]
