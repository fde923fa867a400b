"""The settings of proctor.yaml for the history of production, and what is built from them."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.config import Config
from proctor.store.history import History
from proctor.store.mask_events import MASKING, EventMasker, Masking
from proctor.text.spans import span_seconds
from proctor.wiring.guard_names import EventTagger
from proctor.wiring.monitor_state import open_event_database
from proctor.wiring.settings_section import read_section

__all__ = ["HistorySettings", "event_masker", "history_settings", "open_history"]

_PLACE = ("monitor", "history")


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySettings:
    """How events are stored, under `monitor: {history: …}`.

    ``masking`` is none, patterns or names. ``keep`` is how long events, conversations and texts are kept;
    ``keep_minutes`` how long minute rollups are; those of hours and days stay. ``search`` indexes texts.
    """

    masking: Masking = "patterns"
    keep: str = "90 days"
    keep_minutes: str = "40 days"
    search: bool = True

    def __post_init__(self) -> None:
        if self.masking not in MASKING:
            raise ValueError(f"masking must be one of {', '.join(MASKING)}, not {self.masking}")
        for name in ("keep", "keep_minutes"):
            try:
                span_seconds(getattr(self, name))
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None

    @property
    def keep_seconds(self) -> float:
        """How long events are kept."""
        return span_seconds(self.keep)

    @property
    def keep_minutes_seconds(self) -> float:
        """How long minute rollups are kept."""
        return span_seconds(self.keep_minutes)


def history_settings(config: Config) -> HistorySettings:
    """Return the settings under `monitor: {history: …}`.

    Raises:
        MalformedError: one of them is wrong; the file and the field are named.
    """
    written = config.settings.monitor.history
    if written is None:
        return HistorySettings()
    return read_section(config, _PLACE, HistorySettings, written, expanded=True)


def open_history(config: Config, *, search: bool | None = None, indexes: bool = True) -> History:
    """Return the history of a project's store; ``search`` replaces the setting.

    With ``indexes`` false this process never becomes the indexer of a state that servers share.

    Raises:
        StoreError: a database cannot be opened.
    """
    chosen = history_settings(config).search if search is None else search
    return History(config.store, search=chosen, database=open_event_database(config, indexes=indexes))


def event_masker(config: Config) -> EventMasker:
    """Return what masks events before they are stored.

    Raises:
        StoreError: the key of the pseudonyms cannot be written.
    """
    masking = history_settings(config).masking
    return EventMasker(config.store, masking=masking, tagger=EventTagger() if masking == "names" else None)
