"""Read files of patterns: one per line under a heading, with names for frequently used patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Final

__all__ = ["wording"]

_NAME: Final = re.compile(r"<([A-Z]+)>")
_SECTION: Final = re.compile(r"\[([a-z_]+(?: [a-z_]+)?)\]")


def wording(file: str) -> Mapping[str, list[str]]:
    """Return the patterns under each heading of a file in this folder, with names expanded."""
    names: dict[str, str] = {}
    made: dict[str, list[str]] = {}
    section = ""
    for line in files("proctor.text").joinpath(file).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("# "):
            continue
        if (headed := _SECTION.fullmatch(line)) is not None:
            section = headed[1]
        elif not section and (named := _NAME.match(line)) is not None:
            names[named[1]] = _filled(line[named.end() :].removeprefix(" = "), names)
        else:
            made.setdefault(section, []).append(_filled(line, names))
    return made


def _filled(line: str, names: Mapping[str, str]) -> str:
    return _NAME.sub(lambda hit: names[hit[1]], line)
