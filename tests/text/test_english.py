from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.english import english_slips


@table(
    ("text", "kind"),
    [
        ("We sent the the book.", "doubled word"),
        ("It is an book.", "article"),
        ("It takes a hour.", "article"),
        ("They was late.", "agreement"),
        ("It have 23 volumes.", "agreement"),
        ("We did not received it.", "verb form"),
        ("It has went out.", "verb form"),
        ("You should of asked.", "wording"),
        ("That one is more cheaper.", "wording"),
        ("We dont have it.", "spelling"),
        ("You will recieve it.", "spelling"),
        ("It is here.You can buy it.", "missing space"),
        ("It is here , and cheap.", "space before punctuation"),
        ("It is here. you can buy it.", "capital"),
        ("Well, i think so.", "capital"),
    ],
)
def test_a_slip_is_found(text: str, kind: str) -> None:
    assert kind in [slip.kind for slip in english_slips(text)]


@table(
    "text",
    [
        "An hour ago, a university student bought a used book and an umbrella.",
        "Yu Yu Hakusho is a classic, and he had had enough of that that.",
        "1. first item\n2. second item\n- third",
        "See https://example.com/a,b.Html or ask help.me@example.com about node.js.",
        "Does it have a cover? If it were mine, would they do it?",
        "Your order arrives in a few days. You're welcome! Your welcome gift is inside.",
        "It costs $9.99, e.g. at the store, and ships on Nov. 3.",
        "He and I are friends. An FAQ is a URL away; a one-off, an MBA, a European series.",
        "`dont` and ```the the``` are code.",
    ],
)
def test_right_english_is_left_alone(text: str) -> None:
    assert english_slips(text) == ()


@given(st.text(alphabet=st.sampled_from("aAiI tehnd.,'\n-"), max_size=300))
def test_slips_are_quoted_from_the_text_in_order(text: str) -> None:
    found = english_slips(text)
    assert [slip.start for slip in found] == sorted(slip.start for slip in found)
    assert all(slip.weight > 0 for slip in found)
