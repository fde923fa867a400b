"""Fake models for tests; their names identify them in every report.

``Scripted`` returns the given replies in order; ``ReplyRule`` calls a function; ``Replay`` returns recorded replies.
"""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import isawaitable
from pathlib import Path
from typing import Any, ClassVar

from proctor.core.chat import Reply, Request, Usage
from proctor.core.codec import content_id
from proctor.core.decode import decode
from proctor.core.errors import ConfigError, MalformedError, ProctorError, RejectedError
from proctor.core.sockets import Kit, Model

__all__ = ["Replay", "ReplyRule", "Scripted", "replay", "rule", "scripted"]

Answer = str | Reply


def _reply(answer: Answer, name: str, request: Request) -> Reply:
    if isinstance(answer, Reply):
        return answer
    words = sum(len(message.content.split()) for message in request.messages)
    return Reply(text=answer, model=name, cost=0.0, usage=Usage(input=words, output=len(answer.split())))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """Returns the given replies in order; an exception among them is raised."""

    tells_cost: ClassVar[bool] = True
    replies: Sequence[Answer | Exception]
    name: str = "scripted"
    _next: Iterator[int] = field(default_factory=itertools.count, repr=False, compare=False)

    @property
    def spec(self) -> Mapping[str, Any]:
        """The script."""
        return {"provider": "scripted", "replies": [str(reply) for reply in self.replies]}

    async def complete(self, request: Request) -> Reply:
        """Return the next reply.

        Raises:
            RejectedError: the script has ended.
        """
        number = next(self._next)
        if number >= len(self.replies):
            raise RejectedError(
                f"the script of {self.name} has {len(self.replies)} replies; this would be number {number + 1}",
                hint="add replies",
            )
        answer = self.replies[number]
        if isinstance(answer, Exception):
            raise answer
        return _reply(answer, self.name, request)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyRule:
    """Calls a function for each reply."""

    tells_cost: ClassVar[bool] = True
    function: Callable[[Request], Answer | Awaitable[Answer]]
    name: str = "rule"

    @property
    def spec(self) -> Mapping[str, Any]:
        """The function's name."""
        return {"provider": "rule", "function": getattr(self.function, "__qualname__", repr(self.function))}

    async def complete(self, request: Request) -> Reply:
        """Return the function's reply."""
        try:
            answer = self.function(request)
            return _reply(await answer if isawaitable(answer) else answer, self.name, request)
        except ProctorError:
            raise
        except Exception as error:
            raise RejectedError(f"the function of {self.name} raised {type(error).__name__}: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Returns the reply recorded for the same request; any other request is rejected."""

    tells_cost: ClassVar[bool] = True
    replies: Mapping[str, Reply]
    name: str = "replay"

    @property
    def spec(self) -> Mapping[str, Any]:
        """A hash of the recording."""
        return {"provider": "replay", "recording": content_id(sorted(self.replies))}

    async def complete(self, request: Request) -> Reply:
        """Return the recorded reply.

        Raises:
            RejectedError: the recording does not contain this request.
        """
        reply = self.replies.get(content_id(request, length=32))
        if reply is None:
            last = request.messages[-1].content if request.messages else ""
            raise RejectedError(f"{self.name} holds no answer to {last[:80]!r}", hint="record it again with this suite")
        return replace(reply, cached=True)


def scripted(kit: Kit) -> Model:
    """A fake that returns the `replies` in its settings, in order."""
    replies = kit.settings.get("replies")
    if not isinstance(replies, (list, tuple)) or not all(isinstance(each, str) for each in replies):
        raise ConfigError(
            "needs a list of texts", field=f"models.{kit.name}.replies", hint='replies: ["first", "second"]'
        )
    return Scripted(replies=tuple(replies), name=f"scripted:{kit.name}")


def rule(kit: Kit) -> Model:
    """A fake that calls a Python function: `rule:file.py:function`."""
    return ReplyRule(function=_function(kit), name=f"rule:{kit.settings.get('model', kit.name)}")


def replay(kit: Kit) -> Model:
    """Answers from a recording: a JSONL file of {request, reply}."""
    path = Path(kit.folder) / str(kit.settings.get("model", ""))
    place = f"models.{kit.name}"
    try:
        with path.open("rb") as lines:
            replies = dict(_recorded(line, path, number, place) for number, line in enumerate(lines, 1))
    except OSError as error:
        raise ConfigError(
            f"cannot be read: {error.strerror}", file=str(path), field=place, hint="check the path"
        ) from error
    return Replay(replies=replies, name=f"replay:{path.name}")


def _recorded(line: bytes, path: Path, number: int, place: str) -> tuple[str, Reply]:
    try:
        row = json.loads(line)
        return content_id(decode(Request, row["request"]), length=32), decode(Reply, row["reply"])
    except (ValueError, RecursionError, KeyError, TypeError, MalformedError) as error:
        hint = 'each line is {"request": …, "reply": …}'
        raise ConfigError(f"is no recording: {error}", file=str(path), line=number, field=place, hint=hint) from error


def _function(kit: Kit) -> Callable[[Request], Answer]:
    written = str(kit.settings.get("model", ""))
    where, _, name = written.rpartition(":")
    place = f"models.{kit.name}.model"
    try:
        if where.endswith(".py"):
            path = Path(kit.folder) / where
            spec = importlib.util.spec_from_file_location(f"proctor_rule_{content_id(str(path))}", path)
            if spec is None or spec.loader is None:
                raise ImportError(f"{path} cannot be loaded")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(where)
        function: Callable[[Request], Answer] = getattr(module, name)
    except (ImportError, AttributeError, ValueError, OSError) as error:
        raise ConfigError(
            f"{written!r} cannot be loaded: {error}", field=place, hint="write file.py:function"
        ) from error
    return function
