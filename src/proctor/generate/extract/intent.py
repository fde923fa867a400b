"""Extract the intent of a prompt: what it is for, from its description or its opening sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.requests import plain
from proctor.generate.extract.statements import Statement, statements_of
from proctor.prompts.prompt import Prompt
from proctor.text.lazy_pattern import Lazy

__all__ = ["extract_intent"]

_NO_INTENT: Final = Lazy(
    r"https?://|\bwww\.|\b(?:source|from|author|credit|license|version|prompt|copyright)\s*[:：]|\bbasic prompt\b|"
    r"\bchat api\b|\bprompt (?:that|which|for|from)\b|\bai[- ]generated\b|\bplease review\b|\btemplate for\b|"
    r"\bexample showing\b|\b(?:example|sample|demo) (?:prompt|of)\b|\b(?:gpt|openai|azure)\b.*\bapi\b|^\W*todo\b",
    re.IGNORECASE,
)
_NEGATIVE: Final = Lazy(rf"\W*(?:[^\W\d_]+\s+)?{NEGATION}", re.IGNORECASE)  # ``Do not``, ``Never``
_INTRODUCED: Final = re.compile(r"[^.!?。！？]{0,60}[:：]\s*\W*\{\{")  # ``Question: {{question}}``
_UNSPACED: Final = re.compile(r"[぀-ヿ㐀-鿿]")
_ASIDE: Final = ("labels", "fields", "format", "example")
_SENTENCES: Final = 2  # of the opening: who answers, and what is to be done
_MOST_WORDS: Final = 45
_LEAST_WORDS: Final = 4  # ``Be brief.`` says no purpose
_LEAST_UNSPACED: Final = 6  # characters


def extract_intent(prompt: Prompt) -> str:
    """Return the intent: the file's description, else the opening sentences, in any language; empty if there are none.

    A description that only names a source or the kind of file is not used, nor is a list item, a line that introduces
    an input or a list, or a prohibition.
    """
    described = plain(prompt.description)
    if described and not _NO_INTENT.search(described) and len(described.split()) > 2:
        return _closed(described)
    told = [each for each in statements_of(prompt) if not each.code and each.section not in _ASIDE]
    told = [each for each in told if not _NO_INTENT.search(each.text)]
    free = [each for each in told if not each.item and not _leads(each)]
    asked = [each for each in free if not _NEGATIVE.match(each.text)]
    full = [each for each in asked if not _is_short(plain(each.text))]
    return _opening(full or asked or free or told)


def _leads(statement: Statement) -> bool:
    """Whether a sentence introduces a list or an input."""
    return statement.text.rstrip("*_ ").endswith((":", "：")) or _INTRODUCED.match(statement.text) is not None


def _is_short(text: str) -> bool:
    least = _LEAST_UNSPACED if _UNSPACED.search(text) else 0
    return len(text) < least if least else len(text.split()) < _LEAST_WORDS


def _opening(statements: Sequence[Statement]) -> str:
    """Return the first sentences, as many as make no long text."""
    found: list[str] = []
    for each in statements[:_SENTENCES]:
        said = _closed(plain(each.text))
        if found and len(" ".join([*found, said]).split()) > _MOST_WORDS:
            break
        found.append(said)
    return " ".join(found)


def _closed(text: str) -> str:
    text = re.sub(r"\s+", " ", text).rstrip(" :;,：")
    return text if not text or text.endswith((".", "!", "?", "。", "！", "？")) else text + "."
