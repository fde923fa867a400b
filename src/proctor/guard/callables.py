"""Guard a plain function: text in, text out."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, overload

from proctor.core.errors import InputError
from proctor.core.verdict import Verdict
from proctor.guard.answer_stream import AnswerStream, SyncAnswerStream
from proctor.guard.current_session import Running, turn_of
from proctor.guard.guarded_target import Opens
from proctor.guard.session import Session, passed
from proctor.guard.sync import SyncSession
from proctor.guard.vault import Vault

__all__ = ["guarded_call"]

Given = Session | SyncSession | None


@overload
def guarded_call(
    agent: Callable[..., Awaitable[str]], guard: Opens, *, session: Given = None, customer: str | None = None
) -> Callable[..., Awaitable[str]]: ...
@overload
def guarded_call(
    agent: Callable[..., str], guard: Opens, *, session: Given = None, customer: str | None = None
) -> Callable[..., str]: ...


def guarded_call(
    agent: Callable[..., Any], guard: Opens, *, session: Given = None, customer: str | None = None
) -> Callable[..., Any]:
    """Wrap a function with a guard on its input and output; a blocked step returns the configured reply.

    Each call is a conversation of its own, with ``customer``. With ``session``, all calls are turns of that session; a
    ``session=`` passed to a call takes precedence. The function may be async; it gets the text and all other
    arguments. A generator, async or not, stays one: its text is released sentence by sentence.

    Raises:
        InputError: the session belongs to another customer.
    """
    talk = _Talk(guard=guard, session=_of(_bare(session), customer), customer=customer)
    called = agent if inspect.isroutine(agent) else getattr(agent, "__call__", agent)  # noqa: B004
    if inspect.isasyncgenfunction(called):
        return _streaming(agent, talk)
    if inspect.isgeneratorfunction(called):
        return _streaming_now(agent, talk)
    if inspect.iscoroutinefunction(called):

        @functools.wraps(agent)
        async def ask(text: str, *args: Any, session: Given = None, vault: Vault | None = None, **named: Any) -> str:
            with talk.opened(session, vault) as (opened, held):
                let_in = await opened.input(text)
                if not passed(let_in):
                    return opened.refusal(let_in)
                with turn_of(opened, vault=held):
                    said = _text(await agent(_going_on(let_in, text), *args, **named))
                return _told(opened, await opened.output(said), said, held)

        return ask

    @functools.wraps(agent)
    def ask_now(text: str, *args: Any, session: Given = None, vault: Vault | None = None, **named: Any) -> str:
        with talk.opened(session, vault) as (opened, held):
            let_in = opened.door.run(opened.input(text))
            if not passed(let_in):
                return opened.refusal(let_in)
            with turn_of(opened, vault=held):
                said = _text(agent(_going_on(let_in, text), *args, **named))
            return _told(opened, opened.door.run(opened.output(said)), said, held)

    return ask_now


def _streaming(agent: Callable[..., AsyncIterator[str]], talk: _Talk) -> Callable[..., AsyncIterator[str]]:
    """Wrap an async generator with a guard on its input and output."""

    @functools.wraps(agent)
    async def ask(
        text: str, *args: Any, session: Given = None, vault: Vault | None = None, **named: Any
    ) -> AsyncIterator[str]:
        with talk.opened(session, vault) as (opened, held):
            let_in = await opened.input(text)
            if not passed(let_in):
                yield opened.refusal(let_in)
                return
            turn = Running(session=opened, vault=held)
            released = AnswerStream(
                opened.drafts(),
                agent(_going_on(let_in, text), *args, **named),
                restore=held.restore,
                enter=lambda: turn_of(opened, running=turn),
            )
            try:
                async for piece in released:
                    yield piece
            finally:
                await released.aclose()

    return ask


def _streaming_now(agent: Callable[..., Iterator[str]], talk: _Talk) -> Callable[..., Iterator[str]]:
    """Wrap a plain generator with a guard on its input and output."""

    @functools.wraps(agent)
    def ask(text: str, *args: Any, session: Given = None, vault: Vault | None = None, **named: Any) -> Iterator[str]:
        with talk.opened(session, vault) as (opened, held):
            let_in = opened.door.run(opened.input(text))
            if not passed(let_in):
                yield opened.refusal(let_in)
                return
            turn = Running(session=opened, vault=held)
            released = SyncAnswerStream(
                opened.drafts(),
                agent(_going_on(let_in, text), *args, **named),
                opened.door,
                restore=held.restore,
                enter=lambda: turn_of(opened, running=turn),
            )
            try:
                yield from released
            finally:
                released.close()

    return ask


@dataclass(frozen=True, slots=True, kw_only=True)
class _Talk:
    """Selects the session of each call."""

    guard: Opens
    session: Session | None
    customer: str | None

    @contextmanager
    def opened(self, given: Given, vault: Vault | None) -> Iterator[tuple[Session, Vault]]:
        """Yield the session of one call and its vault; a session made for this call is ended after it."""
        session = _bare(given) or self.session
        if session is not None:
            yield session, session.vault if vault is None else vault
            return
        held = Vault()
        made = self.guard.session(customer=self.customer, vault=held)
        try:
            yield made, held
        finally:
            self.guard.end(made)


def _bare(session: Given) -> Session | None:
    return session.session if isinstance(session, SyncSession) else session


def _of(session: Session | None, customer: str | None) -> Session | None:
    """Return the session, assigned to the given customer if there is one."""
    if session is not None and customer is not None:
        if session.customer not in (None, customer):
            hint = "leave customer= out, or begin a session of that customer"
            raise InputError("the session belongs to another customer", field="session", hint=hint)
        session.memory.customer = customer
    return session


def _going_on(verdict: Verdict, text: str) -> str:
    return text if verdict.text is None else verdict.text


def _text(said: Any) -> str:
    if not isinstance(said, str):
        hint = ""
        if hasattr(said, "__aiter__") or inspect.isgenerator(said):
            hint = ": write the function as a generator that yields text, or use session.stream()"
        raise TypeError(f"a guarded function answers with text, not {type(said).__name__}{hint}")
    return said


def _told(session: Session, verdict: Verdict, said: str, vault: Vault) -> str:
    return vault.restore(_going_on(verdict, said)) if passed(verdict) else session.refusal(verdict)
