"""Guard a target: its input and its answers pass the gates."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from proctor.core.attack import Observation, Plant
from proctor.core.case import Ask, Case
from proctor.core.errors import TargetError
from proctor.core.sockets import Conversation, Staged, Talking, Target, socket
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.verdict import Verdict
from proctor.core.world import Snapshot
from proctor.guard.current_session import turn_of
from proctor.guard.guarded_turn import answered, held_turn, watched
from proctor.guard.session import Session, passed
from proctor.guard.vault import Vault

__all__ = ["Drive", "Guarded", "GuardedConversation", "Opens"]

Drive = Callable[..., Awaitable[Trajectory]]
_CUSTOMER = "customer"


class Opens(Protocol):
    """The part of a guard that a wrapper needs: sessions."""

    @property
    def version(self) -> str:
        """The version of its settings."""
        ...

    def session(self, id: str | None = None, *, customer: str | None = None, vault: Vault | None = None) -> Session:
        """Open a session."""
        ...

    def end(self, session: Session | str) -> None:
        """End a session and drop its state."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """A guarded target, checked turn by turn; a target without turns is guarded as a whole.

    ``drive`` puts a case's messages to a conversation. With ``recorded`` set to ``watch``, a recorded case gets the
    verdicts that its turns would have had; its texts stay unchanged. ``customer`` is for cases that name none.
    """

    target: Target
    guard: Opens = field(repr=False)
    drive: Drive = socket()
    recorded: Literal["watch", "leave"] = "watch"
    customer: str | None = None

    @property
    def name(self) -> str:
        """The name shown in reports."""
        return self.target.name

    @property
    def spec(self) -> Mapping[str, Any]:
        """The settings that decide its behaviour: the target, and those of its guard."""
        return {**self.target.spec, "guard": self.guard.version}

    @property
    def shows(self) -> tuple[Observation, ...] | None:
        """What the target declares to show of itself; ``None`` if it declares nothing."""
        return getattr(self.target, "shows", None)

    @property
    def talks(self) -> bool:
        """Whether the target can be led turn by turn."""
        return isinstance(self.target, Talking)

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        """Run the case on the target with each step checked by the guard."""
        if case.recorded is not None:
            return await self.over(case.recorded, case) if self.recorded == "watch" else case.recorded
        if isinstance(self.target, Talking):
            return await self.drive(case, lambda: self.begin(case, sample=sample), target=self.name)
        return await self._whole(case, sample)

    def begin(self, case: Case, *, sample: int = 0) -> Conversation:
        """Begin a conversation turn by turn.

        Raises:
            TypeError: the target does not support turns.
        """
        if not isinstance(self.target, Talking):
            raise TypeError(f"the target {self.target.name!r} cannot be led turn by turn")
        vault = Vault()
        session = self.guard.session(customer=self._customer(case), vault=vault)
        return GuardedConversation(self.target.begin(case, sample=sample), session, vault, self.guard)

    async def over(self, recorded: Trajectory, case: Case | None = None) -> Trajectory:
        """Return a recording with the verdicts that its turns would have had; nothing else changes."""
        session = self.guard.session(customer=recorded.customer or self._customer(case))
        try:
            turns = [await watched(session, turn) for turn in recorded.turns]
        finally:
            self.guard.end(session)
        return replace(recorded, turns=tuple(turns))

    async def _whole(self, case: Case, sample: int) -> Trajectory:
        """Check all inputs before the target gets any of them, and its answers after it gave them all."""
        vault = Vault()
        session = self.guard.session(customer=self._customer(case), vault=vault)
        try:
            asks = case.asks
            verdicts = [await session.input(ask.text) for ask in asks]
            stop = next((place for place, verdict in enumerate(verdicts) if not passed(verdict)), len(asks))
            let_in = tuple(_changed(ask, verdict) for ask, verdict in zip(asks[:stop], verdicts, strict=False))
            with turn_of(session, vault=vault) as running:
                made = await self._put(case, let_in, sample) if let_in or not asks else Trajectory(target=self.name)
            turns = [
                _said_whole(await answered(session, turn, running, verdict, ask.text, vault))
                for turn, verdict, ask in zip(made.turns, verdicts, asks, strict=False)
            ]
            if stop < len(asks) and made.error is None:
                turns.append(_said_whole(held_turn(session, asks[stop].text, verdicts[stop])))
            return replace(made, turns=tuple(turns) or made.turns)
        finally:
            self.guard.end(session)

    def _customer(self, case: Case | None) -> str | None:
        return (_customer(case) if case is not None else None) or self.customer

    async def _put(self, case: Case, asks: tuple[Ask, ...], sample: int) -> Trajectory:
        if case.turns:
            return await self.target.run(replace(case, turns=asks), sample=sample)
        return await self.target.run(replace(case, input=asks[0].text) if asks else case, sample=sample)


class GuardedConversation:
    """A conversation whose messages and answers pass a session's gates."""

    def __init__(self, inner: Conversation, session: Session, vault: Vault, guard: Opens) -> None:
        self._inner, self._session, self._vault, self._guard = inner, session, vault, guard

    @property
    def session(self) -> str:
        """The id of the conversation's session: the target's own, or that of the guard."""
        return getattr(self._inner, "session", None) or self._session.id

    async def say(self, text: str) -> Turn:
        """Send one message through the gates, and return the checked answer."""
        verdict = await self._session.input(text)
        if not passed(verdict):
            return held_turn(self._session, text, verdict)
        with turn_of(self._session, vault=self._vault) as running:
            turn = await self._inner.say(text if verdict.text is None else verdict.text)
        return await answered(self._session, turn, running, verdict, text, self._vault)

    @property
    def begins_sessions(self) -> bool:
        """Whether the target can begin a new session."""
        return getattr(self._inner, "begins_sessions", True) is not False

    async def plant(self, plant: Plant) -> None:
        """Put a text into the target's world; the gates meet it when the agent reads it."""
        await self._staged().plant(plant)

    async def snapshot(self) -> Snapshot | None:
        """Return the target's state, if it shows it."""
        return await self._inner.snapshot() if isinstance(self._inner, Staged) else None

    async def new_session(self) -> None:
        """Begin a new session with the target, and with the guard: it remembers nothing of the one before."""
        await self._staged().new_session()
        customer = self._session.customer
        self._guard.end(self._session)
        self._vault = Vault()
        self._session = self._guard.session(customer=customer, vault=self._vault)

    def _staged(self) -> Staged:
        if not isinstance(self._inner, Staged):
            raise TargetError("the target lets nothing be planted and begins no new session")
        return self._inner

    async def close(self) -> None:
        """End the session and close the conversation."""
        self._guard.end(self._session)
        closing = getattr(self._inner, "close", None)
        waiting = closing() if closing is not None else None
        if inspect.isawaitable(waiting):
            await waiting


def _customer(case: Case) -> str | None:
    told = (case.metadata, case.inputs, case.page)
    return next((str(each[_CUSTOMER]) for each in told if isinstance(each.get(_CUSTOMER), (str, int))), None)


def _changed(ask: Ask, verdict: Verdict) -> Ask:
    return ask if verdict.text is None else replace(ask, text=verdict.text)


def _said_whole(turn: Turn) -> Turn:
    """Return the turn with its verdicts marked as coming from a check of the whole conversation."""
    return replace(
        turn, verdicts=tuple(replace(each, extra={**each.extra, "whole_run": True}) for each in turn.verdicts)
    )
