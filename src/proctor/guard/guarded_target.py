"""A target behind a guard: it is asked what was let in, and what it answers is looked at before it goes out."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from proctor.core.case import Ask, Case
from proctor.core.sockets import Conversation, Talking, Target, socket
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.verdict import Verdict
from proctor.guard.current_session import turn_of
from proctor.guard.guarded_turn import answered, held_turn, watched
from proctor.guard.session import Session, passed
from proctor.guard.vault import Vault

__all__ = ["Drive", "Guarded", "GuardedConversation", "Opens"]

Drive = Callable[..., Awaitable[Trajectory]]
_CUSTOMER = "customer"


class Opens(Protocol):
    """What a wrapper needs of a guard: sessions."""

    @property
    def version(self) -> str:
        """The name of its settings."""
        ...

    def session(self, id: str | None = None, *, customer: str | None = None, vault: Vault | None = None) -> Session:
        """A session to put steps before."""
        ...

    def end(self, session: Session | str) -> None:
        """Forget a session."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """A target behind a guard, turn by turn; a target that cannot be led by turns is guarded as a whole.

    ``drive`` puts a case's messages to a conversation. With ``recorded`` set to ``watch`` a recorded case gets the
    verdicts that its turns would have had; its words stay as they are. ``customer`` is for cases that name none.
    """

    target: Target
    guard: Opens = field(repr=False)
    drive: Drive = socket()
    recorded: Literal["watch", "leave"] = "watch"
    customer: str | None = None

    @property
    def name(self) -> str:
        """The name reports show it by."""
        return self.target.name

    @property
    def spec(self) -> Mapping[str, Any]:
        """What decides its behaviour: the target, and the settings of its guard."""
        return {**self.target.spec, "guard": self.guard.version}

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        """Put the case to the target, each step past the guard."""
        if case.recorded is not None:
            return await self.over(case.recorded, case) if self.recorded == "watch" else case.recorded
        if isinstance(self.target, Talking):
            return await self.drive(case, lambda: self.begin(case, sample=sample), target=self.name)
        return await self._whole(case, sample)

    def begin(self, case: Case, *, sample: int = 0) -> Conversation:
        """Begin a conversation that is led turn by turn.

        Raises:
            TypeError: the target cannot be led by turns.
        """
        if not isinstance(self.target, Talking):
            raise TypeError(f"the target {self.target.name!r} cannot be led turn by turn")
        vault = Vault()
        session = self.guard.session(customer=self._customer(case), vault=vault)
        return GuardedConversation(self.target.begin(case, sample=sample), session, vault, self.guard)

    async def over(self, recorded: Trajectory, case: Case | None = None) -> Trajectory:
        """A recording with what the guard would have said to each of its turns; nothing in it is changed."""
        session = self.guard.session(customer=recorded.customer or self._customer(case))
        try:
            turns = [await watched(session, turn) for turn in recorded.turns]
        finally:
            self.guard.end(session)
        return replace(recorded, turns=tuple(turns))

    async def _whole(self, case: Case, sample: int) -> Trajectory:
        """The words of all turns are checked before the target gets any of them, its answers after it gave them all."""
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
    """A conversation with a session before and behind it."""

    def __init__(self, inner: Conversation, session: Session, vault: Vault, guard: Opens) -> None:
        self._inner, self._session, self._vault, self._guard = inner, session, vault, guard
        self.session = getattr(inner, "session", None) or session.id

    async def say(self, text: str) -> Turn:
        """Put one message past the gates, and what is answered past them too."""
        verdict = await self._session.input(text)
        if not passed(verdict):
            return held_turn(self._session, text, verdict)
        with turn_of(self._session, vault=self._vault) as running:
            turn = await self._inner.say(text if verdict.text is None else verdict.text)
        return await answered(self._session, turn, running, verdict, text, self._vault)

    async def close(self) -> None:
        """Forget the session and end the conversation."""
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
    """The turn, with a word that its verdicts come from before and after the whole conversation."""
    return replace(
        turn, verdicts=tuple(replace(each, extra={**each.extra, "whole_run": True}) for each in turn.verdicts)
    )
