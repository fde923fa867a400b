"""Builds training rows for the injection model: instructions inside documents, and the same wrappers left clean."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from training.data import clean
from training.phrases import LANGUAGES, benign_twin, hidden_instruction

__all__ = ["CATEGORIES", "category", "constructed", "noisy", "window"]

CATEGORIES = ("override", "hijack", "smuggling", "extraction", "jailbreak", "indirect")
_LABELS = {
    "override": (
        "DIRECT_INJECTION",
        "INSTRUCTION_OVERRIDE",
        "PROMPT_INJECTION",
        "SYSTEM_MANIPULATION",
        "CONTROL",
        "override",
        "semantic",
    ),
    "hijack": (
        "OUTPUT_MANIPULATION",
        "RESPONSE_MANIPULATION",
        "PAYLOAD_INJECTION",
        "Goal_Hijacking",
        "Hijacking attacks",
        "CODE_EXECUTION",
    ),
    "smuggling": ("ENCODING", "ENCODING_OBFUSCATION", "TOKEN_SMUGGLING", "TOKEN_INJECTION", "obfuscated"),
    "extraction": (
        "TRAINING_EXTRACTION",
        "PROMPT_EXTRACTION",
        "SYSTEM_EXTRACTION",
        "PROMPT_LEAK",
        "MODEL_FINGERPRINTING",
        "Prompt_Leaking",
        "leakage",
    ),
    "jailbreak": (
        "JAILBREAK",
        "PERSONA_REPLACEMENT",
        "Role_Play_Instruction",
        "role_hijack",
        "Jailbreak",
        "direct_jailbreak",
    ),
    "indirect": ("RAG_POISONING", "INDIRECT_INJECTION", "AGENT_MANIPULATION"),
}
_BY_LABEL = {label: kind for kind, labels in _LABELS.items() for label in labels}
_BY_SOURCE = {s: "jailbreak" for s in ("itw_jailbreak_2023_12", "gptfuzz", "pyrit_tmpl", "self_reminder")}


def category(row: dict[str, Any]) -> int:
    """The number of the row's category, or -1 where the source does not say."""
    name = _BY_SOURCE.get(row["src"]) or _BY_LABEL.get(row.get("cat") or "")
    return CATEGORIES.index(name) if name and row["label"] else -1


def window(text: str, dice: random.Random, longest: int = 900) -> str:
    """A stretch of a long text: its start most of the time, else from anywhere."""
    if len(text) <= longest or dice.random() < 0.7:
        return text[:longest]
    start = dice.randrange(len(text) - longest)
    return text[start : start + longest]


def noisy(text: str, dice: random.Random) -> str:
    """The text with light noise: another case, a swapped pair of letters, a lost full stop."""
    kind = dice.random()
    if kind < 0.3:
        return text.upper()
    if kind < 0.5:
        return text.lower().rstrip(".!?")
    letters = list(text)
    for _ in range(max(1, len(letters) // 40)):
        i = dice.randrange(max(1, len(letters) - 1))
        if i + 1 < len(letters) and letters[i].isalpha() and letters[i + 1].isalpha():
            letters[i], letters[i + 1] = letters[i + 1], letters[i]
    return "".join(letters)


def _table(words: Sequence[str], dice: random.Random) -> str:
    width = dice.randint(3, 5)
    lines = []
    for _ in range(dice.randint(4, 10)):
        cells = [
            dice.choice([dice.choice(words)[:24], str(dice.randint(1, 2025)), f"{dice.random() * 100:.1f}%"])
            for _ in range(width)
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _mail(bodies: Sequence[str], dice: random.Random) -> str:
    name = dice.choice(["Ana", "Kenji", "Priya", "Tom", "Lucía", "Omar", "Greta", "Wei"])
    body = " ".join(dice.choice(bodies) for _ in range(dice.randint(2, 5)))
    head = f"SUBJECT: {dice.choice(bodies)[:40]}\nEMAIL_FROM: {name.lower()}@example.com"
    day = f"2024-0{dice.randint(1, 9)}-1{dice.randint(0, 9)}"
    return f"{head}\nRECEIVED DATE: {day}\nCONTENT: Hi,\n{body}\nThanks,\n{name}"


def _result(bodies: Sequence[str], dice: random.Random) -> str:
    items = [
        {"id": dice.randint(1, 99999), "title": dice.choice(bodies)[:50], "content": dice.choice(bodies)}
        for _ in range(dice.randint(1, 3))
    ]
    return json.dumps({"status": "ok", "results": items}, ensure_ascii=False)


def _document(pool: dict[str, list[str]], language: str, dice: random.Random) -> str:
    if language != "en":
        return dice.choice(pool.get(language) or pool["en"])[:700]
    kind = dice.random()
    if kind < 0.35:
        return dice.choice(pool["en"])[:800]
    if kind < 0.55:
        return _table(pool["words"], dice)
    if kind < 0.75:
        return _mail(pool["mail"], dice)
    if kind < 0.88:
        return _result(pool["mail"], dice)
    return dice.choice(pool["code"])


def _put(document: str, text: str, dice: random.Random) -> str:
    """The document with the text at its start, in its middle or at its end."""
    place = dice.random()
    if place < 0.25:
        return f"{text}\n{document}"
    if place < 0.6 and len(document) > 40:
        cuts = [i for i, c in enumerate(document) if c in "\n.。|}" and 10 < i < len(document) - 10]
        cut = dice.choice(cuts) + 1 if cuts else len(document) // 2
        return f"{document[:cut]} {text} {document[cut:]}"
    return f"{document}\n{text}"


def constructed(
    pool: dict[str, list[str]], attacks: Sequence[tuple[str, str]], count: int, seed: int = 11
) -> list[dict[str, Any]]:
    """Documents with a hidden instruction (1), and documents with a harmless addition or none (0).

    ``attacks`` are (text, source): a row made from one names that source in ``of``, so that it can be left out with it.
    """
    dice = random.Random(seed)
    found: list[dict[str, Any]] = []
    for _ in range(count):
        language = dice.choice([*LANGUAGES, *["en"] * 12])
        document = _document(pool, language, dice)
        if dice.random() < 0.55:
            own = dice.random() < 0.7 or language != "en"
            text, of = (hidden_instruction(dice, language), "") if own else dice.choice(attacks)
            found.append(
                {
                    "text": _put(document, text[:300], dice),
                    "label": 1,
                    "of": of,
                    "cat_id": CATEGORIES.index("indirect"),
                    "src": "constructed",
                    "lang": language,
                }
            )
        else:
            extra = dice.choice([benign_twin(dice), dice.choice(pool["mail"]), ""]) if language == "en" else ""
            found.append(
                {
                    "text": _put(document, extra, dice) if extra else document,
                    "label": 0,
                    "cat_id": -1,
                    "src": "constructed",
                    "lang": language,
                }
            )
    for _ in range(count // 10):
        found.append({"text": benign_twin(dice), "label": 0, "cat_id": -1, "src": "constructed_twin", "lang": "en"})
    for _ in range(count // 14):  # an instruction alone, where it speaks of the answer it wants to change
        text = hidden_instruction(dice, dice.choice([*LANGUAGES, "en", "en", "en", "en"]))
        found.append(
            {"text": text, "label": 1, "cat_id": CATEGORIES.index("indirect"), "src": "constructed_alone", "lang": "en"}
        )
    for row in found:
        row["text"] = clean(row["text"])
    return found
