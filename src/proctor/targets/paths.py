"""Dotted paths into JSON data: ``data.items[0].text``, ``choices[*].name``, ``["a.b"]``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["Path", "PathMissingError", "find", "parse_path"]

ALL = ...
Step = Any  # a key, an index, or ALL
Path = tuple[Step, ...]

_STEP = re.compile(r"""\.?([^.\[\]"'\s]+)|\[(-?\d+)\]|\[(\*)\]|\[(["'])(.*?)\4\]""")


class PathMissingError(LookupError):
    """There is no value at a path."""


def parse_path(text: str) -> Path:
    """Parse a path into steps.

    Raises:
        ValueError: it is not a path.
    """
    rest = text.strip().removeprefix("$").lstrip(".")
    steps: list[Step] = []
    at = 0
    while at < len(rest):
        match = _STEP.match(rest, at)
        if match is None:
            raise ValueError(f"{text!r} is not a path like `data.items[0].text`")
        key, index, star, _, quoted = match.groups()
        steps.append(int(index) if index else ALL if star else quoted if quoted is not None else key)
        at = match.end()
    if not steps:
        raise ValueError("the path is empty")
    return tuple(steps)


def find(data: Any, path: Path) -> Any:
    """Return the value at the path; with ``[*]`` a list of all values.

    Raises:
        PathMissingError: naming the missing step, and what is there instead.
    """
    for at, step in enumerate(path):
        if step is ALL:
            if not isinstance(data, (list, tuple)):
                raise PathMissingError(f"{_written(path[:at]) or 'the reply'} is not a list")
            found: list[Any] = []
            for item in data:
                inner = find(item, path[at + 1 :])
                found.extend(inner) if ALL in path[at + 1 :] else found.append(inner)
            return found
        data = _step(data, step, path[: at + 1])
    return data


def _step(data: Any, step: Step, path: Path) -> Any:
    if isinstance(step, int) and isinstance(data, (list, tuple)):
        if -len(data) <= step < len(data):
            return data[step]
        raise PathMissingError(f"there is no {_written(path)}: the list has {len(data)} items")
    if isinstance(step, str) and isinstance(data, Mapping):
        if step in data:
            return data[step]
        keys = ", ".join(str(key) for key in list(data)[:12]) or "nothing"
        raise PathMissingError(f"there is no {_written(path)} (there is: {keys})")
    kind = "nothing" if data is None else "a list" if isinstance(data, (list, tuple)) else type(data).__name__
    raise PathMissingError(f"there is no {_written(path)}: {_written(path[:-1]) or 'the reply'} is {kind}")


def _written(path: Path) -> str:
    text = ""
    for step in path:
        if step is ALL:
            text += "[*]"
        elif isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text
