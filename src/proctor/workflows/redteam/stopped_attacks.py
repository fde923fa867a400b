"""Attacks of campaigns that a gate stopped: what is known of the gate that acted in production."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from proctor.config import Config
from proctor.store import campaigns
from proctor.store.runs import RunStore
from proctor.workflows.redteam.campaign_report import campaign_content

__all__ = ["StoppedAttacks", "stopped_attacks"]

_MOST: Final = 3  # campaigns, the newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedAttacks:
    """How many attempts of a campaign run a gate stopped, of how many."""

    campaign: str
    number: int
    stopped: int
    attempts: int


def stopped_attacks(config: Config, store: RunStore, gate: str, point: str = "") -> list[StoppedAttacks]:
    """Return the newest finished run of each campaign in which the gate stopped attempts."""
    newest = []
    for name in campaigns.campaigns(store):
        over = [each for each in campaigns.find(store, name, finished=True) if each.guarded]
        newest += over[:1]
    found = []
    for record in sorted(newest, key=lambda each: each.n, reverse=True):
        attempts = campaign_content(config, store, record).attempts
        stopped = sum(each.stopped_by == gate and point in ("", each.stopped_at) for each in attempts)
        if stopped:
            found.append(
                StoppedAttacks(campaign=record.campaign, number=record.n, stopped=stopped, attempts=len(attempts))
            )
        if len(found) == _MOST:
            break
    return found
