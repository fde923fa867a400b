"""A target that calls a Python function or class."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import hashlib
import inspect
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import proctor
from proctor.core.attack import Observation, Plant
from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.decode import decode
from proctor.core.sockets import Conversation, Kit, Model
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.world import Snapshot
from proctor.targets.answer import chat_messages, turn_of
from proctor.targets.play_case import AnswerError, drive
from proctor.targets.python_callable import Wants, check_callable, load_object, shows_of, wants_of
from proctor.targets.stream_function import StreamedValue, gather, gather_async

__all__ = ["PythonSettings", "PythonTarget", "connect", "target_of"]

_OF_SESSION = ("session", "state", "history", "messages")  # arguments that make a new session known to a function


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonSettings:
    """A function, or a class with a method ``say``.

    ``python`` is ``module:function`` or ``path/to/file.py:function``. ``timeout`` is in seconds per turn.
    ``settings`` and ``model`` are passed to the callable: its own options, and a model from proctor.yaml.
    """

    python: str
    timeout: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonTarget:
    """A Python callable, sync or async; or a class that is instantiated for each conversation."""

    name: str
    settings: PythonSettings
    subject: Any = field(repr=False)
    wants: Wants = field(repr=False)
    making: Wants | None = field(default=None, repr=False)
    source: str = ""
    model: Model | None = field(default=None, repr=False)

    @property
    def spec(self) -> Mapping[str, Any]:
        """The name of the callable, a hash of its file, and its own settings."""
        given = {"settings": dict(self.settings.settings), "model": self.model.name if self.model else None}
        told = {name: value for name, value in given.items() if value}
        return {"python": self.settings.python, "source": self.source, **told}

    @property
    def shows(self) -> tuple[Observation, ...] | None:
        """What the class declares to show of itself; ``None`` if it declares nothing."""
        return shows_of(self.subject, self.settings.python)

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        """Run the case turn by turn."""
        return await drive(case, lambda: self.begin(case, sample=sample), target=self.name)

    def begin(self, case: Case, *, sample: int = 0) -> Conversation:
        """Begin a conversation turn by turn."""
        return _Conversation(self, case, sample)


class _Conversation:
    """The messages so far, and the user's own object or state."""

    def __init__(self, target: PythonTarget, case: Case, sample: int) -> None:
        self._target, self._case, self._sample = target, case, sample
        self._messages = list(case.history)
        self._state: dict[str, Any] = {}
        self._object: Any = None
        self.session = uuid.uuid4().hex

    async def say(self, text: str) -> Turn:
        self._messages.append(Message(role="user", content=text))
        offers = self._offers(text)
        await self._make(offers)
        call = self._target.subject if self._object is None else self._object.say
        said, seconds = await self._timed(call, offers)
        turn = turn_of(said, text)
        self._messages.append(Message(role="assistant", content=turn.answer))
        return turn if turn.latency is not None else replace(turn, latency=seconds)

    async def plant(self, plant: Plant) -> None:
        given = {"channel": plant.channel, "at": plant.at, "text": plant.text}
        await self._ask("plant", [given], passed=(ValueError, KeyError))

    async def snapshot(self) -> Snapshot | None:
        """Return the tables of the user's object; ``None`` if it has no method `snapshot`."""
        await self._make_early()
        if not callable(getattr(self._object, "snapshot", None)):
            return None
        found = await self._ask("snapshot")
        try:
            return {str(table): {str(key): dict(row) for key, row in rows.items()} for table, rows in found.items()}
        except (AttributeError, TypeError, ValueError):
            hint = "return {table: {row: {column: value}}}"
            raise AnswerError("`snapshot` returned no tables", hint=hint) from None

    @property
    def begins_sessions(self) -> bool:
        """Whether a new session can begin: it is known before anything is said."""
        wants = self._target.wants
        if self._target.making is not None:
            return callable(getattr(self._target.subject, "new_session", None))
        return bool(set(_OF_SESSION) & {*wants.positional, *wants.named})

    async def new_session(self) -> None:
        """Begin a new session: by the class's own method, or for a function by its arguments."""
        wants = self._target.wants
        if self._target.making is not None:
            await self._ask("new_session")
        elif not set(_OF_SESSION) & {*wants.positional, *wants.named}:
            hint = f"take one of {', '.join(_OF_SESSION)}, or make it a class with a method `new_session`"
            raise AnswerError("no session id is passed to the function, so no new session can begin", hint=hint)
        self._messages, self._state, self.session = [], {}, uuid.uuid4().hex

    async def _ask(self, name: str, *given: Any, passed: tuple[type[Exception], ...] = ()) -> Any:
        """Call a method of the user's object; exceptions of the types ``passed`` go through."""
        await self._make_early()
        method = getattr(self._object, name, None)
        if not callable(method):
            hint = f"add `def {name}(self{', plants' if given else ''})` to the class"
            raise AnswerError(f"{self._target.settings.python} has no method `{name}`", hint=hint)
        return await self._call(functools.partial(method, *given), Wants(), {}, passed=passed)

    async def _make(self, offers: Mapping[str, Any]) -> None:
        if self._target.making is not None and self._object is None:
            self._object = await self._call(self._target.subject, self._target.making, offers)

    async def _make_early(self) -> None:
        """Make the user's object before the first message, which it may want to see."""
        text = self._case.asks[0].text if self._case.asks else ""
        self._messages.append(Message(role="user", content=text))
        try:
            await self._make(self._offers(text))
        finally:
            self._messages.pop()

    async def _timed(self, call: Callable[..., Any], offers: Mapping[str, Any]) -> tuple[Any, float]:
        """Return the result and its duration: for a plain function its own time, not that of a busy event loop."""
        begun = ended = time.perf_counter()

        def clocked(*args: Any, **named: Any) -> Any:
            nonlocal begun, ended
            begun = time.perf_counter()
            try:
                return call(*args, **named)
            finally:
                ended = time.perf_counter()

        said = await self._call(call if _is_async(call) or _streams(call) else clocked, self._target.wants, offers)
        if isinstance(said, StreamedValue):
            first = None if said.first is None else said.first - begun
            return {"first_token": first, **said.value}, said.ended - begun
        return said, (time.perf_counter() if _is_async(call) or inspect.isawaitable(said) else ended) - begun

    async def close(self) -> None:
        close = getattr(self._object, "close", None)
        if callable(close):
            await self._call(close, Wants(), {})

    def _offers(self, text: str) -> dict[str, Any]:
        return {
            "text": text,
            "messages": chat_messages(self._messages),
            "history": chat_messages(self._messages[:-1]),
            "session": self.session,
            "inputs": dict(self._case.inputs),
            "page": dict(self._case.page),
            "case": self._case,
            "sample": self._sample,
            "state": self._state,
            "settings": dict(self._target.settings.settings),
            "model": self._target.model,
        }

    async def _call(
        self,
        call: Callable[..., Any],
        wants: Wants,
        offers: Mapping[str, Any],
        *,
        passed: tuple[type[Exception], ...] = (),
    ) -> Any:
        args, named = wants.pick(offers)
        limit = self._target.settings.timeout
        clock = asyncio.timeout(limit)
        try:
            async with clock:
                if _is_async(call):
                    return await call(*args, **named)
                if _streams(call):
                    return await gather_async(call(*args, **named))
                value = await _in_thread(lambda: call(*args, **named))
                value = await value if inspect.isawaitable(value) else value
                if inspect.isasyncgen(value):
                    return await gather_async(value)
                return await _in_thread(lambda: gather(value)) if inspect.isgenerator(value) else value
        except (Exception, SystemExit) as error:
            if clock.expired():
                raise AnswerError(f"no answer within {limit:g} s", kind="timeout") from None
            if isinstance(error, (*passed, AnswerError)):
                raise
            raise AnswerError(_told(error)) from None


