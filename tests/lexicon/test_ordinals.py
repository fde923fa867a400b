from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.lexicon.ordinals import Reference, listed_items, references

THREE = ("Chainsaw Man", "Spy×Family", "Jujutsu Kaisen")


@table(
    ("text", "index"),
    [
        ("Now tell me about the second one.", 1),
        ("What about the 3rd one?", 2),
        ("Tell me more about #2", 1),
        ("option 3, please", 2),
        ("number two sounds good", 1),
        ("I'd like the third", 2),
        ("the second product you recommended", 1),
        ("the first on the list", 0),
        ("The last one please", -1),
        ("the latter", -1),
        ("the former is fine", 0),
        ("二つ目について教えて", 1),
        ("2番目の作品の値段は？", 1),
        ("２つ目はいくらですか", 1),
        ("三番目を買います", 2),
        ("最後のやつは？", -1),
        ("最初の商品はいくらですか", 0),
        ("後者でお願いします", -1),
    ],
)
def test_a_reference_is_understood(text: str, index: int) -> None:
    assert [each.index for each in references(text)] == [index]


@table(
    "text",
    [
        "what about the second volume?",
        "the first time I ordered here",
        "Give me one more second.",
        "Where is order #12345?",
        "一番安いのはどれですか",
        "二巻目はありますか",
        "Is there a second-hand copy?",
        "",
    ],
)
def test_other_numbers_are_no_references(text: str) -> None:
    assert references(text) == ()


def test_a_place_is_counted_from_either_end_or_the_middle() -> None:
    assert Reference(index=1, quote="").place(3) == 1
    assert Reference(index=-1, quote="").place(3) == 2
    assert Reference(index=4, quote="").place(3) is None
    assert Reference(index=0, quote="", middle=True).place(3) == 1
    assert Reference(index=0, quote="", middle=True).place(4) is None


@table(
    "text",
    [
        "I recommend Chainsaw Man, Spy×Family and Jujutsu Kaisen.",
        "Assistant recommends [Chainsaw Man, Spy×Family, Jujutsu Kaisen].",
        "1. **Chainsaw Man** — $9.99\n2. **Spy×Family** (funny)\n   - warm\n   - short\n3. Jujutsu Kaisen by Akutami",
        "- Chainsaw Man: dark\n- Spy×Family: warm\n- Jujutsu Kaisen: loud",
        "You could try: 1) Chainsaw Man, 2) Spy×Family, and 3) Jujutsu Kaisen.",
        "おすすめは『Chainsaw Man』、『Spy×Family』、『Jujutsu Kaisen』です。",
        "Summary: the assistant suggested Chainsaw Man, Spy×Family, and Jujutsu Kaisen.",
    ],
)
def test_the_items_of_a_list_are_found_in_order(text: str) -> None:
    assert tuple(item.names[0] for item in listed_items(text)) == THREE


def test_an_item_has_all_its_names() -> None:
    first, second = listed_items(
        "1. The Dusk Ward (宵闇病棟 / Yoiyami Byoto): scary\n2. 湿り紙の家（Shimerigami no Ie）：748円"
    )
    assert first.names == ("The Dusk Ward", "宵闇病棟", "Yoiyami Byoto")
    assert second.names == ("湿り紙の家", "Shimerigami no Ie")


def test_prose_is_no_list() -> None:
    assert listed_items("We ship to Canada. Your order arrives on Monday.") == ()
    assert listed_items("") == ()


_names = st.lists(st.from_regex(r"[A-Z][a-z]{3,9}", fullmatch=True), min_size=2, max_size=6, unique=True)


@given(_names, st.sampled_from(["1.", "-", "*", "・"]))
def test_whatever_is_listed_line_by_line_is_read_back(names: list[str], mark: str) -> None:
    lines = [f"{index + 1}. {name}" if mark == "1." else f"{mark} {name}" for index, name in enumerate(names)]
    assert [item.names[0] for item in listed_items("Here you are:\n" + "\n".join(lines))] == names


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    references(text)
    assert all(item.names for item in listed_items(text))
