"""Detect by wording whether a message repeats a request, accepts, refuses or shows a way forward."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from proctor.lexicon.match import matcher
from proctor.text.claims import statements
from proctor.text.content_words import content
from proctor.text.numbers import find_numbers
from proctor.text.polarity import is_denied
from proctor.text.split import tokens

__all__ = [
    "accepts",
    "asks_to_repeat",
    "complains",
    "has_way_forward",
    "is_unhelpful",
    "likeness",
    "refuses",
    "same_matter",
    "whole",
]

_SMALL: Final = 3
_LEAST: Final = 2  # content words of a clause that says something
# What follows "but" in a refusal and denies nothing is what can be done instead.
_INSTEAD: Final = re.compile(r"\b(?:but|aber|maar|mais|pero|ma|mas|men|ale|но|ama)\s|[;；]", re.IGNORECASE)


def complains(text: str) -> bool:
    """Whether the customer says that the previous answer did not help."""
    return matcher("complains_of_answer").has(text)


def accepts(text: str) -> bool:
    """Whether the customer is satisfied or says goodbye."""
    return matcher("accepts_answer").has(text.strip()) and not complains(text)


def asks_to_repeat(text: str) -> bool:
    """Whether the customer asks for a repetition."""
    return matcher("asks_to_repeat").has(text)


def is_unhelpful(answer: str) -> bool:
    """Whether the answer has no content: it did not understand, points elsewhere, or has nothing."""
    return matcher("unhelpful_answer").has(answer) or (refuses(answer) is not None and not has_way_forward(answer))


def refuses(answer: str) -> str | None:
    """Return the first sentence that refuses something, if any."""
    for each in statements(answer, most=40):
        if each.kind != "question" and matcher("refusal").has(each.text):
            return each.text
    return None


def has_way_forward(answer: str) -> bool:
    """Whether the answer shows a way forward: another choice, a link, a person, a next step or a question.

    A closing phrase ("is there anything else?") does not count; nor does the refusal itself.
    """
    for each in statements(answer, most=60):
        text = matcher("closing_phrase").without(each.text, put=" ")
        if text != each.text and len(content(text)) < _SMALL:
            continue
        if matcher("way_forward").has(matcher("refusal").without(text, put=" ")):
            return True
        refusal, *others = _INSTEAD.split(text)
        if matcher("refusal").has(refusal) and any(
            len(content(other)) >= _LEAST and not is_denied(other) for other in others
        ):
            return True
    return False


def likeness(one: str, other: str) -> float:
    """Return the Jaccard similarity of the content words of two texts."""
    left, right = content(one), content(other)
    return len(left & right) / len(left | right) if left | right else float(whole(one) == whole(other))


def whole(text: str) -> str:
    """Return the normalised words of a text, for equality tests."""
    return " ".join(tokens(unicodedata.normalize("NFKC", text)))


def same_matter(one: str, other: str) -> bool:
    """Whether the two do not name different numbers or different names."""
    numbers = [{each.value for each in find_numbers(text)} for text in (one, other)]
    if numbers[0] and numbers[1] and not numbers[0] & numbers[1]:
        return False
    names = [_names(text) for text in (one, other)]
    return not (names[0] and names[1] and not names[0] & names[1])


def _names(text: str) -> set[str]:
    """Return capitalised words inside a sentence, codes, and runs of katakana."""
    found = set(re.findall(r"(?<=[a-z,'’] )[A-Z][\w-]+", text)) | set(re.findall(r"\b[A-Z]{1,5}-?\d{2,}\w*\b", text))
    found |= set(re.findall(r"[\u30a1-\u30fa\u30fc]{3,}", text))
    return {name.casefold() for name in found if name not in ("I",)}
