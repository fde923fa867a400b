"""What an importer of conversation logs is: how a tool's files are recognised and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from proctor.core.case import Case
from proctor.suites.conversations.entries import Entry

__all__ = ["Importer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """Reads the conversations that one tool writes, registered in the group ``proctor.importers``.

    ``fits`` looks at the first value of a file, ``read`` makes cases from all values. Importers are tried by ``order``,
    the smallest first: a format with marks of its own goes before one that is only a list of messages (80 and above).
    """

    title: str
    fits: Callable[[Any], bool]
    read: Callable[[Iterator[Entry]], Iterator[Case]]
    order: int = 70
