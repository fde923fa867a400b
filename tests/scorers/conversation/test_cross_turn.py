from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from proctor.core.case import Case
from proctor.core.chat import Message, ToolCall
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.conversation.cross_turn import CrossTurn
from proctor.scorers.conversation.cross_turn_statements import PER_TURN, candidates, spoken, yes_or_no
from proctor.wiring.local_models import local_model
from tests.scorers.staging import BROKEN, SILENT
from tests.tables import table

WINDOW = ("How late can I cancel my tour?", "You can cancel for a full refund up to 24 hours before the tour starts.")
LUNCH = ("Is lunch included?", "Yes, lunch is included in the price.")
OTHER_WINDOW = (
    "And if something comes up, when is the latest I can call it off?",
    "Cancellations are refunded in full only if made at least 72 hours before the tour starts.",
)

Exchange = tuple[str, str] | tuple[str, str, ToolCall]


def talk(*exchanges: Exchange) -> Trajectory:
    return Trajectory(
        turns=tuple(
            Turn(
                messages=(Message(role="user", content=each[0]), Message(role="assistant", content=each[1])),
                tool_calls=(each[2],) if len(each) > 2 else (),
            )
            for each in exchanges
        )
    )


async def scored(*exchanges: Exchange, case: Case | None = None, **settings: Any) -> Score:
    live = {"entailer": local_model("entailer"), "embedder": local_model("embedder")}
    scorer = decode(CrossTurn, {**live, **settings}, strict=True)
    return await scorer.score(case or Case(id="c", input="x"), talk(*exchanges))


CONTRADICTIONS: Mapping[str, Sequence[tuple[str, str]]] = {
    "another window in other words": (WINDOW, LUNCH, OTHER_WINDOW),
    "another window in none of the same words": (
        (
            "How long before the start can I cancel?",
            "Day tours can be cancelled with a full refund up to 48 hours before the start. [rules-2026-09]",
        ),
        LUNCH,
        (
            "So if I call the tour off, until when do I get my money back?",
            "If you call a tour off, you get your money back up to 24 hours before it begins. [rules-2025-03]",
        ),
    ),
    "the contrary, under one condition": (
        ("And my points?", "If you cancel, the points are paid out to your account."),
        ("Points?", "If you cancel, the points are not paid out to your account."),
    ),
    "another amount": (
        ("What does the fee cost?", "The rebooking fee is 25 euros."),
        ("Remind me of the rebooking fee", "The rebooking fee is 40 euros."),
    ),
    "no after yes": (
        ("Can I bring my dog on the boat?", "Yes, dogs are welcome on board."),
        ("What time do we leave?", "The boat leaves at 9 am."),
        ("Is my dog allowed on the boat?", "No, animals are not permitted on the boat."),
    ),
    "another time of day": (
        ("When is my appointment?", "Your appointment is on 3 December 2026 at 09:30 with Dr. Yilmaz."),
        ("So what time exactly?", "Your appointment is on 3 December 2026 at 11:15 with Dr. Yilmaz."),
    ),
    "another time in few words": (
        ("When is my appointment?", "Your appointment is at 09:30."),
        ("So what time exactly?", "Your appointment is at 11:15."),
    ),
    "another hour in German": (
        ("Wann öffnet die Klinik?", "Die Klinik öffnet um 8 Uhr."),
        ("Also ab wann?", "Die Klinik öffnet um 10 Uhr."),
    ),
    "another day in German": (
        ("Wann ist mein Termin?", "Ihr Termin ist am 3. Dezember 2026 bei Dr. Yilmaz."),
        ("An welchem Tag war das?", "Ihr Termin ist am 17. Dezember 2026 bei Dr. Yilmaz."),
    ),
    "another window in Japanese": (
        ("返品はいつまでできますか", "商品到着後30日以内であれば返品できます。"),
        ("送料は？", "送料は無料です。"),
        ("いつまでに返せばいいですか", "返品は商品到着後14日以内にお願いいたします。"),
    ),
}


@table("name", CONTRADICTIONS)
@table("light", [False, True])
async def test_one_contradiction_fails_the_conversation_at_its_turn(name: str, light: bool) -> None:
    exchanges = CONTRADICTIONS[name]
    score = await scored(*exchanges, light=light)
    assert score.value == 0.0, score.reason
    assert [one.turn for one in score.evidence[:2]] == [len(exchanges) - 1, 0]
    assert score.evidence[0].quote in exchanges[-1][1]


async def test_a_denial_in_other_words_is_read_by_the_network_and_not_in_light() -> None:
    exchanges = (
        ("Is the Basic fare refundable?", "The Basic fare is refundable until departure."),
        ("And the wifi?", "There is wifi on board."),
        ("If I do not travel, do I get my money back?", "Unfortunately, the Basic fare cannot be refunded."),
    )
    score = await scored(*exchanges)
    assert score.value == 0.0
    assert score.producer == "rule+local model"
    assert (await scored(*exchanges, light=True)).value == 1.0


