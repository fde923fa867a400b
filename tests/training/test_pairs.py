"""Changed claims really differ, stand against the same passage, and are made the same each time."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from training.corrupt import _number, corrupted, names_in
from training.pairs import changed_claims, recombined

from tests.training.conftest import PASSAGE

TEXT = "The man was not in Paris with Henri Durand before 1985 12,5 can ٣٤"
words = st.sampled_from(TEXT.split())
claims = st.lists(words, min_size=1, max_size=12).map(" ".join)


@given(claims | st.text(max_size=80), st.integers(0, 2**32))
def test_a_changed_claim_differs(claim: str, seed: int) -> None:
    new = corrupted(claim, PASSAGE, ["Ada Lovelace"], random.Random(seed))
    assert new is None or new != claim


@given(claims | st.text(alphabet="ab 0123456789.,-٣٤५६", max_size=40), st.integers(0, 2**32))
def test_exactly_one_number_changes_its_value(claim: str, seed: int) -> None:
    def values(text: str) -> list[str]:
        return ["".join(str(int(c)) if c.isdigit() else c for c in n) for n in re.findall(r"\d+(?:[.,]\d+)*", text)]

    new = _number(claim, random.Random(seed))
    if new is None:
        assert not values(claim)
    else:
        assert len(values(new)) == len(values(claim))
        assert sum(a != b for a, b in zip(values(claim), values(new), strict=True)) == 1


@given(st.integers(0, 2**32))
def test_a_claim_with_nothing_to_change_is_left_alone(seed: int) -> None:
    assert corrupted("tea", "tea", [], random.Random(seed)) is None


def test_every_way_to_change_a_claim_is_used() -> None:
    claim = "The rooms of Madame Rose were not open before 1885"
    made = {corrupted(claim, PASSAGE, [], random.Random(seed)) for seed in range(200)}
    assert any(m and "were open" in m for m in made)
    assert any(m and "Madame Rose" not in m for m in made)
    assert any(m and "1885" not in m for m in made)
    assert any(m and "after" in m for m in made)


def test_a_name_does_not_begin_a_sentence() -> None:
    assert names_in("Rain fell on New York. Then Ada Lovelace left") == ["New York", "Ada Lovelace"]


def test_kept_and_changed_claims_share_their_passage(public: Path) -> None:
    found = changed_claims()
    assert found == changed_claims()
    changed = [i for i, r in enumerate(found) if r["kind"] == "changed"]
    assert changed
    for i in changed:
        one, other = found[i], found[i + 1]
        assert (one["y"], other["y"], other["kind"]) == (0, 1, "kept")
        assert one["pair"][0] == other["pair"][0]
        assert one["pair"][1] != other["pair"][1]


def test_a_source_gives_no_more_than_its_share(public: Path) -> None:
    found = changed_claims(most_a_source=1)
    many = [r for r in found if r["kind"] == "changed" and r["src"] == "begin"]
    assert 1 <= len(many) <= 5  # the row in hand is finished


@pytest.mark.parametrize("most", [5, 40])
def test_recombined_pairs_are_new_and_bounded(most: int) -> None:
    rows = [
        {"p": f"premise {i // 3}", "h": f"hypothesis {i}", "lang": lang, "src": "nli_snli/train"}
        for i in range(30)
        for lang in ("en", "ja")
    ]
    found = recombined(rows, most)
    assert found == recombined(rows, most)
    assert len(found) <= most
    assert len({tuple(r["pair"]) for r in found}) == len(found)
    assert all(a != b for a, b in (r["pair"] for r in found))
