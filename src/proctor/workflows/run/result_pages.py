"""One page of a run's results as people may see them: held-out attacks without their texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from proctor.core.attack_mask import masked_result
from proctor.store.result_search import FoundResult, ResultFilter, ResultSort, count_results, search_results
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore

__all__ = ["count_of_results", "every_result", "is_campaign", "page_of_results", "shown_reason"]

_CAMPAIGN: Final = "redteam"  # the trigger of the runs of attack campaigns
_BLOCK: Final = 1000


def is_campaign(reader: RunReader) -> bool:
    """Return whether the run is one of an attack campaign, whose texts may be held out."""
    return reader.run.fingerprint.trigger == _CAMPAIGN


def shown_reason(reader: RunReader, case: str, target: str, sample: int, reason: str) -> str:
    """Return the reason of a result; of a campaign's run the whole result says whether it may be shown."""
    if not reason or not is_campaign(reader):
        return reason
    return masked_result(reader.find(case, target=target, sample=sample)[0]).reason


def page_of_results(
    store: RunStore, reader: RunReader, wanted: ResultFilter, *, sort: ResultSort = "", limit: int = 50, offset: int = 0
) -> list[FoundResult]:
    """Return one page of results."""
    rows = search_results(store, reader.run, _allowed(reader, wanted), sort=sort, limit=limit, offset=offset)
    if not is_campaign(reader):
        return rows
    return [replace(row, reason=shown_reason(reader, row.case_id, row.target, row.sample, row.reason)) for row in rows]


def every_result(
    store: RunStore, reader: RunReader, wanted: ResultFilter, *, sort: ResultSort = ""
) -> Iterator[FoundResult]:
    """Yield all results, a block at a time."""
    offset = 0
    while rows := page_of_results(store, reader, wanted, sort=sort, limit=_BLOCK, offset=offset):
        yield from rows
        offset += len(rows)


def count_of_results(store: RunStore, reader: RunReader, wanted: ResultFilter) -> int:
    """Return how many results there are."""
    return count_results(store, reader.run, _allowed(reader, wanted))


def _allowed(reader: RunReader, wanted: ResultFilter) -> ResultFilter:
    return replace(wanted, is_secret=is_campaign(reader))