READ = ToolCall(name="get_order", arguments={"id": "W123"}, result={"id": "W123", "arrives": "in 2 days"})
LATER = ToolCall(name="get_order", arguments={"id": "W123"}, result={"id": "W123", "arrives": "in 5 days"})
FINE: Mapping[str, Sequence[Exchange]] = {
    "the same in other words": (
        WINDOW,
        ("So the latest I can call it off?", "Up to one day before the start, you get all your money back."),
    ),
    "the user brought something new": (
        ("Can I get a refund?", "No, refunds are not possible for this ticket."),
        (
            "I have a medical certificate. Can I get a refund?",
            "Yes, with a medical certificate refunds are possible for this ticket.",
        ),
    ),
    "a tool said something new": (
        ("When does parcel W123 arrive?", "Parcel W123 arrives in 2 days.", READ),
        ("And now?", "Parcel W123 arrives in 5 days.", LATER),
    ),
    "openly corrected": (
        ("How late can I cancel?", "You can cancel up to 48 hours before the tour starts."),
        ("Sure?", "I apologize for the confusion. You can cancel up to 24 hours before the tour starts."),
    ),
    "another thing": (
        ("How much is the day tour?", "The day tour costs 80 euros."),
        ("And the night tour?", "The night tour costs 95 euros."),
    ),
    "the same time by another clock": (
        ("When does the boat leave?", "The boat leaves the harbour at 9:30."),
        ("In the evening?", "The boat leaves the harbour at 9:30 pm."),
    ),
    "another event of the day": (
        ("When does the boat leave?", "The boat leaves the harbour at 9:30."),
        ("And when are we back?", "The boat reaches the harbour at 17:15."),
    ),
    "a time that a tool has changed": (
        ("When is my appointment?", "Your appointment is at 09:30.", READ),
        (
            "Please move it",
            "Your appointment is at 11:15.",
            ToolCall(name="move_appointment", arguments={"to": "11:15"}, result={"when": "11:15"}),
        ),
    ),
    "a tier of its own": (
        ("Refund if I cancel 10 days before?", "If you cancel 10 days before, you get a full refund."),
        ("And 2 days before?", "If you cancel 2 days before, you get 50 % back."),
    ),
    "a price for each kind of guest": (
        ("How much is it?", "The tour costs 80 euros per adult."),
        ("And for my kid?", "The tour costs 40 euros per child."),
    ),
    "something that happened twice": (
        ("Refund the lamp", "The price difference of $181.37 has been refunded to your gift card."),
        ("And the chair", "The price difference of $77.15 has been refunded to your gift card."),
    ),
    "a tool says that it no longer is": (
        (
            "Is seat 12A free?",
            "Seat 12A is available.",
            ToolCall(name="get_seat", result={"seat": "12A", "available": True}),
        ),
        (
            "And now?",
            "Seat 12A is not available.",
            ToolCall(name="get_seat", result={"seat": "12A", "available": False}),
        ),
    ),
    "only the source that is cited": (
        ("Is lunch included?", "Lunch is included in the price. [menu-2025-03]"),
        ("Lunch?", "Lunch is included in the price. [menu-2026-09]"),
    ),
    "variants of one product": (
        ("Which ones are there?", "- Blue, 6 hours battery, IPX4 water resistance – $232.49"),
        ("Others?", "- Blue, 8 hours battery, IPX4 water resistance – $226.49"),
    ),
    "two rules with two conditions": (
        ("And if it costs less?", "If the new shirt costs less, the difference will be refunded to your gift card."),
        ("And more?", "If the new shirt costs more, the difference will be charged to your gift card."),
    ),
}


@table("name", FINE)
async def test_a_changed_answer_with_a_reason_is_no_contradiction(name: str) -> None:
    score = await scored(*FINE[name])
    assert score.value == 1.0, score.reason


async def test_what_excuses_a_change_is_told() -> None:
    score = await scored(*FINE["a tool said something new"])
    assert "a tool said something new: get_order" in score.reason
    assert "openly corrected" in (await scored(*FINE["openly corrected"])).reason


async def test_another_answer_from_a_tool_that_reads_policies_is_no_news() -> None:
    def policy(hours: int) -> ToolCall:
        return ToolCall(name="get_policy", arguments={"topic": "cancel"}, result=f"up to {hours} hours before")

    exchanges = ((*WINDOW, policy(24)), LUNCH, (*OTHER_WINDOW, policy(72)))
    assert (await scored(*exchanges)).value == 0.0
    assert (await scored(*exchanges, knowledge_tools="faq")).value == 1.0


async def test_what_the_customer_says_was_promised_is_no_news() -> None:
    asked = "Another agent told me that it is 72 hours. When is the latest I can call it off?"
    assert (await scored(WINDOW, (asked, OTHER_WINDOW[1]))).value == 0.0


