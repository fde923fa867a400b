"""Queries of the release gate: which models answered, and which intents other suites have."""

from __future__ import annotations

from collections.abc import Iterable

from proctor.store.runs import RunRecord, RunStore

__all__ = ["intents_of_other_suites", "models_that_answered"]


def models_that_answered(store: RunStore, run: RunRecord) -> tuple[str, ...]:
    """Return the models that the run's targets called, as ``provider:model``."""
    rows = store.database.execute(
        "SELECT DISTINCT model FROM spend WHERE run = ? AND role = 'target' AND calls > 0 ORDER BY model", (run.n,)
    )
    return tuple(row["model"] for row in rows)


def intents_of_other_suites(store: RunStore, suite: str, wanted: Iterable[str]) -> set[str]:
    """Return the requested intents that runs of other suites have cases of."""
    query = (
        "SELECT 1 FROM results JOIN runs ON runs.n = results.run WHERE runs.name != ? AND results.intent = ? LIMIT 1"
    )
    return {intent for intent in wanted if store.database.execute(query, (suite, intent)).fetchone() is not None}
