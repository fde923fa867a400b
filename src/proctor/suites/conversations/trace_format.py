"""How the records of one tracing tool become the steps of a conversation; files and the wire share it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.steps import AgentStep

__all__ = ["TraceFormat"]


def _unchanged(records: list[Entry]) -> list[Entry]:
    return records


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFormat:
    """The mapping of one tracing tool.

    ``records`` unpacks a file's or a request's values into spans (or runs, observations) one by one. ``trace`` and
    ``session`` name what a record belongs to. ``join`` merges the records of one trace that describe the same step: a
    log event with its span, an update with its run. ``step`` reads one step, ``about`` the metadata of all, ``model``
    the model that answered.
    """

    name: str
    records: Callable[[Iterator[Entry]], Iterator[Entry]]
    trace: Callable[[Entry], str | None]
    session: Callable[[Entry], str | None]
    step: Callable[[Entry], AgentStep | None]
    about: Callable[[list[Entry]], Mapping[str, Any]]
    model: Callable[[list[Entry]], str | None]
    join: Callable[[list[Entry]], list[Entry]] = _unchanged
