"""The chat server of these tests, answering every stage of a generation from the shape it asks for."""

from __future__ import annotations

import json
from typing import Any

from proctor.core.codec import content_id
from proctor.core.rule import Rule, Span
from proctor.generate.dry_run_model import stand_in
from tests.cli.server import ChatServer

__all__ = ["PROMPT", "GenerationServer"]

PROMPT = """\
---
name: Tags
inputs:
  sentence:
    type: string
    description: The sentence to tag.
sample:
  sentence: The quick brown fox jumps over the lazy dog.
---
system:
You tag sentences. Return only one word. Never apologise. Write the word in lower case.
user:
{{sentence}}
"""
_RULES = {
    "Return only one word.": "The answer is only one word.",
    "Never apologise.": "The answer does not apologise in any way.",
    "Write the word in lower case.": "The answer is written in lower case.",
    "Use no digits.": "The answer has no digits in it.",
}


class GenerationServer(ChatServer):
    """What it says depends on the question alone, so that the same question always gets the same answer."""

    @staticmethod
    def _judge(data: dict[str, Any], question: str) -> str:
        wanted = data["response_format"]["json_schema"]
        rules = [
            Rule(text=text, kind="format", source=Span(start=0, end=1, quote=quote))
            for quote, text in _RULES.items()
            if quote in question
        ]
        return json.dumps(stand_in(wanted["name"], wanted["schema"], content_id(data["messages"]), rules))
