"""The cases that a job is run on, with where they came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proctor.core.sockets import Scorer, Target
from proctor.suites.load import LoadedSuite

__all__ = ["Opened"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A suite that was opened; ``prompt`` is the file it was made from, when that is what was named.

    ``targets`` are given where the answers exist already, or where a program gives its own; so are ``scorers``, which
    judge every case beside those of the suite. ``seen`` tells what was found once all cases were looked at.
    """

    loaded: LoadedSuite
    prompt: Path | None = None
    warnings: tuple[str, ...] = field(default=())
    targets: list[Target] = field(default_factory=list)
    scorers: tuple[Scorer, ...] = ()
    seen: Callable[[], Sequence[str]] = tuple
