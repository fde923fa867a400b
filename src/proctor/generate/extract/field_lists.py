"""Group the statements of a prompt by what introduces them; nested lists of keys belong to their key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from proctor.generate.extract.sections import Section
from proctor.generate.extract.statements import Statement
from proctor.generate.extract.templates import field_names

__all__ = ["StatementGroup", "grouped"]

_OWN_KEY: Final = re.compile(r"\W{0,4}(?P<key>[A-Za-z_][\w.-]{0,40})[`\"'*]{0,3}\s*(?:[:：(（]|\s[-–—]\s)")
_NESTING: Final = re.compile(
    r"\b(?:array|list|objects?|each|items?|dictionary|nested|with|containing)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementGroup:
    """Statements under one heading or lead-in; ``parent`` is the key that a nested list of keys describes."""

    section: Section
    lead: str
    members: tuple[Statement, ...]
    parent: str = ""


def grouped(statements: Sequence[Statement]) -> tuple[StatementGroup, ...]:
    """Return the groups in order; a list of keys that a nested list interrupts is one group."""
    found: list[tuple[Section, str, list[Statement]]] = []
    for each in statements:
        same = next((one for one in found if one[:2] == (each.section, each.lead)), None)
        if found and found[-1][:2] == (each.section, each.lead):
            found[-1][2].append(each)
        elif same is not None and each.section == "fields" and each.item and _is_nested(found[-1][1], same[2]):
            same[2].append(each)
        else:
            found.append((each.section, each.lead, [each]))
    groups: list[StatementGroup] = []
    for section, lead, members in found:
        outer = [one for one in groups if one.section in ("fields", "format")]
        parent = next((key for one in outer if (key := _is_nested(lead, one.members))), "")
        groups.append(StatementGroup(section=section, lead=lead, members=tuple(members), parent=parent))
    return tuple(groups)


def _is_nested(lead: str, members: Sequence[Statement]) -> str:
    """Return the key whose own line is the lead-in of a list."""
    named = _OWN_KEY.match(lead)
    if named is None or not _NESTING.search(lead[named.end() :]):
        return ""
    return named["key"] if named["key"] in field_names([each for each in members if each.item]) else ""
