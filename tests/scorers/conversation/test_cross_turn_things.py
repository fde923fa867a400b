from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from proctor.core.case import Case
from proctor.core.chat import Message, ToolCall
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.conversation.cross_turn import CrossTurn
from proctor.scorers.conversation.cross_turn_things import things
from proctor.wiring.local_models import local_model
from tests.tables import table

# (question, answer) about {it}, with a figure {n}: what is meant stands in the answer, in the question, or before it.
ASKED: Sequence[tuple[str, str]] = (
    ("How long does {it} take?", "{It} takes {n} days."),
    ("When will {it} be here?", "{It} arrives within {n} days."),
    ("And {it}?", "It takes {n} days until {it} is with you."),
    ("How many days is it for {it}?", "You have to wait {n} days for {it}."),
    ("What about {it}?", "For {it} we need {n} days."),
)
ONLY_ASKED: Sequence[tuple[str, str]] = (
    ("How long does {it} take?", "It takes {n} days."),
    ("When will {it} be here?", "That will be here within {n} days."),
    ("How many days is it for {it}?", "You have to wait {n} days."),
)
ONLY_BEFORE: Sequence[tuple[str, str]] = (
    ("And the next one?", "I have found {it}. It takes {n} days."),
    ("Go on", "{It} is packed. The delivery takes {n} days."),
    ("Next?", "{It} is on its way. It will be with you within {n} days."),
)
COSTS: Sequence[tuple[str, str]] = (
    ("How much is {it}?", "{It} costs {n} euros."),
    ("What do I pay for {it}?", "You pay {n} euros for {it}."),
    ("And the price of {it}?", "The price of {it} is {n} euros."),
)
ENTITIES: Sequence[Sequence[str]] = (
    ("the lamp", "the chair", "the walnut desk", "the rug", "the oak shelf"),
    ("the parcel to Lyon", "the parcel to Oslo", "the parcel to Graz", "the letter to Oslo"),
    ("order 4411", "order 4412", "order 5120"),
    ("order W2378156", "order W9911702", "order #W771"),
    ("the visa for Kenya", "the visa for Peru", "the permit for Peru"),
    ("the gift card", "the box set", "the spare part", "the gift box"),
    ("the ferry from Split to Hvar", "the ferry from Zadar to Hvar", "the ferry from Split to Korčula"),
    ("the repair of the phone", "the repair of the camera", "the cleaning of the camera"),
    ("Anna's passport", "Miguel's passport", "Yuki's passport"),
    ("the room at Hotel Miramar", "the room at Hotel Astoria", "the suite at Hotel Astoria"),
    ("the blue jacket", "the red jacket", "the green jacket"),
    ("tour A", "tour B", "tour C"),
)


def written(form: tuple[str, str], it: str, number: int) -> tuple[str, str]:
    return (
        form[0].format(it=it, n=number),
        form[1].format(it=it, It=it[0].upper() + it[1:], n=number),
    )


def clean() -> Iterator[list[tuple[str, str]]]:
    """Every entity once, each with a figure of its own."""
    for forms, entities in itertools.product((ASKED, ONLY_ASKED, ONLY_BEFORE, COSTS), ENTITIES):
        for shift in range(len(forms)):
            yield [
                written(forms[(place + shift * (place % 2)) % len(forms)], it, 3 + 4 * place)
                for place, it in enumerate(entities)
            ]


def planted() -> Iterator[tuple[list[tuple[str, str]], int]]:
    """The same with one of them told again with another figure at the end, and where it was told at first."""
    for forms, entities in itertools.product((ASKED, COSTS), ENTITIES):
        for first, last in itertools.permutations(range(len(forms)), 2):
            at = (first + last) % len(entities)
            talk = [written(forms[first], it, 3 + 4 * place) for place, it in enumerate(entities)]
            yield [*talk, written(forms[last], entities[at], 60)], at


async def scored(exchanges: Sequence[tuple[str, str]], calls: Sequence[ToolCall] = (), **settings: Any) -> Score:
    turns = tuple(
        Turn(
            messages=(Message(role="user", content=asked), Message(role="assistant", content=answer)),
            tool_calls=tuple(calls[place : place + 1]),
        )
        for place, (asked, answer) in enumerate(exchanges)
    )
    scorer = CrossTurn(entailer=local_model("entailer"), embedder=local_model("embedder"), **settings)
    return await scorer.score(Case(id="c", input="x"), Trajectory(turns=turns))


@pytest.mark.parametrize(("light", "step"), [(True, 1), (False, 12)])
async def test_figures_of_different_things_are_no_contradiction(light: bool, step: int) -> None:
    for talk in itertools.islice(clean(), 0, None, step):
        score = await scored(talk, light=light)
        assert score.value != 0.0, (talk, score.reason)


@pytest.mark.parametrize(("light", "step"), [(True, 1), (False, 13)])
async def test_another_figure_of_the_same_thing_is_found_where_both_were_said(light: bool, step: int) -> None:
    for talk, first in itertools.islice(planted(), 0, None, step):
        score = await scored(talk, light=light)
        assert score.value == 0.0, (talk, score.reason)
        assert [each.turn for each in score.evidence[:2]] == [len(talk) - 1, first], (talk, score.reason)


