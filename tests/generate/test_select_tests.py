from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from proctor.core.case import Case
from proctor.generate.select_tests import choose

RULES = ("r-1", "r-2", "r-3")
SIDES = list(product(RULES, ("positive", "negative"), ("", "French"), ("typical", "edge", "boundary")))
CELLS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(RULES), max_size=2, unique=True),
        st.sampled_from(["positive", "negative"]),
        st.sampled_from(["", "French"]),
        st.sampled_from(["typical", "edge"]),
    ),
    max_size=30,
)


def case(number: int, rules: list[str], polarity: str, scenario: str, strategy: str) -> Case:
    about = {"rules": rules, "polarity": polarity, "scenario": scenario, "strategy": strategy}
    return Case(id=f"t-{number}", metadata=about)


def several(copies: int = 3) -> list[Case]:
    """Every combination several times, all of the first rule before all of the second."""
    cells = [side for side in SIDES for _ in range(copies)]
    return [case(number, [rule], *rest) for number, (rule, *rest) in enumerate(cells)]


def counted(cases: tuple[Case, ...], key: str) -> Counter[str]:
    return Counter(str(each.metadata[key]) for each in cases)


def test_a_few_are_spread_over_every_side() -> None:
    chosen = choose(several(), most=12)
    for key, share in (("rules", 4), ("polarity", 6), ("scenario", 6), ("strategy", 4)):
        assert set(counted(chosen, key).values()) == {share}, key


def test_as_many_as_there_are_rules_are_one_for_each() -> None:
    assert set(counted(choose(several(), most=3), "rules").values()) == {1}


def test_a_rule_gets_both_polarities_before_it_gets_one_twice() -> None:
    pairs = Counter((each.metadata["rules"][0], each.metadata["polarity"]) for each in choose(several(), most=6))
    assert set(pairs.values()) == {1}


def test_a_rule_with_few_tests_is_not_crowded_out() -> None:
    lonely = case(999, ["r-9"], "positive", "", "edge")
    assert lonely in choose([*several(), lonely], most=4)


def test_it_is_not_the_first_ones() -> None:
    same = [case(number, ["r-1"], "positive", "", "typical") for number in range(50)]
    picked = {each.id for each in choose(same, most=10)}
    assert picked != {each.id for each in same[:10]}
    assert picked != {each.id for each in choose(same, most=10, seed=1)}


def test_no_limit_and_no_room() -> None:
    assert choose(several(), most=None) == tuple(several())
    assert choose(several(), most=0) == ()


def test_cases_that_say_nothing_of_themselves_are_chosen_too() -> None:
    assert len(choose([Case(id=str(number)) for number in range(5)], most=2)) == 2


@given(CELLS, st.integers(0, 35), st.integers(0, 3))
def test_so_many_in_their_order_and_the_same_each_time(
    cells: list[tuple[list[str], str, str, str]], most: int, seed: int
) -> None:
    cases = [case(number, *cell) for number, cell in enumerate(cells)]
    chosen = choose(cases, most=most, seed=seed)
    assert len(chosen) == min(most, len(cases))
    places = [cases.index(each) for each in chosen]
    assert places == sorted(set(places))
    assert choose(cases, most=most, seed=seed) == chosen


@given(CELLS, st.integers(1, 35))
def test_every_rule_is_covered_where_there_is_room(cells: list[tuple[list[str], str, str, str]], most: int) -> None:
    cases = [case(number, *cell) for number, cell in enumerate(cells)]
    there = {rule for each in cases for rule in each.metadata["rules"] or [""]}
    covered = {rule for each in choose(cases, most=most) for rule in each.metadata["rules"] or [""]}
    if most >= len(there):
        assert covered == there
