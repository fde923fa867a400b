from __future__ import annotations

from proctor.core.case import Case
from proctor.core.errors import TimedOutError
from proctor.core.score import Score
from proctor.core.trajectory import Source, Trajectory
from proctor.scorers.answer.grounded import Grounded
from proctor.scorers.answer.quality_parts import source_passages
from proctor.scorers.answer.quality_parts.support import source_passage
from tests.scorers.safety.speaking import CASE, built, call, talk, turn
from tests.scorers.staging import BROKEN, SILENT
from tests.tables import table

POLICY = Source(
    id="pol-1",
    title="Cancelling",
    date="2026-09-01",
    text="Day tours can be cancelled with a full refund up to 48 hours before the start. Later there is no refund.",
)
OLD = Source(
    id="pol-0", date="2024-01-01", text="Day tours can be cancelled with a full refund up to 24 hours before the start."
)
LIGHT = built(Grounded, light=True)


def said(answer: str, *sources: Source, calls: tuple[object, ...] = ()) -> Trajectory:
    return talk(turn("How is it?", answer, *calls, sources=sources))  # type: ignore[arg-type]


def states(score: Score) -> dict[str, str]:
    return {each.quote: (each.where or "").partition(":")[0] for each in score.evidence}


async def test_each_claim_has_its_state_and_its_section() -> None:
    answer = (
        "Day tours can be cancelled with a full refund up to 48 hours before the start. [pol-1] "
        "Refunds take 10 business days. Thank you!"
    )
    score = await LIGHT.score(CASE, said(answer, POLICY))
    assert states(score) == {
        "Refunds take 10 business days.": "unsupported",
        "Day tours can be cancelled with a full refund up to 48 hours before the start.": "supported",
    }
    assert score.evidence[0].where == "unsupported: policy"
    assert score.value is not None
    assert 0.3 < score.value < 0.9
    assert "10 business days" in score.reason


async def test_an_older_source_is_stale_where_a_newer_one_denies_it() -> None:
    score = await LIGHT.score(CASE, said(OLD.text, OLD, POLICY))
    assert "stale" in states(score).values()
    assert score.value is not None
    assert score.value <= 0.5


async def test_the_case_can_name_the_section() -> None:
    wrong = said("Refunds take 10 business days.", POLICY)
    other = await LIGHT.score(Case(id="c", metadata={"section": "chat"}), wrong)
    assert other.evidence[0].where == "unsupported"
    named = await built(Grounded, light=True, critical=["chat"]).score(
        Case(id="c", metadata={"section": "Chat"}), wrong
    )
    assert named.evidence[0].where == "unsupported: chat"


async def test_networks_read_critical_claims_and_with_all_every_claim() -> None:
    run = said("The guide wears a green hat. You get your money back if you cancel two days ahead.", POLICY)
    assert list(states(await built(Grounded).score(CASE, run))) == [
        "You get your money back if you cancel two days ahead."
    ]
    assert len(states(await built(Grounded, read="all").score(CASE, run))) == 2
    assert (await LIGHT.score(CASE, run)).status in ("skipped", "ok")


async def test_thorough_reading_asks_both_networks_and_agrees_on_what_is_plain() -> None:
    run = said("A refund is possible at any time, even after the tour has started.", POLICY)
    for scorer in (built(Grounded), built(Grounded, thorough=True)):
        assert set(states(await scorer.score(CASE, run)).values()) <= {"unsupported", "contradicted"}


async def test_records_of_tools_and_deeds_bear_claims_out() -> None:
    calls = (
        call("get_booking", {"id": "LT-3", "status": "confirmed", "total_eur": 61.0}),
        call("cancel_booking", {"done": True}, id="LT-3"),
    )
    score = await LIGHT.score(CASE, said("It costs 61.00 EUR. Your booking LT-3 has been cancelled.", calls=calls))
    assert set(states(score).values()) == {"supported"}


async def test_what_was_done_to_one_booking_bears_nothing_out_for_another() -> None:
    calls = (call("cancel_booking", {"done": True, "status": "cancelled"}, id="LT-3"),)
    score = await built(Grounded).score(CASE, said("Your booking LT-4 has been cancelled.", calls=calls))
    assert states(score) != {"Your booking LT-4 has been cancelled.": "supported"}


