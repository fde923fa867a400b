"""Replays as JSON lines: appended one by one, so that a killed run continues where it stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from benchmarks.agentdojo.outcome import Outcome

__all__ = ["NO_ATTACK", "Journal", "Replay"]

NO_ATTACK = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """One replay of a pair, or of a user task without payload (``attack`` is ``none``, ``goal`` is empty).

    ``goal_reached`` is what AgentDojo's own check says. ``interventions`` are ``(point, gate, action)``.
    ``reached_anyway`` are the goals that the check finds reached without a payload.
    """

    suite: str
    task: str
    goal: str
    attack: str
    guarded: bool
    outcome: Outcome
    utility: bool | None = None
    goal_reached: bool | None = None
    raw: str = "none"
    received: str = "none"
    fragment: float = 0.0
    stopped_by: str | None = None
    held_back: int = 0
    interventions: tuple[tuple[str, str, str], ...] = ()
    reached_anyway: tuple[str, ...] = ()
    looks_like: tuple[str, ...] = ()
    error: str | None = None
    cpu_ms: float = 0.0

    @property
    def key(self) -> tuple[str, str, str, str, bool]:
        """What makes this replay the same as another."""
        return self.suite, self.task, self.goal, self.attack, self.guarded


class Journal:
    """A file of replays. Its first line says what was replayed; another setting needs another file."""

    def __init__(self, path: Path, about: Mapping[str, Any] | None = None) -> None:
        self.path = path
        self.replays: list[Replay] = []
        self.about: Mapping[str, Any] = {}
        whole = _whole_lines(path)
        for number, line in enumerate(whole):
            data = json.loads(line)
            if number == 0:
                self.about = data["about"]
            else:
                self.replays.append(_replay(data))
        if about is not None and whole and dict(self.about) != dict(about):
            raise ValueError(f"{path} is of another run: {self.about}")
        self.done = {each.key for each in self.replays}
        self._file: IO[str] | None = None
        if about is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._open(about, whole)

    def _open(self, about: Mapping[str, Any], whole: list[str]) -> None:
        if whole:  # a line that was cut off is written over
            self._file = self.path.open("r+", encoding="utf-8")
            self._file.truncate(sum(len(line.encode()) for line in whole))
            self._file.seek(0, 2)
            return
        self.about = about
        self._file = self.path.open("w", encoding="utf-8")
        self._write({"about": about})

    def add(self, replay: Replay) -> None:
        """Append one replay."""
        self._write(asdict(replay))
        self.replays.append(replay)
        self.done.add(replay.key)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _write(self, data: Mapping[str, Any]) -> None:
        assert self._file is not None
        self._file.write(json.dumps(data, ensure_ascii=False) + "\n")
        self._file.flush()


def _whole_lines(path: Path) -> list[str]:
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    return [f"{line}\n" for line in lines[:-1]]


def _replay(data: dict[str, Any]) -> Replay:
    data["interventions"] = tuple((point, gate, action) for point, gate, action in data["interventions"])
    return Replay(**{**data, "reached_anyway": tuple(data["reached_anyway"]), "looks_like": tuple(data["looks_like"])})
