"""Excerpts around phrases, and texts with the phrases set apart."""

from __future__ import annotations

from tests.tables import table

from proctor.text.excerpt import TextPart, excerpt, marked_parts


@table(
    ("text", "phrases", "marked"),
    [
        ("Hello WORLD, world!", ["world"], ["WORLD", "world"]),
        ("返品の送料は無料です", ["送料"], ["送料"]),
        ("ﾏﾝｶﾞとマンガ", ["マンガ"], ["ﾏﾝｶﾞ", "マンガ"]),
        ("within 30 days of delivery", ["within 30 days …".replace(" …", "…")], ["within 30 days"]),
        ("abcdef", ["abc", "cde"], ["abcde"]),
        ("nothing here", ["else", "", " "], []),
        ("", ["x"], []),
    ],
)
def test_phrases_are_marked(text: str, phrases: list[str], marked: list[str]) -> None:
    parts = marked_parts(text, phrases)
    assert "".join(part.text for part in parts) == text
    assert [part.text for part in parts if part.marked] == marked


def test_a_text_without_phrases_is_one_part() -> None:
    assert marked_parts("as it is", []) == [TextPart("as it is", marked=False)]


def test_an_excerpt_is_around_the_first_phrase_on_one_line() -> None:
    text = "word " * 100 + "needle\nin  the hay " + "word " * 100
    found = excerpt(text, ["NEEDLE"], chars=60)
    assert "needle in the hay" in found
    assert found.startswith("…")
    assert found.endswith("…")
    assert excerpt("short", ["x"], chars=60) == "short"
    assert excerpt("a" * 80, [], chars=60) == "a" * 60 + "…"