@table(
    ("run", "status"),
    [
        (SILENT, "skipped"),
        (BROKEN, "error"),
        (said("Hello! How can I help?", POLICY), "skipped"),
        (said("Refunds take 10 business days."), "skipped"),
    ],
)
async def test_where_nothing_can_be_held_against_anything_there_is_no_value(run: Trajectory, status: str) -> None:
    assert (await LIGHT.score(CASE, run)).status == status


async def test_claims_without_any_source_are_named() -> None:
    score = await LIGHT.score(CASE, said("Bring shoes for the tour. Refunds take 10 business days."))
    assert [each.where for each in score.evidence] == ["unsourced: policy", "unsourced"]


async def test_a_network_that_is_away_leaves_it_unscored() -> None:
    class Away:
        async def supports(self, pairs: object) -> list[float]:
            raise TimedOutError("no answer in time")

        async def entails(self, pairs: object) -> list[dict[str, float]]:
            raise TimedOutError("no answer in time")

    scorer = built(Grounded, entailer=Away(), grounder=Away())
    score = await scorer.score(CASE, said("You may cancel whenever you like and get a refund.", POLICY))
    assert score.status == "error"
    assert "no answer in time" in score.reason


async def test_many_passages_are_narrowed_to_those_about_the_matter() -> None:
    others = [
        Source(id=f"p-{n}", text=f"Tour number {n} visits {n} villages and lasts {n} hours.") for n in range(3, 40)
    ]
    score = await LIGHT.score(CASE, said(POLICY.text, *others, POLICY))
    assert set(states(score).values()) == {"supported"}
    wrong = await LIGHT.score(CASE, said(POLICY.text.replace("48 hours", "90 percent"), *others, POLICY))
    assert "supported" not in list(states(wrong).values())[:1]


async def test_reading_ahead_changes_nothing_of_the_score() -> None:
    answer = "Day tours can be cancelled with a full refund up to 48 hours before the start. Refunds take 9 days."
    known = Source(id="pol-9", text=f"{POLICY.text} It was read ahead, 14 pages of it.")
    run = said(answer, known, calls=(call("get_policy", {"days": 9, "note": "read ahead"}, id="x"),))
    fresh = await LIGHT.score(CASE, run)
    source_passages._remembered.cache_clear()
    assert len(list(LIGHT.ahead(run))) > 10
    before = source_passages._remembered.cache_info().misses
    assert await LIGHT.score(CASE, run) == fresh
    assert source_passages._remembered.cache_info().misses == before


async def test_a_claim_too_long_for_a_network_and_one_too_many_are_told_as_unread() -> None:
    long = "A refund " + "for the boat and the lake and the seat " * 12 + "is paid."
    score = await built(Grounded).score(CASE, said(f"You may cancel whenever you like. {long}", POLICY))
    assert (score.evidence[0].where, score.evidence[0].quote[:8]) == ("unread: policy", "A refund")
    assert "letters" in score.evidence[0].note
    assert "not read" in score.reason
    alone = await built(Grounded).score(CASE, said(long, POLICY))
    assert (alone.status, [each.where for each in alone.evidence]) == ("skipped", ["unread: policy"])
    assert "unread" not in {state for state in states(await LIGHT.score(CASE, said(long, POLICY))).values()}
    kinds = ("boat", "bus", "city", "food", "wine", "ski", "hike", "bike", "dive", "cave", "moon", "art", "farm", "zoo")
    many = " ".join(f"A {one} {two} tour has a kind refund rule." for one in kinds for two in ("day", "night"))
    told = await built(Grounded).score(CASE, said(many, POLICY))
    assert "more claims" in told.evidence[0].note


async def test_words_of_several_scripts_are_no_claim_that_a_network_could_read() -> None:
    score = await built(Grounded).score(CASE, said("card refund 拒否 policy تجاهل cancel निर्देश fee", POLICY))
    assert (score.status, [(each.where or "")[:6] for each in score.evidence]) == ("skipped", ["unread"])
    assert "language" in score.evidence[0].note


def test_a_source_whose_id_is_its_text_is_not_named_by_it() -> None:
    said = "An arranged overdraft costs 9.9 % a year."
    assert source_passage(Source(id=said, text=said)).name == "a source"
    assert source_passage(Source(id="fees", text=said)).name == "fees"
