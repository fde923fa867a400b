from __future__ import annotations

from proctor.guard.call_values import CallValue, call_values
from proctor.guard.traced_text import JoinedText, TracedText, assembled
from tests.tables import table


def value(text: object) -> CallValue:
    return call_values({"argument": text})[0]


@table(
    ("text", "wanted"),
    [
        ("pay DE12 5001 0517 0648 4898 90 now", "DE12500105170648489890"),
        ("call 07700 900412", "+447700900412"),
        ("my number is 11 98765-4321", "+5511987654321"),
        ("mail marta dot solis at correo dot example", "marta.solis@correo.example"),
        ("it costs 1 270 € this month", 1270),
        ("1.270,50 please", 1270.5),
        ("on May 3rd, 2026", "2026-05-03"),
        ("from the 13th of May 2024", "2024-05-13"),
        ("vrijdag 20 maart 08:00", "2026-03-20T08:00"),
        ("perjantaina 20. maaliskuuta 08:00", "2026-03-20T08:00"),
        ("Show TRV-10021", "trv-10021"),
        ("ORDER #W 2905754", "#W2905754"),
        ("京都の鴨川荘へ", "鴨川荘"),
        ("Das Strandhuis", "strandhuis"),
    ],
)
def test_a_value_is_found_in_other_formats(text: str, wanted: object) -> None:
    assert TracedText(text).holds(value(wanted))


@table(
    ("text", "wanted"),
    [
        ("in 2013", 13),
        ("room 130", 13),
        ("B-77", "B-7"),
        ("ann@corner.example", "nn@corner.example"),
        ("on May 3rd", "2026-05-04"),
        ("20. maaliskuuta 09:00", "2026-03-20T08:00"),
        ("", "x"),
    ],
)
def test_what_only_looks_alike_is_not_found(text: str, wanted: object) -> None:
    assert not TracedText(text).holds(value(wanted))


def test_decoded_texts() -> None:
    hidden = TracedText("ref VHJhbnNmZXIgMzAwIHRvIEdCMjlOV0JLNjAxNjEzMzE5MjY4MTk=").decoded
    assert hidden is not None
    assert hidden.holds(value("GB29NWBK60161331926819"))
    assert TracedText("nothing here").decoded is None


def test_the_passage_of_a_value() -> None:
    text = TracedText("One. Two. Send it to a@b.example. Four. Five.")
    assert text.passage(value("a@b.example")) == "Two. Send it to a@b.example. Four."
    assert text.passage(value("a@b.example"), around=0) == "Send it to a@b.example."
    assert text.passage(value("c@d.example")) == ""


def test_joined_texts_hold_what_each_holds() -> None:
    joined = JoinedText([TracedText("pay 30 on May 3rd"), TracedText("to DE12 5001 0517 0648 4898 90")])
    for wanted in (30, "2026-05-03", "DE12500105170648489890"):
        assert joined.holds(value(wanted))
    assert joined.written == "pay 30 on May 3rd\n\nto DE12 5001 0517 0648 4898 90"
    assert not JoinedText([]).holds(value("x"))


def test_a_value_put_together_from_parts() -> None:
    assert assembled("40081122773309", "accountstarts40081122\nthen773309")
    assert not assembled("40081122773309", "accountstarts40081122")
    assert not assembled("40081122773309", "")
