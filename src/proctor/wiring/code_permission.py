"""Check whether a suite file may name code to run: a target, a model or a database driver.

Suites are shared as data, so they may not run code by themselves. Names in proctor.yaml and on the command line are
allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from proctor.config import Config
from proctor.core.errors import ConfigError

__all__ = ["check_suite_code", "check_suite_sockets", "check_suite_target"]

_TARGETS: Final = ("command", "python")
_MODELS: Final = ("rule",)


def check_suite_target(name: str, *, config: Config, file: Path | None) -> None:
    """Check that a suite may name this target.

    Raises:
        ConfigError: the target runs code and is not allowed by proctor.yaml or the command line.
    """
    if name in config.settings.targets or name == config.settings.target:
        return
    if name.partition(":")[0] in _TARGETS:
        _check(name, config=config, file=file, field="target", instead="move it to `targets:` in proctor.yaml")


def check_suite_code(reference: str, *, config: Config, field: str) -> None:
    """Check that a suite may name this function.

    Raises:
        ConfigError: it is not allowed by proctor.yaml or the command line.
    """
    _check(reference, config=config, file=None, field=field, instead="make it a package with an entry point")


def check_suite_sockets(scorer: str, named: Mapping[str, Any], *, config: Config) -> None:
    """Check that a check of a suite may name these models and this catalogue (keys: sockets of the scorer).

    Raises:
        ConfigError: one of them runs code that is not allowed, or reads files outside the suite.
    """
    for role, value in named.items():
        field = f"checks.{scorer}.{role}"
        if role == "catalogue":
            _check_catalogue(value, config=config, field=field)
            continue
        for name in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(name, str) and name not in config.settings.models and name.partition(":")[0] in _MODELS:
                _check(name, config=config, file=None, field=field, instead="move it to `models:` in proctor.yaml")


def _check_catalogue(written: Any, *, config: Config, field: str) -> None:
    if written is None:
        return
    instead = "move it to `catalogue:` in proctor.yaml"
    if "${" in str(written):
        raise ConfigError("a suite cannot read the environment", field=field, hint=instead)
    entry = written if isinstance(written, Mapping) else {}
    if driver := entry.get("driver"):
        _check(str(driver), config=config, file=None, field=f"{field}.driver", instead=instead)
    place = entry.get("file") or entry.get("sql") if entry else written
    text = str(place or "").removeprefix("sqlite:///").removeprefix("sqlite://")
    if driver or not text or "://" in text:
        return
    if not (config.folder / text).resolve().is_relative_to(config.folder.resolve()):
        raise ConfigError(f"{text} is outside of the project's folder", field=field, hint=instead)


def _check(what: str, *, config: Config, file: Path | None, field: str, instead: str) -> None:
    allowed = config.settings.allow_commands
    if allowed is True or (not isinstance(allowed, bool) and what in allowed):
        return
    raise ConfigError(
        f"the suite names {what!r}, which would run code on this machine",
        file=str(file) if file else None,
        field=field,
        hint=f"give --allow-commands, set `allow_commands: true` or `allow_commands: [{what!r}]` in proctor.yaml,"
        f" or {instead}",
    )
