"""The first look lets pass what plainly holds nothing, and never a name that it could have seen."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.models.local import weights as shipped
from proctor.models.local.linear_prefilter import (
    KNOWN_BITS,
    SHORT,
    SIZE,
    WORD_BITS,
    LinearPrefilter,
    known_place,
    marks,
    open_prefilter,
    words_of,
)
from tests.tables import table

EMPTY = bytes(2**KNOWN_BITS // 8)
SHIPPED = Path(shipped.__file__).parent / "weights"


def bits(*words: str) -> bytes:
    table = bytearray(EMPTY)
    for word in words:
        table[known_place(word) >> 3] |= 1 << (known_place(word) & 7)
    return bytes(table)


def made(known: bytes = EMPTY, names: bytes = EMPTY, weight: int = 0) -> LinearPrefilter:
    return LinearPrefilter(np.full(SIZE, weight, np.int8), (known, names), scale=0.5, bias=-3.0, low=0.0)


@given(st.text(st.characters(), max_size=300))  # lone surrogates too
def test_any_text_has_marks_that_stay_in_the_table(text: str) -> None:
    found, _ = marks(text, EMPTY, EMPTY)
    assert all(0 <= mark < 2**WORD_BITS for mark in found)
    assert isinstance(made().passes(text), bool)
    assert len(words_of(text)) <= len(text)


def test_the_logit_is_the_scaled_sum_of_all_weights() -> None:
    text = "where is it"
    count = made(weight=1).logit(text) / 0.5 + 6
    assert made(weight=2).logit(text) == pytest.approx(count - 3.0)
    assert made().logit(text) == -3.0


@table(
    ("text", "telling"),
    [
        ("ask Quibell about it", True),  # unknown, with a capital
        ("ask. Quibell knows", False),  # a sentence begins: any word has a capital there
        ("Ask McKenna about it", True),
        ("Ask ATM about it", False),
        ("ask Visa about it", False),  # known, though it has a capital
        ("tell jane about it", True),  # a name, though it has none
        ("Jane asks about it", True),
        ("tell them about it", False),
    ],
)
def test_a_name_in_sight_is_never_weighed_away(text: str, telling: bool) -> None:
    known, names = bits("ask", "about", "it", "visa", "tell", "them"), bits("jane")
    assert marks(text, known, names)[1] is telling
    assert made(known, names, weight=-1).passes(text) is not telling
    if telling:
        assert made(known, names, weight=-1).logit(text) == math.inf


def test_case_place_and_neighbours_make_other_marks() -> None:
    known = bits("my", "name", "is", "order")
    plain, _ = marks("my order is order", known, EMPTY)
    for other in ("my Order is order", "my order is strange", "my name is order", "is my order order"):
        assert marks(other, known, EMPTY)[0] != plain
    assert marks("田中と申します", EMPTY, EMPTY)[0] & marks("鈴木と申します", EMPTY, EMPTY)[0]


def test_a_long_text_never_passes() -> None:
    assert made(weight=-1).passes("where is it " * 10)
    assert not made(weight=-1).passes("x" * (SHORT + 1))


@table(
    "text",
    [
        "My name is Jane Smith and the parcel is late.",
        "hi, jane here, where is my parcel",
        "Please send it to 14 Mill Lane, Leeds LS1 4AB.",
        "I will sue your company and my lawyer will contact you.",
        "I do not want to live any more.",
        "The charger caught fire and burnt my hand.",
        "田中と申します。荷物が届きません。",
        "訴訟を起こします。弁護士から連絡が行きます。",
        "東京都渋谷区神南1-2-3に送ってください。",
    ],
)
def test_the_shipped_look_sends_on_what_must_be_read(text: str) -> None:
    look = open_prefilter(None)
    assert look is not None
    assert not look.passes(text)


@pytest.mark.parametrize(
    "text",
    [
        "i need help to find out how to cancel my order",
        "what is the exchange rate for my card",
        "My top-up did not work, what can I do?",
    ],
)
def test_the_shipped_look_lets_pass_what_holds_nothing(text: str) -> None:
    look = open_prefilter(None)
    assert look is not None
    assert look.passes(text)


def test_a_folder_that_does_not_say_what_may_pass_has_no_first_look(tmp_path: Path) -> None:
    told = json.loads((SHIPPED / "manifest.json").read_text(encoding="utf-8"))
    del told["settings"]["reader"]["low"]
    (tmp_path / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    assert open_prefilter(tmp_path) is None
