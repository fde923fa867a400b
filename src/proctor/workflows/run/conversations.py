"""Recorded conversations wired for a run: the checks they are put to, and the recording as their target."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from proctor import registry
from proctor.core.case import Check
from proctor.suites.conversations.suite import RecordedSuite, open_recorded_suite
from proctor.targets.recording import RecordingTarget
from proctor.workflows.run.suite_source import Opened

__all__ = ["DEFAULT", "open_recorded"]

DEFAULT = "conversation"
_TARGET = "recorded"


def open_recorded(
    recordings: Sequence[Path],
    *,
    format: str = "auto",
    checks: Path | None = None,
    scorers: Sequence[str] = (),
    target: str | None = None,
) -> Opened:
    """Conversations as a suite whose answers exist already.

    Without a suite of checks, the scorers that were named judge them, or else the `conversation` score does.

    Raises:
        InputError: a file cannot be read, or there is no such format or scorer.
    """
    named = tuple(dict.fromkeys(scorers)) if scorers else (DEFAULT,)
    for name in named if checks is None else ():
        registry.find("scorers", name)  # said at once, and not as a mistake of the file with the conversations
    suite = open_recorded_suite(
        recordings, format=format, checks=checks, default=[Check(scorer=name) for name in named]
    )
    first = recordings[0]
    recorded = RecordingTarget(name=target or suite.suite.target or _TARGET, path=first, index={})
    return Opened(loaded=suite, targets=[recorded], seen=lambda: _unmatched(suite))


def _unmatched(suite: RecordedSuite) -> list[str]:
    if not suite.known or not (missing := suite.missing()):
        return []
    shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
    return [f"{suite.path.name} expects something of conversations that are not here: {shown}"]
