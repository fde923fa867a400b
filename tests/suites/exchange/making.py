"""A small bundle with all that can be exchanged, for the tests of this folder."""

from __future__ import annotations

from typing import Any

from proctor.core.case import Case, Expectation
from proctor.core.rule import Rule
from proctor.prompts.load import parse_prompt
from proctor.suites.exchange.bundle import Bundle, case_id

PROMPT = """\
---
name: tagger
description: Names the part of speech
model:
  parameters:
    temperature: 0
inputs:
  sentence: {type: string}
  word: {type: string}
---
system:
Tag the word. Say NN, VB or Unknown and nothing else.

user:
{{sentence}} / {{ word }}
"""

LABEL = Rule(text="The answer is NN, VB or Unknown.", predicate='one of "NN", "VB", "Unknown"', kind="format")
SHORT = Rule(text="The answer is at most two words.", predicate="words <= 2", weight=2.0)
OWN = Rule(text="The answer has one line.", predicate="lines = 1")
JUDGED = Rule(text="The tag is right for the word in {{sentence}}.")
INVERSE = Rule(text="The answer explains itself.", polarity="negative", inverse_of=LABEL.id)
OFF = Rule(text="Switched off.", disabled=True)


def case(sentence: str, word: str, *rules: Rule, truth: tuple[str, float] | None = None, **more: object) -> Case:
    """A test that aims at these rules; ``truth`` is a groundtruth and its score."""
    inputs = {"sentence": sentence, "word": word}
    metadata: dict[str, Any] = {"rules": [rule.id for rule in rules], "strategy": "typical", "origin": "promptpex"}
    reference = None
    if truth is not None:
        text, score = truth
        accepted = score >= 0.8
        metadata["groundtruth"] = {"score": score, "model": "m", "accepted": accepted}
        if accepted:
            reference = text
        else:
            metadata["groundtruth"]["text"] = text
    if rules:
        metadata["polarity"] = rules[0].polarity
    return Case(
        id=case_id(inputs),
        inputs=inputs,
        expect=Expectation(reference=reference),
        metadata={**metadata, **more},
    )


def bundle(**more: Any) -> Bundle:
    """The bundle, with other parts where they are given."""
    made: dict[str, Any] = {
        "name": "tagger",
        "description": "Names the part of speech",
        "prompt": parse_prompt(PROMPT, name="tagger"),
        "file": (".prompty", PROMPT),
        "intent": "Tag a word.",
        "inputs": {"sentence": ("It is one sentence.",)},
        "rules": (LABEL, INVERSE, SHORT, OWN, JUDGED, OFF),
        "cases": (
            case("A dog barks.", "dog", LABEL, truth=("NN", 0.95)),
            case("I run, \"fast\", 'now'.\nTruly.", "run", INVERSE, truth=("VB because", 0.4)),
            case("日本語。", "語", SHORT, LABEL, reasoning="another script"),
        ),
        "baseline": (case("Base.", "Base", strategy="baseline"),),
        "models": ("openai:gpt-5", "openai:gpt-5-mini"),
    }
    return Bundle(**{**made, **more})
