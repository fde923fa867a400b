from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.monitor.signals import Condition, SignalTerm, parse_condition

NAMES = st.from_regex(r"[a-z][a-z0-9_.-]{0,12}", fullmatch=True)
SIGNALS = st.one_of(
    st.sampled_from(["escalation", "repeat_contact", "contact", "csat"]),
    st.builds("{}/{}".format, st.sampled_from(["outcome", "contact", "escalation", "note"]), NAMES),
)
CONDITIONS = st.builds(
    lambda terms: Condition(terms=tuple(terms)),
    st.lists(st.builds(SignalTerm, signal=SIGNALS, absent=st.booleans()), min_size=1, max_size=4),
)


@given(CONDITIONS)
def test_what_is_written_is_read_back(condition: Condition) -> None:
    assert parse_condition(str(condition)) == condition


@given(CONDITIONS, st.frozensets(SIGNALS, max_size=4), st.frozensets(SIGNALS, max_size=4))
def test_what_is_decided_early_is_never_taken_back(
    condition: Condition, seen: frozenset[str], later: frozenset[str]
) -> None:
    early = condition.holds(seen, over=False)
    if early is not None:
        assert condition.holds(seen | later, over=False) in (early, condition.holds(seen | later, over=True))
    if early is False:
        assert condition.holds(seen | later, over=True) is False
    if early and not any(term.absent for term in condition.terms):
        assert condition.holds(seen | later, over=True) is True
    assert condition.holds(seen, over=True) is not None


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert parse_condition(text).signals


def test_the_forms() -> None:
    assert (
        str(parse_condition("escalation + no outcome/booking_changed")) == "escalation and no outcome/booking_changed"
    )
    assert parse_condition("without repeat_contact").terms == (SignalTerm(signal="repeat_contact", absent=True),)


def test_a_kind_that_is_none_is_mended() -> None:
    with pytest.raises(ValueError, match="did you mean 'outcome'"):
        parse_condition("outcom/booking_changed")
    with pytest.raises(ValueError, match="is no signal"):
        parse_condition("the booking was changed")


def test_absence_is_known_only_when_the_window_is_over() -> None:
    condition = parse_condition("escalation and no outcome/booking_changed")
    assert condition.holds({"escalation"}, over=False) is None
    assert condition.holds({"escalation"}, over=True) is True
    assert condition.holds({"escalation", "outcome/booking_changed"}, over=False) is False
    assert condition.holds(set(), over=True) is False
