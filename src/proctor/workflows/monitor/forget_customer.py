"""Erase a customer from everything that the monitor stores."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.config import Config
from proctor.store.erase_customer import Forgotten, customer_names
from proctor.store.scoring_progress import ScoringProgress
from proctor.wiring.history_settings import open_history
from proctor.wiring.monitor_state import open_audit_store

__all__ = ["ErasedCustomer", "forget_customer"]


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


def forget_customer(config: Config, customer: str) -> ErasedCustomer:
    """Erase a customer from the history, the log of gates, the review queue, the audit and the background scoring.

    Ratings of audits stay without the conversation, so that the figures of past weeks stay what they were.

    Raises:
        StoreError: another process seals, or a file or a database failed; run it again.
    """
    with open_history(config) as history:
        done = history.forget(customer)
    with open_audit_store(config) as audit:
        audited = audit.forget_customer(*customer_names(config.store, customer), conversations=done.sessions)
    with ScoringProgress(config.store) as progress:
        progress.forget(done.sessions)
    return ErasedCustomer(history=done, audited=audited)
