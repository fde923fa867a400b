"""A plain function behind a guard: text in, text out."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, overload

from proctor.core.verdict import Verdict
from proctor.guard.current import turn_of
from proctor.guard.session import Session, passed
from proctor.guard.vault import Vault
from proctor.guard.wrap import Opens

__all__ = ["guarded_call"]


@overload
def guarded_call(agent: Callable[..., Awaitable[str]], guard: Opens) -> Callable[..., Awaitable[str]]: ...
@overload
def guarded_call(agent: Callable[..., str], guard: Opens) -> Callable[..., str]: ...


def guarded_call(agent: Callable[..., Any], guard: Opens) -> Callable[..., Any]:
    """The function with a guard before and behind it; what is held back is answered with the configured reply.

    Each call is a conversation of its own, unless it is given ``session=`` (and ``vault=``, where the session has
    one). The function may be async; it gets the text and whatever else it is called with.
    """
    if inspect.iscoroutinefunction(agent) or inspect.iscoroutinefunction(getattr(agent, "__call__", None)):  # noqa: B004

        @functools.wraps(agent)
        async def ask(
            text: str, *args: Any, session: Session | None = None, vault: Vault | None = None, **named: Any
        ) -> str:
            opened, held = _opened(guard, session, vault)
            let_in = await opened.input(text)
            if not passed(let_in):
                return opened.reply(let_in)
            with turn_of(opened, vault=held):
                said = _text(await agent(_going_on(let_in, text), *args, **named))
            return _told(opened, await opened.output(said), said, held)

        return ask

    @functools.wraps(agent)
    def ask_now(text: str, *args: Any, session: Session | None = None, vault: Vault | None = None, **named: Any) -> str:
        opened, held = _opened(guard, session, vault)
        let_in = opened.door.run(opened.input(text))
        if not passed(let_in):
            return opened.reply(let_in)
        with turn_of(opened, vault=held):
            said = _text(agent(_going_on(let_in, text), *args, **named))
        return _told(opened, opened.door.run(opened.output(said)), said, held)

    return ask_now


def _opened(guard: Opens, session: Session | None, vault: Vault | None) -> tuple[Session, Vault | None]:
    if session is not None:
        return session, vault
    held = Vault()
    return guard.session(vault=held), held


def _going_on(verdict: Verdict, text: str) -> str:
    return text if verdict.text is None else verdict.text


def _text(said: Any) -> str:
    if not isinstance(said, str):
        raise TypeError(f"a guarded function answers with text, not {type(said).__name__}")
    return said


def _told(session: Session, verdict: Verdict, said: str, vault: Vault | None) -> str:
    if not passed(verdict):
        return session.reply(verdict)
    words = _going_on(verdict, said)
    return words if vault is None else vault.restore(words)
