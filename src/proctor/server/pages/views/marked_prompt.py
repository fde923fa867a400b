"""The text of a prompt with the source of each rule marked in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proctor.core.rule import Rule
from proctor.report.evidence_marks import MarkState, Quotation, mark_text
from proctor.server.pages.views.marked_turns import MarkedText, ShownPiece

if TYPE_CHECKING:
    from proctor.prompts.prompt import Prompt
    from proctor.workflows.generate.prompt_files import PromptRules

__all__ = ["MarkedMessage", "marked_prompt", "place_of_rule"]


@dataclass(frozen=True, slots=True)
class MarkedMessage:
    """One message of a prompt: its role and its text in pieces."""

    role: str
    text: MarkedText


def marked_prompt(
    read: PromptRules, numbers: Mapping[str, int], states: Mapping[str, MarkState]
) -> list[MarkedMessage]:
    """Return the messages of a prompt; a piece belongs to the rules that were read from it."""
    rules = {numbers[rule.id]: rule for rule in read.rules}
    spans = []
    for number, rule in rules.items():
        if (place := place_of_rule(read.prompt, rule)) is not None:
            spans.append((*place, Quotation(number=number, score=rule.text, state=states[rule.id], text="")))
    made, start = [], 0
    for message in read.prompt.messages:
        end = start + len(message.text)
        inside = [
            (max(first, start) - start, min(last, end) - start, mark)
            for first, last, mark in spans
            if first < end and last > start
        ]
        made.append(MarkedMessage(message.role, MarkedText(_pieces(message.text, inside, rules))))
        start = end + len("\n\n")
    return made


def place_of_rule(prompt: Prompt, rule: Rule) -> tuple[int, int] | None:
    """Return where a rule stands in the prompt's text now; its quotation is looked for if the text has moved."""
    source = rule.source
    if source is None:
        return None
    text = prompt.text
    if source.quote and text[source.start : source.end] != source.quote:
        at = text.find(source.quote)
        return None if at < 0 else (at, at + len(source.quote))
    return (source.start, min(source.end, len(text))) if source.start < min(source.end, len(text)) else None


def _pieces(text: str, spans: Sequence[tuple[int, int, Quotation]], rules: Mapping[int, Rule]) -> list[ShownPiece]:
    made = []
    for piece in mark_text(text, spans):
        title = "; ".join(f"R{number}: {rules[number].text}" for number in piece.marks)
        made.append(ShownPiece(piece.text, piece.state, title[:400], tuple(f"r{number}" for number in piece.begins)))
    return made
