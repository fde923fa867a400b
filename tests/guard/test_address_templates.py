from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proctor.guard.address_templates import filled_places
from tests.tables import table


@table(
    ("written", "rest", "filled"),
    [
        ("Track: https://post.example/o/<order number>.", "/o/70442", ("70442",)),
        ("https://post.example/o/{number}", "/o/70442", ("70442",)),
        ("https://post.example/o/［注文番号］、", "/o/70442", ("70442",)),
        ("https://post.example/o/:id or the app", "/o/70442", ("70442",)),
        ("(https://post.example/o/XXXX)", "/o/70442", ("70442",)),
        ("https://post.example/o/... shows it", "/o/70442", ("70442",)),
        ("<https://post.example/?nr=NUMER>, NUMER to numer", "/?nr=KK-90417", ("KK-90417",)),
        ("https://post.example/?id=<no>&zip=<postal code>", "/?id=7&zip=8000", ("7", "8000")),
        ("https://Post.Example/o/<n>/map", "/o/7/map", ("7",)),
        ("https://post.example/o/<order number>", "/p/70442", ()),
        ("https://post.example/o/<order number>", "/o/70442/extra", ()),
        ("https://post.example/o/<order number>", "/o/70442?x=1", ()),
        ("https://post.example/o/<order number>", "/o/", ()),
        ("https://post.example/o/70442", "/o/70442", ()),
        ("https://other-post.example/o/<n>", "/o/7", ()),
        ("https://post.example.evil.example/o/<n>", "/o/7", ()),
        ("", "/o/7", ()),
    ],
)
def test_what_stands_in_the_places(written: str, rest: str, filled: tuple[str, ...]) -> None:
    assert filled_places("post.example", rest, written) == filled


@given(st.text(max_size=300), st.text(max_size=60))
def test_any_text_is_read(text: str, rest: str) -> None:
    assert isinstance(filled_places("a.example", rest, f"https://a.example{text} a.example/{text}"), tuple)


@table("text", ["a.example/" + "<x>" * 5_000, "a.example/<" * 2_000, "a.example/<x>1<y>1<z>2 " * 500])
def test_hostile_templates_end(text: str) -> None:
    assert filled_places("a.example", "/" + "1" * 8_000, text) == ()
