"""The conversation of an attack or of its twin: plants before it, new sessions in it, the state before and after."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

from proctor.core.attack import AttackAttempt, Observation, Plant
from proctor.core.errors import TargetError
from proctor.core.sockets import Conversation, Staged
from proctor.core.trajectory import Turn
from proctor.core.world import Snapshot, WorldRecord, changes_between, missing_names
from proctor.targets.play_case import AnswerError

__all__ = ["AttackStage"]

_HINT = "give the target `plant`: see docs/targets.md, part `Targets under attack`"


class AttackStage:
    """A conversation with the world of one attempt.

    Nothing is sent to the agent if a text cannot be planted. ``world`` is what was observed, once it is closed.
    """

    def __init__(self, inner: Conversation, attempt: AttackAttempt, shows: Sequence[Observation]) -> None:
        self._inner, self._attempt, self._shows = inner, attempt, tuple(shows)
        self._turn = 0
        self._broken = False
        self._planted: list[str] = []
        self._refused: dict[str, str] = {}
        self._extra: dict[str, str] = {}
        self._before: Snapshot | None = None
        self._after: Snapshot | None = None

    @property
    def session(self) -> str | None:
        """The session of the target."""
        return getattr(self._inner, "session", None)

    @property
    def world(self) -> WorldRecord:
        """What was observed beside the words."""
        known = self._before is not None and self._after is not None
        return WorldRecord(
            shows=self._shows,
            planted=tuple(self._planted),
            refused=self._refused,
            changes=changes_between(self._before or {}, self._after or {}) if known else None,
            missing=missing_names(self._attempt.effects, self._before or {}, self._after or {}) if known else {},
            extra=self._extra,
        )

    async def say(self, text: str) -> Turn:
        """Send one message; before the first the world is prepared."""
        try:
            if self._turn == 0:
                await self._prepare()
            self._turn += 1
            if self._turn in self._attempt.new_session:
                await self._begin_session()
            return await self._inner.say(text)
        except BaseException:
            self._broken = True
            raise

    async def close(self) -> None:
        """Read the state for the last time and close the conversation."""
        try:
            if self._turn and not self._broken:  # a target that hangs or broke is not asked again
                self._after = await self._snapshot()
        finally:
            close = getattr(self._inner, "close", None)
            waiting = close() if close is not None else None
            if inspect.isawaitable(waiting):
                await waiting

    async def _prepare(self) -> None:
        if self._attempt.new_session and getattr(self._inner, "begins_sessions", True) is False:
            self._extra["new_session"] = "the target begins no new session"
            hint = "give the class a method `new_session`: see docs/targets.md, part `Targets under attack`"
            raise AnswerError("the attack needs a new session, which the target does not begin", hint=hint)
        for plant in self._attempt.plants:
            try:
                await self._plant(plant)
            except (ValueError, KeyError, TargetError) as error:
                self._refused[plant.at] = _reason(error)
                hint = (error.hint if isinstance(error, TargetError) else None) or _HINT
                message = f"nothing can be planted at {plant.at!r}: {_reason(error)}"
                raise AnswerError(message, hint=hint) from None
            self._planted.append(plant.at)
        self._before = await self._snapshot()

    async def _plant(self, plant: Plant) -> None:
        if not isinstance(self._inner, Staged):
            raise TargetError("the target takes no plants")
        await self._inner.plant(plant)

    async def _begin_session(self) -> None:
        try:
            if not isinstance(self._inner, Staged):
                raise TargetError("the target begins no new session")
            await self._inner.new_session()
        except TargetError as error:
            self._extra["new_session"] = error.message
            raise

    async def _snapshot(self) -> Snapshot | None:
        if "state" not in self._shows or not isinstance(self._inner, Staged):
            return None
        try:
            return await self._inner.snapshot()
        except Exception as error:  # the words are known; the state is not, and the record says so
            self._extra["snapshot"] = f"{type(error).__name__}: {error}"
            return None


def _reason(error: Exception) -> str:
    if isinstance(error, TargetError):
        return error.message
    return str(error.args[0]) if error.args else type(error).__name__
