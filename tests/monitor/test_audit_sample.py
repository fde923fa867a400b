"""The audit sample: the same for everyone, with the chances it says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from proctor.core.audit import AuditedConversation, AuditSettings
from proctor.core.event_row import row_of
from proctor.monitor.audit_sample import draw_sample, hash_of, last_week, reasons_for, week_bounds, week_of
from proctor.monitor.conversation_facts import FactCollector, mark_repeats
from tests.monitor.audit_traffic import monday, traffic
from tests.tables import table

WEEK = "2026-W40"
SETTINGS = AuditSettings(size=40, core=20)


def frame(count: int, *, flagged: int = 0, unsure: int = 0, prefix: str = "s") -> list[AuditedConversation]:
    start = monday().timestamp()
    return [
        AuditedConversation(
            id=f"{prefix}{number}",
            first=start + number,
            last=start + number,
            turns=1,
            signals=("gate/pii",) if number < flagged else (),
            least_confidence=0.3 if flagged <= number < flagged + unsure else 0.9,
        )
        for number in range(count)
    ]


def test_the_same_conversations_give_the_same_sample_in_any_order() -> None:
    talks = frame(500, flagged=30)
    one, other = draw_sample(talks, WEEK, SETTINGS), draw_sample(talks[::-1], WEEK, SETTINGS)
    assert one == other
    assert len(one[1]) == 40
    another = draw_sample([replace(each, first=each.first + 7 * 86400) for each in talks], "2026-W41", SETTINGS)
    assert {each.about.id for each in one[1]} != {each.about.id for each in another[1]}


def test_targets_are_drawn_more_often_and_the_strata_add_up() -> None:
    sample, drawn = draw_sample(frame(500, flagged=30, unsure=40), WEEK, SETTINGS)
    assert sample.population == 500
    assert sample.drawn == len(drawn) == 40
    by_name = {each.name: each for each in sample.strata}
    assert by_name["flagged"].population == 30
    assert by_name["low_confidence"].population == 40
    assert by_name["flagged"].probability > 0.3
    assert by_name["rest"].probability < 0.06
    for each in drawn:
        assert each.probability == by_name[each.stratum].probability
    assert sum(each.is_core for each in drawn) == 20
    assert [each.place for each in drawn] == list(range(40))


def test_each_conversation_is_drawn_as_often_as_its_probability_says() -> None:
    weighted = hits = 0.0
    times = 120
    for number in range(times):
        talks = frame(120, flagged=20, prefix=f"{number} ")
        _, drawn = draw_sample(talks, WEEK, SETTINGS)
        # every conversation counts 1 / probability: the flagged ones are 20 of 120
        weighted += sum(1 / each.probability for each in drawn if each.stratum == "flagged")
        hits += sum(1 / each.probability for each in drawn)
    assert weighted / times == pytest.approx(20)
    assert hits / times == pytest.approx(120)
    # whose flagged ones are drawn does not depend on their place in the week
    places = [
        each.about.first
        for number in range(300)
        for each in draw_sample(frame(60, flagged=60, prefix=f"{number}-"), WEEK, SETTINGS)[1]
    ]
    assert sum(places) / len(places) - monday().timestamp() == pytest.approx(29.5, abs=1.0)


def test_a_small_week_is_taken_whole_and_others_are_left_out() -> None:
    sample, drawn = draw_sample(frame(12), WEEK, SETTINGS)
    assert [(each.population, each.drawn) for each in sample.strata] == [(12, 12)]
    assert {each.probability for each in drawn} == {1.0}
    assert draw_sample(frame(12), "2026-W41", SETTINGS)[1] == []
    assert len(draw_sample(frame(12), WEEK, SETTINGS, taken={"s1", "s2"})[1]) == 10


def test_part_of_the_sample_may_have_one_rater() -> None:
    _, drawn = draw_sample(frame(400), WEEK, replace(SETTINGS, size=200, core=200, double=0.3))
    assert 35 < sum(each.raters == 2 for each in drawn) < 85


def test_reasons_name_what_points_at_a_conversation() -> None:
    about = AuditedConversation(
        id="s", first=0, last=0, signals=("csat/low", "escalation", "gate"), is_repeat=True, least_confidence=0.2
    )
    assert reasons_for(about, SETTINGS) == ("flagged csat/low", "flagged gate", "repeat_contact", "low_confidence 0.20")
    assert reasons_for(replace(about, signals=(), is_repeat=False, least_confidence=None), SETTINGS) == ()


def test_weeks() -> None:
    start, end = week_bounds("2026-W53")
    assert (start.isoformat(), (end - start).days) == ("2026-12-28T00:00:00+00:00", 7)
    assert week_of(datetime(2027, 1, 1, tzinfo=UTC)) == "2026-W53"
    assert last_week(datetime(2026, 10, 8, tzinfo=UTC)) == WEEK
    for wrong in ("2026-40", "2026-W54", "W40", "2025-W53", ""):
        with pytest.raises(ValueError, match="week"):
            week_bounds(wrong)
    assert 0 <= hash_of("a", "\ud800") < 1


def test_facts_of_a_log_in_any_order() -> None:
    events = list(traffic(monday(), 3, per_day=10))
    orders = []
    for listed in (events, events[::-1]):
        collector = FactCollector()
        for event in listed:
            collector.add(row_of(event))
        orders.append(collector.conversations())
    assert orders[0] == orders[1]
    assert len(orders[0]) == 30
    first = orders[0][0]
    assert first.confidence == first.least_confidence
    assert first.outcome in ("solved", "unsolved")
    assert first.scores[0].passed == (first.outcome == "solved")
    assert first.scores[0].version == "v1"


def test_who_comes_again_in_time_about_the_same_is_a_repeat() -> None:
    start = monday().timestamp()
    talk = AuditedConversation(id="a", first=start, last=start, customer="c", intent="refund", turns=1)

    def marked(hours: float, intent: str | None) -> bool:
        other = replace(talk, id="b", first=start + hours * 3600, last=start + hours * 3600, intent=intent)
        return mark_repeats([talk, other])[0].is_repeat

    assert marked(20, "refund")
    assert marked(20, None)
    assert not marked(20, "visa")
    assert not marked(30, "refund")


@table(
    "wrong",
    [
        {"core": 101},
        {"size": 0},
        {"targets": ("odd",)},
        {"double": 1.5},
        {"raters": 0},
        {"scale": 1},
        {"pass_at": 6},
        {"dimensions": ()},
        {"dimensions": ("a", "a")},
        {"dimensions": tuple("abcdefgh")},
        {"claim": 0},
    ],
)
def test_settings_that_cannot_be_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"must|at most|are|core"):
        AuditSettings(**wrong)  # type: ignore[arg-type]
