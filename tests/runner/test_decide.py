from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.core.report import Counts
from proctor.runner.decide import EXIT_CODES, Bar, decide
from tests.tables import table

counts = st.builds(Counts, passed=st.integers(0, 50), failed=st.integers(0, 50), unscored=st.integers(0, 50))
bars = st.builds(Bar, pass_rate=st.floats(0, 1), unscored=st.floats(0, 1))


@table(
    ("found", "bar", "decision"),
    [
        (Counts(passed=10), Bar(), "passed"),
        (Counts(passed=9, failed=1), Bar(), "failed"),
        (Counts(passed=9, failed=1), Bar(pass_rate=0.9), "passed"),
        (Counts(passed=89, failed=11), Bar(pass_rate=0.9), "failed"),
        (Counts(passed=95, unscored=5), Bar(), "passed"),
        (Counts(passed=94, unscored=6), Bar(), "unjudged"),
        (Counts(passed=94, unscored=6), Bar(unscored=0.1), "passed"),
        (Counts(passed=50, failed=1, unscored=49), Bar(), "failed"),  # it fails whatever the rest would have been
        (Counts(unscored=1), Bar(unscored=1.0), "unjudged"),
        (Counts(), Bar(), "unjudged"),
        (Counts(failed=3), Bar(pass_rate=0.0), "passed"),
    ],
)
def test_decisions(found: Counts, bar: Bar, decision: str) -> None:
    assert decide(found, bar)[0] == decision


@given(counts, bars)
def test_nothing_unjudged_ever_counts_as_a_pass(found: Counts, bar: Bar) -> None:
    decision, reason = decide(found, bar)
    assert reason
    if decision == "passed":
        assert found.passed + found.failed > 0
        assert found.unscored_rate <= bar.unscored
        assert (found.pass_rate or 0) >= bar.pass_rate


@given(counts, bars)
def test_one_more_failure_never_helps(found: Counts, bar: Bar) -> None:
    worse = Counts(passed=found.passed, failed=found.failed + 1, unscored=found.unscored)
    if decide(found, bar)[0] == "failed":
        assert decide(worse, bar)[0] == "failed"


def test_exit_codes_tell_the_decisions_apart() -> None:
    assert EXIT_CODES == {"passed": 0, "failed": 1, "unjudged": 3}
