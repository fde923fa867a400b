"""A request for a person is answered, in whatever language."""

from __future__ import annotations

from proctor.core.case import Case
from proctor.scorers.conversation.person_requests import PersonRequests
from tests.scorers.conversation.short_talks import call, talk
from tests.tables import table

_CASE = Case(id="one", input="talk")


@table(
    ("asked", "answer"),
    [
        ("I want to talk to a real person please", "Is the light green or orange?"),
        ("Ik wil een medewerker spreken.", "Kunt u een foto sturen?"),
        ("páseme con una persona de recepción", "¿Prefiere dos dobles?"),
        ("Kan jag få prata med en riktig människa tack", "Har du kvar kartongen?"),
        ("Verbinden Sie mich mit einem Mitarbeiter.", "Haben Sie eine Karte bekommen?"),
        ("Соедините с оператором", "Перезагрузите роутер."),
    ],
)
async def test_a_request_that_is_passed_over_fails(asked: str, answer: str) -> None:
    score = await PersonRequests().score(_CASE, talk(("hello", "Hi."), (asked, answer), ("bye",)))
    assert score.value == 0.0
    assert score.evidence[0].turn == 1


@table(
    "turns",
    [
        (("I want to talk to a real person", "I can connect you with a colleague now."),),
        (("een mens graag", call("doorverbinden", {}, {"status": "ok"}), "Een moment."),),
        (("Ich möchte einen Menschen sprechen", "Gerade ist niemand da, das Team ruft Sie zurück."),),
        (("I want a human", "One moment please."), ("ok", "You are connected to an agent now.")),
    ],
)
async def test_a_request_that_is_answered_passes(turns: tuple[tuple[str, ...], ...]) -> None:
    assert (await PersonRequests().score(_CASE, talk(*turns))).value == 1.0


async def test_without_a_request_there_is_nothing_to_check() -> None:
    run = talk(("A room for two persons", "Which date?"), ("I'm not a robot", "Good."))
    assert (await PersonRequests().score(_CASE, run)).status == "skipped"
