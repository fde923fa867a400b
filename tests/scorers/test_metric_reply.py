from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from proctor.scorers.metric_reply import read_score, read_word
from tests.tables import table


@table(("score", "read"), [(0, 0.0), (100, 100.0), (85, 85.0), (37.5, 37.5)])
def test_a_score_from_0_to_100_is_read(score: float, read: float) -> None:
    assert read_score({"explanation": " fine ", "score": score}) == (read, "fine", "")


@table("data", [{}, {"score": None}, {"score": "85"}, {"score": True}, {"score": 101}, {"score": -1}, [85], None, "85"])
def test_what_is_no_score_from_0_to_100_is_none_and_never_0(data: Any) -> None:
    score, _, wrong = read_score(data)
    assert score is None
    assert wrong


@given(some.recursive(some.none() | some.booleans() | some.floats() | some.text(), some.lists, max_leaves=5))
def test_any_score_is_read_or_refused(value: Any) -> None:
    score, _, wrong = read_score({"score": value})
    assert (score is None) == bool(wrong)
    assert score is None or 0 <= score <= 100


@table(
    "text",
    ["OK", "It is fine.\nOK", "so I say: **OK**", "OK.", "“OK”", "The answer keeps it, OK!", "ok", "Verdict: OK"],
)
def test_ok_as_the_last_word(text: str) -> None:
    assert read_word(text) == ("ok", "")


@pytest.mark.parametrize("text", ["ERR", "It breaks the rule.\nERR.", "OK at first sight, but no: ERR"])
def test_err_as_the_last_word(text: str) -> None:
    assert read_word(text) == ("err", "")


@table(
    "text",
    [
        "",
        "   ",
        "not OK",
        "It is not OK.",
        "this isn't OK",
        "OK or ERR",
        "OK/ERR",
        "either ERR",
        "OK, I think so",
        "BOOK",
        "The answer is OKAY",
        "no OK",
        "…",
        "ERRATA",
        "it is **not** OK",
    ],
)
def test_anything_else_is_no_verdict(text: str) -> None:
    word, wrong = read_word(text)
    assert word is None
    assert wrong


@given(some.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    word, wrong = read_word(text)
    assert (word in ("ok", "err")) != bool(wrong)
