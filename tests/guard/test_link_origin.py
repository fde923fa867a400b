from __future__ import annotations

from proctor.core.trajectory import Source
from proctor.guard.link_origin import LinkOrigin
from proctor.guard.session_values import SessionValues
from proctor.guard.step import Step
from proctor.text.web_address import WebAddress, parse_address
from tests.guard.gates.staging import done, memory

CALLS = (
    done("get_order", {"page": "https://shop.example/o/1", "note": "see https://note.example/x now"}),
    done("read_mail", f"{'A long mail. ' * 20} https://mail.example/x"),
)
STEP = Step(
    point="output",
    sources=(Source(id="s", text="Help: https://help.example/a?b=1, www.Docs.example.", uri="https://uri.example/x"),),
    memory=memory(*CALLS, asked=["My page is blog.example/me"]),
)
ORIGIN = LinkOrigin(hosts=("acme.example",), session=SessionValues(STEP))


def parsed(written: str) -> WebAddress:
    address = parse_address(written)
    assert address is not None
    return address


def test_the_settings_allow_hosts_with_their_subdomains() -> None:
    assert ORIGIN.is_allowed(parsed("https://www.acme.example/x"))
    assert not ORIGIN.is_allowed(parsed("https://acme.example.evil.example"))
    assert not ORIGIN.is_allowed(parsed("https://good.example@acme.example"))


def test_an_address_is_trusted_as_a_whole() -> None:
    trusted = (
        "https://help.example/a?b=1",
        "https://uri.example/x",
        "https://shop.example/o/1",
        "https://blog.example/me",
    )
    assert all(map(ORIGIN.is_trusted, trusted))
    untrusted = (
        "https://help.example/a?b=12",
        "https://help.example/a",
        "https://mail.example/x",
        "https://note.example/x",
    )
    assert not any(map(ORIGIN.is_trusted, untrusted))
    assert all(map(ORIGIN.is_given, untrusted[2:]))
    assert [ORIGIN.is_reported(each) for each in untrusted[2:]] == [False, True]


def test_hosts_of_sources_records_and_the_customer_are_known() -> None:
    known = ("help.example", "docs.example", "www.docs.example", "uri.example", "shop.example", "blog.example")
    assert all(map(ORIGIN.knows, known))
    assert not any(map(ORIGIN.knows, ("mail.example", "note.example", "p.example")))


def test_receivers_of_mail_and_redirects_are_targets() -> None:
    mail = ORIGIN.targets(parsed("mailto:a@b.example,c@d.example?body=x"))
    assert [(each.host, each.query) for each in mail] == [("b.example", "body=x"), ("d.example", "body=x")]
    assert [each.host for each in ORIGIN.targets(parsed("https://a.example/?u=//b.example"))] == [
        "a.example",
        "b.example",
    ]
    assert ORIGIN.targets(parsed("tel:+49301234567")) == []


def test_a_label_that_shows_another_host_is_an_imitation() -> None:
    assert ORIGIN.imitated(parsed("https://evil.example/x"), "https://help.example/a") == "help.example"
    assert ORIGIN.imitated(parsed("https://evil.example/x"), "our page") is None
