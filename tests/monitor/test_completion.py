from __future__ import annotations

import random

import pytest

from proctor.core.trajectory import Escalation
from proctor.monitor.completion import TaskWatch
from proctor.monitor.completion_figures import CompletionFigures
from proctor.monitor.completion_rules import read_rules
from tests.monitor.logs import ByFirstWord, at, follow, other, turn
from tests.tables import table

HOUR = 60.0
DAY = 24 * HOUR


# --- the table of the document, row by row ----------------------------------------------------------


@pytest.mark.parametrize(
    ("minutes", "asked", "state"),
    [
        (DAY - 1, "refund rules please", "not completed"),
        (DAY + 1, "refund rules please", "completed"),
        (DAY - 1, "pickup point", "completed"),
    ],
)
async def test_a_policy_inquiry_fails_when_the_same_is_asked_again_within_a_day(
    minutes: float, asked: str, state: str
) -> None:
    tasks = await follow(
        turn(0, "refund of my tour"), turn(minutes, asked, session="s2"), until=9 * DAY, embedder=ByFirstWord()
    )
    assert tasks[0].state == state
    assert tasks[0].repeated is (state == "not completed")


@table(
    ("changed", "escalated", "state"),
    [
        (59, None, "completed"),
        (61, None, "unknown"),
        (None, 10, "not completed"),
        (59, 10, "completed"),
        (61, 10, "not completed"),
        (None, None, "unknown"),
    ],
)
async def test_a_booking_change_is_completed_by_the_state_within_the_hour(
    changed: float | None, escalated: float | None, state: str
) -> None:
    events = [turn(0, "move my tour", intent="booking_change")]
    events += [other("escalation", escalated, session="s1")] if escalated else []
    events += [other("outcome", changed, "booking_changed")] if changed else []
    tasks = await follow(*events, until=2 * DAY)
    assert tasks[0].state == state
    assert tasks[0].escalated is (escalated is not None)


@table(
    ("name", "phoned", "state"),
    [
        ("cancellation_initiated", None, "completed"),
        ("cancellation_declined", None, "completed"),
        ("cancellation_initiated", 100, "not completed"),
        ("cancellation_initiated", 125, "completed"),
        (None, 100, "not completed"),
        (None, 125, "unknown"),
    ],
)
async def test_a_cancellation_fails_when_the_customer_turns_to_a_person_within_two_hours(
    name: str | None, phoned: float | None, state: str
) -> None:
    events = [turn(0, "cancel my tour", intent="cancellation request")]
    events += [other("outcome", 5, name)] if name else []
    events += [other("contact", phoned, "phone", intent="complaint")] if phoned else []
    assert (await follow(*events, until=2 * DAY))[0].state == state


@table(
    ("resolved", "reopened", "state"),
    [
        (47 * HOUR, None, "completed"),
        (49 * HOUR, None, "not completed"),
        (None, None, "not completed"),
        (2 * HOUR, 5 * HOUR, "not completed"),
    ],
)
async def test_a_post_trip_issue_must_be_resolved_within_two_days(
    resolved: float | None, reopened: float | None, state: str
) -> None:
    events = [turn(0, "the guide never came", intent="post_trip_issue")]
    events += [other("outcome", resolved, "case_resolved")] if resolved else []
    events += [other("outcome", reopened, "case_reopened")] if reopened else []
    assert (await follow(*events, until=5 * DAY))[0].state == state


# --- open, unknown -----------------------------------------------------------------------------------


async def test_a_window_that_is_not_over_leaves_the_task_open() -> None:
    tasks = await follow(
        turn(0, "refund rules"),
        turn(1, "cancel my tour", session="s2", customer="c2", intent="cancellation"),
        other("outcome", 5, "cancellation_initiated", customer="c2"),
        until=HOUR,
    )
    assert [task.state for task in tasks] == ["open", "open"]
    assert [task.repeated for task in tasks] == [None, None]


