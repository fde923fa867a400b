"""One result as plain text: the causes, the question and the answer."""

from __future__ import annotations

from proctor.core.report import IN_DOUBT, Result
from proctor.report.failure_causes import causes, label
from proctor.report.safe_text import clip, visible

__all__ = ["case_text"]

_WORDS = {"pass": "passed", IN_DOUBT: "passed in doubt", "fail": "failed", "unscored": "could not be judged"}
_MAX_TEXT = 2_000


def case_text(result: Result, place: str = "") -> str:
    """Return the causes, the case, its target and the conversation; ``place`` is the case's file and line."""
    found = [] if result.outcome_word == "pass" else [_text(cause.text) for cause in causes(result)]
    case = f"case {label(result)} {_WORDS[result.outcome_word]} on {result.target}"
    lines = [*found, f"  {case} ({place})" if place else f"  {case}"]
    for message in result.trajectory.messages:
        if message.role in ("user", "assistant") and message.content:
            lines.append(f"  {message.role}: {_text(message.content)}")
    return "\n".join(lines)


def _text(text: str) -> str:
    return visible(clip(text, _MAX_TEXT)).replace("\n", "\n    ")
