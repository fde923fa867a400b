"""Predicates on amounts: words, sentences, items, links, a given phrase."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from proctor.text.find_phrase import occurrences
from proctor.text.numbers import find_numbers
from proctor.text.predicates.comparable_text import folded
from proctor.text.predicates.term import Check, Checked, Form, OutputView, plural, verdict
from proctor.text.predicates.values import Bound, Pattern
from proctor.text.split import characters, lines, sentences

__all__ = ["FORMS", "MEASURES", "paragraphs"]

_BULLET = re.compile(r"(?m)^[ \t]*[-*+•・▪●‣◦–][ \t]+\S")
_NUMBERED = re.compile(r"(?m)^[ \t]*(?:\(?\d{1,3}[.)．、](?!\d)[ \t]*\S|[①-⑳])")
_HEADING = re.compile(r"(?mi)^[ \t]{0,3}#{1,6}[ \t]+\S|<h[1-6]\b")
_QUESTION = re.compile(r"[?？؟]+")
_LINK = re.compile(r"https?://[^\s)>\]」』）\"']{4,}|\bwww\.[^\s)>\]\"']{4,}", re.IGNORECASE)
_MARKDOWN_LINK = re.compile(r"\]\((?!https?://|www\.)[^)\s]{1,500}\)", re.IGNORECASE)
_EMOJI = re.compile(
    "(?:[\U0001f1e6-\U0001f1ff]{2}"
    "|[\U0001f300-\U0001faff\u2600-\u27bf\u2b50\u2b55\u231a\u231b\u23e9-\u23f3][\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*"
    "(?:\u200d[\U0001f300-\U0001faff\u2600-\u27bf][\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*)*)"
)
_BLANK = re.compile(r"\n[ \t\r\f\v]*\n")
_DIGIT = re.compile(r"\d")
_MOST_OCCURRENCES: Final = 1_000_000


def paragraphs(text: str) -> list[str]:
    """Return the blocks of a text that blank lines separate."""
    return [block for block in _BLANK.split(text) if block.strip()]


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _matches(*patterns: re.Pattern[str]) -> Callable[[str], int]:
    return lambda text: sum(1 for pattern in patterns for _ in pattern.finditer(text))


# Name: counter, meaning, example, whether any text length is allowed.
MEASURES: Final[dict[str, tuple[Callable[[str], int], str, str, bool]]] = {
    "words": (lambda text: len(text.split()), "words: what stands between spaces", "words <= 80", True),
    "characters": (lambda text: characters(text.strip()), "characters, spaces too, without those around the text",
                   "characters between 10 and 280", True),
    "letters": (_letters, "letters of any script", "letters >= 1", True),
    "sentences": (lambda text: len(sentences(text)), "sentences", "sentences = 1", False),
    "lines": (lambda text: len(lines(text)), "lines that are not blank", "lines <= 3", True),
    "paragraphs": (lambda text: len(paragraphs(text)), "blocks of text between blank lines", "paragraphs = 1", True),
    "items": (_matches(_BULLET, _NUMBERED), "items of lists, bulleted or numbered", "items between 3 and 5", False),
    "bullets": (_matches(_BULLET), "bulleted items", "bullets >= 3", False),
    "numbered items": (_matches(_NUMBERED), "numbered items", "numbered items = 10", False),
    "headings": (_matches(_HEADING), "headings of Markdown or HTML", "headings = 0", False),
    "questions": (_matches(_QUESTION), "question marks, several in a row as one", "questions <= 1", False),
    "exclamations": (_matches(re.compile(r"[!！]+")), "exclamation marks, several in a row as one", "exclamations = 0",
                     False),
    "links": (_matches(_LINK, _MARKDOWN_LINK), "links and web addresses", "links = 0", False),
    "emoji": (_matches(_EMOJI), "emoji", "emoji <= 2", False),
    "numbers": (lambda text: len(find_numbers(text)), "numbers written in digits", "numbers >= 1", False),
    "digits": (_matches(_DIGIT), "digits", "digits = 4", True),
}  # fmt: skip


def _measure(name: str, count: Callable[[str], int]) -> Callable[[Bound], Check]:
    def make(bound: Bound) -> Check:
        def run(view: OutputView) -> Checked:
            asked = bound.given(view.inputs)
            found = count(view.text)
            return verdict(asked.holds(found), f"{plural(found, name)} (asked: {asked.said})")

        return run

    return make


def _count(wanted: str | Pattern, bound: Bound, *, options: frozenset[str]) -> Check:
    if isinstance(wanted, Pattern):
        if options:
            raise ValueError("options go with a text in quotes; a regular expression has its flags")
        return _count_pattern(wanted.searching(), bound)
    if not wanted:
        raise ValueError("the text to count is empty")
    ignore_case, whole = "ignoring case" in options, "as words" in options

    def run(view: OutputView) -> Checked:
        if ignore_case or whole:
            text = folded(view.text, ignore_case)
            found = len(occurrences(wanted, text, whole_words=whole, most=_MOST_OCCURRENCES))
        else:
            found = view.text.count(wanted)
        asked = bound.given(view.inputs)
        return verdict(asked.holds(found), f"{found:,} × {wanted!r} (asked: {asked.said})", wanted if found else "")

    return run


def _count_pattern(wanted: Pattern, bound: Bound) -> Check:
    def run(view: OutputView) -> Checked:
        hits = [hit.group() for hit in wanted.finditer(view.text)]
        asked = bound.given(view.inputs)
        reason = f"{len(hits):,} × {wanted.text} (asked: {asked.said})"
        return verdict(asked.holds(len(hits)), reason, hits[0] if hits else "")

    return run


def _singular(name: str) -> tuple[str, ...]:
    # `number BOUND` is about the value, `emoji` has one form only.
    return (f"{name[:-1]} BOUND",) if name.endswith("s") and name != "numbers" else ()


FORMS = (
    *(
        Form(
            form=f"{name} BOUND",
            meaning=meaning,
            example=example,
            make=_measure(name, count),
            also=_singular(name),
            any_length=any_length,
        )
        for name, (count, meaning, example, any_length) in MEASURES.items()
    ),
    Form(
        form="count PATTERN BOUND",
        meaning="how often a text or a regular expression occurs",
        example='count "please" <= 1 ignoring case',
        make=_count,
        options=("ignoring case", "as words"),
    ),
)
