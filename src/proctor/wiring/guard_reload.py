"""Decide whether reloaded settings may replace those in force."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from proctor.config import Config
from proctor.core.errors import ConfigError
from proctor.core.step import POINTS
from proctor.guard.engine import Plan

__all__ = ["FileStamp", "ReloadError", "check_replacement", "settled_stamp", "stamp_of", "text_of"]

FileStamp = tuple[int, int, int]
_SETTLE_SECONDS: Final = 0.2  # a file changed more recently may be half written
_MOST_LOOKS: Final = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadError:
    """Why a reload failed, and since when."""

    time: datetime
    reason: str

    @classmethod
    def now(cls, reason: str) -> ReloadError:
        """Return an error with the current time."""
        return cls(time=datetime.now(UTC), reason=reason)

    @property
    def data(self) -> Mapping[str, Any]:
        """The error as it appears in the guard's health."""
        return {"time": self.time.isoformat(timespec="seconds"), "reason": self.reason}


def stamp_of(config: Config) -> FileStamp | None:
    """Return a stamp that changes when the file does."""
    try:
        found = os.stat(config.path) if config.path is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_mtime_ns, found.st_size, found.st_ino)


def settled_stamp(config: Config) -> FileStamp | None:
    """Wait until the file is no longer being written, then return its stamp; for a background thread."""
    stamp = stamp_of(config)
    for _ in range(_MOST_LOOKS):
        time.sleep(_SETTLE_SECONDS)
        before, stamp = stamp, stamp_of(config)
        if stamp == before:
            break
    return stamp


def text_of(config: Config) -> str:
    """Return the text of the file; empty if it cannot be read."""
    try:
        return "" if config.path is None else config.path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


def check_replacement(before: Config, old: Plan, after: Config, new: Plan, *, was: str, text: str) -> None:
    """Refuse settings that drop gates without an explicit decision.

    A file that was emptied or cut off while being saved is often valid YAML. Removing a gate from a list, or emptying a
    list, is explicit; a missing section or list is not. ``was`` and ``text`` are the old and new text of the file.

    Raises:
        ConfigError: a section or list is missing; the hint explains how to remove it explicitly.
    """
    file = str(after.path) if after.path else None
    written, now = before.settings.guard, after.settings.guard
    if written and not now:
        raise ConfigError(
            "there is no `guard:` section any more, or nothing in it",
            file=file,
            field="guard",
            hint="write the section again; to go back to the default gates, restart the guard",
        )
    if was.endswith("\n") and not text.endswith("\n") and was.startswith(text):
        raise ConfigError(
            "the file ends in the middle of what it said before, as a half-saved file does",
            file=file,
            hint="save it again, with a newline at its end",
        )
    for point in POINTS:
        if point not in written or point in now:
            continue
        kept = {post.name for post in new.chains[point].posts}
        if lost := [post.name for post in old.chains[point].posts if post.name not in kept]:
            raise ConfigError(
                f"`{point}:` is not there any more, and with it {', '.join(lost)} would be gone",
                file=file,
                field=f"guard.{point}",
                hint=f"list the gates of {point}, or write `{point}: []` for none",
            )
