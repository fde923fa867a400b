"""Phrases written for training: instructions hidden in documents, and harmless twins that share their words."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

__all__ = ["LANGUAGES", "benign_twin", "hidden_instruction"]

LANGUAGES = ("ja", "zh", "es", "de", "fr", "ar", "hi")
SLOTS = {"topic": "topic", "brand": "brand", "tone": "tone", "lang": "lang", "site": "site", "secret": "secret"}


@cache
def _wording(name: str) -> tuple[str, ...]:
    file = Path(__file__).parent / "wording" / f"{name}.txt"
    return tuple(file.read_text(encoding="utf-8").splitlines())


def _fill(phrase: str, dice: random.Random) -> str:
    for slot, file in SLOTS.items():
        phrase = phrase.replace("{" + slot + "}", dice.choice(_wording(f"slot.{file}")))
    return phrase


def hidden_instruction(dice: random.Random, language: str = "en") -> str:
    """An instruction to the model that has no business in a document."""
    name = f"hidden.{language if language in LANGUAGES else 'en'}"
    return _fill(dice.choice(_wording(name)), dice)


def benign_twin(dice: random.Random) -> str:
    """A harmless message that uses the words attacks use."""
    return _fill(dice.choice(_wording("twins.en")), dice)
