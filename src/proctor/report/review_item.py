"""One item of the review queue as text: its facts, and for a gate's decision the verdict of each gate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from proctor.core.event import Event
from proctor.report.number_format import milliseconds, moment
from proctor.report.safe_text import one_line, visible
from proctor.text.word_diff import word_diff

__all__ = ["case_text", "change_lines", "decision_text", "item_text"]

_LONGEST = 4_000
_BY_TURN = ("question", "answer", "answer before", "what changed")


def item_text(facts: Mapping[str, str]) -> str:
    """Return the known facts, one per line."""
    return "\n".join(f"{name:<8} {one_line(value, 300)}" for name, value in facts.items() if value)


def decision_text(event: Event) -> str:
    """Return a recorded decision; its texts were masked before they were stored."""
    told = event.metadata
    facts = {
        "time": moment(event.time),
        "session": event.session or "",
        "intent": event.intent or "",
        "mode": str(told.get("mode") or ""),
        "tool": str(told.get("tool") or ""),
    }
    lines = [item_text(facts)]
    if (call := told.get("call")) and call.get("arguments"):
        lines.append(f"called with {one_line(str(call['arguments']), _LONGEST)}")
    if text := told.get("text"):
        lines += ["", *_indented(str(text))]
    if event.verdict is not None and event.verdict.text is not None:
        lines += ["", "what went on:", *_indented(event.verdict.text)]
    lines.append("")
    for part in told.get("parts", ()):
        lines += _part(part)
    return "\n".join(lines)


def case_text(sections: Mapping[str, Sequence[str]]) -> str:
    """Return the texts to judge a case by, section by section; turns of a conversation are numbered."""
    lines: list[str] = []
    for title, texts in sections.items():
        if not texts:
            continue
        lines += ["", f"{title}:"]
        for number, text in enumerate(texts, start=1):
            lines += [f"  turn {number}"] if len(texts) > 1 and title in _BY_TURN else []
            lines += _indented(text)
    return "\n".join(lines)


def change_lines(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """Return the answers of each turn as one text: ``[-gone-]`` and ``{+new+}``; nothing without an answer before."""
    if not before or not after:
        return ()
    marks = {"same": "{}", "gone": "[-{}-]", "new": "{{+{}+}}"}
    made = []
    for old, new in zip_longest(before, after, fillvalue=""):
        if old == new:
            made.append("the same answer")
        else:
            pieces = word_diff(old[:_LONGEST], new[:_LONGEST])
            made.append("".join(marks[piece.op].format(piece.text) for piece in pieces))
    return tuple(made)


def _part(part: Mapping[str, Any]) -> Iterator[str]:
    marks = "".join(f", {mark}" for mark in ("broken", "shadow", "borderline") if part.get(mark))
    why = f": {one_line(str(part['reason']), 300)}" if part.get("reason") else ""
    yield f"{part.get('gate', '')} ({milliseconds(part.get('latency'))}{marks}) {part.get('action', '')}{why}"
    for found in part.get("findings", ()):
        sure = f" {found['confidence']:.2f}" if found.get("confidence") is not None else ""
        quote = f" “{one_line(str(found['text']), 200)}”" if found.get("text") else ""
        yield f"  {found.get('kind', '')}{sure}{quote}"


def _indented(text: str) -> Iterator[str]:
    for line in visible(text[:_LONGEST]).splitlines() or [""]:
        yield f"  {line}"
    if len(text) > _LONGEST:
        yield f"  … {len(text) - _LONGEST:,} more characters"
