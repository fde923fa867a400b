"""The expected size of a stage's answer: the basis of plans, and of the limit that every call has."""

from __future__ import annotations

from typing import Final

__all__ = ["EXPECTED_TOKENS", "answer_limit", "most_rules_in"]

# Tokens of an answer, per requested item.
EXPECTED_TOKENS: Final = {
    "intent": 40,
    "inputs": 120,
    "rules": 60,
    "groundedness": 60,
    "opposites": 35,
    "tests": 110,
    "validity": 60,
    "expand": 300,
    "baseline": 80,
    "groundtruth": 200,
    "truth": 60,
    "specified": 200,
    "agreement": 60,
    "trace_rules": 60,
    "review_modes": 60,
    "review_tests": 40,
}
_DEFAULT_TOKENS = 60
_TIMES_EXPECTED = 4  # room for other languages, which need more tokens, and for wordy models
_LEAST_TOKENS = 200
_CHARACTERS_PER_RULE = 40  # a prompt of this length has seldom more than one rule
_ALWAYS_RULES = 8


def answer_limit(stage: str, items: int = 1) -> int:
    """Return the most tokens that an answer may have: a few times what the plan expects of it."""
    return _LEAST_TOKENS + _TIMES_EXPECTED * EXPECTED_TOKENS.get(stage, _DEFAULT_TOKENS) * max(1, items)


def most_rules_in(text: str, most: int | None) -> int:
    """Return the number of rules that a prompt can be expected to have at most."""
    found = _ALWAYS_RULES + len(text) // _CHARACTERS_PER_RULE
    return found if most is None else min(found, most)
