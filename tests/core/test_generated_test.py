from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proctor.core.case import Case
from proctor.core.generated_test import PERSON, GeneratedTest, is_baseline, with_metadata, without_metadata

FULL = GeneratedTest(
    rules=("r-1",),
    strategy="adversarial",
    polarity="negative",
    scenario="rain",
    origin="openai:x",
    inverse_rules=("r-2",),
    relation={"of": "t-1", "kind": "case"},
    reasoning="why",
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
KEYS = (
    "rules",
    "strategy",
    "polarity",
    "scenario",
    "valid",
    "origin",
    "inverse_rules",
    "relation",
    "groundtruth",
    "also",
)


def _case(**metadata: Any) -> Case:
    return Case(id="t", metadata=metadata)


def test_what_is_written_is_read_again() -> None:
    assert GeneratedTest.of(_case(**FULL.metadata())) == FULL


def test_the_keys_on_file_and_their_order_stay() -> None:
    first = ["rules", "strategy", "polarity", "scenario", "valid", "validity_reason", "origin"]
    assert list(FULL.metadata()) == [*first, "inverse_rules", "relation", "reasoning"]
    assert list(GeneratedTest().metadata()) == first
    assert GeneratedTest().metadata()["valid"] is None


def test_a_case_that_says_nothing_is_a_persons_and_usable() -> None:
    test = GeneratedTest.of(Case(id="c"))
    assert test == GeneratedTest()
    assert test.is_by_person
    assert test.is_usable
    assert test.side == "positive"
    assert not test.tempts
    assert GeneratedTest(origin=PERSON).is_by_person
    assert not FULL.is_by_person


def test_a_test_of_an_opposite_was_made_from_the_opposite() -> None:
    assert GeneratedTest(rules=("a",), also=("b",)).made_from == ("a", "b")
    assert FULL.made_from == ("r-2",)
    assert FULL.tempts


def test_a_key_is_set_and_taken_away_and_the_others_stay_in_their_order() -> None:
    case = _case(mine=1, valid=None, rules=["a"], groundtruth={"accepted": False})
    changed = with_metadata(case, valid=True, expanded_from="t-0")
    assert list(changed.metadata.items()) == [
        ("mine", 1),
        ("valid", True),
        ("rules", ["a"]),
        ("groundtruth", {"accepted": False}),
        ("expanded_from", "t-0"),
    ]
    assert GeneratedTest.of(case).has_rejected_truth
    assert not GeneratedTest.of(without_metadata(case, "groundtruth")).has_rejected_truth


def test_a_baseline_test_is_known_by_its_tag_or_its_strategy() -> None:
    assert is_baseline(Case(id="c", tags=("baseline",)))
    assert is_baseline(_case(strategy="baseline"))
    assert not is_baseline(_case(strategy="typical"))


@given(st.dictionaries(st.sampled_from(KEYS), ANYTHING))
def test_whatever_a_person_wrote_is_read(metadata: dict[str, Any]) -> None:
    test = GeneratedTest.of(_case(**metadata))
    assert all(isinstance(each, str) for each in test.made_from)
    assert test.valid in (True, False, None)
