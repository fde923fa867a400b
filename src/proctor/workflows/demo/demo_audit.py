"""Audits of the last weeks that two people have rated, who agree as well as people do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Final

from proctor.config import Config
from proctor.core.audit import AuditItem, AuditRating, Settlement
from proctor.core.errors import InputError
from proctor.monitor.audit_sample import week_of
from proctor.monitor.simulation.raters import true_quality
from proctor.monitor.simulation.traffic_truth import ConversationTruth
from proctor.wiring.monitor_state import open_audit_store
from proctor.workflows.monitor.audit import SampleJob, audit_settings, draw_audit, open_splits

__all__ = ["RATERS", "fill_audit"]

RATERS: Final = ("ben", "cleo")
_TRUE: Final[Mapping[str, int]] = {"bad": 2, "poor": 3, "good": 5}


def fill_audit(
    config: Config, now: datetime, truth: Sequence[ConversationTruth], *, weeks: int = 3, seed: int = 7
) -> int:
    """Draw and rate the last weeks; the newest is rated half, and of the splits a half is settled.

    Return the number of ratings.

    Raises:
        StoreError: the store cannot be written.
    """
    quality = {told.id: true_quality(told) for told in truth}
    rng = Random(f"audit/{seed}")  # noqa: S311 - the same seed gives the same ratings
    count = 0
    for back in range(weeks, 0, -1):
        week = week_of(now - timedelta(weeks=back))
        try:
            _, items = draw_audit(config, SampleJob(week=week), now=now)
        except InputError:
            continue  # nothing happened in that week
        rated = items if back > 1 else items[: len(items) // 2]
        count += _rate(config, rated, quality, now - timedelta(weeks=back - 1), rng)
    _settle(config, now)
    return count


def _rate(config: Config, items: Sequence[AuditItem], quality: Mapping[str, str], time: datetime, rng: Random) -> int:
    settings = audit_settings(config)
    with open_audit_store(config) as store:
        ratings = [
            AuditRating(item=item.id, rater=rater, values=values, time=time)
            for item in items
            for rater in RATERS[: item.raters]
            for values in [
                {
                    name: _rating(_TRUE.get(quality.get(item.conversation, ""), 4), settings.scale, rng)
                    for name in settings.dimensions
                }
            ]
        ]
        return store.rate(ratings)


def _rating(true: int, scale: int, rng: Random) -> int:
    """Return what a person says: mostly the truth, else a step off, seldom two."""
    return min(scale, max(1, true + rng.choices((-2, -1, 0, 1), weights=(3, 12, 73, 12))[0]))


def _settle(config: Config, now: datetime) -> None:
    splits = open_splits(config)
    with open_audit_store(config) as store:
        for split in splits[::2]:
            value = max(split.ratings)
            store.settle(Settlement(item=split.item, dimension=split.dimension, value=value, by="ada", time=now))