def _is_async(call: Any) -> bool:
    return inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(getattr(call, "__call__", None))  # noqa: B004


def _streams(call: Any) -> bool:
    """Return whether a call makes an async generator, which needs no thread."""
    return inspect.isasyncgenfunction(call) or inspect.isasyncgenfunction(getattr(call, "__call__", None))  # noqa: B004


async def _in_thread(call: Callable[[], Any]) -> Any:
    """Run a blocking call in a new thread.

    A pool has few workers and waits for them at exit; a hanging callable must block neither other cases nor the
    exit.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def settle(value: Any, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(value)
        else:
            done.set_exception(error)

    def work() -> None:
        value: Any = None
        failure: BaseException | None = None
        try:
            value = context.run(call)
        except StopIteration as error:  # a future cannot carry it
            failure = RuntimeError(f"StopIteration: {error}")
        except BaseException as error:
            failure = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, value, failure)

    threading.Thread(target=work, name="proctor-target", daemon=True).start()
    return await done


def _told(error: BaseException) -> str:
    """Return the exception and the last location in the user's own code."""
    ours = str(Path(proctor.__file__).parent)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(ours)]
    own = [frame for frame in frames if not _installed(frame.filename)]
    told = f"{type(error).__name__}: {error}"
    if not frames:
        return told
    last = (own or frames)[-1]
    return f"{told} ({Path(last.filename).name}:{last.lineno} in {last.name})"


def _installed(filename: str) -> bool:
    return "site-packages" in filename or filename.startswith(str(Path(asyncio.__file__).parents[1])) or "<" in filename


def connect(kit: Kit) -> PythonTarget:
    """A Python function, sync or async, or a class with a method `say`."""
    settings = decode(PythonSettings, kit.settings, strict=True)
    subject = load_object(settings.python, Path(kit.folder))
    return _made(kit.name, settings, subject, kit.model(settings.model) if settings.model else None)


def target_of(subject: Callable[..., Any], name: str | None = None) -> PythonTarget:
    """Return a target for a given function or class.

    Raises:
        ConfigError: it needs arguments that a target does not provide, or is a class without a method `say`.
    """
    called = str(getattr(subject, "__qualname__", type(subject).__qualname__)).rpartition(".")[2]
    module = getattr(subject, "__module__", None)
    place = f"{module}:{called}" if module else called
    check_callable(subject, place)
    return _made(name or called, PythonSettings(python=place), subject, None)


def _made(name: str, settings: PythonSettings, subject: Any, model: Model | None) -> PythonTarget:
    is_class = inspect.isclass(subject)
    shows_of(subject, settings.python)  # a mistake is told before the run
    return PythonTarget(
        name=name,
        settings=settings,
        subject=subject,
        wants=wants_of(subject.say, settings.python, method=True) if is_class else wants_of(subject, settings.python),
        making=wants_of(subject, settings.python, making=True) if is_class else None,
        source=_source(subject),
        model=model,
    )


def _source(subject: Any) -> str:
    try:
        inner = subject if inspect.isclass(subject) else inspect.unwrap(subject)
        file = inspect.getsourcefile(inner)
        # The code of a notebook cell is in no file.
        code = Path(file).read_bytes() if file and Path(file).is_file() else inspect.getsource(inner).encode()
        return hashlib.sha256(code).hexdigest()[:16]
    except (TypeError, OSError, ValueError):
        return ""
