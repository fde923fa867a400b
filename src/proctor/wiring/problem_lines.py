"""Problems of settings with the lines of the YAML file that they stand in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from proctor.core.errors import MalformedError, Problem

__all__ = ["placed_in"]


def placed_in(path: Path | None, problems: Sequence[Problem]) -> MalformedError:
    """What is wrong with some settings, each with the line of the YAML file that it stands in."""
    if path is None:
        return MalformedError(list(problems))
    from proctor.prompts.yaml_text import lines_in_yaml  # noqa: PLC0415 - costs 40 ms

    line_of = lines_in_yaml(path.read_bytes().decode("utf-8-sig"))
    return MalformedError([replace(each, line=line_of(each.path)) for each in problems], file=str(path))
