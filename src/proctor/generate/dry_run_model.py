"""A stand-in model that answers each question of a generation in the right format, for dry runs.

Its answers are never kept or shown: only the number of questions and their size count.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proctor.core.chat import Reply, Request
from proctor.core.codec import content_id
from proctor.core.rule import Rule

__all__ = ["Rehearsal", "stand_in"]

_STARTS = (*"bcdfghjklmnprstvwz", "br", "ch", "dr", "fl", "gr", "pl", "sh", "st", "tr")
_VOWELS = (*"aeiou", "ai", "ea", "oo")
_TESTS_A_RULE = 12
_BASELINE = 60


@dataclass(slots=True, kw_only=True)
class Rehearsal:
    """Counts questions by stage, and their characters."""

    name: str
    rules: Sequence[Rule] = ()
    calls: Counter[str] = field(default_factory=Counter)
    characters: Counter[str] = field(default_factory=Counter)
    items: Counter[str] = field(default_factory=Counter)

    async def complete(self, request: Request) -> Reply:
        """Return an answer in the right format."""
        stage = request.schema_name
        data = stand_in(stage, request.schema or {}, content_id(request), self.rules)
        self.calls[stage] += 1
        self.characters[stage] += sum(len(message.content) for message in request.messages)
        self.characters[stage] += len(json.dumps(request.schema)) if request.schema else 0
        self.items[stage] += _size(stage, request.schema or {})
        return Reply(text=json.dumps(data), data=data, model=self.name)


def stand_in(stage: str, schema: Mapping[str, Any], key: str, rules: Sequence[Rule] = ()) -> dict[str, Any]:
    """Return data that a stage accepts; it depends only on ``key``."""
    # Not for secrets: reproducible words that differ between questions.
    dice = random.Random(hashlib.sha256(key.encode()).digest())  # noqa: S311
    made: dict[str, Any] = {}
    if stage == "intent":
        made = {"intent": f"It answers {_phrase(dice, 6)}."}
    elif stage == "inputs":
        made = {"inputs": [_input(name, dice) for name in _names(schema, "inputs", "name")]}
    elif stage == "rules":
        made = {"rules": [_rule(rule) for rule in rules]}
    elif stage == "opposites":
        names = _names(schema, "opposites", "rule")
        made = {"opposites": [{"rule": name, "text": f"The answer is {_phrase(dice, 6)}."} for name in names]}
    elif stage in ("tests", "baseline"):
        made = {"tests": _tests(stage, schema, dice)}
    elif stage == "expand":
        made = {"inputs": _values(schema["properties"]["inputs"], dice, words=120)}
    elif stage == "truth":
        made = {"reason": "It does.", "score": 100}
    else:
        verdicts = schema.get("properties", {}).get("verdict", {}).get("enum") or ["ok"]
        made = {"reason": "It does.", "verdict": verdicts[0]}
    return made


def _size(stage: str, schema: Mapping[str, Any]) -> int:
    """Return how many items a question asks for, by its schema: rules that need tests or opposites, inputs."""
    places = {"tests": ("tests", "rule"), "opposites": ("opposites", "rule"), "inputs": ("inputs", "name")}
    return len(_names(schema, *places[stage])) if stage in places else 1


def _names(schema: Mapping[str, Any], name: str, key: str) -> list[str]:
    return list(schema["properties"][name]["items"]["properties"][key]["enum"])


def _rule(rule: Rule) -> dict[str, Any]:
    quote = rule.source.quote if rule.source is not None else ""
    return {"text": rule.text, "quote": quote, "kind": rule.kind or "content", "predicate": rule.predicate or ""}


def _input(name: str, dice: random.Random) -> dict[str, Any]:
    return {"name": name, "description": f"The {name}.", "statements": [f"It is {_phrase(dice, 5)}."], "values": []}


def _tests(stage: str, schema: Mapping[str, Any], dice: random.Random) -> list[dict[str, Any]]:
    item = schema["properties"]["tests"]["items"]["properties"]
    if stage == "baseline":
        return [{"inputs": _values(item["inputs"], dice)} for _ in range(_BASELINE)]
    strategies = item["strategy"]["enum"]
    return [
        {
            "rule": name,
            "strategy": strategies[number % len(strategies)],
            "why": _phrase(dice, 5),
            "inputs": _values(item["inputs"], dice),
        }
        for name in item["rule"]["enum"]
        for number in range(_TESTS_A_RULE)
    ]


def _values(schema: Mapping[str, Any], dice: random.Random, *, words: int = 14) -> dict[str, Any]:
    return {name: _value(each, dice, words) for name, each in schema["properties"].items()}


def _value(schema: Mapping[str, Any], dice: random.Random, words: int) -> Any:
    if schema.get("enum"):
        return dice.choice(list(schema["enum"]))
    kind = schema.get("type")
    if kind in ("number", "integer"):
        return dice.randrange(10_000)
    if kind == "boolean":
        return dice.random() < 0.5
    if kind == "array":
        return [_phrase(dice, 3), _phrase(dice, 3)]
    if kind == "object":
        return {"text": _phrase(dice, words)}
    return _phrase(dice, words).capitalize() + "."


def _phrase(dice: random.Random, words: int) -> str:
    return " ".join(_word(dice) for _ in range(words))


def _word(dice: random.Random) -> str:
    """Return a made-up word: with so many possible words no two texts are similar."""
    return "".join(dice.choice(_STARTS) + dice.choice(_VOWELS) for _ in range(dice.randint(1, 3)))
