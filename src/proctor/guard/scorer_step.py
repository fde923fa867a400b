"""Convert a step for a scorer, and a score's evidence into findings in the draft."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final, Literal

from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.errors import ProctorError
from proctor.core.fast_dataclass import fast_constructor
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Scorer
from proctor.core.trajectory import Intent, Trajectory, Turn
from proctor.core.verdict import Action, Finding
from proctor.guard.step import Step
from proctor.text.claims import LONGEST_STATEMENT, MOST_CLAIMS, statements

__all__ = ["LONGEST", "Choice", "asked", "findings", "located", "run_of", "strongest", "unread"]

Choice = Literal["flag", "block", "escalate"]  # the action on a finding; a flag lets it pass

LONGEST: Final = 60_000  # characters of a draft that scorers read
_ENDS: Final = ".!?。！？｡؟।…\n"  # every sentence ends with one of these
_MAX_QUOTE_CHARS: Final = 200
_WORD: Final = re.compile(r"[A-Za-z0-9\u00c0-\u024f]+|\w")  # a word, or one character of a script without spaces
_GAP: Final = r"[\W_]{0,40}"
_END_WORDS: Final = 8  # at either end, which locate a sentence

# Two gates build these for each part of an answer, so construction must be fast.
_case, _message, _run, _turn = (
    fast_constructor(Case),
    fast_constructor(Message),
    fast_constructor(Trajectory),
    fast_constructor(Turn),
)


def run_of(step: Step) -> tuple[Case, Trajectory]:
    """Return the session and the draft as a conversation of two turns: what was known before, and this answer."""
    memory = step.memory
    words = memory.asked[-1] if memory.asked else ""
    earlier = tuple(_message(role="user", content=each) for each in list(memory.asked)[:-1])
    before = _turn(messages=earlier, tool_calls=tuple(memory.calls), sources=tuple(memory.sources))
    now = _turn(
        messages=(_message(role="user", content=words), _message(role="assistant", content=step.text[:LONGEST])),
        intents=tuple(Intent(name=name) for name in step.intents),
        sources=step.sources,
    )
    section = {} if step.section is None else {"section": step.section}
    case = _case(id=memory.session or "live", input=words, metadata=section)
    turns = (before, now) if before.tool_calls or before.sources else (now,)
    return case, _run(turns=turns, session=memory.session or None, customer=memory.customer)


async def asked(scorer: Scorer, step: Step) -> Score:
    """Return the scorer's score of the draft.

    Raises:
        ProctorError: it could not be scored, so the gate must not let it pass.
    """
    case, run = run_of(step)
    score = await scorer.score(case, run)
    if score.status == "error":
        raise ProctorError(f"{scorer.name} could not judge the draft: {score.reason[:300]}")
    return score


def findings(
    step: Step, evidence: Iterable[Evidence], detector: str, made: Callable[[Evidence], Finding | None]
) -> tuple[Finding, ...]:
    """Return the findings that ``made`` makes of the evidence, each with its position in the draft."""
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
                text=each.quote[:_MAX_QUOTE_CHARS],
                start=place[0],
                end=place[1],
                confidence=finding.confidence,
                severity=finding.severity,
                reason=finding.reason,
                extra=finding.extra,
            )
        )
    return tuple(found)


def strongest(choices: Iterable[Choice]) -> Action:
    """Return the action that all choices together require."""
    made = set(choices)
    return "block" if "block" in made else "escalate" if "escalate" in made else "allow"


def unread(step: Step, detector: str) -> tuple[Finding, ...]:
    """Return a finding if the draft is longer than scorers read: unread text must not pass unseen."""
    long = len(step.text) > LONGEST or (
        sum(map(step.text.count, _ENDS)) >= MOST_CLAIMS
        and len(statements(step.text, most=MOST_CLAIMS + 1)) > MOST_CLAIMS
    )
    endless = len(step.text) >= LONGEST_STATEMENT and any(
        len(each.text) >= LONGEST_STATEMENT for each in statements(step.text)
    )
    if not long and not endless:
        return ()
    most = f"{LONGEST:,} letters and {MOST_CLAIMS} sentences" if long else f"{LONGEST_STATEMENT} letters of a sentence"
    reason = f"the draft is longer than is read: {most}"
    return (Finding(kind="unread", detector=detector, confidence=1.0, severity="medium", reason=reason),)


def located(quote: str, text: str) -> tuple[int, int] | None:
    """Return the span of a quoted sentence in the draft, even if marks or line breaks were removed or its end cut."""
    quote = quote.removesuffix("…").strip()
    if not quote:
        return None
    at = text.find(quote)
    if at >= 0:
        return at, at + len(quote)
    words = [re.escape(word) for word in _WORD.findall(quote)]
    if not words:
        return None
    read = text[: 2 * LONGEST]
    begin = re.search(_GAP.join(words[:_END_WORDS]), read)
    if begin is None:
        return None
    end = re.compile(_GAP.join(words[-_END_WORDS:])).search(read, begin.start(), begin.start() + 3 * len(quote) + 200)
    return begin.start(), end.end() if end is not None else begin.end()
