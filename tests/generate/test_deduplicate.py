from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.case import Case
from proctor.generate.deduplicate import THRESHOLD, SeenTests, likeness, without_duplicates

LONG = "Thousands leave homes as river reaches highest level in sixty years"
# Few letters, so that near repeats are likely.
TEXTS = st.text("ab c", min_size=1, max_size=14)
CASES = st.lists(st.tuples(TEXTS, st.sampled_from(["", "x"]), st.sampled_from(["", "s"])), max_size=12)


def case(text: Any, number: int = 0, *, scenario: str = "", relation: bool = False, **more: Any) -> Case:
    about: dict[str, Any] = {"scenario": scenario}
    if relation:
        about["relation"] = {"of": "t-0", "kind": "noise"}
    return Case(id=f"t-{number}-{text}", inputs={"text": text, **more}, metadata=about)


def cases(rows: list[tuple[str, str, str]]) -> list[Case]:
    return [case(text, number, scenario=scenario, more=more) for number, (text, more, scenario) in enumerate(rows)]


def test_the_same_again_is_left_out_and_says_of_what() -> None:
    new, repeats = without_duplicates([case(LONG, 1), case(LONG, 2)])
    assert [each.id for each in new] == [f"t-1-{LONG}"]
    assert (repeats[0].of, repeats[0].likeness, repeats[0].case.id) == (f"t-1-{LONG}", 1.0, f"t-2-{LONG}")


def test_nearly_the_same_again_is_left_out() -> None:
    new, repeats = without_duplicates([case(LONG), case(LONG.upper() + "!"), case("Something else altogether")])
    assert [each.inputs["text"] for each in new] == [LONG, "Something else altogether"]
    assert THRESHOLD <= repeats[0].likeness < 1.0


def test_another_value_of_one_input_is_another_test() -> None:
    new, _ = without_duplicates([case(LONG, word="river"), case(LONG, word="level"), case(LONG, word="river ")])
    assert [each.inputs["word"] for each in new] == ["river", "level"]


def test_the_short_part_at_the_end_of_a_structured_input_counts_like_an_input() -> None:
    new, _ = without_duplicates([case(f"{LONG}; river"), case(f"{LONG}; level"), case(f"{LONG};  River")])
    assert [each.inputs["text"] for each in new] == [f"{LONG}; river", f"{LONG}; level"]


def test_the_same_in_another_scenario_is_another_test() -> None:
    assert len(without_duplicates([case(LONG), case(LONG, scenario="French")])[0]) == 2


def test_what_is_meant_to_be_like_another_repeats_only_what_is_the_same() -> None:
    new, repeats = without_duplicates([case(LONG), case(LONG.lower(), relation=True), case(LONG, 3, relation=True)])
    assert [each.inputs["text"] for each in new] == [LONG, LONG.lower()]
    assert len(repeats) == 1


def test_what_is_kept_is_not_listed_and_is_compared_with() -> None:
    assert without_duplicates([case(LONG, 2)], kept=[case(LONG, 1)])[0] == ()


def test_a_message_without_inputs_is_compared_too() -> None:
    one, other = Case(id="a", input=LONG), Case(id="b", input=LONG + " ")
    assert len(without_duplicates([one, other])[0]) == 1


def test_values_that_are_no_text_are_compared_by_what_they_say() -> None:
    new, _ = without_duplicates([case([1, 2]), case([1, 2], 5), case({"a": 1}), case(True)])
    assert [each.inputs["text"] for each in new] == [[1, 2], {"a": 1}, True]


def test_a_threshold_is_a_share() -> None:
    for wrong in (0.0, -1.0, 1.5):
        with pytest.raises(ValueError, match="threshold"):
            SeenTests(threshold=wrong)


@given(CASES, st.sampled_from([0.3, 0.5, 0.75, 1.0]))
def test_the_index_finds_exactly_what_comparing_every_pair_finds(
    rows: list[tuple[str, str, str]], threshold: float
) -> None:
    kept: list[Case] = []
    for each in cases(rows):
        if not any(likeness(each, other) >= threshold for other in kept):
            kept.append(each)
    new, repeats = without_duplicates(cases(rows), threshold=threshold)
    assert list(new) == kept
    assert len(new) + len(repeats) == len(rows)


@given(CASES)
def test_once_without_repeats_always_without(rows: list[tuple[str, str, str]]) -> None:
    new, _ = without_duplicates(cases(rows))
    assert without_duplicates(new) == (new, ())


@given(TEXTS, TEXTS)
def test_likeness_is_a_share_and_the_same_from_both_sides(one: str, other: str) -> None:
    alike = likeness(case(one), case(other))
    assert 0.0 <= alike <= 1.0
    assert alike == likeness(case(other), case(one))
    assert likeness(case(one), case(one)) == 1.0


def test_thousands_of_tests_keep_their_order() -> None:
    many = [
        case(f"{number} bottles of kind {number * 7919 % 5003} stand on shelf {number * 31 % 997}")
        for number in range(2000)
    ]
    new, repeats = without_duplicates(many)
    assert len(new) + len(repeats) == 2000
    places = {each.id: place for place, each in enumerate(many)}
    assert [places[each.id] for each in new] == sorted(places[each.id] for each in new)