async def test_a_failure_that_nothing_can_undo_is_told_before_the_window_is_over() -> None:
    tasks = await follow(turn(0, "refund rules"), turn(60, "refund rules", session="s2"), until=61)
    assert (tasks[0].state, tasks[1].state) == ("not completed", "open")
    assert "repeat_contact" in tasks[0].reason
    assert tasks[0].repeated is None, "the rate is over tasks whose time is up, or it would be biased"


async def test_an_intent_without_a_rule_is_unknown_and_still_watched_for_repeats() -> None:
    tasks = await follow(
        turn(0, "meal options", intent="browsing"),
        turn(60, "meal options", session="s2", intent="browsing"),
        until=9 * DAY,
        embedder=ByFirstWord(),
    )
    assert [(task.state, task.repeated) for task in tasks] == [("unknown", True), ("unknown", False)]


async def test_without_a_customer_a_repeat_cannot_be_told() -> None:
    task = (await follow(turn(0, "refund rules", customer=None), until=9 * DAY))[0]
    assert (task.state, task.repeated) == ("unknown", None)
    assert "customer is not known" in task.reason


async def test_a_contact_that_nobody_described_leaves_it_unknown() -> None:
    task = (await follow(turn(0, "refund rules"), other("contact", 60, "phone"), until=9 * DAY))[0]
    assert (task.state, task.repeated) == ("unknown", None)


# --- repeat contact ----------------------------------------------------------------------------------


async def test_topics_that_are_named_decide() -> None:
    tasks = await follow(
        turn(0, "refund rules", topic="refunds"),
        other("contact", 60, "email", topic="Refunds", text="quite other words"),
        until=9 * DAY,
    )
    assert tasks[0].repeated is True
    assert "topic" in tasks[0].repeat


async def test_without_an_encoder_words_are_compared() -> None:
    tasks = await follow(
        turn(0, "What is the refund rule for a cancelled boat tour?"),
        other("contact", 60, "phone", text="refund for my cancelled boat tour"),
        other("contact", 70, "phone", text="is lunch vegetarian", customer="c2"),
        until=9 * DAY,
    )
    assert tasks[0].repeated is True
    assert "words in common" in tasks[0].repeat


async def test_where_nothing_was_said_intents_are_compared() -> None:
    same = await follow(turn(0, ""), other("contact", 60, "phone", intent="policy inquiry"), until=9 * DAY)
    another = await follow(turn(0, ""), other("contact", 60, "phone", intent="cancellation"), until=9 * DAY)
    assert [task.repeated for task in (*same, *another)] == [True, False]


async def test_the_same_session_goes_on_until_it_falls_silent() -> None:
    within = await follow(turn(0, "refund rules"), turn(20, "refund rules again"), until=9 * DAY)
    after = await follow(turn(0, "refund rules"), turn(31, "refund rules again"), until=9 * DAY)
    assert len(within) == 1
    assert within[0].repeated is False
    assert [task.repeated for task in after] == [True, False]


async def test_courtesies_are_no_question_put_again() -> None:
    tasks = await follow(turn(0, "hello"), turn(60, "Hello, thanks", session="s2"), until=9 * DAY)
    assert tasks[0].repeated is False


async def test_only_customers_who_come_again_cost_an_embedding() -> None:
    embedder = ByFirstWord()
    events = [turn(n, "refund rules", session=f"s{n}", customer=f"c{n}") for n in range(50)]
    await follow(*events, turn(60, "pickup point", session="x", customer="c0"), embedder=embedder)
    assert sorted(embedder.asked) == ["pickup point", "refund rules"]


# --- what belongs to what ----------------------------------------------------------------------------


async def test_each_intent_of_a_session_is_a_task_of_its_own() -> None:
    tasks = await follow(
        turn(0, "", intent=None),
        turn(1, "refund rules"),
        turn(2, "then cancel it", intent="cancellation"),
        turn(3, "yes", intent=None),
        other("outcome", 4, "cancellation_initiated", session="s1"),
        until=9 * DAY,
    )
    assert [(task.intent, task.state) for task in tasks] == [
        ("policy_inquiry", "completed"),
        ("cancellation", "completed"),
    ]
    assert tasks[1].ended == at(3)


