from __future__ import annotations

from proctor.store.decision_query import RecordedScore
from proctor.workflows.guard.what_if import what_if

SCORES = [
    RecordedScore("a", 0.60, False, "escalate", False),
    RecordedScore("b", 0.70, False, "escalate", True),
    RecordedScore("c", 0.95, False, "block", False),
    RecordedScore("d", 0.99, False, "block", False),
    RecordedScore("rule", 0.95, True, "block", False),
    RecordedScore("passed", 0.65, False, "allow", False),
]
REVIEWS = {"a": (False, ""), "b": (True, ""), "c": (True, ""), "d": (False, ""), "passed": (True, "")}


def test_a_higher_threshold_spares_wrong_stops_and_loses_right_ones() -> None:
    found = what_if(SCORES, REVIEWS, 0.9)
    effect = found.chosen
    assert (effect.kept, effect.passed, effect.elsewhere) == (3, 3, 1)
    assert (effect.right_passed, effect.wrong_passed, effect.unreviewed_passed) == (1, 2, 0)
    assert (effect.right_kept, effect.wrong_kept) == (1, 1)
    assert effect.precision.value == 0.5
    assert effect.actions == {"block": 3}
    assert (found.lowest, found.blocks_from, found.by_rules, found.scores) == (0.60, 0.95, 1, 6)


def test_rules_act_at_every_threshold() -> None:
    effect = what_if(SCORES, REVIEWS, 1.0).chosen
    assert effect.actions == {"block": 1}


def test_the_thresholds_beside_it_begin_at_the_lowest_score_and_have_the_chosen_one() -> None:
    found = what_if(SCORES, REVIEWS, 0.83)
    thresholds = [each.threshold for each in found.steps]
    assert thresholds == sorted(thresholds)
    assert thresholds[0] == 0.6
    assert 0.83 in thresholds
    assert [each.kept for each in found.steps] == sorted((each.kept for each in found.steps), reverse=True)


def test_each_score_is_in_one_column() -> None:
    bins = what_if([*SCORES, RecordedScore("one", 1.0, False, "block", False)], REVIEWS, 0.9).bins
    assert sum(each.right + each.wrong + each.unreviewed for each in bins) == 6
    assert bins[-1].low == 0.98


def test_nothing_recorded_is_nothing_known() -> None:
    found = what_if([], {}, 0.9)
    assert (found.scores, found.lowest, found.steps, found.bins) == (0, None, [], [])
    assert found.chosen.precision.value is None
