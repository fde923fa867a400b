"""Puts customers before the agent, message by message, and keeps the conversation as a trajectory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import Any, Protocol

from proctor.core.sockets import Conversation, Model
from proctor.core.trajectory import Trajectory, Turn
from proctor.guard.guarded_target import GuardedConversation, Opens
from proctor.guard.vault import Vault
from proctor.targets.answer import chat_messages, turn_of

from .agent import Agent
from .office import NOW

__all__ = ["Customer", "Lines", "converse"]

MOST_TURNS = 12
THINKING = timedelta(seconds=45)  # what a customer takes to read and write


class Customer(Protocol):
    """Who speaks to the agent."""

    @property
    def id(self) -> str:
        """The customer who is logged in."""
        ...

    async def says(self, turns: Sequence[Turn]) -> str | None:
        """The next message, after these turns; none when there is nothing more to say."""
        ...


class Lines:
    """A customer who says what is written down, whatever the agent answers."""

    def __init__(self, customer: str, lines: Sequence[str]) -> None:
        self.id = customer
        self._lines = list(lines)

    async def says(self, turns: Sequence[Turn]) -> str | None:
        """The next line."""
        return self._lines[len(turns)] if len(turns) < len(self._lines) else None


async def converse(
    customer: Customer,
    *,
    session: str,
    settings: Mapping[str, Any],
    model: Model | None = None,
    start: datetime = NOW,
    metadata: Mapping[str, Any] | None = None,
    guard: Opens | None = None,
) -> Trajectory:
    """Let a customer and the agent speak until the customer has nothing more to say, behind a guard if one is given."""
    agent = Agent([], {"customer": customer.id}, {**settings, "now": start.isoformat()}, model)
    talk: Conversation = _Talk(agent)
    if guard is not None:
        vault = Vault()
        talk = GuardedConversation(talk, guard.session(customer=customer.id, vault=vault), vault, guard)
    turns: list[Turn] = []
    time = start.replace(tzinfo=UTC)
    try:
        while len(turns) < MOST_TURNS and (text := await customer.says(turns)):
            begun = perf_counter()
            said = await talk.say(text)
            turns.append(_dated(said, time, perf_counter() - begun))
            time += THINKING
    finally:
        agent.close()
    return Trajectory(
        turns=tuple(turns),
        id=session,
        session=session,
        customer=customer.id,
        target="travel desk",
        metadata=metadata or {},
    )


class _Talk:
    """The agent as a conversation: what was said so far goes with each message."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._turns: list[Turn] = []

    async def say(self, text: str) -> Turn:
        """The agent's turn."""
        history = chat_messages([message for turn in self._turns for message in turn.messages])
        self._turns.append(turn_of(await self._agent.say(text, history), text))
        return self._turns[-1]


def _dated(turn: Turn, time: datetime, seconds: float) -> Turn:
    return replace(turn, time=time, latency=turn.latency if turn.latency is not None else round(seconds, 4))
