"""Words that say whether somebody asks again, is content, refuses, or shows a way forward."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from proctor.lexicon.match import matcher
from proctor.text.claims import statements
from proctor.text.content_words import content
from proctor.text.numbers import find_numbers
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


def complains(text: str) -> bool:
    """Whether the customer says that the answer before was none."""
    return matcher("complains_of_answer").has(text)


def accepts(text: str) -> bool:
    """Whether the customer is content, or says good-bye."""
    return matcher("accepts_answer").has(text.strip()) and not complains(text)


def asks_to_repeat(text: str) -> bool:
    """Whether the customer wants to hear it again."""
    return matcher("asks_to_repeat").has(text)


def is_unhelpful(answer: str) -> bool:
    """Whether the answer says nothing to the matter: it did not understand, points elsewhere, or has nothing."""
    return matcher("unhelpful_answer").has(answer) or (refuses(answer) is not None and not has_way_forward(answer))


def refuses(answer: str) -> str | None:
    """The first sentence that turns something down, if there is one."""
    for each in statements(answer, most=40):
        if each.kind != "question" and matcher("refusal").has(each.text):
            return each.text
    return None


def has_way_forward(answer: str) -> bool:
    """Whether the answer shows what can be done: another choice, a link, a person, a next step, a question to that end.

    A closing phrase (is there anything else?) leads nowhere; nor does the sentence that turns down.
    """
    for each in statements(answer, most=60):
        text = matcher("closing_phrase").without(each.text, put=" ")
        if text != each.text and len(content(text)) < _SMALL:
            continue
        if matcher("way_forward").has(matcher("refusal").without(text, put=" ")):
            return True
    return False


def likeness(one: str, other: str) -> float:
    """The share of content words that two texts have in common, of all they have."""
    left, right = content(one), content(other)
    return len(left & right) / len(left | right) if left | right else float(whole(one) == whole(other))


def whole(text: str) -> str:
    """A text's words in their plain form, for telling whether two are the same."""
    return " ".join(tokens(unicodedata.normalize("NFKC", text)))


def same_matter(one: str, other: str) -> bool:
    """Whether no number and no name stands in one that the other has another of."""
    numbers = [{each.value for each in find_numbers(text)} for text in (one, other)]
    if numbers[0] and numbers[1] and not numbers[0] & numbers[1]:
        return False
    names = [_names(text) for text in (one, other)]
    return not (names[0] and names[1] and not names[0] & names[1])


def _names(text: str) -> set[str]:
    """Words that are written large inside a sentence, codes, and runs of katakana."""
    found = set(re.findall(r"(?<=[a-z,'’] )[A-Z][\w-]+", text)) | set(re.findall(r"\b[A-Z]{1,5}-?\d{2,}\w*\b", text))
    found |= set(re.findall(r"[\u30a1-\u30fa\u30fc]{3,}", text))
    return {name.casefold() for name in found if name not in ("I",)}
