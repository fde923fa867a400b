from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.link_syntax import MAX_LINKS, find_links, may_have_links


def found(text: str) -> list[tuple[str, str, str]]:
    return [
        (each.address, each.form, text[: each.start] + each.instead + text[each.end :]) for each in find_links(text)
    ]


@table(
    ("text", "address", "form", "without"),
    [
        ("a [b](https://c.example) d", "https://c.example", "link", "a b [link removed] d"),
        ('a [b](<https://c.example/x y> "t") d', "https://c.example/x y", "link", "a b [link removed] d"),
        ("a ![b](//c.example) d", "//c.example", "image", "a [image removed] d"),
        ("a [https://c.example](https://c.example)", "https://c.example", "link", "a [link removed]"),
        ("a https://c.example/e_(f). d", "https://c.example/e_(f)", "link", "a [link removed]. d"),
        ("a <https://c.example> d", "https://c.example", "link", "a <[link removed]> d"),
        ("a www.c.example/x, d", "https://www.c.example/x", "link", "a [link removed], d"),
        ("a c.example/x?y=1 d", "https://c.example/x?y=1", "text", "a [link removed] d"),
        ('<a href="https://c.example">b</a>', "https://c.example", "link", "<a>b</a>"),
        ("<img alt=x src=https://c.example/&#120;>", "https://c.example/x", "image", "[image removed]"),
        ("{background: url('https://c.example')}", "https://c.example", "image", "{background: none}"),
        ("[img]https://c.example[/img]", "https://c.example", "image", "[img][image removed][/img]"),
        ("`https://c.example`", "https://c.example", "code", "`[link removed]`"),
        ("```\n![b](https://c.example)\n```", "https://c.example", "text", "```\n[image removed]\n```"),
    ],
)
def test_a_link_is_found_with_what_stays_without_it(text: str, address: str, form: str, without: str) -> None:
    assert (address, form, without) in found(text)


def test_a_definition_has_the_form_of_what_uses_it() -> None:
    forms = [form for _, form, _ in found("[a][1] ![b][2]\n\n[1]: https://c.example\n[2]: https://d.example\n")]
    assert sorted(forms) == ["image", "image", "link", "link"]
    assert [form for _, form, _ in found("[1]: https://c.example")] == ["image"]
    assert found("[^1]: https://c.example")[0][1] == "link", "a footnote"


@table("text", ["", "plain", "3.14/2 and e.g./i.e.", "a: b", "[a] (b)", "x < y // z", "Herr a@b.example"])
def test_what_is_no_link_is_not_found(text: str) -> None:
    assert find_links(text) == []


def test_more_than_the_limit_can_be_told() -> None:
    assert len(find_links("https://c.example " * (MAX_LINKS + 50))) == MAX_LINKS + 1


@given(st.text(alphabet=st.sampled_from("[]()!<>ab:/.\"'`\n =&%hrefw")))
def test_every_text_is_read_and_spans_are_inside_it(text: str) -> None:
    for each in find_links(text):
        assert 0 <= each.start < each.end <= len(text)
    assert may_have_links(text) or find_links(text) == []
