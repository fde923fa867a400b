"""Event logs of months with known truth, small and quick, for the tests of audit, calibration and drift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from proctor.core.chat import Message
from proctor.core.codec import dumps
from proctor.core.event import Event
from proctor.core.trajectory import Turn

__all__ = ["QUESTIONS", "traffic", "write_log"]

QUESTIONS = {
    "refund": "How do I get my money back for the cancelled tour?",
    "change": "Please change the date of my booking to next Friday.",
    "luggage": "How many bags may I take on the ferry?",
    "visa": "Do I need a visa for Japan with a German passport?",
}


def traffic(
    start: datetime,
    days: int,
    *,
    per_day: int = 20,
    shares: Mapping[str, float] | None = None,
    over: float = 0.0,
    seed: int = 0,
    prefix: str = "s",
) -> Iterator[Event]:
    """Yield conversations of one or two turns; ``over`` is how much too high the confidence is."""
    source = np.random.default_rng(seed)
    names = list(shares or {"refund": 0.4, "change": 0.4, "luggage": 0.2})
    chances = np.array(list((shares or {"refund": 0.4, "change": 0.4, "luggage": 0.2}).values()))
    number = 0
    for day in range(days):
        for _ in range(per_day):
            number += 1
            intent = names[int(source.choice(len(names), p=chances / chances.sum()))]
            time = start + timedelta(days=day, seconds=float(source.integers(0, 86_000)))
            confidence = float(np.round(1 - source.beta(1.5, 5), 3))
            is_right = bool(source.random() < confidence - over)
            session = f"{prefix}{number}"
            yield from _conversation(
                session, time, intent, confidence, is_right, int(source.integers(0, per_day * days))
            )


def _conversation(
    session: str, time: datetime, intent: str, confidence: float, is_right: bool, customer: int
) -> Iterator[Event]:
    question = f"{QUESTIONS.get(intent, intent)} Number {session}."
    told = (Message(role="user", content=question), Message(role="assistant", content="That is possible."))
    turn = Event(
        kind="turn",
        time=time,
        session=session,
        customer=f"c{customer}",
        intent=intent,
        turn=Turn(messages=told, confidence=confidence),
        model="m1",
        id=f"{session}/1",
    )
    yield turn
    later = time + timedelta(minutes=5)
    name = "solved" if is_right else "unsolved"
    yield Event(kind="outcome", name=name, time=later, session=session, customer=turn.customer, id=f"{session}/o")
    value = 0.9 if is_right else 0.2
    yield Event(kind="score", name="judge", value=value, time=later, session=session, id=f"{session}/j", version="v1")


def write_log(path: Path, *parts: Iterator[Event]) -> Path:
    """Write events in order of time."""
    events = sorted((event for part in parts for event in part), key=lambda event: event.time)
    path.write_bytes(b"".join(dumps(replace(event)) + b"\n" for event in events))
    return path


def monday() -> datetime:
    """The beginning of 2026-W40."""
    return datetime(2026, 9, 28, tzinfo=UTC)
