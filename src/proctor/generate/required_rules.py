"""Select the rules that a prompt requires, without what it only allows or prefers."""

from __future__ import annotations

import re
from typing import Final

from proctor.core.rule import Rule
from proctor.generate.extract import extract_rules
from proctor.prompts.prompt import Prompt

__all__ = ["demanded_rules"]

# A sentence that only allows or prefers something is not a requirement, whatever else it contains.
_ALLOWED: Final = re.compile(
    r"\b(?:may(?! not\b)|usually|mainly|roughly|preferably|rarely|hop(?:e|ing)|try not to|for example one of)\b", re.I
)
# A permission inside a condition does not count: `answer YES if it may be shown`.
_CONDITION: Final = re.compile(r"\b(?:if|when|whether|unless)\b[^,.;:]*", re.I)


def demanded_rules(prompt: Prompt) -> tuple[Rule, ...]:
    """Return the rules of a prompt that a model has to follow."""
    return tuple(
        rule
        for rule in extract_rules(prompt)
        if rule.source is None or not _ALLOWED.search(_CONDITION.sub("", rule.source.quote))
    )
