from __future__ import annotations

from proctor.guard.call_values import call_values, kind_of
from tests.tables import table


@table(
    ("text", "kind"),
    [
        ("ann@corner.example", "address"),
        ("https://corner.example/pay?id=7", "link"),
        ("www.corner.example", "link"),
        ("corner.example/pay", "link"),
        ("DE12 5001 0517 0648 4898 90", "account"),
        ("DE12500105170648489890", "account"),
        ("+44 7700 900412", "account"),
        ("110-234-567890", "account"),
        ("2026-03-12", "time"),
        ("2026-03-12T14:00", "time"),
        ("14:30", "time"),
        ("1,840.00", "number"),
        ("13", "number"),
        ("TRV-10021", "code"),
        ("2026/03-8841", "code"),
        ("Hotel Alfama Sol", "name"),
        ("", "name"),
        ("The meeting at three is moved to four, see you later all.", "text"),
    ],
)
def test_the_form_of_a_value_tells_its_kind(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def test_nested_values_keep_the_name_of_their_argument() -> None:
    found = call_values(
        {"to": ["a@b.example", "c@d.example"], "file": {"id": 7, "shared": True, "note": None, "x": " "}}
    )
    assert [(each.argument, each.text) for each in found] == [
        ("to", "a@b.example"),
        ("to", "c@d.example"),
        ("file.id", "7"),
    ]


def test_addresses_links_and_accounts_inside_a_text_are_values_too() -> None:
    body = "Register at http://meet.example/login, write to ann@corner.example or pay DE12 5001 0517 0648 4898 90."
    found = [(each.kind, each.text) for each in call_values({"body": body}) if not each.whole]
    assert found == [
        ("address", "ann@corner.example"),
        ("link", "http://meet.example/login"),
        ("account", "de12 5001 0517 0648 4898 90"),
    ]


def test_a_name_tells_commands_and_secrets() -> None:
    found = call_values({"cmd": "rm -r /", "new_password": "hunter2", "count": 3})
    assert [each.kind for each in found] == ["command", "secret", "number"]


def test_a_huge_call_is_cut() -> None:
    assert len(call_values({str(at): at for at in range(10_000)})) <= 200
    deep: dict[str, object] = {}
    inner = deep
    for _ in range(100):
        inner["a"] = inner = {}
    assert call_values(deep) == ()
