from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.core.entity import Entity
from proctor.core.verdict import Finding
from proctor.text.pii import find_pii, merge


def named(text: str, name: str, kind: str = "PERSON") -> Entity:
    start = text.index(name)
    return Entity(start=start, end=start + len(name), kind=kind, text=name, score=0.9)


def told(found: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in found]


def test_people_and_addresses_count_places_and_organisations_do_not() -> None:
    text = "Anna Berg of Acme in Kyoto, 1 Main St"
    entities = [named(text, "Anna Berg"), named(text, "Acme", "ORG"), named(text, "Kyoto", "PLACE")]
    assert told(merge((), entities)) == [("person", "Anna Berg")]
    assert [kind for kind, _ in told(merge((), entities, kinds=["ORG", "PLACE"]))] == ["org", "place"]


def test_a_pattern_comes_first_and_the_rest_of_the_name_stays() -> None:
    text = "Anna Berg anna@mail.org"
    assert told(merge(find_pii(text), [named(text, text)])) == [("person", "Anna Berg"), ("email", "anna@mail.org")]


def test_what_is_left_of_a_name_must_say_something() -> None:
    text = "(212) 555-0142."
    assert told(merge(find_pii(text), [named(text, text)])) == [("phone", "(212) 555-0142")]


def test_the_longer_address_is_the_address() -> None:
    text = "to 〒100-0001 東京都千代田区 皇居外苑 please"
    whole = "〒100-0001 東京都千代田区 皇居外苑"
    assert told(merge(find_pii(text), [named(text, whole, "ADDRESS")])) == [("address", whole)]


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12)), max_size=8),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 12), st.sampled_from(["PERSON", "ADDRESS"])), max_size=8),
)
def test_nothing_overlaps_and_nothing_named_is_lost(
    patterns: list[tuple[int, int]], names: list[tuple[int, int, str]]
) -> None:
    text = "abcdefghi 山田太郎 " * 6
    findings: list[Finding] = []
    for start, length in sorted(patterns):
        if not findings or start >= (findings[-1].end or 0):
            findings.append(Finding(kind="phone", text=text[start : start + length], start=start, end=start + length))
    entities = [
        Entity(start=start, end=start + length, kind=kind, text=text[start : start + length], score=0.8)
        for start, length, kind in names
    ]
    entities = [
        each
        for i, each in enumerate(entities)
        if all(each.start >= one.end or one.start >= each.end for one in entities[:i])
    ]
    merged = merge(findings, entities)
    last = 0
    covered: set[int] = set()
    for each in merged:
        assert each.start is not None
        assert each.end is not None
        assert last <= each.start < each.end
        assert text[each.start : each.end] == each.text
        covered |= set(range(each.start, each.end))
        last = each.end
    for each in findings:
        assert set(range(each.start or 0, each.end or 0)) <= covered
    for entity in entities:
        left = "".join(text[i] if i not in covered else " " for i in range(entity.start, entity.end))
        assert all(len(part) < 2 for part in left.split()), left
