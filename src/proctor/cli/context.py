"""What every verb starts from: the environment and the project's configuration."""

from __future__ import annotations

from pathlib import Path

import click

from proctor.cli.main import ENVIRONMENT
from proctor.config import CONFIG_NAME, Config, Environment, find_config, load_config, read_environment
from proctor.core.errors import ConfigError

__all__ = ["project", "project_in"]


def project(ctx: click.Context) -> Config:
    """The project the command was called in.

    Raises:
        ConfigError: the file given with --config is not there.
    """
    start = Path.cwd()
    environment = _environment(ctx)
    chosen: Path | None = ctx.obj
    if chosen is not None:
        chosen = chosen.expanduser().absolute()
        if chosen.is_dir():
            chosen = chosen / "proctor.yaml"
        if not chosen.is_file():
            raise ConfigError("there is no such file", file=str(chosen), hint="check the path after --config")
    return load_config(chosen or find_config(start), environment, start=start)


def project_in(ctx: click.Context, folder: Path) -> Config | None:
    """The project whose own folder this is; none when the folder has no proctor.yaml."""
    if not (folder / CONFIG_NAME).is_file():
        return None
    return load_config((folder / CONFIG_NAME).absolute(), _environment(ctx), start=folder)


def _environment(ctx: click.Context) -> Environment:
    """The environment as ``main`` has read it: read again, it would not say which variables come from ``.env``."""
    found = ctx.meta.get(ENVIRONMENT)
    return found if isinstance(found, Environment) else read_environment(Path.cwd())
