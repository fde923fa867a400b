"""Runs killed at random moments, with readers and competing resumes: nothing is lost or doubled."""

from __future__ import annotations

from benchmarks.run_crashes import Totals, crash_runs


def test_ten_kills_lose_and_double_nothing() -> None:
    totals = crash_runs(10, cases=30, seed=3)
    assert totals.is_clean, totals.table() + "\n".join(totals.failures)
    assert totals.kills >= 10
    assert totals.resumes > 0
    assert totals.reads_in_process > 0


def test_what_is_lost_doubled_or_broken_is_not_clean() -> None:
    assert Totals(results_expected=3, results_found=3).is_clean
    for found in (
        Totals(results_expected=3, results_found=2, results_lost=1),
        Totals(results_expected=3, results_found=3, results_doubled=1),
        Totals(results_expected=3, results_found=3, answers_in_journal_asked_again=1),
        Totals(results_expected=3, results_found=3, failures=["a reader failed"]),
    ):
        assert not found.is_clean
