from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.score import Evidence, Score
from proctor.scorers.weighted_parts import LOW, check_weights, combined, weighed


def part(
    name: str,
    value: float | None,
    weight: float = 1.0,
    status: Literal["ok", "skipped", "error"] = "ok",
    **more: object,
) -> Score:
    return Score(name=name, value=value, weight=weight, status=status, **more)  # type: ignore[arg-type]


def test_the_weighted_mean_of_what_was_scored() -> None:
    whole = combined("q", [part("a", 1.0, 0.5), part("b", 0.5, 0.3), part("c", 0.0, 0.2)], version="1")
    assert whole.value == pytest.approx(0.65)
    assert (whole.name, whole.version, whole.confidence) == ("q", "1", 1.0)
    assert [each.name for each in whole.parts] == ["a", "b", "c"]


def test_what_does_not_apply_is_left_out_and_said() -> None:
    whole = combined(
        "q", [part("a", 0.8, 0.5, confidence=0.6), part("b", None, 0.5, "skipped", reason="no products")], version="1"
    )
    assert whole.value == pytest.approx(0.8)
    assert whole.confidence == pytest.approx(0.6)
    assert "not applicable: b" in whole.reason


def test_what_is_missing_is_named_and_lowers_the_confidence_by_its_weight() -> None:
    parts = [part("a", 0.8, 0.75, confidence=0.8), part("b", None, 0.25, "error", reason="the judge timed out")]
    whole = combined("q", parts, version="1")
    assert whole.value == pytest.approx(0.8)
    assert whole.confidence == pytest.approx(0.6)
    assert "b is missing: the judge timed out" in whole.reason


def test_nothing_scored_is_no_value() -> None:
    broken, other = part("a", None, 1, "error", reason="no weights"), part("b", None, 1, "skipped", reason="nothing")
    assert combined("q", [broken, other], version="1").status == "error"
    assert "no weights" in combined("q", [broken, other], version="1").reason
    assert combined("q", [other], version="1").status == "skipped"
    assert combined("q", [], version="1").status == "skipped"
    assert combined("q", [], version="1").reason


def test_a_part_of_no_weight_decides_nothing() -> None:
    assert combined("q", [part("a", 1.0), part("b", 0.0, 0.0)], version="1").value == 1.0
    assert combined("q", [part("a", 1.0, 0.0)], version="1").status == "skipped"


def test_the_evidence_of_low_parts_is_lifted_with_its_part_the_lowest_first() -> None:
    low = part("a", 0.5, evidence=(Evidence(quote="x", note="why"),), reason="it is so")
    lower = part("b", 0.1, evidence=(Evidence(quote="y"),))
    fine = part("c", LOW, evidence=(Evidence(quote="z"),))
    whole = combined("q", [low, lower, fine], version="1")
    assert [(each.quote, each.note) for each in whole.evidence] == [("y", "b"), ("x", "a: why")]
    assert "a 0.50: it is so" in whole.reason


def test_producers_and_costs_are_joined() -> None:
    parts = [
        part("a", 1.0, producer="rule+local model", cost=0.1),
        part("b", 1.0, producer="rule"),
        part("c", 1.0, producer="judge", cost=0.2),
    ]
    whole = combined("q", parts, version="1")
    assert whole.producer == "rule+local model+judge"
    assert whole.cost == pytest.approx(0.3)


def test_weights_are_checked_and_given() -> None:
    check_weights({"a": 0.5}, ("a", "b"))
    for wrong in ({"c": 1.0}, {"a": -1.0}, {"a": 0.0}, {}, {"a": float("nan")}):
        with pytest.raises(ValueError, match="weight"):
            check_weights(wrong, ("a", "b"))
    assert [each.weight for each in weighed([part("a", 1.0), part("b", 1.0)], {"a": 0.4}, version="2")] == [0.4, 0.0]


_parts = st.lists(
    st.builds(
        lambda status, value, weight, confidence: part(
            "p", value if status == "ok" else None, weight, status, confidence=confidence
        ),
        st.sampled_from(["ok", "ok", "skipped", "error"]),
        st.floats(0, 1),
        st.just(0.0) | st.floats(0.001, 10),
        st.none() | st.floats(0, 1),
    ),
    max_size=6,
)


@given(_parts)
def test_a_whole_lies_between_its_parts_and_is_never_surer_than_the_surest(parts: list[Score]) -> None:
    whole = combined("q", parts, version="1")
    values = [each.value for each in parts if each.value is not None and each.weight > 0]
    assert (whole.value is not None) == (whole.status == "ok")
    assert whole.reason
    if whole.value is not None:
        assert min(values) - 1e-9 <= whole.value <= max(values) + 1e-9
        sure = [1.0 if each.confidence is None else each.confidence for each in parts if each.value is not None]
        assert whole.confidence is not None
        assert whole.confidence <= max(sure) + 1e-9
