"""The cases that a job is run on, with where they came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proctor.core.sockets import Target
from proctor.suites.load import LoadedSuite

__all__ = ["Opened"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A suite that was opened; ``prompt`` is the file it was made from, when that is what was named.

    ``targets`` are given where the answers exist already. ``seen`` tells what was found once all cases were looked at.
    """

    loaded: LoadedSuite
    prompt: Path | None = None
    warnings: tuple[str, ...] = field(default=())
    targets: list[Target] = field(default_factory=list)
    seen: Callable[[], Sequence[str]] = tuple
