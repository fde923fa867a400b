"""One concept of the lexicon: the words that express it, the words that rule it out, and sentences that show both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Final, Literal

from proctor.core.record import dataclass

__all__ = ["ANY", "Concept"]

ANY: Final = "any"  # the language of words that many languages share
_NAME: Final = re.compile(r"<([A-Z]+)>")

Wording = Mapping[str, tuple[str, ...]]  # by language: an ISO 639 code, or `any`


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """What one lexicon file holds.

    ``words`` are whole words or phrases, ``patterns`` regular expressions; both match in either case. ``folded``
    patterns are searched in the text with its Arabic and Hindi letters folded to their plain forms. ``exceptions`` rule
    out a match of their own language in the same sentence; those of the language ``any`` rule out every match.
    ``unless`` names concepts whose patterns are exceptions too. ``names`` and the file ``fragments`` hold parts of
    patterns: ``<NAME>`` stands for the part of that name.
    """

    concept: str
    about: str = ""
    source: str = ""
    mode: Literal["add", "replace"] = "add"
    fragments: str | None = None
    unless: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    words: Wording = field(default_factory=dict)
    patterns: Wording = field(default_factory=dict)
    folded: Wording = field(default_factory=dict)
    exceptions: Wording = field(default_factory=dict)
    examples: Wording = field(default_factory=dict)
    counterexamples: Wording = field(default_factory=dict)

    def expressions(self, wording: str, parts: Mapping[str, str] | None = None) -> Iterator[tuple[str, str]]:
        """The language and the text of every pattern of one field; words are among the ``patterns``."""
        if wording == "patterns":
            yield from ((language, _whole(word)) for language, words in self.words.items() for word in words)
        yield from self.listed(getattr(self, wording), parts)

    def listed(self, wording: Wording, parts: Mapping[str, str] | None = None) -> Iterator[tuple[str, str]]:
        """The language and the text of every pattern, with names replaced by the parts they stand for."""
        known = filled_names({**(parts or {}), **self.names})
        for language, patterns in wording.items():
            for pattern in patterns:
                yield language, _filled(pattern, known)


def _whole(word: str) -> str:
    """A pattern for a word that stands by itself; scripts without spaces have no such words."""
    begins, ends = (r"\b" if word[at] < "\u0500" and word[at].isalnum() else "" for at in (0, -1))
    return f"{begins}{re.escape(word)}{ends}"


def filled_names(names: Mapping[str, str]) -> dict[str, str]:
    """The parts of patterns; a part may use those that stand before it."""
    made: dict[str, str] = {}
    for name, part in names.items():
        made[name] = _filled(part, made)
    return made


def _filled(pattern: str, names: Mapping[str, str]) -> str:
    return _NAME.sub(lambda hit: names.get(hit[1], hit[0]), pattern)
