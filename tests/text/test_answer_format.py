from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.answer_format import layout_slips, namings, repetitions, shapes, unbalanced, unfinished

CARD = "1. **Chainsaw Man** — $9.99\n2. **Spy×Family** — ¥770 [see](https://shop.example/2)"


def test_shapes_are_told() -> None:
    has = shapes(CARD)
    assert {name for name, there in has.items() if there} == {"list", "steps", "link", "price", "card", "bold"}
    assert not any(shapes("Nothing special here.").values())
    assert shapes("# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```x```")["table"]
    assert shapes("価格は770円です。")["price"]


@table(
    ("text", "kind"),
    [
        ("Dear {{name}}, hello.", "placeholder"),
        ("Your total is [INSERT AMOUNT].", "placeholder"),
        ("Your order is undefined", "placeholder"),
        ("See [our page]().", "link"),
        ("Hello<br>there", "markup"),
        ("**Note: read this", "markup"),
        ("```\ncode", "markup"),
        ("1. one\n2. two\n2. three", "numbering"),
    ],
)
def test_broken_shapes_are_found(text: str, kind: str) -> None:
    assert kind in [slip.kind for slip in layout_slips(text)]


def test_whole_shapes_are_left_alone() -> None:
    assert layout_slips(CARD) == ()
    assert layout_slips("1. one\n1. two\n1. three\n\n`{{name}}` is a hole") == ()


@table("text", ["He said (yes.", "「はい、そうです。", 'He said "yes.', "so) it is", "a [link"])
def test_what_is_opened_is_closed(text: str) -> None:
    assert unbalanced(text)


@table(
    "text",
    [
        'A 17" screen and "quotes" (LAX) :) fine',
        "1) one\n2) two\na) three",
        "Bookshelf (wood, brown, size L)\n[x](http://a.example/)",
        "『鬼滅の刃』（全23巻）",
        'ID "8538875209" and "#W1"',
    ],
)
def test_brackets_that_are_right_are_left_alone(text: str) -> None:
    assert unbalanced(text) == ()


def test_repetition_is_found() -> None:
    assert repetitions("Your order ships to your home tomorrow. Your order ships to your home tomorrow.")
    assert repetitions("We will ship it we will ship it soon.")
    assert repetitions("在庫があります、在庫があります、在庫があります")
    assert not repetitions("- Country: USA\n- Zip: 1\n\n- Country: USA\n- Zip: 2")
    assert not repetitions("It is in stock. It is cheap. It is good.")


@pytest.mark.parametrize("text", ["You can return it within the", "Please open your account and,", "こちらの商品は"])
def test_a_text_that_breaks_off_is_found(text: str) -> None:
    assert unfinished(text)


@table("text", ["Done.", "Choose option A", "はい", "- one\n- two", "See https://a.example/the", "N/A", "", "Enjoy 😊"])
def test_a_text_that_ends_is_left_alone(text: str) -> None:
    assert unfinished(text) is None


def test_the_three_names_of_a_work() -> None:
    (whole,) = namings("Demon Slayer (鬼滅の刃 / Kimetsu no Yaiba) is available in English.")
    assert whole.missing == ()
    (short,) = namings("鬼滅の刃 (Demon Slayer) volumes 1 through 23 are available.")
    assert short.missing == ("romanised",)
    (romanised,) = namings("Kimetsu no Yaiba is available.")
    assert romanised.missing == ("original", "English")
    assert namings("The Dusk Ward is available in English, no worries.") == ()


@given(st.text(alphabet=st.sampled_from('ab 漢あ()（）「」"*`#-1.\n/,:[]{}'), max_size=200))
def test_anything_can_be_looked_at(text: str) -> None:
    shapes(text)
    for slip in (*layout_slips(text), *unbalanced(text), *repetitions(text)):
        assert -1 <= slip.start <= len(text)
    unfinished(text)
    namings(text)


def _wrapped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(st.sampled_from(["()", "「」", "[]", "（）"]), inner).map(
        lambda each: each[0][0] + each[1] + each[0][1]
    )


@given(st.recursive(st.sampled_from(["a", "漢"]), _wrapped, max_leaves=6))
def test_nested_brackets_are_balanced(text: str) -> None:
    assert unbalanced(f"x {text} y") == ()