async def test_another_booking_is_another_matter() -> None:
    tasks = await follow(
        turn(0, "move it", intent="booking_change", booking="B1"),
        other("outcome", 5, "booking_changed", booking="B2"),
        until=2 * DAY,
    )
    assert tasks[0].state == "unknown"


async def test_a_session_of_another_system_leads_back_to_the_customer() -> None:
    tasks = await follow(
        turn(0, "the guide never came", intent="post_trip_issue"),
        other("outcome", 50, "case_resolved", session="crm-7"),
        until=9 * DAY,
    )
    assert tasks[0].state == "completed"


async def test_a_turn_that_hands_over_counts_as_an_escalation() -> None:
    tasks = await follow(
        turn(0, "move it", intent="booking_change", escalation=Escalation(reason="cannot")), until=2 * DAY
    )
    assert (tasks[0].state, tasks[0].escalated) == ("not completed", True)


async def test_ratings_show_what_they_miss() -> None:
    rules = read_rules({})
    watch, figures = TaskWatch(rules), CompletionFigures(rules)
    for event in (
        turn(0, "refund rules"),
        other("csat", 5, value=5, session="s1"),
        turn(60, "refund rules", session="s2"),
        other("csat", 65, value=3, scale=9, session="s2"),
        other("note", 70),
        other("outcome", 71, "something_else"),
        other("outcome", 72, "case_resolved", customer="c9"),
    ):
        figures.add(await watch.add(event))
    figures.add(watch.finish(at(9 * DAY)))
    table = figures.table(watch)
    row = table.rows[0]
    assert (row.completed, row.failed, row.repeats.hits, row.repeats.total) == (1, 1, 1, 2)
    assert (row.csat_failed, row.csat_completed, row.pleased.hits) == (1.0, 0.25, 1)
    assert table.total.completion.value == 0.5
    assert [task.session for task in table.failures] == ["s1"]
    assert any("outcome/case_resolved 1" in note and "no open task" in note for note in table.notes)
    assert any("outcome/something_else 1" in note and "note 1" in note for note in table.notes)


# --- the stream ---------------------------------------------------------------------------------------


async def test_what_can_no_longer_change_is_let_go() -> None:
    watch = TaskWatch(read_rules({}))
    most = done = 0
    for number in range(3000):
        done += len(await watch.add(turn(number * 10, "refund rules", session=f"s{number}", customer=f"c{number}")))
        most = max(most, watch.held)
    assert most <= 24 * 6 + 2, "a day of tasks, one every ten minutes"
    assert done + len(watch.finish()) == 3000


async def test_an_event_before_the_last_one_is_refused() -> None:
    watch = TaskWatch(read_rules({}))
    await watch.add(turn(5))
    with pytest.raises(ValueError, match="60 s before"):
        await watch.add(turn(4))
    with pytest.raises(ValueError, match="session or a customer"):
        await watch.add(turn(6, session=None, customer=None))


async def test_every_task_comes_out_once_whatever_the_order_of_kinds() -> None:
    dice = random.Random(7)
    rules = read_rules({})
    for _ in range(30):
        watch, done, opened, minutes = TaskWatch(rules), [], set(), 0
        for _ in range(80):
            minutes += dice.choice([1, 17, 40, 300])
            customer, session = f"c{dice.randrange(4)}", f"s{dice.randrange(6)}"
            if dice.random() < 0.5:
                intent = dice.choice(["policy_inquiry", "booking_change", "post_trip_issue", None])
                done += await watch.add(
                    turn(minutes, "refund rules", session=session, customer=customer, intent=intent)
                )
                opened.add(session)
            else:
                kind, name = dice.choice([("outcome", "booking_changed"), ("contact", "human"), ("escalation", None)])
                done += await watch.add(other(kind, minutes, name, customer=customer))
        done += watch.finish()
        assert {task.session for task in done} == opened
        assert len({(task.session, task.intent, task.started) for task in done}) == len(done)
        assert watch.held == 0
