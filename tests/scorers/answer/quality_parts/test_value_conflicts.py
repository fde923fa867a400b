from __future__ import annotations

from time import process_time

from proctor.scorers.answer.quality_parts.source_passages import SourcePassage, ready_for
from proctor.scorers.answer.quality_parts.value_conflicts import find_conflict
from proctor.text.known_values import KnownValues


def test_a_record_about_the_same_code_is_compared_in_any_language() -> None:
    record = SourcePassage(name="lookup", text='{"ticket": "T-301", "total": "45 EUR"}', data=True)
    claim = "票 T-301 的价格是 50 EUR。"
    conflict = find_conflict(claim, KnownValues.of([record.text], said=claim), [ready_for(record)])
    assert conflict is not None
    assert (conflict.said.strip(), conflict.told.strip()) == ("50 EUR", "45 EUR")


def test_the_codes_of_a_long_record_are_found_in_linear_time() -> None:
    record = SourcePassage(name="x", text='{"total": "45 EUR", "slug": "' + "a-" * 20_000 + '"}', data=True)
    claim = "票 T-301 的价格是 50 EUR。"
    started = process_time()
    conflict = find_conflict(claim, KnownValues.of([], said=claim), [ready_for(record)])
    assert conflict is not None
    assert conflict.passage is None
    assert process_time() - started < 5  # half a minute, when each of its words read all that follow
