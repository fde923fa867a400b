"""Options shared by the verbs that score: the format of the files, and the models that judge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from proctor import registry

__all__ = ["FORMATS", "format_option", "judge_option"]

FORMATS = ("auto", *registry.names("importers"))


def format_option(detects: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option `--format`; ``detects`` completes its help."""
    return click.option(
        "-f",
        "--format",
        type=click.Choice(FORMATS),
        default="auto",
        show_default=True,
        help=f"The tool that wrote the files; {detects}.",
    )


def judge_option(
    help: str = "Model that judges what code and local models cannot. May be repeated.",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option `--judge`; the values are names of models in ``judges``."""
    return click.option("--judge", "judges", multiple=True, envvar="PROCTOR_RUN_JUDGE", help=help)
