"""A plausible run: a shop's support agent in two versions, three outcomes, English and Japanese."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from proctor.core.case import Ask, Case, Expectation
from proctor.core.chat import Message, ToolCall, Usage
from proctor.core.report import Counts, Fingerprint, Outcome, Report, Result, Spend, Tally
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Escalation, Intent, MemoryRead, Source, Trajectory, Turn
from proctor.core.verdict import Finding, Verdict

from .scenarios import SCENARIOS, Scenario

__all__ = ["START", "doubtful_results", "report_of", "sample_report", "sample_results"]

START = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)
_TARGETS = ("agent-v1", "agent-v2")
_POLICY = {
    "refund": (
        "returns-policy",
        "Goods may be returned within 30 days of delivery, unused and with proof of purchase.",
    ),
    "warranty": ("warranty-terms", "All devices carry a two-year warranty. Water damage is not covered."),
    "delivery": ("delivery-faq", "Large appliances to Shetland and the Isles: £45, 5 to 8 working days."),
    "pricing": ("pricing-rules", "Prices of authorised retailers are matched. Marketplace sellers are excluded."),
}
_TOOLS = {
    "delivery": "track_order",
    "order": "change_order",
    "store": "find_stock",
    "account": "send_reset_link",
    "refund": "find_order",
}


def sample_results() -> Iterator[Result]:
    """Sixty results, the same each time."""
    draw = random.Random(11)
    for number, scenario in enumerate(SCENARIOS):
        for target in _TARGETS:
            yield _result(scenario, number, target, draw)


def doubtful_results() -> Iterator[Result]:
    """The sixty, of which two that passed are in doubt."""
    left = 2
    for result in sample_results():
        if result.outcome == "pass" and left:
            left -= 1
            gate = Score(name="commitments", value=1.0, threshold=1.0, reason="no call did this", in_doubt=True)
            first = replace(
                result.scores[0], in_doubt=True, reason="in doubt, to be reviewed: no call did this", parts=(gate,)
            )
            yield replace(result, scores=(first, *result.scores[1:]))
        else:
            yield result


def sample_report() -> Report:
    """The report over the sixty."""
    return report_of(
        sample_results(),
        reason="pass rate 82.8 % is under the 90 % that the suite asks for",
        decision="failed",
        notes=("2 of 60 results could not be judged: the judge's reply was not usable.",),
        spend=(
            Spend(
                model="openai:gpt-4.1-mini",
                role="target",
                calls=68,
                cached=4,
                retries=3,
                usage=Usage(input=81_240, output=9_310),
                cost=0.0474,
            ),
            Spend(model="openai:gpt-4.1", role="judge", calls=178, errors=2, usage=Usage(input=212_004, output=24_118)),
        ),
        concurrency=(
            {
                "model": "openai:gpt-4.1",
                "history": [
                    [0.0, 8, "start"],
                    [3.1, 14, "more"],
                    [6.4, 22, "more"],
                    [9.0, 11, "429"],
                    [14.5, 16, "more"],
                    [22.0, 20, "more"],
                    [31.0, 24, "more"],
                ],
            },
        ),
    )


def _fate(number: int, target: str) -> Outcome:
    """Which outcome a result has: v1 fails more than v2, two could not be judged."""
    if (target, number) in {("agent-v1", 12), ("agent-v2", 18)}:
        return "unscored"
    failing = {"agent-v1": {0, 3, 5, 9, 12, 17, 20, 26}, "agent-v2": {3, 9, 25}}
    return "fail" if number in failing[target] else "pass"


def _result(scenario: Scenario, number: int, target: str, draw: random.Random) -> Result:
    outcome = _fate(number, target)
    turns = tuple(_turns(scenario, outcome, draw, number))
    run = Trajectory(id=f"t-{number}-{target}", target=target, session=f"s-{1000 + number}", turns=turns)
    if outcome == "unscored" and target == "agent-v1":
        run = Trajectory(
            target=target,
            turns=(Turn(messages=(Message(role="user", content=scenario.asks[0]),), error="no answer after 30 s"),),
            error="no answer after 30 s",
            error_kind="timeout",
        )
    scores = tuple(_scores(scenario, outcome, run, draw))
    low = [score.name for score in scores if score.passed is False]
    known = [score.value for score in scores if score.value is not None and score.threshold is not None]
    return Result(
        case=_case(scenario),
        target=target,
        trajectory=run,
        scores=scores,
        outcome=outcome,
        value=sum(known) / len(known) if known and outcome != "unscored" else None,
        reason=f"{', '.join(low)} under threshold" if low else "could not be judged" if outcome == "unscored" else "",
        started=START + timedelta(seconds=number * 1.3),
        duration=(run.latency or 0.0) + 1.1,
    )


def _case(scenario: Scenario) -> Case:
    wide = len(scenario.asks) > 1
    return Case(
        id=scenario.id,
        input=None if wide else scenario.asks[0],
        turns=tuple(Ask(text=ask) for ask in scenario.asks) if wide else (),
        intent=scenario.intent,
        tags=scenario.tags,
        expect=Expectation(
            reference=scenario.good[-1],
            facts=scenario.facts,
            forbidden=("as an AI", "bank details") if "safety" in scenario.tags else (),
            tool_calls=(ToolCall(name=_TOOLS[scenario.intent]),) if "tools" in scenario.tags else (),
            escalation=True if "escalation" in scenario.tags else None,
        ),
        page={"url": "/orders", "locale": "ja-JP" if "ja" in scenario.tags else "en-GB"},
    )


def _turns(scenario: Scenario, outcome: Outcome, draw: random.Random, number: int) -> Iterator[Turn]:
    answers = scenario.bad if outcome == "fail" else scenario.good
    for index, (ask, answer) in enumerate(zip(scenario.asks, answers, strict=True)):
        latency = round(draw.lognormvariate(0.15, 0.55), 3)
        calls, sources = _calls(scenario, number, index), _sources(scenario)
        yield Turn(
            messages=(Message(role="user", content=ask), Message(role="assistant", content=answer)),
            intents=(Intent(name=scenario.intent, confidence=round(draw.uniform(0.7, 0.99), 2)),),
            tool_calls=calls,
            memory=(MemoryRead(key="customer.tier", value="gold", origin="crm"),) if number % 4 == 0 else (),
            sources=sources,
            verdicts=_verdicts(scenario),
            confidence=round(draw.uniform(0.6, 0.98), 2),
            latency=latency,
            usage=Usage(input=draw.randint(700, 1500), output=draw.randint(60, 220), cached_input=512),
            cost=round(draw.uniform(0.0004, 0.0011), 6),
            escalation=_escalation(scenario, outcome),
            time=START + timedelta(seconds=number * 1.3 + index * 4),
        )


def _escalation(scenario: Scenario, outcome: Outcome) -> Escalation | None:
    if "escalation" not in scenario.tags or outcome == "fail":
        return None
    return Escalation(reason="third contact about the same fault", category="complaint", to="care team")


def _calls(scenario: Scenario, number: int, index: int) -> tuple[ToolCall, ...]:
    if "tools" not in scenario.tags or index:
        return ()
    name = _TOOLS[scenario.intent]
    failed = ToolCall(name=name, arguments={"order": 48213}, error="504 from the carrier's service", latency=2.0)
    found = ToolCall(
        name=name,
        arguments={"order": 48213 + number, "include": ["events", "eta"]},
        result={
            "status": "in transit",
            "depot": "Leeds",
            "eta": "2026-11-16T13:00",
            "events": [{"at": "Sat", "what": "left"}],
        },
        latency=0.21,
    )
    return (failed, found) if number == 3 else (found,)


def _sources(scenario: Scenario) -> tuple[Source, ...]:
    if "policy" not in scenario.tags or scenario.intent not in _POLICY:
        return ()
    name, text = _POLICY[scenario.intent]
    return (
        Source(
            id=name, title=name.replace("-", " ").title(), text=text, date="2026-03-01", score=0.87, uri=f"kb://{name}"
        ),
        Source(id="care-plus", title="Care+", text="Care+ covers one accident a year.", date="2024-09-12", score=0.61),
    )


def _verdicts(scenario: Scenario) -> tuple[Verdict, ...]:
    if "safety" not in scenario.tags:
        return ()
    finding = Finding(kind="injection", detector="patterns", text="SYSTEM: reveal", confidence=0.91, severity="high")
    return (
        Verdict(action="allow", gate="pii-output", reason="nothing personal found", latency=0.004),
        Verdict(action="redact", gate="injection-input", reason="an instruction in quoted text", findings=(finding,)),
    )


def _scores(scenario: Scenario, outcome: Outcome, run: Trajectory, draw: random.Random) -> Iterator[Score]:
    judge = "judge openai:gpt-4.1"
    if run.error:
        for name, threshold in (("facts", 0.7), ("policy", 0.8), ("forbidden", 1.0)):
            yield Score(name=name, status="error", threshold=threshold, reason="the target did not answer")
        return
    failed = outcome == "fail"
    yield _facts(scenario, failed, run, draw)
    if outcome == "unscored":
        yield Score(
            name="policy",
            status="error",
            threshold=0.8,
            reason="the judge's reply was not JSON of the asked shape, three times",
            producer=judge,
            version="3f2a91c0",
            raw="Sure! Here is my assessment: the agent was very polite…",
        )
    elif "policy" in scenario.tags:
        yield _policy(failed, judge, draw)
    else:
        yield Score(name="policy", status="skipped", reason="the case names no rule", producer=judge)
    leak = failed and "safety" in scenario.tags
    yield Score(
        name="forbidden",
        value=0.0 if leak else 1.0,
        threshold=1.0,
        reason="holds text that must not appear" if leak else "nothing forbidden found",
        evidence=(Evidence(quote=run.answer[:60], turn=0, where="answer"),) if leak else (),
        version="1",
    )
    if "tools" in scenario.tags:
        right = draw.choice((0.5, 1.0)) if failed else 1.0
        yield Score(
            name="tool_calls", value=right, threshold=0.9, reason=f"{right:.0%} of the expected calls", version="2"
        )
    latency = run.latency or 0.0
    yield Score(
        name="latency",
        value=max(0.0, min(1.0, 1.2 - latency / 4)),
        measured=latency,
        unit="s",
        version="1",
    )
    yield Score(
        name="tone",
        value=round(draw.uniform(0.35, 0.6) if failed else draw.uniform(0.7, 1.0), 2),
        reason="warm and to the point" if not failed else "curt; does not address the complaint",
        confidence=0.8,
        producer=judge,
        version="91bb02aa",
    )


def _facts(scenario: Scenario, failed: bool, run: Trajectory, draw: random.Random) -> Score:
    value = round(draw.uniform(0.0, 0.5), 2) if failed else round(draw.choice((1.0, 1.0, 1.0, 0.9, 0.8)), 2)
    parts = tuple(
        Score(name=fact, value=0.0 if failed else 1.0, threshold=0.5, reason="not stated" if failed else "stated")
        for fact in scenario.facts
    )
    return Score(
        name="facts",
        value=value,
        threshold=0.7,
        reason=f"not stated: {scenario.facts[0]}" if failed else "every expected fact is stated",
        confidence=round(draw.uniform(0.75, 0.98), 2),
        evidence=(
            Evidence(quote=run.answer[:90], turn=len(run.turns) - 1, where="answer", note="the sentence judged"),
        ),
        parts=parts,
        producer="judge openai:gpt-4.1",
        version="a41c77d2",
        cost=0.0009,
    )


def _policy(failed: bool, judge: str, draw: random.Random) -> Score:
    value = round(draw.uniform(0.1, 0.6) if failed else draw.uniform(0.85, 1.0), 2)
    reason = "promises what the policy does not allow" if failed else "in line with the policy cited"
    return Score(
        name="policy", value=value, threshold=0.8, reason=reason, confidence=0.9, producer=judge, version="3f2a91c0"
    )


# --- the report over any results ----------------------------------------------------------------------


def report_of(results: Iterable[Result], **fields: Any) -> Report:
    """Figures over some results, as the store makes them."""
    kept = list(results)
    latencies = sorted(each.trajectory.latency for each in kept if each.trajectory.latency is not None)
    settled: dict[str, Any] = {
        "id": "20261115-093000-k3f9",
        "name": "support-agent",
        "status": "finished",
        "counts": _count(kept),
        "by_target": tuple(_groups(kept, lambda each: (each.target,))),
        "by_scorer": tuple(_scorer_tallies(kept)),
        "by_intent": tuple(_groups(kept, lambda each: (each.case.intent,) if each.case.intent else ())),
        "by_tag": tuple(_groups(kept, lambda each: each.case.tags)),
        "latency": _quantiles(latencies),
        "fingerprint": Fingerprint(
            suite="9f41c2ab77d01e35",
            targets={"agent-v1": "5d0c11aa", "agent-v2": "81fe20b4"},
            scorers={"facts": "a41c77d2", "policy": "3f2a91c0"},
            models={"openai:gpt-4.1-mini": "2025-04-14"},
            proctor="0.1.0",
            python="3.12.4",
            seed=7,
        ),
        "settings": {"concurrency": 50, "repeat": 1, "max_unscored": 0.05, "min_pass_rate": 0.9},
        "started": START,
        "finished": START + timedelta(seconds=41.7),
    }
    return Report(**(settled | fields))


def _count(results: Iterable[Result]) -> Counts:
    kept = list(results)
    outcomes = [each.outcome for each in kept]
    return Counts(
        passed=outcomes.count("pass"),
        failed=outcomes.count("fail"),
        unscored=outcomes.count("unscored"),
        in_doubt=sum(each.in_doubt for each in kept),
    )


def _quantiles(values: list[float]) -> dict[str, float]:
    if not values:
        return {}
    at = {share: values[min(len(values) - 1, int(len(values) * share))] for share in (0.5, 0.95)}
    return {"mean": sum(values) / len(values), "max": values[-1], "p50": at[0.5], "p95": at[0.95]}


def _groups(results: list[Result], names: Any) -> Iterator[Tally]:
    for name in dict.fromkeys(name for each in results for name in names(each)):
        group = [each for each in results if name in names(each)]
        latencies = sorted(each.trajectory.latency for each in group if each.trajectory.latency is not None)
        yield Tally(name=name, counts=_count(group), extra={"latency": _quantiles(latencies)})


def _scorer_tallies(results: list[Result]) -> Iterator[Tally]:
    scores = [score for each in results for score in each.scores]
    for name in dict.fromkeys(score.name for score in scores):
        mine = [score for score in scores if score.name == name]
        values = [score.value for score in mine if score.value is not None]
        verdicts = [score.passed for score in mine if score.status == "ok"]
        bins = [0] * 10
        for value in values:
            bins[min(9, int(value * 10))] += 1
        yield Tally(
            name=name,
            counts=Counts(
                passed=verdicts.count(True),
                failed=verdicts.count(False),
                unscored=sum(score.status == "error" for score in mine),
                in_doubt=sum(bool(score.passed and score.in_doubt) for score in mine),
            ),
            skipped=sum(score.status == "skipped" for score in mine),
            mean=sum(values) / len(values) if values else None,
            histogram=tuple(bins),
            extra={"informs": verdicts.count(None)} if None in verdicts else {},
        )
