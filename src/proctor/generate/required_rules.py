"""The rules that a prompt demands: what the extractor finds, less what is only allowed or preferred."""

from __future__ import annotations

import re
from typing import Final

from proctor.core.rule import Rule
from proctor.generate.extract import extract_rules
from proctor.prompts.prompt import Prompt

__all__ = ["demanded_rules"]

# A sentence that only allows or prefers something is not a demand, whatever the extractor finds in the rest of it.
_ALLOWED: Final = re.compile(
    r"\b(?:may(?! not\b)|usually|mainly|roughly|preferably|rarely|hop(?:e|ing)|try not to|for example one of)\b", re.I
)
# A word of permission inside a condition allows nothing: `answer YES if it may be shown`.
_CONDITION: Final = re.compile(r"\b(?:if|when|whether|unless)\b[^,.;:]*", re.I)


def demanded_rules(prompt: Prompt) -> tuple[Rule, ...]:
    """Return the rules of a prompt that a model has to keep."""
    return tuple(
        rule
        for rule in extract_rules(prompt)
        if rule.source is None or not _ALLOWED.search(_CONDITION.sub("", rule.source.quote))
    )
