from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.web_address import host_skeleton, nested_addresses, parse_address, unquoted


@table(
    ("written", "host"),
    [
        ("https://a.example/b", "a.example"),
        ("HTTPS://A.Example:443/b", "a.example"),
        ("https:a.example/b", "a.example"),
        ("https:\\\\a.example\\b", "a.example"),
        ("//a.example", "a.example"),
        ("\\/a.example", "a.example"),
        ("https://good.example@a.example/", "a.example"),
        ("https://good.example%40a.example/", "good.example@a.example"),
        ("https://ａ。example/", "a.example"),
        ("https://a.exam\u00adple./", "a.example"),
        ("ht\ntps://a.example", "a.example"),
        ("https://xn--80ak6aa92e.example", "аррӏе.example"),
        ("mailto:a@b.example", ""),
    ],
)
def test_a_host_is_found_as_a_browser_finds_it(written: str, host: str) -> None:
    address = parse_address(written)
    assert address is not None
    assert address.host == host


@table("written", ["/help", "#top", "?a=1", "", "help.html", " "])
def test_an_address_on_the_same_page_has_no_parts(written: str) -> None:
    assert parse_address(written) is None


@table(
    ("written", "hosts"),
    [
        ("https://a.example/out?to=https%3A%2F%2Fb.example%2F1", ["b.example"]),
        ("https://a.example/out?to=https%253A%252F%252Fb.example", ["b.example"]),
        ("https://a.example/r?u=//b.example/1", ["b.example"]),
        ("https://a.example/r?u=b.example/1", ["b.example"]),
        ("https://a.example/r?u=aHR0cHM6Ly9iLmV4YW1wbGUv", ["b.example"]),
        ("https://a.example/https://b.example/x", ["b.example"]),
        ("https://a.example/x//y?file=report.pdf", []),
    ],
)
def test_addresses_inside_an_address_are_found(written: str, hosts: list[str]) -> None:
    address = parse_address(written)
    assert address is not None
    assert [each.host for each in nested_addresses(address)] == hosts


def test_look_alikes_have_one_skeleton() -> None:
    assert host_skeleton("pаypаl.example") == host_skeleton("paypa1.example") == host_skeleton("páypal.example")
    assert host_skeleton("rnail.example") == host_skeleton("mail.example")
    assert host_skeleton("mail.example") != host_skeleton("post.example")


@given(st.text())
def test_any_text_is_parsed(text: str) -> None:
    for each in (text, f"https://{text}", f"https://a.example/{text}"):
        address = parse_address(each)
        if address is not None:
            assert all("." in inner.host for inner in nested_addresses(address))


def test_percent_encoding_is_undone_three_times_at_most() -> None:
    assert [unquoted(each) for each in ("a%20b", "%2541", "%252541", "%25252541")] == ["a b", "A", "A", "%41"]
