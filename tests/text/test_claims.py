from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.claims import MOST_CLAIMS, claims, plain, statements


def test_what_can_be_true_or_false() -> None:
    text = (
        "Hello! Great question. Our **return window** is 15 days.\n- Uzumaki: 5 volumes\n- [Dusk](http://x)\n"
        "Would you like more? Let me know if you need help."
    )
    assert claims(text) == ["Our return window is 15 days.", "Uzumaki: 5 volumes", "Dusk"]


@table(
    ("text", "kind"),
    [
        ("Hello!", "courtesy"),
        ("Yes!", "courtesy"),
        ("はい。", "courtesy"),
        ("お問い合わせありがとうございます。", "courtesy"),
        ("I am sorry to hear that.", "courtesy"),
        ("I am sorry, your order H-2041 is delayed.", "claim"),
        ("はい、開封した漫画は15日以内であれば返品できます。", "claim"),
        ("Sure, opened books can be sent back.", "claim"),
        ("How can I help you?", "question"),
        ("気になる作品はございますか。", "question"),
        ("Feel free to ask.", "offer"),
        ("Here are three horror manga:", "heading"),
        ("在庫があります。", "claim"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert [each.kind for each in statements(text)] == [kind]


def test_marks_are_taken_away_and_words_stay() -> None:
    assert plain("## A *b* **c** `d` [e](http://f)").split() == ["##", "A", "b", "c", "d", "e"]
    assert plain("2 * 3 * 4 and snake_case") == "2 * 3 * 4 and snake_case"


def test_places_add_up() -> None:
    found = statements("One is here. Two is there. Three is gone.")
    assert sum(each.share for each in found) == pytest.approx(1)
    assert [each.at for each in found] == sorted(each.at for each in found)


def test_a_huge_text_is_read_from_its_beginning() -> None:
    assert len(statements("It is so. " * 100_000)) == MOST_CLAIMS


@given(st.text(max_size=500))
def test_any_text_is_cut(text: str) -> None:
    for each in statements(text):
        assert each.text.strip() == each.text
        assert 0 <= each.at <= 1


def test_a_line_end_written_as_two_signs_is_one() -> None:
    found = statements(r'{"message": "Your order is on its way.\n\nIt comes on Monday\n- by bus"}')
    assert [each.text for each in found] == ['{"message": "Your order is on its way.', "It comes on Monday", 'by bus"}']


def test_a_decimal_at_the_beginning_is_no_number_of_a_list() -> None:
    assert claims("39.05米过了警戒线。") == ["39.05米过了警戒线。"]
    assert claims("3. The pool opens at noon.") == ["The pool opens at noon."]
