"""The option `-o` of verbs that write report files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

__all__ = ["output_option"]


def output_option(endings: str, *, what: str = "File to write") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option for files of these extensions; the values are paths in ``outputs``."""
    return click.option(
        "-o",
        "--output",
        "outputs",
        multiple=True,
        type=click.Path(path_type=Path),
        help=f"{what}; the extension sets the format: {endings}. May be repeated.",
    )
