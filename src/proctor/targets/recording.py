"""A target that replays recorded conversations by the id of their case."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from proctor.core.case import Case
from proctor.core.decode import decode
from proctor.core.errors import ConfigError, MalformedError
from proctor.core.sockets import Kit
from proctor.core.trajectory import Trajectory
from proctor.targets.answer import turn_of
from proctor.targets.play_case import AnswerError

__all__ = ["RecordedCases", "RecordingSettings", "RecordingTarget", "connect"]

_MAX_LINE_BYTES = 64_000_000
_MAX_SCORED_CHARS = 10_000_000  # of one conversation; scoring as much takes more than a minute
Key = tuple[str, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingSettings:
    """A file of recorded conversations.

    ``recording`` is a JSON Lines file: on each line the id of a case and its ``turns``, its ``answer``, or a
    result as ``proctor export`` writes it. ``target`` selects the results of that target.
    """

    recording: str
    target: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingTarget:
    """Recorded conversations; only their positions in the file are in memory."""

    name: str
    path: Path
    index: Mapping[Key, int] = field(repr=False)
    hash: str = ""

    @property
    def spec(self) -> Mapping[str, Any]:
        """The file's name and the hash of its content."""
        return {"recording": self.path.name, "hash": self.hash, "conversations": len(self.index)}

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        """Return the recorded conversation of the case."""
        if case.recorded is not None:
            return _unless_too_long(case.recorded)
        offset = self.index.get((case.id, sample), self.index.get((case.id, None)))
        if offset is None:
            again = f" (sample {sample})" if sample else ""
            return self._error(f"there is no recording of case {case.id!r}{again} in {self.path.name}")
        try:
            with self.path.open("rb") as handle:
                handle.seek(offset)
                return _unless_too_long(_trajectory(json.loads(handle.readline(_MAX_LINE_BYTES)), case, self.name))
        except OSError as error:
            return self._error(f"the recording cannot be read: {error.strerror}")
        except (ValueError, RecursionError, MalformedError, AnswerError) as error:
            return self._error(f"the recording of case {case.id!r} cannot be used: {error}")

    def _error(self, message: str) -> Trajectory:
        return Trajectory(target=self.name, error=message, error_kind="target")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCases:
    """The answers that the cases themselves carry: a suite of these needs no target."""

    name: str = "recorded"

    @property
    def spec(self) -> Mapping[str, Any]:
        """The answers are part of the suite, which has its own hash."""
        return {"recorded": True}

    async def run(self, case: Case, *, sample: int = 0) -> Trajectory:
        """Return the answer that the case carries."""
        if case.recorded is not None:
            return _unless_too_long(case.recorded)
        return Trajectory(target=self.name, error="the case has no `recorded` answer", error_kind="target")


def _unless_too_long(run: Trajectory) -> Trajectory:
    """Return the conversation, or say that it is too long to be scored."""
    texts = [message.content for message in run.messages] + [source.text for source in run.sources]
    texts += [call.result for call in run.tool_calls if isinstance(call.result, str)]
    chars = sum(map(len, texts))
    if chars <= _MAX_SCORED_CHARS:
        return run
    told = (
        f"the recorded conversation is too long: {chars:,} characters, and at most {_MAX_SCORED_CHARS:,} are scored; "
        "split it into conversations, or leave long tool results out"
    )
    return replace(run, error=told, error_kind="target")


def connect(kit: Kit) -> RecordingTarget:
    """Recorded conversations from a JSON Lines file."""
    settings = decode(RecordingSettings, kit.settings, strict=True)
    path = Path(kit.folder) / settings.recording
    try:
        index, digest = _index(path, settings.target)
    except OSError as error:
        what = f"the recording cannot be read: {error.strerror}"
        raise ConfigError(what, file=str(path), field="recording", hint="check the path") from None
    if not index:
        raise ConfigError("the recording is empty", file=str(path), field="recording", hint="record something first")
    return RecordingTarget(name=kit.name, path=path, index=index, hash=digest)


def _index(path: Path, target: str | None) -> tuple[dict[Key, int], str]:
    index: dict[Key, int] = {}
    digest = hashlib.sha256()
    offset = 0
    with path.open("rb") as handle:
        number = 0
        while line := handle.readline(_MAX_LINE_BYTES):
            number += 1
            digest.update(line)
            if line.strip():
                _enter(index, line, offset, (path, number), target)
            offset += len(line)
    return index, digest.hexdigest()[:16]


def _enter(index: dict[Key, int], line: bytes, offset: int, place: tuple[Path, int], target: str | None) -> None:
    file, number = str(place[0]), place[1]
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        hint = "write one JSON object on each line"
        raise ConfigError(f"not valid JSON: {error}", file=file, line=number, hint=hint) from None
    key = _key(row)
    if key is None:
        hint = 'write `"id"` with the id of the case'
        raise ConfigError("the row names no case", file=file, line=number, hint=hint)
    if target is not None and row.get("target") != target:
        return
    if key in index:
        hint = "name one target with `target:`, or number the rows with `sample`"
        raise ConfigError(f"the case {key[0]!r} is there twice", file=file, line=number, hint=hint)
    index[key] = offset


def _key(row: Any) -> Key | None:
    if not isinstance(row, dict):
        return None
    case = row.get("case")
    name = case.get("id") if isinstance(case, dict) else case if case is not None else row.get("id")
    if not isinstance(name, (str, int)) or isinstance(name, bool):
        return None
    sample = row.get("sample")
    if sample is None and "trajectory" in row:
        sample = 0  # an exported result leaves out default values
    return str(name), sample if isinstance(sample, int) else None


def _trajectory(row: Mapping[str, Any], case: Case, name: str) -> Trajectory:
    """Return the conversation of a row, in any of its formats."""
    data = row.get("trajectory", row)
    if not isinstance(data, Mapping):
        raise ValueError("`trajectory` must be a mapping")
    asked = [ask.text for ask in case.asks]
    turns = data.get("turns", [data] if "answer" in data else None)
    if not isinstance(turns, list):
        raise ValueError("it has neither `turns` nor `answer`")
    skip = ("id", "case", "sample", "turns", "answer", "trajectory", "target")
    rest = {} if turns and turns[0] is data else {key: value for key, value in data.items() if key not in skip}
    made = [turn_of(_turn(turn), asked[at] if at < len(asked) else "") for at, turn in enumerate(turns)]
    return decode(Trajectory, {**rest, "turns": made, "target": str(data.get("target") or name)})


def _turn(turn: Any) -> Any:
    if not isinstance(turn, Mapping):
        return turn
    return {key: value for key, value in turn.items() if key not in ("id", "case", "sample", "target", "turns")}
