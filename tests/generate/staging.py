"""A prompt, its rules and models that say what a test wants them to: scripted, and named so."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from proctor.core.chat import Request
from proctor.core.rule import Rule
from proctor.generate.build_case import Brief
from proctor.generate.spec import Scenario, Specification
from proctor.models.fake import ReplyRule as Asked
from proctor.models.fake import Scripted
from proctor.models.structured import Structured
from proctor.prompts.load import parse_prompt
from proctor.prompts.prompt import Prompt

TAGS = """\
---
name: Tags
inputs:
  sentence:
    type: string
  word:
    type: string
sample:
  sentence: The quick brown fox jumps over the lazy dog.
  word: jumps
---
system:
Return only the tag of the word: NN, VB or JJ.
If the word cannot be tagged, return Unknown.
user:
{{sentence}}
{{word}}
"""
NOTES = """\
---
name: Notes
---
system:
Rewrite what the user says in at most 20 words. Answer in English.
"""
ONE = Rule(
    text="The answer is one of NN, VB, JJ or Unknown.", kind="format", predicate='one of "NN", "VB", "JJ", "Unknown"'
)
TWO = Rule(text="The answer is Unknown if the word cannot be tagged.", kind="refusal")
NOT_ONE = Rule(text="The answer is none of the tags.", polarity="negative", inverse_of=ONE.id)


def prompt(text: str = TAGS) -> Prompt:
    return parse_prompt(text, name="tags")


def brief(text: str = TAGS, rules: Sequence[Rule] = (ONE, TWO, NOT_ONE), **more: Any) -> Brief:
    scenario = more.pop("scenario", Scenario())
    return Brief(prompt=prompt(text), spec=Specification(rules=tuple(rules)), scenario=scenario, **more)


def says(*replies: Any, name: str = "scripted:stage") -> Structured:
    """A model that gives these replies in order; what is no text is written as JSON."""
    texts = [each if isinstance(each, (str, Exception)) else json.dumps(each) for each in replies]
    return Structured(Scripted(replies=texts, name=name), repairs=0, fresh=0, lenient=True)


def asked(
    function: Callable[[Request], Any], seen: list[Request] | None = None, *, name: str = "scripted:stage"
) -> Structured:
    """A model that asks a function; ``seen`` gets every request."""

    def answer(request: Request) -> str:
        if seen is not None:
            seen.append(request)
        said = function(request)
        return said if isinstance(said, str) else json.dumps(said)

    return Structured(Asked(function=answer, name=name), repairs=0, fresh=0, lenient=True)
