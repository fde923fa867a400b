"""Options that several verbs share: output files, JSON, the person who decides, formats, and judges."""

from __future__ import annotations

import getpass
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

__all__ = [
    "FILE",
    "events_option",
    "format_option",
    "json_option",
    "judge_option",
    "output_option",
    "person_option",
    "time_of",
    "user_name",
]

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FILE = click.Path(path_type=Path, dir_okay=False)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
events_option = click.option(
    "--events",
    multiple=True,
    type=FILE,
    help="Event log, JSON lines (also .gz), in order of time. May be repeated.  [default: the project's event log]",
)


def output_option(endings: str, *, what: str = "File to write") -> Decorator:
    """Return the option for files of these extensions; the values are paths in ``outputs``."""
    return click.option(
        "-o",
        "--output",
        "outputs",
        multiple=True,
        type=click.Path(path_type=Path),
        help=f"{what}; the extension sets the format: {endings}. May be repeated.",
    )


def person_option(flag: str = "--by", name: str = "person", *, what: str = "Name of the person.") -> Decorator:
    """Return the option for the person who decides; without it the value is the name of the user."""
    return click.option(flag, name, default=user_name, help=f"{what}  [default: the user's name]")


def format_option(detects: str) -> Decorator:
    """Return the option `--format`; ``detects`` completes its help."""
    from proctor import registry  # noqa: PLC0415 - only where formats are chosen

    return click.option(
        "-f",
        "--format",
        type=click.Choice(("auto", *registry.names("importers"))),
        default="auto",
        show_default=True,
        help=f"The tool that wrote the files; {detects}.",
    )


def judge_option(
    help: str = "Model that judges what code and local models cannot. May be repeated.",
) -> Decorator:
    """Return the option `--judge`; the values are names of models in ``judges``."""
    return click.option("--judge", "judges", multiple=True, envvar="PROCTOR_RUN_JUDGE", help=help)


def user_name() -> str:
    """Return the name of the user of this machine."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return "unknown"


def time_of(text: str | None, flag: str) -> float | None:
    """Return the time given with an option in seconds since 1970; one without a zone is UTC."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter("expected a time like 2026-11-15T09:30:00Z", param_hint=flag) from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
