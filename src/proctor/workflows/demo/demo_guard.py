"""Conversations in which the project's real gates decided, spread over the last weeks, and reviews of the decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

from proctor.config import Config
from proctor.core.chat import Message
from proctor.core.event import Event
from proctor.core.trajectory import Turn
from proctor.monitor.simulation.traffic_topic import ATTACKS
from proctor.store.guard_log import GuardLog
from proctor.store.review import ReviewVerdict
from proctor.store.runs import RunStore
from proctor.wiring.guard import Guard
from proctor.wiring.guard_names import LogTagger
from proctor.workflows.review.guard_decisions import resolve_all

__all__ = ["GuardedTraffic", "fill_guard"]

_SOURCE: Final = "travel-desk"
_ANSWERS: Final = {
    "Can I have my money back for LT-1004?": "Your refund is approved and will be paid within 5 days.",
    "Until when can I cancel the kayak tour?": (
        "Day tours can be cancelled with a full refund up to 48 hours before the start."
    ),
    "How do I reach you?": "Write to us at desk@lantern.example or call +47 55 12 34 56.",
    "Where is my booking?": "Please log in at https://lantern-trails.example.net/login to see your booking.",
    "How long does the kayak tour take?": "The fjord kayak morning takes 3 hours.",
}
_PERSONAL: Final = (
    "My card is 4111 1111 1111 1111, please book the kayak tour.",
    "I am Anna Bergström, anna.bergstrom@example.com. Where is my voucher?",
)
_REFUSAL: Final = "I am sorry, I cannot help with that."
_HANDED_OVER: Final = "A colleague will look at this and write to you."
_HELPED: Final = "Day tours can be cancelled with a full refund up to 48 hours before the start."
_ATTACK_DAYS: Final = 4  # days ago, when somebody attacked for half an hour
_ATTACK_STEPS: Final = 9
_AFTER_STEPS: Final = 6  # harmless messages after it, which end the alert
_STEP_MINUTES: Final = 3.5


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedTraffic:
    """What the gates saw as production reports it: events in the order of time, and when the attack began and ended."""

    decisions: int
    events: Sequence[Event]
    attack: tuple[float, float] | None


async def fill_guard(
    config: Config, now: datetime, questions: Sequence[str], *, days: int = 30, steps: int = 90, seed: int = 7
) -> GuardedTraffic:
    """Have the gates decide on questions, attacks and answers; log the decisions and review some.

    Raises:
        StoreError: the log cannot be written.
    """
    rng = Random(f"guard/{seed}")  # noqa: S311 - the same seed gives the same messages
    attacks = [each.replace("{number}", "LT-1004") for several in ATTACKS.values() for each in several]
    recorder = _PastRecorder(GuardLog(config.store, tagger=LogTagger()))
    guard = Guard.from_config(config, recorder=recorder, reload=False)
    begun = now - timedelta(days=_ATTACK_DAYS)
    planned = [(now - timedelta(seconds=rng.uniform(60, days * 86_400)), "") for _ in range(steps)]
    burst = [
        (begun + timedelta(minutes=_STEP_MINUTES * number), "attack" if number < _ATTACK_STEPS else "harmless")
        for number in range(_ATTACK_STEPS + _AFTER_STEPS)
    ]
    has_attack = days > _ATTACK_DAYS
    async with guard:
        for number, (time, kind) in enumerate(sorted([*planned, *(burst if has_attack else ())])):
            recorder.begin(time.astimezone(UTC))
            session = guard.session(f"desk-{number:04d}", customer=f"customer-{number % 40:03d}")
            draw = rng.random()
            if not kind and draw < 0.25:
                asked, answer = rng.choice(list(_ANSWERS.items()))
                await session.output(answer)
            else:
                texts = attacks if kind == "attack" or (not kind and draw < 0.45) else questions or _PERSONAL
                asked, answer = rng.choice(_PERSONAL if not kind and 0.45 <= draw < 0.52 else texts), _HELPED
                await session.input(asked)
            recorder.end(session.id, f"customer-{number % 40:03d}", asked, answer)
    recorder.log.close()
    _review(config, recorder.stopped, rng)
    attack = (begun.timestamp() - 60, burst[-1][0].timestamp() + 600) if has_attack else None
    return GuardedTraffic(
        decisions=recorder.count, events=sorted(recorder.events, key=lambda event: event.time), attack=attack
    )


class _PastRecorder:
    """Gives decisions the time that they have in the demo, and keeps what production would report of them."""

    def __init__(self, log: GuardLog) -> None:
        self.log = log
        self.stopped: dict[str, str] = {}
        self.events: list[Event] = []
        self.count = 0
        self._now = datetime.now(UTC)
        self._newest: list[Event] = []

    def begin(self, now: datetime) -> None:
        """Begin a conversation at a time."""
        self._now = now
        self._newest.clear()

    def record(self, event: Event, *, borderline: bool, sampled: bool) -> None:
        """Record one decision."""
        self.count += 1
        made = replace(event, time=self._now, id=event.id or f"demo{self.count:028d}")
        if made.verdict is not None and made.verdict.action in ("block", "escalate"):
            self.stopped[made.id or ""] = made.verdict.action
        self.log.record(made, borderline=borderline, sampled=sampled)
        self._newest.append(made)

    def end(self, session: str, customer: str, asked: str, answer: str) -> None:
        """Report the conversation: its decisions, and a turn with what the customer got in the end."""
        verdicts = [each.verdict for each in self._newest if each.verdict is not None]
        actions = {each.action for each in verdicts}
        if "block" in actions:
            answer = _REFUSAL
        elif "escalate" in actions:
            answer = _HANDED_OVER
        said = (Message(role="user", content=asked), Message(role="assistant", content=answer))
        turn = Turn(messages=said, latency=0.9, time=self._now + timedelta(seconds=2))
        same: dict[str, Any] = {
            "session": session,
            "customer": customer,
            "source": _SOURCE,
            "version": "1.0",
            "model": "desk-model-1",
        }
        self.events += [replace(each, metadata={}, **same) for each in self._newest]
        self.events.append(
            Event(kind="turn", time=self._now + timedelta(seconds=2), id=f"{session}/1", turn=turn, **same)
        )


def _review(config: Config, stopped: Mapping[str, str], rng: Random) -> None:
    """Have a person look at most of what was stopped; of the hand-offs, some would not have been needed."""
    with RunStore(config.store) as store:
        for id, action in stopped.items():
            if rng.random() < 0.7:
                verdict: ReviewVerdict = "wrong" if action == "escalate" and rng.random() < 0.4 else "right"
                resolve_all(config, store, [id], verdict=verdict, person="ben")