APART: Sequence[Sequence[tuple[str, str]]] = (
    (("Can I bring my dog on the boat?", "Yes, that is fine."), ("Can I bring my cat on the boat?", "No, it is not.")),
    (
        ("Is breakfast included at Hotel Astoria?", "Yes, it is included."),
        ("Is breakfast included at Hotel Miramar?", "No, it is not included."),
    ),
    (
        ("warranty of the kettle?", "The warranty is 2 years."),
        ("warranty of the toaster?", "The warranty is 3 years."),
    ),
    (("When does the museum open?", "The museum opens at 9 am."), ("And?", "The museum closes at 5 pm.")),
    (("Order 4411?", "Your order arrives in 3 days."), ("Order 4412?", "Your order arrives in 6 days.")),
    (("Change order 4411?", "Order 4411 can still be changed."), ("4412?", "Order 4412 cannot be changed.")),
    (("Refund by card?", "Refunds to a credit card take 5 days."), ("PayPal?", "Refunds to PayPal take 2 days.")),
    (("Which umbrella?", "Patio umbrella: $285.66"), ("Next?", "The next cheapest patio umbrella is $288.82.")),
    (
        ("This one?", "There is a price difference of $0.21 (new item costs more)."),
        ("And that?", "There is a price difference of $0.05 (new item costs more)."),
    ),
    (("Is the lamp refundable?", "It is refundable."), ("And the voucher?", "It is not refundable.")),
)


@table("light", [False, True])
@table("talk", APART)
async def test_what_the_question_names_tells_answers_apart(talk: Sequence[tuple[str, str]], light: bool) -> None:
    score = await scored(talk, light=light)
    assert score.value != 0.0, score.reason


TOGETHER: Sequence[Sequence[tuple[str, str]]] = (
    (
        ("How long is the warranty on the kettle?", "The kettle has a warranty of 2 years."),
        ("Remind me of the kettle warranty", "The warranty on the kettle is 3 years."),
    ),
    (
        ("Return window?", "You can return shoes within 30 days."),
        ("How long do I have to send shoes back?", "Shoes can be returned within 14 days."),
    ),
    (
        ("When do I get the refund?", "Refunds are paid within 5 business days."),
        ("How long does the refund take?", "Your refund will be paid within 10 business days."),
    ),
    (
        ("Can I bring my dog to Hotel Astoria?", "Yes, dogs are welcome."),
        ("Can I bring my dog to Hotel Astoria?", "No, dogs are not allowed."),
    ),
)


@table("light", [False, True])
@table("talk", TOGETHER)
async def test_the_same_thing_in_other_words_is_not_told_apart(talk: Sequence[tuple[str, str]], light: bool) -> None:
    score = await scored(talk, light=light)
    assert score.value == 0.0, score.reason


async def test_a_tool_that_was_asked_about_something_else_is_no_excuse() -> None:
    def looked_up(place: str, days: int) -> ToolCall:
        return ToolCall(name="delivery_time", arguments={"place": place}, result={"days": days})

    form = ("How long does the parcel to {it} take?", "The parcel to {it} takes {n} days.")
    talk = [written(form, "Oslo", 5), written(form, "Lyon", 9), written(form, "Oslo", 9)]
    calls = [looked_up("Oslo", 5), looked_up("Lyon", 9), looked_up("Oslo", 5)]
    score = await scored(talk, calls, light=True)
    assert [each.turn for each in score.evidence[:2]] == [2, 0], score.reason
    told_anew = [*calls[:2], looked_up("Oslo", 9)]
    assert (await scored(talk, told_anew, light=True)).value == 1.0
    turned = [talk[1], talk[0], talk[2]]  # that it was 9 for Lyon before does not make 9 for Oslo old
    assert (await scored(turned, [told_anew[1], told_anew[0], told_anew[2]], light=True)).value == 1.0


async def test_a_figure_is_the_same_only_as_a_whole() -> None:
    form = ("How long does the parcel take?", "The parcel takes {n} days.")
    talk = [written(form, "it", 5), written(form, "it", 6)]
    calls = [ToolCall(name="get_parcel", result={"days": 5}), ToolCall(name="get_parcel", result={"stop": 26})]
    assert (await scored(talk, calls, light=True)).value == 0.0


@table(
    ("text", "named"),
    [
        ("The spare part to Lyon takes 5 days.", {"spar", "part", "lyon"}),
        ("Order 4411 arrives within 3 days.", {"4411"}),
        ("It takes 3 days.", set()),
        ("You pay 7 euros for the blue jacket.", {"blu", "jacket"}),
        ("商品到着後30日以内であれば返品できます。", set()),
        ("", set()),
    ],
)
def test_things_are_what_a_text_names(text: str, named: set[str]) -> None:
    assert things(text).named == named
