"""Convert a failed conversation to a test: the questions, the known expectations, and the failed checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from proctor.core.case import Ask, Case, Check
from proctor.core.chat import Message
from proctor.core.codec import content_id
from proctor.core.report import Result
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory

__all__ = ["Provenance", "asked_in", "promoted", "same_question"]

TAG = "regression"
_MAX_REASON_CHARS = 300
_MAX_QUOTE_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a failure was seen: the run, and its suite."""

    run: str
    suite: str = ""
    when: str = ""


def promoted(
    result: Result, *, checks: Callable[[str], Check | None], where: Provenance, recording: bool = False
) -> Case:
    """Return the test made from a failed result.

    It asks the same questions, turn by turn, and has the known expectations. Its checks are those that failed, or that
    were in doubt if none failed, found by their names. Without ``recording`` the conversation itself is left out, so
    that the agent is called again; with it the test always scores the same recording.
    """
    case, run = result.case, result.trajectory
    asks = asked_in(case, run)
    failed = [score for score in result.scores if score.passed is False]
    doubts = [score for score in result.scores if score.in_doubt] if result.in_doubt else []
    own = {check.name or check.scorer: check for check in case.checks}
    found = (own.get(score.name) or checks(score.name) for score in failed or doubts)
    told = {
        "run": where.run,
        "suite": where.suite,
        "case": case.id,
        "target": result.target,
        "sample": result.sample or None,
        "session": run.session,
        "when": result.started.date().isoformat() if result.started else where.when,
        "failed": list(_findings(failed)),
        "in_doubt": list(_findings(doubts)),
    }
    alone = len(asks) == 1 and asks[0].expect is None and not asks[0].extra
    return replace(
        case,
        input=asks[0].text if alone else None,
        turns=() if alone else asks,
        history=case.history or _greeting(run),
        checks=tuple(check for check in found if check is not None),
        tags=tuple(dict.fromkeys((*case.tags, TAG))),
        description=case.description or result.reason[:_MAX_REASON_CHARS],
        recorded=run if recording else None,
        metadata={**_customer(run), "promoted": {key: value for key, value in told.items() if value}},
    )


def asked_in(case: Case, run: Trajectory) -> tuple[Ask, ...]:
    """Return the user's messages in order: from the case, with its expectations, else from the recording."""
    if case.asks:
        return case.asks
    return tuple(Ask(text=turn.asked) for turn in run.turns if turn.asked.strip())


def same_question(case: Case) -> str:
    """Return a key of what a case asks: equal keys mean the same question, whatever the id."""
    before = [[message.role, message.content] for message in case.history]
    return content_id([[ask.text for ask in case.asks], before, dict(case.inputs), dict(case.page)])


def _customer(run: Trajectory) -> Mapping[str, Any]:
    """Return the customer, since data of one customer is a leak to another."""
    return {"customer": run.customer} if run.customer else {}


def _greeting(run: Trajectory) -> tuple[Message, ...]:
    """Return the agent's messages before the user's first. System messages are left out: a new version has its own."""
    said: list[Message] = []
    for message in run.messages:
        if message.role == "user":
            break
        if message.role == "assistant" and message.content:
            said.append(Message(role="assistant", content=message.content))
    return tuple(said)


def _findings(scores: list[Score]) -> Iterator[Mapping[str, Any]]:
    """Yield what failed or was in doubt and at which turn; for a composite score, its parts that were."""
    for score in scores:
        parts = [part for part in score.parts if (part.in_doubt if score.in_doubt else part.passed is False)]
        for each in parts or [score]:
            proof = next(iter(each.evidence or score.evidence), None)
            told = {
                "check": score.name,
                "part": each.name if parts else None,
                "turn": proof.turn if proof else None,
                "reason": each.reason[:_MAX_REASON_CHARS],
                "quote": proof.quote[:_MAX_QUOTE_CHARS] if proof else None,
            }
            yield {key: value for key, value in told.items() if value not in (None, "")}
