"""A step as a scorer sees it, and a score's evidence as findings in the draft."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Scorer
from proctor.core.trajectory import Intent, Trajectory, Turn
from proctor.core.verdict import Finding
from proctor.guard.step import Step

__all__ = ["LONGEST", "asked", "findings", "located", "run_of"]

LONGEST: Final = 60_000  # letters of a draft that scorers read
_QUOTE: Final = 200
_FEW: Final = 8  # words at either end by which a sentence is found again


def run_of(step: Step) -> tuple[Case, Trajectory]:
    """The session so far and the draft, as a conversation of two turns: what was known before, and this answer."""
    memory = step.memory
    words = memory.asked[-1] if memory.asked else ""
    before = Turn(tool_calls=tuple(memory.calls), sources=tuple(memory.sources))
    now = Turn(
        messages=(Message(role="user", content=words), Message(role="assistant", content=step.text[:LONGEST])),
        intents=tuple(Intent(name=name) for name in step.intents),
        sources=step.sources,
    )
    section = {} if step.section is None else {"section": step.section}
    case = Case(id=memory.session or "live", input=words, metadata=section)
    turns = (before, now) if before.tool_calls or before.sources else (now,)
    return case, Trajectory(turns=turns, session=memory.session or None, customer=memory.customer)


async def asked(scorer: Scorer, step: Step) -> Score:
    """The scorer's score of the draft.

    Raises:
        ProctorError: it could not be scored; a gate that cannot tell must not let through.
    """
    case, run = run_of(step)
    score = await scorer.score(case, run)
    if score.status == "error":
        raise ProctorError(f"{scorer.name} could not judge the draft: {score.reason[:300]}")
    return score


def findings(
    step: Step, evidence: Iterable[Evidence], detector: str, made: Callable[[Evidence], Finding | None]
) -> tuple[Finding, ...]:
    """What ``made`` makes of each piece of evidence, with its place in the draft."""
    found = []
    for each in evidence:
        finding = made(each)
        if finding is None:
            continue
        place = located(each.quote, step.text) or (None, None)
        found.append(
            Finding(
                kind=finding.kind,
                detector=detector,
                text=each.quote[:_QUOTE],
                start=place[0],
                end=place[1],
                confidence=finding.confidence,
                severity=finding.severity,
                reason=finding.reason,
                extra=finding.extra,
            )
        )
    return tuple(found)


def located(quote: str, text: str) -> tuple[int, int] | None:
    """Where a sentence stands in the draft, though marks and line breaks were taken off it or its end was cut."""
    quote = quote.removesuffix("…").strip()
    if not quote:
        return None
    at = text.find(quote)
    if at >= 0:
        return at, at + len(quote)
    words = [re.escape(word) for word in re.findall(r"\w+", quote)]
    if not words:
        return None
    read = text[: 2 * LONGEST]
    gap = r"[\W_]{1,40}" if " " in quote else r"[\W_]{0,40}"
    begin = re.search(gap.join(words[:_FEW]), read)
    if begin is None:
        return None
    end = re.compile(gap.join(words[-_FEW:])).search(read, begin.start(), begin.start() + 3 * len(quote) + 200)
    return begin.start(), end.end() if end is not None else begin.end()
