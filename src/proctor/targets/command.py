"""A target that runs a command: JSON in, an answer out."""

from __future__ import annotations

import asyncio
import json
import shlex
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.codec import dumps
from proctor.core.decode import decode
from proctor.core.errors import ConfigError, MalformedError, Problem
from proctor.core.sockets import Conversation, Kit
from proctor.core.trajectory import Trajectory, Turn
from proctor.targets.answer import KEYS, chat_messages, turn_of
from proctor.targets.play_case import AnswerError, drive
from proctor.targets.process import Process, failed, run_once

__all__ = ["CommandSettings", "CommandTarget", "connect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSettings:
    """Settings of a command.

    ``command`` is text or a list; text is split like a shell does, but no shell runs unless ``shell`` is true.
    With ``keep`` one process serves a whole conversation, one JSON line in and one line out per turn.
    ``timeout`` is in seconds per turn.
    """

    command: str | tuple[str, ...]
    shell: bool = False
    keep: bool = False
    timeout: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandTarget:
    """A command: JSON on its input, JSON or text on its output."""

    name: str
    settings: CommandSettings
    command: tuple[str, ...] | str
    folder: Path

    @property
    def spec(self) -> Mapping[str, Any]:
        """The command line and its settings."""
        return {"command": self.command, "shell": self.settings.shell, "keep": self.settings.keep}

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        """Run the case turn by turn."""
        return await drive(case, lambda: self.begin(case, sample=sample), target=self.name)

    def begin(self, case: Case, *, sample: int = 0) -> Conversation:
        """Begin a conversation turn by turn."""
        return _Conversation(self, case, sample)


class _Conversation:
    """The messages so far, and the process if it is kept."""

    def __init__(self, target: CommandTarget, case: Case, sample: int) -> None:
        self._target, self._case, self._sample = target, case, sample
        self._messages = list(case.history)
        self._process: Process | None = None
        self.session = uuid.uuid4().hex

    async def say(self, text: str) -> Turn:
        self._messages.append(Message(role="user", content=text))
        settings = self._target.settings
        if settings.keep:
            output = await self._exchange(self._asked(text))
        else:
            command = self._target.command
            output = await run_once(command, self._asked(text), folder=self._target.folder, timeout=settings.timeout)
        turn = turn_of(_parsed(output), text)
        self._messages.append(Message(role="assistant", content=turn.answer))
        return turn

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.farewell()

    def _asked(self, text: str) -> bytes:
        case = self._case
        data = {
            "text": text,
            "messages": chat_messages(self._messages),
            "session": self.session,
            "inputs": case.inputs,
            "page": case.page,
            "case": {"id": case.id, "intent": case.intent, "tags": case.tags, "metadata": case.metadata},
            "sample": self._sample,
        }
        return dumps(data) + b"\n"

    async def _exchange(self, line: bytes) -> bytes:
        if self._process is None:
            self._process = await Process.start(self._target.command, self._target.folder)
        process, limit = self._process, self._target.settings.timeout
        try:
            async with asyncio.timeout(limit):
                await process.write(line, last=False)
                answer = await process.read_line()
                if answer:
                    return answer
                raise failed(await process.wait(), process.complaint)
        except BaseException as error:
            # Its answer is outstanding: its next output could be mistaken for the answer to another message.
            self._process = None
            await process.end()
            if isinstance(error, TimeoutError):
                told = f"no answer within {limit:g} s"
                raise AnswerError(told, kind="timeout", raw=process.complaint or None) from None
            raise


def _parsed(output: bytes) -> Any:
    """Return a JSON object with the keys of a turn, or the text as it is."""
    text = output.decode(errors="replace").strip()
    if text.startswith("{"):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            return text
        if isinstance(data, dict) and KEYS & data.keys():
            return data
    return text


def connect(kit: Kit) -> CommandTarget:
    """A command that reads JSON and writes JSON or text."""
    settings = decode(CommandSettings, kit.settings, strict=True)
    if settings.timeout <= 0:
        raise MalformedError([Problem(("timeout",), "must be more than 0 seconds")])
    folder = Path(kit.folder)
    return CommandTarget(name=kit.name, settings=settings, command=_command(settings, folder), folder=folder)


def _command(settings: CommandSettings, folder: Path) -> tuple[str, ...] | str:
    given = settings.command
    if settings.shell:
        if not isinstance(given, str):
            raise MalformedError([Problem(("shell",), "needs the command as text", "write it on one line")])
        return given
    if isinstance(given, str):
        try:
            given = tuple(shlex.split(given))
        except ValueError as error:
            raise MalformedError([Problem(("command",), f"cannot be split: {error}", "close the quotes")]) from None
    if not given or not given[0]:
        raise MalformedError([Problem(("command",), "is empty", "write the command to run")])
    program = given[0]
    found = (folder / program).is_file() if "/" in program else shutil.which(program) is not None
    if not found:
        hint = "check the name; a path is relative to proctor.yaml" + ("" if "/" in program else ", like ./agent.sh")
        raise ConfigError(f"there is no command {program!r}", field="command", hint=hint)
    return given
