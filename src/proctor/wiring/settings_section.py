"""Read one section of proctor.yaml, and name the line of each problem in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from proctor.config import Config, expand
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, Problem

__all__ = ["placed_in", "read_section"]

Section = TypeVar("Section")


def read_section(
    config: Config, place: Sequence[str], kind: type[Section], written: Any, *, expanded: bool = False
) -> Section:
    """Return the settings written at a place of proctor.yaml; with ``expanded``, with the values of ``${VARIABLES}``.

    Raises:
        MalformedError: a setting is unknown or wrong, or needs a variable that is not set; all of them are listed.
    """
    try:
        return decode(kind, expand(written, config.environment) if expanded else written, strict=True)
    except MalformedError as error:
        raise placed_in(config.path, [each.under(*place) for each in error.problems]) from error


def placed_in(path: Path | None, problems: Sequence[Problem]) -> MalformedError:
    """Return the error for some problems, each with its line in the YAML file."""
    if path is None:
        return MalformedError(list(problems))
    from proctor.prompts.yaml_text import lines_in_yaml  # noqa: PLC0415 - costs 40 ms

    line_of = lines_in_yaml(path.read_bytes().decode("utf-8-sig"))
    return MalformedError([replace(each, line=line_of(each.path)) for each in problems], file=str(path))
