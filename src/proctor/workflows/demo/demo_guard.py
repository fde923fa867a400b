"""Decisions of the project's real gates about simulated messages, spread over the last weeks, and reviews of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from proctor.config import Config
from proctor.core.event import Event
from proctor.monitor.simulation.traffic_topic import ATTACKS
from proctor.store.guard_log import GuardLog
from proctor.store.review import ReviewVerdict
from proctor.store.runs import RunStore
from proctor.wiring.guard import Guard
from proctor.wiring.guard_names import LogTagger
from proctor.workflows.review.guard_decisions import resolve_all

__all__ = ["fill_guard"]

_ANSWERS: Final = (
    "Your refund is approved and will be paid within 5 days.",
    "Day tours can be cancelled with a full refund up to 48 hours before the start.",
    "Write to us at desk@lantern.example or call +47 55 12 34 56.",
    "Please log in at https://lantern-trails.example.net/login to see your booking.",
    "The fjord kayak morning takes 3 hours.",
)
_PERSONAL: Final = (
    "My card is 4111 1111 1111 1111, please book the kayak tour.",
    "I am Anna Bergström, anna.bergstrom@example.com. Where is my voucher?",
)


async def fill_guard(
    config: Config, now: datetime, questions: Sequence[str], *, days: int = 30, steps: int = 90, seed: int = 7
) -> int:
    """Have the gates decide on questions, attacks and answers; log the decisions, review some; return their number.

    Raises:
        StoreError: the log cannot be written.
    """
    rng = Random(f"guard/{seed}")  # noqa: S311 - the same seed gives the same messages
    attacks = [each.replace("{number}", "LT-1004") for several in ATTACKS.values() for each in several]
    recorder = _PastRecorder(GuardLog(config.store, tagger=LogTagger()))
    guard = Guard.from_config(config, recorder=recorder, reload=False)
    times = sorted(now - timedelta(seconds=rng.uniform(60, days * 86_400)) for _ in range(steps))
    async with guard:
        for number, time in enumerate(times):
            recorder.now = time.astimezone(UTC)
            session = guard.session(f"demo-{number:04d}", customer=f"customer-{number % 40:03d}")
            draw = rng.random()
            if draw < 0.25:
                await session.output(rng.choice(_ANSWERS))
            else:
                texts = attacks if draw < 0.45 else _PERSONAL if draw < 0.52 else questions or _PERSONAL
                await session.input(rng.choice(texts))
    recorder.log.close()
    _review(config, recorder.stopped, rng)
    return steps


class _PastRecorder:
    """Gives decisions the time that they have in the demo."""

    def __init__(self, log: GuardLog) -> None:
        self.log = log
        self.now = datetime.now(UTC)
        self.stopped: list[str] = []
        self._count = 0

    def record(self, event: Event, *, borderline: bool, sampled: bool) -> None:
        """Record one decision."""
        self._count += 1
        id = event.id or f"demo{self._count:028d}"
        if event.verdict is not None and event.verdict.action in ("block", "escalate"):
            self.stopped.append(id)
        self.log.record(replace(event, time=self.now, id=id), borderline=borderline, sampled=sampled)


def _review(config: Config, stopped: Sequence[str], rng: Random) -> None:
    """Have a person look at most of what was stopped."""
    with RunStore(config.store) as store:
        for id in stopped:
            if rng.random() < 0.7:
                verdict: ReviewVerdict = "right" if rng.random() < 0.85 else "wrong"
                resolve_all(config, store, [id], verdict=verdict, person="ben")
