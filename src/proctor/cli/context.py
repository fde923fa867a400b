"""The environment and the project's configuration, for every verb."""

from __future__ import annotations

from pathlib import Path

import click

from proctor.config import CONFIG_NAME, Config, find_config, load_config, read_environment
from proctor.core.errors import ConfigError

__all__ = ["project", "project_in"]


def project(ctx: click.Context) -> Config:
    """Return the project of the current command.

    Raises:
        ConfigError: the file given with --config does not exist.
    """
    start = Path.cwd()
    environment = read_environment(start)
    chosen: Path | None = ctx.obj
    if chosen is not None:
        chosen = chosen.expanduser().absolute()
        if chosen.is_dir():
            chosen = chosen / "proctor.yaml"
        if not chosen.is_file():
            raise ConfigError("there is no such file", file=str(chosen), hint="check the path after --config")
    return load_config(chosen or find_config(start), environment, start=start)


def project_in(folder: Path) -> Config | None:
    """Return the project of this folder; none if it has no proctor.yaml."""
    if not (folder / CONFIG_NAME).is_file():
        return None
    return load_config((folder / CONFIG_NAME).absolute(), read_environment(Path.cwd()), start=folder)
