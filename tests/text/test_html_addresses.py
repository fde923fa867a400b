from __future__ import annotations

from tests.tables import table

from proctor.text.html_addresses import html_addresses


@table(
    ("text", "addresses"),
    [
        (
            '<a href="https://a.example" ping="https://b.example">',
            [("https://a.example", "link"), ("https://b.example", "link")],
        ),
        ("<IMG SRC='https://a.example'>", [("https://a.example", "image")]),
        (
            "<img srcset='https://a.example 1x, //b.example 2x'>",
            [("https://a.example", "image"), ("//b.example", "image")],
        ),
        ("<video poster=https://a.example/x>", [("https://a.example/x", "image")]),
        ("<meta http-equiv=refresh content='0; url=https://a.example/x'>", [("https://a.example/x", "image")]),
        ("<p style=\"background: url('https://a.example/x')\">", [("https://a.example/x", "image")]),
        ("<form action='https://a.example'>", [("https://a.example", "link")]),
        ("<img alt='see https://a.example'>", [("https://a.example", "text")]),
        ("<svg xmlns='http://www.w3.org/2000/svg'>", [("http://www.w3.org/2000/svg", "text")]),
        ("<img src='/own.png'> <b>x</b> a < b > c", []),
    ],
)
def test_every_attribute_is_read(text: str, addresses: list[tuple[str, str]]) -> None:
    assert [(each.address, each.form) for each in html_addresses(text)] == addresses


def test_a_label_is_what_stands_in_the_link() -> None:
    (found,) = html_addresses('<a href="https://a.example">the page</a>')
    assert (found.label, found.stays) == ("the page", "<a>")
