"""Split the text of a prompt file: front matter between two rulers, and sections that name the role."""

from __future__ import annotations

import re
from dataclasses import dataclass

from proctor.core.chat import Role
from proctor.core.errors import PromptError

__all__ = ["ROLES", "SpokenSection", "find_front", "sections_of"]

ROLES: dict[str, Role] = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
_FENCE = re.compile(r"\A\s*---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_HEAD = re.compile(
    r"^[ \t]*(?:#[ \t]*)?(system|developer|user|assistant)[ \t]*(?:\[[^\]\n]*\][ \t]*)?:[ \t]*\r?$",
    re.MULTILINE | re.IGNORECASE,
)
_MAX_SECTIONS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenSection:
    """The text of one role, trimmed, with its position; ``role`` is None if the text names none."""

    role: Role | None
    start: int
    end: int
    line: int


def find_front(text: str) -> re.Match[str] | None:
    """Match the front matter of a file: group 1 is the text between its rulers."""
    return _FENCE.match(text)


def sections_of(body: str, *, first_line: int = 1, file: str | None = None) -> tuple[SpokenSection, ...]:
    """Return the sections of a prompt; text before the first heading is the system's, text without any has no role.

    Raises:
        PromptError: there are too many.
    """
    heads = list(_HEAD.finditer(body))
    if len(heads) > _MAX_SECTIONS:
        what = f"has {len(heads):,} messages; {_MAX_SECTIONS:,} is the most"
        raise PromptError(what, file=file, hint="a prompt of this size is data: put it into a suite")
    first = heads[0].start() if heads else len(body)
    spans: list[tuple[Role | None, int, int]] = []
    if body[:first].strip():
        spans.append(("system" if heads else None, 0, first))
    ends = [head.start() for head in heads[1:]] + [len(body)]
    spans += [(ROLES[h.group(1).lower()], h.end(), end) for h, end in zip(heads, ends, strict=False)]
    found = []
    line, counted = first_line, 0
    for role, start, end in spans:
        said = body[start:end]
        begin = start + len(said) - len(said.lstrip())
        line, counted = line + body.count("\n", counted, begin), begin
        found.append(SpokenSection(role=role, start=begin, end=begin + len(said.strip()), line=line))
    return tuple(found)
