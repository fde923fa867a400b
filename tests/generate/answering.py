"""A model for tests that answers every stage of a generation, and keeps what it was asked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from proctor.core.chat import Reply, Request, Usage
from proctor.core.codec import content_id
from proctor.core.rule import Rule, Span
from proctor.generate.dry_run_model import stand_in
from proctor.prompts.load import parse_prompt
from proctor.prompts.prompt import Prompt

TEXT = """\
---
name: Tags
inputs:
  sentence:
    type: string
sample:
  sentence: The quick brown fox jumps over the lazy dog.
---
system:
You tag sentences. Return only one word. Never apologise. Write the word in lower case.
user:
{{sentence}}
"""
QUOTES = ("Return only one word.", "Never apologise.", "Write the word in lower case.")
RULES = (
    "The answer is only one word.",
    "The answer does not apologise in any way.",
    "The answer is written in lower case.",
)
Odd = Callable[[str, Request, dict[str, Any]], dict[str, Any] | Exception]


def prompt_of(text: str = TEXT) -> Prompt:
    return parse_prompt(text, name="tags")


def rules_of(prompt: Prompt) -> tuple[Rule, ...]:
    """The rules whose words are in the prompt, as the model of the tests finds them."""
    found = []
    for text, quote in zip(RULES, QUOTES, strict=True):
        if quote in prompt.text:
            start = prompt.text.index(quote)
            found.append(Rule(text=text, kind="format", source=Span(start=start, end=start + len(quote), quote=quote)))
    return tuple(found)


class Answering:
    """Answers in the shape each stage wants; ``odd`` may put another answer, or an error, in its place."""

    def __init__(self, prompt: Prompt | None = None, *, name: str = "scripted:tests", odd: Odd | None = None) -> None:
        self.name = name
        self.prompt = prompt or prompt_of()
        self.odd = odd
        self.stages: Counter[str] = Counter()
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        stage = request.schema_name if request.schema else "prompt"
        self.stages[stage] += 1
        self.requests.append(request)
        data = stand_in(stage, request.schema or {}, content_id(request), rules_of(self.prompt))
        if self.odd is not None:
            said = self.odd(stage, request, data)
            if isinstance(said, Exception):
                raise said
            data = said
        text = "noun" if request.schema is None else json.dumps(data)
        return Reply(text=text, data=data if request.schema else None, usage=Usage(input=10, output=5), model=self.name)
