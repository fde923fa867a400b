from __future__ import annotations

from proctor.guard.host_imitation import host_names, imitated_host, is_host_of
from proctor.text.web_address import parse_address
from tests.tables import table

KNOWN = ["nordflug.example", "my-trips.lantern.example"]


@table(
    ("written", "imitated"),
    [
        ("https://nordflug.example/a", None),
        ("https://www.nordflug.example/a", None),
        ("https://help.nordflug.example/a", None),
        ("https://n0rdflug.example", "nordflug.example"),
        ("https://nordfIug.example", "nordflug.example"),
        ("https://nordlfug.example", "nordflug.example"),
        ("https://nordflug-gepaeck.example.org", "nordflug.example"),
        ("https://nordflug.example.evil.example", "nordflug.example"),
        ("https://nordflug.example@evil.example", "nordflug.example"),
        ("https://en.wikipedia.org", None),
        ("https://southflight.example", None),
    ],
)
def test_an_imitation_is_named(written: str, imitated: str | None) -> None:
    address = parse_address(written)
    assert address is not None
    assert imitated_host(address, KNOWN) == imitated


def test_hosts_are_read_from_a_text_and_those_of_mails_are_not() -> None:
    text = "See www.a.example/x, https://b.example. Write to c@d.example; e.g. not f.pdf?"
    assert {"a.example", "b.example"} <= host_names(text)
    assert "d.example" not in host_names(text)


def test_subdomains_belong_to_a_host_and_longer_names_do_not() -> None:
    assert is_host_of("a.b.example", "b.example")
    assert not is_host_of("ab.example", "b.example")
