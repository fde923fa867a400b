"""Extract the intent of a prompt as one of its sentences."""

from __future__ import annotations

import re
from typing import Final

from proctor.generate.extract.clause_rewording import plain, reworded
from proctor.generate.extract.clauses import clauses_of
from proctor.generate.extract.statements import statements_of
from proctor.prompts.prompt import Prompt

__all__ = ["extract_intent"]

_TASK: Final = re.compile(
    r"\b(?:your|the) (?:main |only |primary )*(?:task|job|role|goal|mission|objective|purpose)\b", re.IGNORECASE
)


def extract_intent(prompt: Prompt) -> str:
    """Return the intent: the file's description, or the first command; empty if there is neither."""
    if prompt.description.strip():
        return _closed(plain(prompt.description))
    statements = [
        each for each in statements_of(prompt) if not each.code and each.section not in ("labels", "fields", "input")
    ]
    ordered = sorted(statements, key=lambda each: not _TASK.search(each.text))
    for statement in ordered:
        for clause in clauses_of(statement):
            if not clause.condition and reworded(clause.text, first=clause.first):
                return _closed(plain(statement.text))
    return _closed(plain(statements[0].text)) if statements else ""


def _closed(text: str) -> str:
    text = text.rstrip(" :;,")
    return text if not text or text.endswith((".", "!", "?", "。")) else text + "."
