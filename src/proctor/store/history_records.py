"""What the history reports: hits of a search, what was removed, how much is stored."""

from __future__ import annotations

from dataclasses import dataclass, field

from proctor.core.conversation_summary import ConversationSummary

__all__ = ["HistoryStats", "Retained", "SearchHit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A conversation that a search found, and the text of the turn that matched."""

    conversation: ConversationSummary
    time: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """What was removed because it is too old."""

    segments: int = 0
    events: int = 0
    logs: int = 0
    conversations: int = 0
    texts: int = 0
    cells: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryStats:
    """How much is stored, in which form, and how much of it waits to be indexed or sealed."""

    log_files: int = 0
    log_bytes: int = 0
    unindexed_bytes: int = 0
    unsearched_bytes: int = 0
    segments: int = 0
    sealed_events: int = 0
    sealed_bytes: int = 0
    index_bytes: int = 0
    search_bytes: int = 0
    conversations: int = 0
    texts: int = 0
    first: float | None = None
    last: float | None = None
    days: dict[str, int] = field(default_factory=dict)
