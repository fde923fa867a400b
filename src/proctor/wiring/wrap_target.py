"""Put a guard around a target or a plain function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, overload

from proctor.config import Config
from proctor.core.errors import ConfigError
from proctor.core.sockets import Target
from proctor.guard.callables import guarded_call
from proctor.guard.deadline import Deadline
from proctor.guard.guarded_target import Guarded
from proctor.guard.session import Session
from proctor.guard.sync import SyncSession
from proctor.targets.play_case import drive
from proctor.targets.twin_target import Twinned
from proctor.wiring.guard import Guard
from proctor.wiring.guard_settings import make_plan
from proctor.wiring.models import ModelPool

__all__ = ["guarded", "guarded_target"]

_LEAST_SECONDS: Final = 30.0  # minimum timeout of a gate in a test run, where scorers use the same models


@overload
def guarded(agent: Target, guard: Guard, *, customer: str | None = None) -> Guarded: ...
@overload
def guarded(
    agent: Callable[..., Any],
    guard: Guard,
    *,
    session: Session | SyncSession | None = None,
    customer: str | None = None,
) -> Callable[..., Any]: ...


def guarded(
    agent: Any, guard: Guard, *, session: Session | SyncSession | None = None, customer: str | None = None
) -> Any:
    """Return the same agent behind a guard: a Target stays a Target, a function stays a function.

    Each call of a function is its own conversation, or a turn of ``session``. A Target gets one session per
    conversation. ``customer`` is the default customer for cases without one.

    Raises:
        TypeError: it is neither, or a Target that is given a session.
        InputError: the session belongs to another customer.
    """
    if isinstance(agent, Twinned):
        agent = agent.target  # a guard is inside: the benign twin of an attack passes it too
    if isinstance(agent, Target):
        if session is not None:
            raise TypeError("a Target has a session for each of its conversations: give it customer= alone")
        return Guarded(target=agent, guard=guard, drive=drive, customer=customer)
    if callable(agent):
        return guarded_call(agent, guard, session=session, customer=customer)
    raise TypeError(f"{type(agent).__name__} is neither a Target nor a function from text to text")


def guarded_target(target: Target, asked: Any, *, config: Config, model_pool: ModelPool) -> Target:
    """Return a target of a run behind the project's guard, if its settings ask for it.

    ``asked`` is the value of its `guard:`: true, or settings that override the project's. The gates run on the run's
    own event loop with a timeout of at least 30 seconds, because scorers use the same models. A step waits for them as
    long as the run lets its case wait: `queue` protects live traffic. Decisions are stored in the turns, not in the
    guard's log.

    Raises:
        InputError: the guard's settings are wrong.
    """
    if asked is None or asked is False:
        return target
    if asked is not True and not isinstance(asked, Mapping):
        hint = "write `guard: true`, or settings such as `guard: {mode: shadow}`"
        file = str(config.path) if config.path else None
        raise ConfigError(
            "expected true, false or settings", file=file, field=f"targets.{target.name}.guard", hint=hint
        )
    if asked is not True:
        config = replace(config, settings=replace(config.settings, guard={**config.settings.guard, **asked}))
    deadline = Deadline(inline=True, patient=True)  # the run bounds how many steps there are, and their time
    plan = make_plan(config, model_pool=model_pool, deadline=deadline, strict=True)
    chains = {
        point: replace(
            chain, posts=tuple(replace(post, timeout=max(post.timeout, _LEAST_SECONDS)) for post in chain.posts)
        )
        for point, chain in plan.chains.items()
    }
    return Guarded(target=target, guard=Guard(replace(plan, chains=chains), deadline=deadline), drive=drive)
