from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import table

from proctor.core.case import Case
from proctor.suites.select import Selection, select

CASES = [
    Case(
        id=f"case-{number}", input="q", tags=("even",) if number % 2 == 0 else ("odd", "slow"), intent=f"i{number % 3}"
    )
    for number in range(12)
]


def ids(selection: Selection, cases: list[Case] | None = None) -> list[str]:
    return [case.id for case in select(CASES if cases is None else cases, selection)]


@table(
    ("selection", "numbers"),
    [
        (Selection(), list(range(12))),
        (Selection(tags=("even", "x")), [0, 2, 4, 6, 8, 10]),
        (Selection(not_tags=("slow",)), [0, 2, 4, 6, 8, 10]),
        (Selection(intents=("i0",)), [0, 3, 6, 9]),
        (Selection(ids=("case-1*",)), [1, 10, 11]),
        (Selection(ids=("case-1", "case-?")), list(range(10))),
        (Selection(only=frozenset({"case-3", "nobody"})), [3]),
        (Selection(only=frozenset()), []),
        (Selection(first=2), [0, 1]),
        (Selection(tags=("odd",), intents=("i0",), first=1), [3]),
        (Selection(ids=("case-[1]",)), [1]),
    ],
)
def test_filters(selection: Selection, numbers: list[int]) -> None:
    assert ids(selection) == [f"case-{number}" for number in numbers]


def test_an_id_with_special_characters_is_itself() -> None:
    cases = [Case(id="a[1]", input="q"), Case(id="a1", input="q")]
    assert ids(Selection(ids=("a[1]",)), cases) == ["a[1]", "a1"]


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(), st.randoms())
def test_a_sample_depends_on_the_seed_and_the_cases_alone(size: int, seed: int, chance: random.Random) -> None:
    chosen = ids(Selection(sample=size, seed=seed))
    assert len(chosen) == size
    assert chosen == [case.id for case in CASES if case.id in chosen], "in the order of the suite"
    shuffled = list(CASES)
    chance.shuffle(shuffled)
    assert set(ids(Selection(sample=size, seed=seed), shuffled)) == set(chosen)
    assert set(chosen) <= set(ids(Selection(sample=min(12, size + 1), seed=seed)))


def test_another_seed_is_another_sample() -> None:
    assert len({tuple(ids(Selection(sample=4, seed=seed))) for seed in range(20)}) > 10


def test_every_case_is_drawn_about_as_often() -> None:
    counts = dict.fromkeys((case.id for case in CASES), 0)
    for seed in range(1200):
        for drawn in ids(Selection(sample=3, seed=seed)):
            counts[drawn] += 1
    assert all(200 < count < 400 for count in counts.values())


def test_a_sample_of_more_than_there_is_is_all() -> None:
    assert len(ids(Selection(sample=100))) == 12
    assert len(ids(Selection(sample=5, first=2))) == 2


@pytest.mark.parametrize("name", ["first", "sample"])
def test_less_than_one_case_cannot_be_asked_for(name: str) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Selection(first=0) if name == "first" else Selection(sample=0)


def test_nothing_is_read_before_it_is_needed() -> None:
    def endless() -> object:
        yield from CASES
        raise AssertionError("read too far")

    stream = select(endless(), Selection(first=3))  # type: ignore[arg-type]
    assert len(list(stream)) == 3
