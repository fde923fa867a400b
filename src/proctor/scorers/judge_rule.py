"""Judge whether one answer follows one rule: by its predicate if it has one, otherwise by judges."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

from proctor.core.case import Case
from proctor.core.chat import Message, Request
from proctor.core.codec import dumps
from proctor.core.rule import Rule, RuleVerdict
from proctor.core.score import Evidence
from proctor.core.sockets import Model
from proctor.core.trajectory import Trajectory
from proctor.scorers.ask_judge import Opinion, ask, reply_schema, total_cost
from proctor.scorers.checked_answers import Passage, passages, quoted
from proctor.scorers.judge_material import Section, collect, fence
from proctor.scorers.prompt_file import prompt_file
from proctor.text.predicates import Predicate, parse

__all__ = [
    "PREDICATE",
    "VERDICT",
    "Outcome",
    "by_judges",
    "by_predicate",
    "inputs_of",
    "outcome_of",
    "parsed",
    "request_for",
]

PREDICATE = "predicate"  # producer of a verdict decided by code
_OUTCOMES = ("ok", "err", "na")
# Precedence: err > unknown > ok > n/a.
_GRAVEST = ("err", "unknown", "ok", "na")
_REASON = 300
_TENTATIVE = "; its predicate is tentative: a judge decides, or you, with `tentative: false` in rules.yaml"

Outcome = Literal["ok", "err", "na", "unknown"]


@lru_cache(maxsize=4096)
def parsed(predicate: str) -> Predicate:
    """Parse the predicate of a rule, cached.

    Raises:
        PredicateError: it is invalid.
    """
    return parse(predicate)


def inputs_of(case: Case, run: Trajectory) -> dict[str, str]:
    """Return the prompt's inputs by name; a case without variables has one input, the user's message."""
    if case.inputs:
        return {name: value if isinstance(value, str) else dumps(value).decode() for name, value in case.inputs.items()}
    asks = case.asks
    if asks:
        return {"input": asks[min(len(run.turns) or 1, len(asks)) - 1].text}
    return {"input": run.turns[-1].asked} if run.turns and run.turns[-1].asked else {}


def by_predicate(rule: Rule, case: Case, run: Trajectory, where: Literal["answer", "every"] = "answer") -> RuleVerdict:
    """Return the verdict of the rule's predicate; with ``every``, the first answer that breaks it decides."""
    predicate = parsed(rule.predicate or "")
    inputs = inputs_of(case, run)
    found: list[tuple[Passage, Outcome, str, str]] = []
    for passage in passages(run, where):
        checked = predicate.check(passage.text, inputs=inputs)
        found.append((passage, outcome_of(rule, checked.ok, known=checked.known), checked.reason, checked.quote))
    passage, outcome, reason, quote = min(found, key=lambda each: _GRAVEST.index(each[1]))
    evidence = (Evidence(quote=quoted(quote), turn=passage.turn),) if quote and outcome == "err" else ()
    if outcome == "err" and rule.tentative:
        outcome, reason = "unknown", f"{quoted(reason, _REASON - len(_TENTATIVE))}{_TENTATIVE}"
    return RuleVerdict(
        rule=rule.id, outcome=outcome, reason=quoted(reason, _REASON), evidence=evidence, producer=PREDICATE
    )


def outcome_of(rule: Rule, ok: bool | None, *, known: bool) -> Outcome:
    """Return the outcome of a check by code; an impossible check (``known`` is false) is "unknown", not "na"."""
    if ok is None:
        return "na" if known else "unknown"
    return "ok" if ok == (rule.polarity == "positive") else "err"


async def by_judges(
    rule: Rule, case: Case, run: Trajectory, judges: Sequence[Model], request: Request | None = None
) -> RuleVerdict:
    """Return the majority verdict of the judges; unknown without judges or if they are split.

    They judge the last answer, or what ``request`` asks, with the same three outcomes.
    """
    if not judges:
        return RuleVerdict(rule=rule.id, outcome="unknown", reason="it takes a judge, and there is none")
    request = request or request_for(rule, case, run)
    opinions = await asyncio.gather(*(ask(judge, request) for judge in judges))
    votes = [_vote(opinion) for opinion in opinions]
    producer = "judge:" + "+".join(dict.fromkeys(judge.name for judge in judges))
    told: dict[str, Any] = {"rule": rule.id, "producer": producer}
    cost = total_cost(opinions)
    extra: dict[str, Any] = {} if cost is None else {"cost": cost}
    if len(judges) > 1:
        extra["votes"] = {judge.name: outcome for judge, (outcome, _) in zip(judges, votes, strict=True)}
    counted = Counter(outcome for outcome, _ in votes if outcome != "unknown").most_common()
    if not counted:
        return RuleVerdict(**told, outcome="unknown", reason=quoted(votes[0][1], _REASON), extra=extra)
    extra["agreement"] = counted[0][1] / len(judges)
    if len(counted) > 1 and counted[0][1] == counted[1][1]:
        split = ", ".join(f"{count} {outcome}" for outcome, count in counted)
        return RuleVerdict(**told, outcome="unknown", reason=f"the judges are split: {split}", extra=extra)
    chosen = counted[0][0]
    reason = next(reason for outcome, reason in votes if outcome == chosen)
    if len(judges) > 1:
        reason = f"{counted[0][1]} of {len(judges)} judges say {chosen}: {reason}"
    return RuleVerdict(**told, outcome=chosen, reason=quoted(reason, _REASON), extra=extra)


def request_for(rule: Rule, case: Case, run: Trajectory) -> Request:
    """Build the judge's request: the input, the rule and the answer, fenced."""
    prompt = prompt_file("rule")
    material, code = fence(_sections(rule, case, run))
    polarity = prompt.fill("must" if rule.polarity == "positive" else "must not")
    messages = (
        Message(role="system", content=prompt.fill("system")),
        Message(role="user", content=prompt.fill("user", material=material, code=code, polarity=polarity)),
    )
    return Request(messages=messages, schema=VERDICT, schema_name="verdict")


def _sections(rule: Rule, case: Case, run: Trajectory) -> list[Section]:
    """Return the judge's sections. A prompt's inputs appear by name; the prompt around them is not judged."""
    before = collect(case, run, ("history", "tool_calls", "answer"))
    asked: list[Section] = [(f"input {name}", text) for name, text in inputs_of(case, run).items()]
    if len(asked) == 1:
        asked = [("input", asked[0][1])]
    return [*before[:-1], *asked, ("rule", rule.text), before[-1]]


def _vote(opinion: Opinion) -> tuple[Outcome, str]:
    """Return one judge's outcome and reason; an outcome other than the three is unknown."""
    if opinion.failure is not None:
        return "unknown", opinion.failure
    if opinion.verdict not in _OUTCOMES:
        return "unknown", f"the judge's verdict {quoted(repr(opinion.verdict), 60)} is none of ok, err, na"
    return opinion.verdict, opinion.reason


VERDICT = reply_schema({"type": "string", "enum": list(_OUTCOMES)})
