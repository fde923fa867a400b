"""The parts that read text without weights: letter groups, windows, evidence."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.models.local.evidence import COARSE, select_evidence, sentences
from proctor.models.local.model_registry import pieces_of
from proctor.models.local.ngrams import BITS, LONGEST, Linear, features, fold
from proctor.models.local.pairs import CLAIM, claims, flat, line
from proctor.models.local.tokenizer import END, START, case_types
from proctor.models.local.windows import MOST, PERIOD, groups, spread, stretches, windows

ANY = st.text(st.characters(), max_size=300)  # lone surrogates too


@given(ANY)
def test_letter_groups_exist_for_any_text_and_stay_in_the_table(text: str) -> None:
    found = features(text)
    assert len(set(found.tolist())) == len(found)
    assert all(0 <= number < 2**BITS for number in found.tolist())


def test_case_blanks_and_digits_do_not_matter_to_the_first_stage() -> None:
    assert features("Order  17 NOW").tolist() == features("order 42 now").tolist()
    assert len(fold("x" * 10**6)) == LONGEST + 2


def test_the_logit_is_the_scaled_sum_of_the_weights() -> None:
    weights = np.full(2**BITS, 3, np.int8)
    n = len(features("hello there"))
    assert Linear(weights, 0.5, 1.0).logit("hello there") == pytest.approx(3 * n * 0.5 / n**0.5 + 1.0)
    assert isinstance(Linear(weights, 0.5, -2.0).logit(""), float)


@given(st.integers(0, 5000), st.integers(8, 200))
def test_windows_are_bounded_and_keep_both_ends(count: int, longest: int) -> None:
    found = windows(list(range(10, 10 + count)), longest)
    assert 1 <= len(found) <= MOST
    assert all(len(line.ids) <= longest and line.ids[0] == START and line.ids[-1] == END for line in found)
    if count:
        assert found[0].ids[1] == 10
        assert found[-1].ids[-2] == 9 + count


def test_of_a_text_that_repeats_itself_the_beginning_and_the_end_are_read() -> None:
    found = windows([7, 8, 9, *[4, 5, 6] * 300, 3], 160)
    assert [len(line.ids) for line in found] == [160, 2 * PERIOD + 2]
    assert found[0].ids[1:4] == (7, 8, 9)
    assert found[-1].ids[-2] == 3
    other = [4, 5, 6] * 300
    other[450] = 99  # one word that is not like the others
    assert any(99 in line.ids for line in windows(other, 160))


def test_windows_of_a_text_that_is_not_too_long_leave_no_gap() -> None:
    found = windows(list(range(10, 210)), 50)
    assert {i for line in found for i in line.ids[1:-1]} == set(range(10, 210))


def test_spread_remembers_the_owner() -> None:
    lines, owners = spread([windows([5], 9), windows(list(range(20)), 9)])
    assert owners[0] == 0
    assert set(owners[1:]) == {1}
    assert len(lines) == len(owners)


def test_sentences_end_where_sentences_end() -> None:
    assert sentences("One here. Two there! 三つ目。四つ目。\nFive") == [
        "One here.",
        "Two there!",
        "三つ目。",
        "四つ目。",
        "Five",
    ]
    assert max(len(s) for s in sentences("word " * 1000)) <= 400


def test_evidence_is_what_the_claim_speaks_of() -> None:
    filler = " ".join(f"Sentence number {i} talks about nothing in particular today." for i in range(60))
    found = select_evidence(
        f"{filler} The refund is paid within five days. {filler}", "Refunds are paid in five days.", budget=300
    )
    assert "refund is paid within five days" in found
    assert len(found) <= 300 + 60


@given(ANY, ANY)
def test_evidence_never_fails_and_is_bounded(passage: str, claim: str) -> None:
    assert len(select_evidence(passage * 8, claim, budget=200)) <= max(200, 400) + 200


@given(ANY)
def test_sentences_lose_no_letter_and_none_is_too_long(text: str) -> None:
    found = sentences(text, longest=40)
    assert all(0 < len(part) <= 40 for part in found)
    dropped = set("\"'”’)]")  # may stand between the end of a sentence and the next
    kept = [c for c in "".join(found) if not c.isspace() and c not in dropped]
    assert kept == [c for c in text if not c.isspace() and c not in dropped]


@given(ANY, st.integers(50, 400))
def test_evidence_is_made_of_the_passage(passage: str, budget: int) -> None:
    found = select_evidence(passage, "a claim", budget=budget)
    assert set(found) <= set(passage) | {" "}
    assert found == passage or len(found) <= max(budget + 1, 401)


def test_a_book_of_short_sentences_is_weighed_in_stretches() -> None:
    book = "はい。" * COARSE + "返金は五日以内です。" + "いいえ。" * COARSE
    found = select_evidence(book, "返金は五日以内に届きます。", budget=400)
    assert "返金は五日以内です。" in found
    assert len(found) <= 401


@given(ANY)
def test_every_piece_has_its_place_in_the_text(text: str) -> None:
    pieces = pieces_of()
    ((ids, places),) = pieces.located([text])
    assert [ids] == pieces.numbers([text])
    assert len(ids) == len(places) == len(case_types(places, text))
    assert all(0 <= start <= end <= len(text) for start, end in places)
    assert [start for start, _ in places] == sorted(start for start, _ in places)


@given(st.integers(0, 3000), st.integers(4, 200))
def test_stretches_leave_nothing_out_overlap_and_are_no_longer_than_they_must_be(count: int, room: int) -> None:
    found = stretches(count, room)
    assert {i for start, stop in found for i in range(start, stop)} == set(range(count))
    assert found[0][0] == 0
    assert found[-1][1] == count
    assert len({stop - start for start, stop in found}) == 1
    assert all(stop - start <= room for start, stop in found)
    shared = [stop - later for (_, stop), (later, _) in itertools.pairwise(found)]
    assert all(each >= 0.25 * room - 1 for each in shared)
    if len(found) > 1:  # one window less would not do, and what is read twice is about what is shared
        assert count > (len(found) - 1) * room - (len(found) - 2) * (min(shared) + 1)
        assert sum(stop - start for start, stop in found) <= count + (len(found) - 1) * (0.25 * room + 3)


def test_a_text_of_a_little_more_than_a_window_is_not_read_twice() -> None:
    assert stretches(170, 158) == [(0, 105), (65, 170)]


@given(st.lists(st.text("ab", max_size=30), max_size=30), st.integers(1, 60))
def test_groups_keep_the_order_and_the_bound(texts: list[str], letters: int) -> None:
    found = list(groups(texts, letters))
    assert [text for some in found for text in some] == texts
    # only a text that is too long by itself passes the bound; empty ones may stand beside it
    assert all(sum(map(bool, some)) <= 1 or sum(map(len, some)) <= letters for some in found)


@given(st.lists(st.sampled_from(["The box was wet.", "荷物はどこですか。", "x" * 300, "No."]), max_size=60))
def test_claims_leave_no_piece_unread(parts: list[str]) -> None:
    pieces, text = pieces_of(), flat(" ".join(parts))
    found = claims(text, pieces, most=8)
    assert all(0 < len(claim.ids) <= CLAIM for claim in found)
    single = [number for ids in pieces.numbers(sentences(text)) for number in ids]
    assert [number for claim in found for number in claim.ids] == single
    if 1 < len(single) <= 8 * CLAIM // 2:
        assert len(found) <= 2 * 8


@given(st.integers(0, 500), st.integers(0, 500), st.sampled_from([224, 256, 288]))
def test_a_pair_fits_its_line_and_the_passage_gives_way(first: int, second: int, longest: int) -> None:
    found = line([7] * first, [8] * second, longest)
    assert len(found.ids) <= longest
    assert found.ids.count(8) == min(second, longest // 2 - 1)
    assert found.second is not None
    assert found.ids[found.second - 1] == END
    assert set(found.ids[found.second : -1]) <= {8}
