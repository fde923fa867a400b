"""Whether a test is about what its prompt is for, and whether it meets the condition of its rule; unknown is None."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from proctor.core.case import Case
from proctor.core.generated_test import GeneratedTest
from proctor.core.rule import Rule
from proctor.generate.build_case import input_specs, inputs_of
from proctor.generate.offline.sample_texts import bank
from proctor.generate.offline.topic import content_words, domain_words, takes_any_text
from proctor.generate.offline.values import is_text
from proctor.prompts.prompt import Prompt

__all__ = ["condition_of", "is_on_topic", "meets_condition"]

_BY_CODE: Final = "extractor"
_CONDITION: Final = re.compile(
    r"^(?:if|when|whenever|unless|in case|once)\b(?P<first>[^,]{3,300})(?:,|:)|\b(?:if|when|"
    r"whenever|unless)\b(?P<last>[^,.]{3,200})\.?$|"
    r"^(?:wenn|falls|si|se|quando|lorsque|cuando|caso)\b(?P<other>[^,]{3,300}),|^(?:如果|若|如遇|"
    r"当)(?P<han>[^，,]{2,80})[，,]|^(?:for|bei|für|pour|para|per|bij)\b(?P<case>[^,:]{3,80}):|"
    r"^(?P<kana>[^、。]{2,80}?)(?:場合|とき|たら)(?:は|には|に)?、",
    re.IGNORECASE,
)
_LEAST_WORDS: Final = 3


def is_on_topic(prompt: Prompt, case: Case) -> bool | None:
    """Return whether the input suits the prompt; None where only a reader or a model could tell."""
    made = GeneratedTest.of(case)
    if made.is_by_person or made.strategy == "sample":
        return True
    if made.valid is False:
        return False
    texts = [spec for spec in input_specs(prompt) if is_text(spec)]
    if not texts or all(takes_any_text(prompt, spec) for spec in texts):
        return True
    if made.valid and made.origin != _BY_CODE:  # a model wrote it, and a judge held it against the prompt
        return True
    said = " ".join(str(value) for value in inputs_of(case).values())
    words = set(content_words(said))
    if words & set(domain_words(prompt)) or len(words & _own(prompt.text)) >= _LEAST_WORDS - 1:
        return True
    return False if made.origin == _BY_CODE and _from_bank(said) else None


def condition_of(rule: Rule) -> str:
    """Return the condition under which a rule holds; empty if it holds always."""
    match = _CONDITION.search(rule.text)
    return next((group.strip() for group in match.groups() if group), "") if match else ""


def meets_condition(rule: Rule, case: Case) -> bool | None:
    """Return whether the input has words of the rule's condition; None where it has none: only a reader could tell."""
    condition = condition_of(rule)
    if not condition:
        return None
    said = " ".join(str(value) for value in inputs_of(case).values()).lower()
    wanted = set(content_words(condition)) or set(re.findall(r"[^\W\d_]{4,}", condition.lower()))
    return True if any(word in said for word in wanted if len(word) > 2) else None


@cache
def _own(text: str) -> frozenset[str]:
    return frozenset(content_words(text))


def _from_bank(said: str) -> bool:
    return any(_head(passage.text) in said for passage in bank())


def _head(text: str) -> str:
    return " ".join(text.split()[:4])
