"""Liberties an output may take where no rule forbids them: what a reader would mind, and only a rule can prevent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

__all__ = ["Liberty", "liberties"]

Liberty = Callable[[str], str]

_MORE = "Det är inte allt som kan sägas om det, och när man har tid finns det också en hel del mer att berätta för er."
_SENTENCE_END = re.compile(r"(?<=[.!?]) +(?=\S)")


def liberties(*, may_grow: bool = True) -> Iterator[Liberty]:
    """Each changes a text a little; ``may_grow`` is false where a lower bound is to be met exactly."""
    yield lambda text: _SENTENCE_END.sub("\n\n", text, count=1)
    yield lambda text: _SENTENCE_END.sub("\n", text, count=1)
    yield lambda text: re.sub(r"\.(?=\s|$)", "?", text, count=1)
    yield lambda text: re.sub(r"\.(?=\s|$)", "!", text, count=1)
    yield lambda text: re.sub(r"(?<= )[a-z]+(?= )", "🙂", text, count=1)
    yield lambda text: re.sub(r"(?<= )[a-z]+(?= )", "7", text, count=1)
    yield lambda text: re.sub(r"(?<= )([a-z]+)(?= )", r"**\1**", text, count=1)
    yield lambda text: re.sub(r"(?<= )[a-z]{3,}(?= )", lambda word: word.group().upper(), text, count=1)
    yield lambda text: text.replace(". ", ".\n- ", 1)
    yield lambda text: re.sub(r"(?<= )[a-z]+(?= )", "sorry", text, count=1)
    if not may_grow:
        return
    yield lambda text: f"{text} {_MORE}"
    yield lambda text: f"{text} (explanation)"
    yield lambda text: f"<div>{text}</div>"
    yield lambda text: f"```\n{text}\n```"
    yield lambda text: f"{text}\n\n{_MORE}\n\n{_MORE}"
    yield lambda text: f"{text}\n\n## More\n\n1. **First**, see https://example.com/12345\n2. Second! 🙂🙂🙂"
    yield lambda text: f"{text}\n- one more thing 🙂\n- and another 7\n- would you like more? really?"
    yield lambda text: f"Answer: {text}"
    yield lambda text: f"{text}\n\nI'm sorry if this is not quite it. As an AI language model, I do my best!"
    yield lambda text: f"Sure! Here is what I came up with for you:\n\n{text}"
    yield lambda text: f"{text}\n\nLet me know if you need anything else!"
