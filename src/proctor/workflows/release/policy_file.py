"""The file with the rules of release, found without reading it."""

from __future__ import annotations

from pathlib import Path

from proctor.config import Config, Release
from proctor.core.errors import ConfigError

__all__ = ["policy_path"]


def policy_path(config: Config, named: Path | None = None) -> Path | None:
    """The path of the rules of release; ``None`` for a project that has none, so that the default rules apply.

    Raises:
        ConfigError: the file that was named is not there.
    """
    path = named or config.folder / config.settings.release.policy
    if path.is_file():
        return path
    if named or config.settings.release.policy != Release().policy:
        raise ConfigError("there is no such file", file=str(path), hint="check the path of the rules")
    return None
