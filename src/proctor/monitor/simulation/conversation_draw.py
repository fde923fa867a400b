"""Draw one conversation: its turns, gate decisions, scores, hand-off, rating, outcome, and a repeated contact."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from math import exp, inf, log
from random import Random
from typing import Final, NamedTuple

from proctor.core.chat import Message
from proctor.core.event import Event, EventKind
from proctor.core.handoff import CATEGORIES
from proctor.core.trajectory import Source, Turn
from proctor.core.verdict import Finding, Verdict
from proctor.monitor.simulation.scenario import IntentTraffic, TrafficScenario
from proctor.monitor.simulation.traffic_topic import ATTACKS, FOLLOW_UPS, REFUSALS, WORDS, TrafficTopic
from proctor.monitor.simulation.traffic_truth import ConversationTruth, TrafficTruth, TrueState

__all__ = ["CONCENTRATION", "ConversationDraw", "Visit", "stated_confidence"]

CONCENTRATION: Final = 8.0  # of the beta distribution of how likely an answer is right
_CAUSES: Final = (0.35, 0.2, 0.2, 0.1, 0.15)  # of hand-offs, in the order of CATEGORIES
_CSAT_SOLVED: Final = (0.02, 0.04, 0.14, 0.35, 0.45)
_CSAT_UNSOLVED: Final = (0.35, 0.3, 0.2, 0.1, 0.05)
_LATENCY_SPREAD: Final = 0.5
_BLOCK: Final = Verdict(
    action="block",
    gate="input",
    by="injection",
    reason="the message tries to change the agent's instructions",
    findings=(Finding(kind="injection", detector="injection", confidence=0.97, severity="high"),),
)
_PASSED: Final = {"passed": True, "confidence": 0.95}
_FAILED: Final = {"passed": False, "confidence": 0.9}
_DECLINED = 0.1
_REOPENED = 0.05
_CALLS = 0.3  # of customers whose cancellation went wrong take the phone
_MARGIN = 60.0  # no event so close to the end of a window that a rounded time decides
Sent = tuple[float, EventKind, str]


class Visit(NamedTuple):
    """A conversation that begins at a second of the scenario: who comes, and with what."""

    second: float
    id: str
    customer: str
    intent: IntentTraffic
    topic: TrafficTopic
    language: str
    item: str
    number: str
    repeat_of: str = ""


def stated_confidence(right: float, temperature: float) -> float:
    """Return the confidence that is stated for an answer which is right with this probability."""
    right = min(max(right, 1e-4), 1 - 1e-4)
    return round(1.0 / (1.0 + exp(-temperature * log(right / (1.0 - right)))), 4)


class _Went:
    """How a conversation went so far."""

    __slots__ = ("attacked", "failed", "followed", "last", "stopped", "turns", "wrong")

    def __init__(self) -> None:
        self.turns = self.wrong = self.failed = 0
        self.attacked = self.followed = self.stopped = False
        self.last = 0.0


class ConversationDraw:
    """Draws conversations of a scenario; ``returns`` are the repeated contacts to come, by their second."""

    def __init__(self, scenario: TrafficScenario, rng: Random, truth: TrafficTruth) -> None:
        """Draw from this source, and tell the truth there."""
        self.scenario = scenario
        self.truth = truth
        self.returns: list[tuple[float, int, Visit]] = []
        self._rng = rng
        self._numbers = count()
        self._start: datetime = scenario.start
        self._releases = sorted(scenario.releases, key=lambda each: each.at_hour)
        self._latency = {each.name: log(each.latency) for each in scenario.intents}

    def events(self, visit: Visit) -> Iterator[tuple[float, Event]]:
        """Yield a conversation's events, each with its second, in no particular order."""
        scenario, rng, intent = self.scenario, self._rng, visit.intent
        if scenario.is_silent(visit.second / 3600, intent.name):
            self.truth.dropped += 1
            return
        version, model = self._released(visit.second / 3600)
        went = _Went()
        scored = rng.random() < scenario.scored
        more = 1.0 - 1.0 / max(intent.turns, 1.0)  # geometric, with the mean of the intent
        second, first = visit.second, 0.0
        while True:
            yield from self._turn(visit, went, second, version, model, scored)
            first = first or went.last
            if went.stopped or rng.random() >= more:
                break
            second = went.last + rng.expovariate(1 / 40.0) + 2.0
            if scenario.is_silent(second / 3600, intent.name):
                break
        cause = self._cause(visit, went, version)
        base = intent.solved * (0.35 if went.wrong else 1.0) * (0.5 if cause else 1.0)
        solved = not went.attacked and rng.random() < base
        same = {"session": visit.id, "customer": visit.customer, "intent": intent.name}
        if cause:
            what = {"reason": cause.replace("_", " ")}
            at = went.last + 0.5
            yield at, self._event("escalation", at, f"{visit.id}.e", name=cause, metadata=what, model=model,
                                  version=version, source=scenario.source, **same)  # fmt: skip
        csat = self._rating(solved) if rng.random() < scenario.csat else None
        if csat is not None:
            at = went.last + 60.0 + rng.random() * 540.0
            yield at, self._event("csat", at, f"{visit.id}.c", value=float(csat), version=version, model=model,
                                  source=scenario.source, metadata={"scale": 5}, **same)  # fmt: skip
        repeated = self._comes_again(visit, went.last, solved)
        state, sent = _drawn_outcome(
            intent, rng, began=first, ended=went.last, solved=solved, escalated=bool(cause), repeated=repeated
        )
        for number, (at, kind, name) in enumerate(sent):
            yield at, self._event(kind, at, f"{visit.id}.o{number}", name=name, source="backend",
                                  metadata={"topic": visit.topic.id}, **same)  # fmt: skip
        told = ConversationTruth(
            visit.id, visit.customer, intent.name, visit.topic.id, visit.language, version, model,
            self._start.timestamp() + visit.second, went.turns, went.wrong, went.failed, went.attacked, went.followed,
            solved, cause, csat, state, visit.repeat_of,
        )  # fmt: skip
        self.truth.add(told, int(visit.second // 86_400))

    def _turn(
        self, visit: Visit, went: _Went, second: float, version: str, model: str, scored: bool
    ) -> Iterator[tuple[float, Event]]:
        """Yield one turn with what the guard and the scorers said of it."""
        scenario, rng, intent, hour = self.scenario, self._rng, visit.intent, second / 3600
        name = intent.name
        went.turns += 1
        number = went.turns
        same = {"session": visit.id, "customer": visit.customer, "intent": name, "model": model, "version": version,
                "source": scenario.source}  # fmt: skip
        slow = scenario.factor_at("latency", hour, name, version)
        latency = exp(rng.gauss(self._latency[name], _LATENCY_SPREAD)) * slow
        at = went.last = second + latency
        broken = rng.random() < scenario.error_rate(hour, name, version)
        attack = rng.random() < scenario.injection * scenario.factor_at("injection", hour, name, version)
        caught = rng.random() < scenario.caught if attack else rng.random() < scenario.false_stops
        right = rng.betavariate(CONCENTRATION * (1 - intent.hallucination), CONCENTRATION * intent.hallucination)
        worse = scenario.factor_at("hallucination", hour, name, version, visit.topic.id)
        odds = 1.0 if worse == inf else (1.0 - right) * worse
        answered = not broken and not attack and not caught
        wrong = answered and rng.random() < odds
        followed = attack and not caught and not broken and rng.random() < scenario.followed
        confidence = stated_confidence(right, scenario.temperature_at(hour))
        pick = rng.random()  # drawn also without texts, so that everything else stays the same
        said = _messages(visit, number, pick, attack, caught, wrong, followed, broken) if scenario.texts else ()
        turn = Turn(
            messages=said,
            sources=_sources(visit) if answered and scenario.texts else (),
            confidence=confidence if answered else None,
            latency=round(latency, 4),
            cost=0.0004,
            error="the model did not answer in time" if broken else None,
        )
        meta = {"topic": visit.topic.id, "language": visit.language}
        yield at, self._event("turn", at, f"{visit.id}.t{number}", turn=turn, metadata=meta, **same)
        if caught:
            asked = {"text": turn.asked} if scenario.texts else {}
            before = second + 0.02
            yield before, self._event("gate", before, f"{visit.id}.g{number}", name="input", verdict=_BLOCK,
                                      metadata=asked, **same)  # fmt: skip
        failed = False
        if scored and answered:
            failed = rng.random() < (scenario.sensitivity if wrong else 1.0 - scenario.specificity)
            yield self._score(visit, at, number, scenario.score, failed, same)
        if scored and attack and not caught and not broken:
            yield self._score(visit, at, number, "injection_followed", followed, same)
        went.wrong += wrong
        went.failed += failed
        went.attacked |= attack
        went.followed |= followed
        went.stopped |= broken or caught
        if self.truth.incidents:
            bad = {"hallucination": wrong, "injection": attack, "latency": True, "errors": broken}
            for each in self.truth.incidents:
                if each.incident.touches(hour, name, version, visit.topic.id):
                    each.saw(visit.id, bad=bad.get(each.incident.kind, False))

    def _score(
        self, visit: Visit, second: float, number: int, name: str, failed: bool, same: dict[str, str]
    ) -> tuple[float, Event]:
        rng = self._rng
        at = second + 0.5 + 2.0 * rng.random()
        value = round(0.4 * rng.random() if failed else 0.8 + 0.2 * rng.random(), 3)
        kind = "s" if name == self.scenario.score else "i"
        told = self._event("score", at, f"{visit.id}.{kind}{number}", name=name, value=value,
                           metadata={**(_FAILED if failed else _PASSED), "turn": number - 1}, **same)  # fmt: skip
        return at, told

    def _event(self, kind: str, second: float, id: str, **fields: object) -> Event:
        return Event(kind=kind, time=self._start + timedelta(seconds=second), id=id, **fields)  # type: ignore[arg-type]

    def _released(self, hour: float) -> tuple[str, str]:
        version, model = self.scenario.version, self.scenario.model
        for each in self._releases:
            if each.at_hour <= hour and (each.share >= 1.0 or self._rng.random() < each.share):
                version, model = each.version, each.model or model
        return version, model

    def _cause(self, visit: Visit, went: _Went, version: str) -> str:
        """Return why the conversation was handed to a person; empty if it was not."""
        rate = visit.intent.escalation
        rate *= self.scenario.factor_at("escalation", visit.second / 3600, visit.intent.name, version)
        if self._rng.random() >= rate:
            return ""
        return self._rng.choices(CATEGORIES, weights=_CAUSES)[0]

    def _rating(self, solved: bool) -> int:
        return self._rng.choices((1, 2, 3, 4, 5), weights=_CSAT_SOLVED if solved else _CSAT_UNSOLVED)[0]

    def _comes_again(self, visit: Visit, ended: float, solved: bool) -> bool:
        """Schedule the same customer's next contact about the same thing, if there is one."""
        rng = self._rng
        if solved or rng.random() >= visit.intent.repeat:
            return False
        second = ended + min(2_400.0 + rng.expovariate(1 / 18_000.0), 80_000.0)
        if second >= self.scenario.hours * 3600 or self.scenario.is_silent(second / 3600, visit.intent.name):
            return False
        heapq.heappush(self.returns, (second, next(self._numbers), visit._replace(second=second, repeat_of=visit.id)))
        return True


def _filled(text: str, visit: Visit) -> str:
    if "{" not in text:
        return text
    return text.replace("{item}", visit.item or visit.number).replace("{number}", visit.number)


def _messages(
    visit: Visit, number: int, pick: float, attack: bool, caught: bool, wrong: bool, followed: bool, broken: bool
) -> tuple[Message, ...]:
    language, topic = visit.language, visit.topic
    usual = topic.asks[language] if number == 1 else FOLLOW_UPS[language]
    asks = ATTACKS[language] if attack else usual
    asked = Message(role="user", content=_filled(asks[int(pick * len(asks))], visit))
    if broken:
        return (asked,)
    if caught:
        said = REFUSALS[language]
    elif attack:
        said = WORDS["obeyed"][language] if followed else REFUSALS[language]
    else:
        said = _filled((topic.wrong if wrong else topic.right)[language], visit)
    return (asked, Message(role="assistant", content=said))


def _sources(visit: Visit) -> tuple[Source, ...]:
    topic = visit.topic
    return (Source(id=topic.source, text=_filled(topic.right[visit.language], visit)),) if topic.source else ()


def _drawn_outcome(
    intent: IntentTraffic,
    rng: Random,
    *,
    began: float,
    ended: float,
    solved: bool,
    escalated: bool,
    repeated: bool,
) -> tuple[TrueState, list[Sent]]:
    """Return the state of the task by the rules of `monitor/completion_rules.py`, and the events that tell it."""
    if intent.ends == "repeat":
        return ("not completed" if repeated else "completed"), []
    window = intent.within_hours * 3600.0
    since_end = bool(intent.declined)  # a cancellation counts from the last message, the others from the first
    deadline = (ended if since_end else began) + window
    sent: list[Sent] = []
    in_time = False
    if solved:
        at = ended + 5.0 + rng.expovariate(4.0 / window)
        if abs(at - deadline) < _MARGIN:
            at = deadline - _MARGIN
        in_time = at <= deadline
        name = intent.declined if intent.declined and rng.random() < _DECLINED else intent.outcome
        sent.append((at, "outcome", name))
    if intent.reopened:
        undone = in_time and rng.random() < _REOPENED
        if undone:
            at = min(sent[0][0] + 3_600.0, deadline - 1.0)
            sent.append((max(at, sent[0][0] + 0.1), "outcome", intent.reopened))
        return ("completed" if in_time and not undone else "not completed"), sent
    if since_end:
        if not solved and rng.random() < _CALLS:
            sent.append((ended + 300.0 + rng.random() * (window - 600.0), "contact", "phone"))
            return "not completed", sent
        return ("completed" if in_time else "unknown"), sent
    if in_time:
        return "completed", sent
    return ("not completed" if escalated else "unknown"), sent
