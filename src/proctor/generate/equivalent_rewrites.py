"""Equivalent rewrites: slightly reworded prompts with the same meaning; tests that fail on them are noise."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from proctor.prompts.prompt import Prompt
from proctor.text.script_ranges import HIRAGANA

__all__ = ["Sham", "make_shams"]

# Quoted text and template variables stay unchanged.
_KEPT: Final = re.compile(
    r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|```.*?```|\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`|「[^」\n]*」", re.DOTALL
)
_SYNONYMS: Final = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"\bDo not\b", "Don't"),
        (r"\bdo not\b", "don't"),
        (r"\bDon['’]t\b", "Do not"),
        (r"\bdon['’]t\b", "do not"),
        (r"\bat most\b", "no more than"),
        (r"\bno more than\b", "at most"),
        (r"\bshould\b", "must"),
        (r"\bReply\b", "Respond"),
        (r"\bRespond\b", "Reply"),
        (r"\bReturn\b", "Output"),
        (r"\bOutput\b", "Return"),
        (r"\bremember\b", "keep in mind"),
        (r"\bfor example\b", "for instance"),
        (r"\bしてください", "して下さい"),
    )
)
_BULLET: Final = re.compile(r"(?m)^([ \t]*)([-*•])(?=[ \t])")
_OPENING: Final = "Please read these instructions carefully.\n\n"
_JAPANESE_OPENING: Final = "以下の指示をよく読んでください。\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sham:
    """A prompt with the same meaning as the original; ``kind`` is how its wording differs."""

    kind: str
    prompt: Prompt = field(repr=False)

    def diff(self, original: Prompt) -> str:
        """Return the change as a unified diff of the two prompts' texts."""
        lines = original.text.splitlines(), self.prompt.text.splitlines()
        return "\n".join(difflib.unified_diff(*lines, "prompt", self.kind, lineterm="", n=0))


def make_shams(prompt: Prompt) -> tuple[Sham, ...]:
    """Return the applicable rewordings: a polite first line, synonyms, other bullets and spacing."""
    return tuple(
        Sham(kind=kind, prompt=changed)
        for kind, change in (("opening", _opened), ("synonyms", _synonyms), ("layout", _laid_out))
        if (changed := _changed(prompt, change)) is not None
    )


def _changed(prompt: Prompt, change: Callable[[str], str]) -> Prompt | None:
    """Return the prompt with its first instruction message changed."""
    for number, message in enumerate(prompt.messages):
        if message.role not in ("system", "user") or not message.text.strip():
            continue
        text = change(message.text)
        if text == message.text:
            return None
        changed = dataclasses.replace(message, text=text)
        messages = (*prompt.messages[:number], changed, *prompt.messages[number + 1 :])
        return dataclasses.replace(prompt, messages=messages)
    return None


def _opened(text: str) -> str:
    return (_JAPANESE_OPENING if re.search(f"[{HIRAGANA}]{{3}}", text) else _OPENING) + text


def _synonyms(text: str) -> str:
    return "".join(piece if kept else _exchanged(piece) for kept, piece in _pieces(text))


def _exchanged(piece: str) -> str:
    """Replace each word once; a replacement is not replaced again."""
    found = sorted((match.start(), match.end(), put) for pattern, put in _SYNONYMS for match in pattern.finditer(piece))
    made, at = [], 0
    for start, end, put in found:
        if start >= at:
            made += [piece[at:start], put]
            at = end
    return "".join([*made, piece[at:]])


def _laid_out(text: str) -> str:
    turned = "".join(
        piece if kept else _BULLET.sub(lambda mark: mark[1] + ("*" if mark[2] == "-" else "-"), piece)
        for kept, piece in _pieces(text)
    )
    return turned if turned != text else re.sub(r"(?<=[.!?]) (?=[A-Z])", "  ", text)


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    at = 0
    for match in _KEPT.finditer(text):
        yield False, text[at : match.start()]
        yield True, match.group()
        at = match.end()
    yield False, text[at:]
