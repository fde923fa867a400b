"""Put events from files into the history, masked as the settings say, and erase those of a customer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from proctor.config import Config
from proctor.core.event import Event
from proctor.monitor.ingest import read_events
from proctor.store.erase_customer import Forgotten, customer_names
from proctor.store.event_log import FOLDER, EventLog
from proctor.wiring.history_settings import event_masker, open_history
from proctor.wiring.monitor_state import open_audit_store

__all__ = ["ErasedCustomer", "StoredEvents", "forget_customer", "store_events"]

_BATCH_EVENTS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasedCustomer:
    """What was erased from the history, and how many conversations of audits."""

    history: Forgotten
    audited: int = 0

    @property
    def anything(self) -> bool:
        """Whether anything of the customer was found."""
        done = self.history
        found = (done.sessions, done.events, done.conversations, done.texts, done.decisions, self.audited)
        return any(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvents:
    """How many events of some files are new, and how many were stored before."""

    new: int = 0
    duplicates: int = 0


def store_events(config: Config, files: Sequence[Path]) -> StoredEvents:
    """Store the events of files, each once, and index them. An event without an id gets a hash of what it says.

    Raises:
        InputError: a file cannot be read, or an event in it is wrong; what was before it is stored.
        StoreError: the disk or a database failed.
    """
    done = StoredEvents()
    with closing(event_masker(config)) as masker, EventLog(config.store / FOLDER) as log:
        events = _events(files)
        while batch := list(islice(events, _BATCH_EVENTS)):
            added = log.append(masker.rows(batch))
            done = StoredEvents(new=done.new + len(added.new), duplicates=done.duplicates + added.duplicates)
    with open_history(config) as history:
        history.catch_up()
    return done


def _events(files: Sequence[Path]) -> Iterator[Event]:
    for path in files:
        for placed in read_events(path, with_ids=True):
            yield placed.event


def forget_customer(config: Config, customer: str) -> ErasedCustomer:
    """Erase a customer from the history, the log of gates, the review queue, the audit and the background scoring.

    Ratings of audits stay without the conversation, so that the figures of past weeks stay what they were.

    Raises:
        StoreError: another process seals, or a file or a database failed; run it again.
    """
    audited = 0

    def forget_audited(sessions: Sequence[str]) -> None:
        nonlocal audited
        with open_audit_store(config) as audit:
            audited = audit.forget_customer(*customer_names(config.store, customer), conversations=sessions)

    with open_history(config) as history:
        done = history.forget(customer, beside=forget_audited)
    return ErasedCustomer(history=done, audited=audited)
