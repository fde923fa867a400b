"""Events as the tests write them: minutes after nine o'clock, and who said what."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from proctor.core.chat import Message
from proctor.core.event import Event
from proctor.core.task import Task
from proctor.core.trajectory import Escalation, Turn
from proctor.monitor.completion import TaskWatch
from proctor.monitor.completion_rules import CompletionRules, read_rules

START = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def turn(
    minutes: float,
    asked: str = "",
    *,
    session: str | None = "s1",
    customer: str | None = "c1",
    intent: str | None = "policy_inquiry",
    escalation: Escalation | None = None,
    **metadata: Any,
) -> Event:
    said = (Message(role="user", content=asked), Message(role="assistant", content="Here you are."))
    return Event(
        kind="turn",
        time=at(minutes),
        session=session,
        customer=customer,
        intent=intent,
        turn=Turn(messages=said, escalation=escalation),
        metadata=metadata,
    )


def other(kind: Any, minutes: float, name: str | None = None, *, customer: str | None = "c1", **more: Any) -> Event:
    value, session, intent = more.pop("value", None), more.pop("session", None), more.pop("intent", None)
    return Event(
        kind=kind,
        time=at(minutes),
        name=name,
        customer=customer,
        session=session,
        intent=intent,
        value=value,
        metadata=more,
    )


class ByFirstWord:
    """An embedder for which two texts are alike when they begin with the same word."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.asked += texts
        return [
            [1.0 if word == text.split()[0].lower() else 0.0 for word in ("refund", "pickup", "meal")] for text in texts
        ]


async def follow(
    *events: Event, rules: CompletionRules | None = None, until: float | None = None, embedder: Any = None
) -> list[Task]:
    watch = TaskWatch(rules or read_rules({}), embedder)
    done: list[Task] = []
    for event in events:
        done += await watch.add(event)
    return done + watch.finish(at(until) if until is not None else None)
