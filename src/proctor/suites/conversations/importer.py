"""The type of conversation importers: how a tool's files are recognised and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from proctor.core.case import Case
from proctor.suites.conversations.entries import Entry

__all__ = ["Importer"]


def _never(_: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """An importer of one tool's conversations, registered in the group ``proctor.importers``.

    ``fits`` checks the first value of a file, ``read`` converts all values to cases. Importers are tried by ``order``,
    the smallest first: a format with distinctive fields goes before one that is only a list of messages (80 and above).
    ``by_entry`` tells from the first value whether every value is a whole conversation, so that a file may be split.
    """

    title: str
    fits: Callable[[Any], bool]
    read: Callable[[Iterator[Entry]], Iterator[Case]]
    order: int = 70
    by_entry: Callable[[Any], bool] = _never
