"""Damage outputs that passed, to test whether any rule detects it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, islice

__all__ = ["DAMAGES", "PREAMBLE", "REMARK", "damage_output"]

PREAMBLE = "Sure! Here is what you asked for:\n\n"
REMARK = "\n\nLet me know if you need anything else!"
REFUSAL = "I'm sorry, but I can't help with that."
_GERMAN = (
    "Der alte Hafen liegt im warmen Licht des Abends und die kleinen Boote bewegen sich mit dem Wasser während die"
    " Leute an der Mauer entlang gehen und über den Tag sprechen den sie mit ihren Freunden hatten"
)
_FEWEST_WORDS = 30  # a shorter text may be too short to detect its language


def damage_output(output: str) -> dict[str, str]:
    """Return the output damaged in each way that changes it, by the name of the damage."""
    damaged = {name: change(output) for name, change in DAMAGES.items()}
    return {name: text for name, text in damaged.items() if text.strip() != output.strip()}


def _in_german(output: str) -> str:
    words = islice(cycle(_GERMAN.split()), max(_FEWEST_WORDS, len(output.split())))
    return " ".join(words) + "."


DAMAGES: dict[str, Callable[[str], str]] = {
    "emptied": lambda output: "",
    "refusal": lambda output: REFUSAL,
    "cut in half": lambda output: output[: len(output) // 2],
    "preamble": lambda output: PREAMBLE + output,
    "closing remark": lambda output: output + REMARK,
    "said twice": lambda output: f"{output}\n\n{output}",
    "in another language": _in_german,
    "words shuffled": lambda output: " ".join(sorted(output.split(), key=lambda word: (word[::-1], word))),
}
