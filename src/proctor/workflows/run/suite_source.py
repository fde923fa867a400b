"""The cases of a job, and their source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path

from proctor.core.record import dataclass
from proctor.core.sockets import Scorer, Target
from proctor.suites.load import LoadedSuite

__all__ = ["Opened"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An opened suite; ``prompt`` is the prompt file it was made from, if any.

    ``targets`` are given if answers exist already or a program passes its own; ``scorers`` judge every case in addition
    to those of the suite. ``seen`` reports findings after all cases were read.
    """

    loaded: LoadedSuite
    prompt: Path | None = None
    warnings: tuple[str, ...] = field(default=())
    targets: list[Target] = field(default_factory=list)
    scorers: tuple[Scorer, ...] = ()
    seen: Callable[[], Sequence[str]] = tuple
