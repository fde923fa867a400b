"""Extract the intent of a prompt: what it is for, from its description or its opening sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.made_nouns import MAKES
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
_FULL_WORDS: Final = 12  # of a description that needs no task beside it
_FIRST: Final = 3  # sentences in which the task is told
_SENTENCES: Final = 2  # of the opening: who answers, and what is to be done
_MOST_WORDS: Final = 45
_LEAST_WORDS: Final = 4  # ``Be brief.`` says no purpose
_LEAST_UNSPACED: Final = 6  # characters


def extract_intent(prompt: Prompt) -> str:
    """Return the intent: the file's description with the task, else the opening sentences; empty if there are none.

    A description often names a place of use only (``one line, paste it``), so the sentence that says what to make
    follows it. A description that only names a source or the kind of file is not used, nor is a list item, a line that
    introduces an input or a list, or a prohibition.
    """
    described = plain(prompt.description)
    named = bool(described) and not _NO_INTENT.search(described) and len(described.split()) > 2
    if named and len(described.split()) > _FULL_WORDS:
        return _closed(described)
    told = [each for each in statements_of(prompt) if not each.code and each.section not in _ASIDE]
    told = [each for each in told if not _NO_INTENT.search(each.text)]
    free = [each for each in told if not each.item and not _leads(each) and not each.text.startswith("#")]
    asked = [each for each in free if not _NEGATIVE.match(each.text)]
    full = [each for each in asked if not _is_short(plain(each.text))]
    opening = _opening(full or asked or free or told, alone=not named)
    if not named:
        return " ".join(opening)
    return f"{_closed(described)} {_cut(opening[-1])}".strip() if opening else _closed(described)


def _leads(statement: Statement) -> bool:
    """Whether a sentence introduces a list or an input."""
    return statement.text.rstrip("*_ ").endswith((":", "：")) or _INTRODUCED.match(statement.text) is not None


def _is_short(text: str) -> bool:
    least = _LEAST_UNSPACED if _UNSPACED.search(text) else 0
    return len(text) < least if least else len(text.split()) < _LEAST_WORDS


def _opening(statements: Sequence[Statement], *, alone: bool) -> list[str]:
    """Return the first sentence and the one that says what to make, as far as they make no long text.

    Without such a sentence it is the first ones, only the first where they do not stand ``alone``.
    """
    first = statements[:1]
    task = next(
        (each for each in statements[:_FIRST] if MAKES.search(each.text) and not is_conditional(each.text)), None
    )
    chosen = [*first, task] if task and task not in first else statements[: _SENTENCES if alone and not task else 1]
    found: list[str] = []
    for each in chosen:
        said = _closed(plain(each.text))
        if found and alone and len(" ".join([*found, said]).split()) > _MOST_WORDS:
            break
        found.append(said)
    return found


def _cut(text: str) -> str:
    """Return a sentence, or its beginning up to a comma if it is long."""
    if len(text.split()) <= _MOST_WORDS:
        return text
    pieces = text.split(",")
    kept = pieces[0]
    for piece in pieces[1:]:
        if len(f"{kept},{piece}".split()) > _MOST_WORDS:
            break
        kept = f"{kept},{piece}"
    return _closed(kept)


def _closed(text: str) -> str:
    text = re.sub(r"\s+", " ", text).rstrip(" :;,：")
    return text if not text or text.endswith((".", "!", "?", "。", "！", "？")) else text + "."