async def test_what_was_said_before_the_case_counts() -> None:
    history = tuple(Message(role=role, content=text) for role, text in zip(("user", "assistant"), WINDOW, strict=True))  # type: ignore[arg-type]
    score = await scored(OTHER_WINDOW, case=Case(id="c", input="x", history=history))
    assert score.value == 0.0
    assert [one.turn for one in score.evidence[:2]] == [0, None]


async def test_an_answer_given_before_stands_in_the_place_of_the_history() -> None:
    before: dict[str, Any] = {"asked_before": WINDOW[0], "answered_before": WINDOW[1]}
    assert (await scored(OTHER_WINDOW, **before)).value == 0.0
    same = "You get all of it back when you cancel 24 hours before the tour starts or earlier."
    assert (await scored((OTHER_WINDOW[0], same), **before)).value == 1.0


async def test_statements_that_one_answer_makes_together_do_not_contradict_each_other() -> None:
    answer = (
        "A refund is decided by the refunds team within 5 working days. "
        "An approved refund is paid to the original card within 10 days."
    )
    asked = "When will I get my refund?"
    assert (await scored((asked, answer), asked_before=asked, answered_before=answer)).value == 1.0
    assert (await scored((asked, answer), ("Sorry, when?", answer))).value == 1.0


async def test_unknown_stays_unknown() -> None:
    assert (await scored(WINDOW)).status == "skipped"
    assert (await scored(("Hi", "Hello!"), ("Thanks", "You are welcome!"))).status == "skipped"
    live = {"entailer": local_model("entailer"), "embedder": local_model("embedder")}
    scorer = CrossTurn(**live)
    assert (await scorer.score(Case(id="c"), SILENT)).status == "skipped"
    assert (await scorer.score(Case(id="c"), BROKEN)).status == "error"


class _Out:
    """A model that does not work."""

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        raise RuntimeError("no weights")

    async def entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
        raise RuntimeError("no weights")


async def test_without_models_an_exact_contradiction_still_fails_and_silence_is_unscored() -> None:
    scorer = CrossTurn(entailer=_Out(), embedder=_Out())
    assert (await scorer.score(Case(id="c"), talk(WINDOW, LUNCH, OTHER_WINDOW))).value == 0.0
    clean = await scorer.score(Case(id="c"), talk(WINDOW, LUNCH))
    assert clean.status == "error"
    assert "no weights" in clean.reason


async def test_pairs_of_a_turn_are_bounded_however_long_the_conversation() -> None:
    answer = " ".join(f"The tour number {n} has a guide who speaks language {n}." for n in range(20))
    said = spoken(Case(id="c"), talk(*[("What is there?", f"{answer} Day {day} is fine.") for day in range(30)]))
    pairs = await candidates(said, None)
    in_turn = [sum(pair.later.at == each.at for pair in pairs) for each in said]
    assert max(in_turn) <= PER_TURN
    assert in_turn[0] == 0
    assert min(in_turn[1:]) > 0


async def test_a_contradiction_far_back_is_found_by_its_words() -> None:
    small_talk = [(f"What is at stop {n}?", f"Stop {n} has a view of bridge {n} and a cafe.") for n in range(60)]
    score = await scored(WINDOW, *small_talk, OTHER_WINDOW, light=True)
    assert score.value == 0.0
    assert [one.turn for one in score.evidence[:2]] == [61, 0]


@table(
    ("asked", "answer", "meant"),
    [
        ("Can I bring my dog?", "Yes, you can.", True),
        ("Can I bring my dog?", "Unfortunately, dogs stay at home.", False),
        ("キャンセルできますか", "いいえ、できません。", False),
        ("Can't I bring my dog?", "Yes.", None),
        ("When do we leave?", "No idea.", None),
        ("Can you help me?", "Yes, what is it?", None),
        ("Can I bring my dog?", "That depends on the boat.", None),
    ],
)
def test_yes_and_no_are_told_only_where_they_are_plain(asked: str, answer: str, meant: bool | None) -> None:
    assert yes_or_no(asked, answer) is meant


def test_a_pattern_that_is_none_is_refused() -> None:
    with pytest.raises(MalformedError, match="knowledge_tools"):
        decode(CrossTurn, {"knowledge_tools": "(", "entailer": _Out(), "embedder": _Out()}, strict=True)


async def test_two_figures_that_tools_gave_are_no_contradiction() -> None:
    both = ToolCall(name="get_fees", arguments={}, result={"rebooking fee": {"online": 25, "desk": 40}})
    first = ("What does the fee cost?", "The rebooking fee is 25 euros.")
    later = ("Remind me of the rebooking fee", "The rebooking fee is 40 euros.")
    assert (await scored((*first, both), later)).value == 1.0
    one = ToolCall(name="get_fees", arguments={}, result={"rebooking fee": 25})
    assert (await scored((*first, one), later)).value == 0.0
