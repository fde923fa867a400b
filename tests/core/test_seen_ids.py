from __future__ import annotations

import pytest

from proctor.core.seen_ids import SeenIds, id_code


def test_the_last_ids_are_known_and_old_ones_are_forgotten() -> None:
    seen = SeenIds(100)
    codes = [id_code(f"event-{number}") for number in range(1_000)]
    for code in codes:
        assert code not in seen
        seen.add([code])
    assert all(code in seen for code in codes[-100:])
    assert sum(code in seen for code in codes) <= 200


def test_many_at_once_are_remembered_as_one_by_one() -> None:
    seen = SeenIds(10)
    seen.add(range(1, 26))
    assert [code for code in range(1, 26) if code in seen] == list(range(11, 26))


def test_adding_twice_takes_no_more_room() -> None:
    seen = SeenIds(4)
    for _ in range(10):
        seen.add([7, 7, 8])
    seen.add([9])
    assert all(code in seen for code in (7, 8, 9))


def test_codes_that_share_a_place_are_told_apart() -> None:
    seen = SeenIds(8)
    codes = [place << 20 | 1 for place in range(1, 8)]
    seen.add(codes)
    assert all(code in seen for code in codes)
    assert (99 << 20 | 1) not in seen


def test_a_code_is_never_empty_and_takes_any_text() -> None:
    assert id_code("") > 0
    assert id_code("\ud800 問い合わせ") > 0
    with pytest.raises(ValueError, match="at least 1"):
        SeenIds(0)
