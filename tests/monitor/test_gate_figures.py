from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.gate_decisions import GateDecisions, GuardDecisions
from proctor.monitor.gate_figures import NOT_KEPT, GateFigures
from proctor.stats.interval import wilson

Reviews = dict[str, tuple[bool, str]]


def _row(name: str, action: str = "allow", by: str = "injection", **more: Any) -> dict[str, Any]:
    """A decision of a chain of two gates, of which one decided."""
    parts = [
        {"gate": gate, "action": action if gate == by else "allow", "version": "1", "latency": seconds}
        for gate, seconds in (("pii", 0.001), ("injection", 0.004))
    ]
    metadata = {"parts": parts, "sample": more.pop("sample", 0.01)}
    return {
        "kind": "gate",
        "time": "2026-11-15T12:00:00+00:00",
        "id": name,
        "session": f"s{name[:1]}",
        "name": "input",
        "verdict": {"action": action, "gate": "input", "by": by, "latency": 0.005},
        "metadata": metadata,
        "sampled": True,
        **more,
    }


def _table(rows: list[dict[str, Any]], reviews: Reviews | None = None, **more: Any) -> GuardDecisions:
    figures = GateFigures(reviews or {}, **more)
    for row in rows:
        figures.add(row)
    return figures.table()


def _gate(table: GuardDecisions, name: str) -> GateDecisions:
    return next(row for row in table.gates if row.gate == name)


def test_decisions_are_counted_by_gate_and_action() -> None:
    rows = [_row("a1"), _row("a2", "block"), _row("b3", "redact", by="pii"), _row("b4", "block")]
    rows[3]["metadata"]["parts"][1] |= {"broken": True, "findings": [{"kind": "gate_failed"}]}
    table = _table(rows)
    assert (table.decisions, table.sessions, table.reviewed) == (4, 2, 0)
    (point,) = table.points
    assert point.actions == {"allow": 1, "redact": 1, "block": 2, "escalate": 0}
    injection = _gate(table, "injection")
    assert injection.actions == {"allow": 2, "redact": 0, "block": 2, "escalate": 0}
    assert (injection.broken, injection.versions, injection.findings) == (1, ("1",), {"gate_failed": 1})
    assert injection.latency.p50 == pytest.approx(0.004, rel=0.02)
    assert _gate(table, "pii").latency.p99 == pytest.approx(0.001, rel=0.02)
    assert any(note.startswith("once a gate failed or ran out of time") for note in table.notes)


def test_without_reviews_nothing_is_known() -> None:
    table = _table([_row("a"), _row("b", "block")])
    for row in (*table.points, *table.gates):
        assert row.precision.value is None
        assert row.recall.value is None
        assert row.why
    (note,) = [each for each in table.notes if "nobody has reviewed" in each]
    assert "`proctor review resolve ID` takes any" in note, "nothing waits, so a list of it would be empty"


def test_what_was_picked_by_hand_counts_for_precision_and_not_for_recall() -> None:
    rows = [_row(f"a{n}") for n in range(8)] + [_row("b", "block"), _row("hand")]
    del rows[-1]["sampled"]
    del rows[-2]["sampled"]
    reviews: Reviews = {"a0": (True, ""), "a1": (True, ""), "b": (True, ""), "hand": (False, "injection")}
    table = _table(rows, reviews)
    gate = _gate(table, "injection")
    assert (table.reviewed, gate.precision.hits, gate.precision.total) == (4, 1, 1)
    assert gate.recall.value == 1.0, "a miss that somebody went looking for stands for no others"
    rows[-1]["sampled"] = True
    drawn = _gate(_table(rows, reviews), "injection").recall.value
    assert drawn is not None
    assert drawn < 0.5


def test_precision_is_of_the_gate_that_decided() -> None:
    rows = [_row(f"{number}", "block") for number in range(20)]
    reviews = {f"{number}": (number != 3, "") for number in range(10)}
    table = _table(rows, reviews)
    found = _gate(table, "injection").precision
    interval = wilson(9, 10)
    assert interval is not None
    assert (found.hits, found.total, found.value) == (9, 10, 0.9)
    assert (found.low, found.high) == (interval.low, interval.high)
    assert _gate(table, "pii").precision.value is None
    assert table.points[0].precision == found


def _sampled(count: int, *, missed: int, gate: str) -> tuple[list[dict[str, Any]], Reviews]:
    rows = [_row(f"allow{number}", sampled=True) for number in range(count)]
    return rows, {f"allow{number}": (number >= missed, gate if number < missed else "") for number in range(count)}


def test_recall_is_estimated_from_the_sample_of_what_was_let_pass() -> None:
    rows, reviews = _sampled(100, missed=2, gate="injection")
    rows += [_row(f"more{number}") for number in range(900)]
    rows += [_row(f"stop{number}", "block") for number in range(50)]
    reviews |= {f"stop{number}": (number != 0, "") for number in range(10)}
    table = _table(rows, reviews)
    caught, missed = 50 * 0.9, 0.02 * 1000
    injection = _gate(table, "injection").recall
    assert injection.value == pytest.approx(caught / (caught + missed))
    assert injection.low is not None
    assert injection.high is not None
    assert 0 < injection.low < caught / (caught + missed) < injection.high <= 1
    assert table.points[0].recall.value == pytest.approx(caught / (caught + missed))
    pii = _gate(table, "pii")
    assert (pii.recall.value, pii.why) == (None, "nothing had to be stopped, as far as people have seen")


def test_a_gate_that_stopped_nothing_and_missed_something_has_no_recall() -> None:
    rows, reviews = _sampled(50, missed=1, gate="injection")
    found = _gate(_table(rows, reviews), "injection").recall
    assert found.value == 0.0
    assert found.low == 0.0


def test_a_miss_that_names_no_gate_counts_for_the_chain_alone() -> None:
    rows, reviews = _sampled(50, missed=1, gate="")
    rows.append(_row("stop", "block"))
    reviews["stop"] = (True, "")
    table = _table(rows, reviews)
    assert table.points[0].recall.value == pytest.approx(1 / (1 + 1))
    assert _gate(table, "injection").recall.value is None
    assert "name no gate" in _gate(table, "injection").why
    alone = [{**row, "metadata": {**row["metadata"], "parts": row["metadata"]["parts"][1:]}} for row in rows]
    assert _gate(_table(alone, reviews), "injection").recall.value == pytest.approx(1 / 2)


def test_borderline_steps_that_nobody_looked_at_leave_recall_unknown() -> None:
    rows, reviews = _sampled(50, missed=0, gate="")
    rows += [_row("stop", "block"), _row("close", borderline=True)]
    reviews["stop"] = (True, "")
    injection = _gate(_table(rows, reviews), "injection")
    assert (injection.recall.value, injection.why) == (
        None,
        "nobody has reviewed the borderline steps that were let pass",
    )
    reviews["close"] = (False, "injection")
    assert _gate(_table(rows, reviews), "injection").recall.value == pytest.approx(1 / 2)


def test_a_step_drawn_rarely_weighs_more() -> None:
    rows = [_row("often", sample=0.5, sampled=True), _row("rarely", sample=0.01, sampled=True), _row("stop", "block")]
    said: Reviews = {"often": (True, ""), "rarely": (False, "injection"), "stop": (True, "")}
    heavy = _gate(_table(rows, said), "injection").recall.value
    said |= {"often": (False, "injection"), "rarely": (True, "")}
    light = _gate(_table(rows, said), "injection").recall.value
    assert heavy == pytest.approx(1 / (1 + 2 * 100 / 102))
    assert light == pytest.approx(1 / (1 + 2 * 2 / 102))


def test_a_redaction_may_be_right_too_much_or_not_enough() -> None:
    rows = [_row(f"r{number}", "redact", by="pii") for number in range(3)]
    reviews: Reviews = {"r0": (True, ""), "r1": (False, ""), "r2": (False, "injection")}
    table = _table(rows, reviews)
    assert (_gate(table, "pii").precision.hits, _gate(table, "pii").precision.total) == (1, 2)
    assert _gate(table, "injection").recall.value == 0.0


def test_a_gate_on_probation_is_judged_by_what_was_let_pass_in_its_stead() -> None:
    rows = [_row(f"a{number}", by="pii") for number in range(4)]
    for row in rows:
        row["metadata"]["parts"][1] |= {"action": "block", "shadow": True}
    table = _table(rows, {"a0": (False, "injection"), "a1": (True, ""), "a2": (False, "injection")})
    injection = _gate(table, "injection")
    assert injection.shadow == 4
    assert (injection.precision.hits, injection.precision.total) == (2, 3)


def test_in_shadow_mode_what_would_have_been_decided_counts() -> None:
    row = _row("a", "block")
    row["verdict"] = {"action": "allow", "gate": "input", "by": "injection", "shadow": row["verdict"]}
    table = _table([row], {"a": (True, "")})
    assert (table.points[0].actions["block"], table.points[0].shadow) == (1, 1)
    assert _gate(table, "injection").precision.value == 1.0


def test_one_gate_alone_and_lost_decisions() -> None:
    lost = {"kind": "note", "time": "2026-11-15T12:00:00+00:00", "name": NOT_KEPT, "value": 7.0}
    owed = {"kind": "note", "time": "2026-11-15T12:00:00+00:00", "name": "records_lost", "metadata": {"count": 2}}
    table = _table([_row("a"), {"kind": "turn", "time": "x"}, lost, owed], gate="pii")
    assert [row.gate for row in table.gates] == ["pii"]
    assert table.not_kept == 9
    assert table.notes[0].startswith("9 decisions were not kept")
    assert _table([_row("a")], gate="other").decisions == 0


said = st.sampled_from([None, (True, ""), (False, ""), (False, "injection"), (False, "pii")])


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["allow", "redact", "block", "escalate"]),
            st.sampled_from(["pii", "injection"]),
            st.booleans(),
            st.sampled_from([0.0, 0.01, 0.3, 1.0]),
            said,
        ),
        max_size=40,
    )
)
def test_every_share_lies_in_its_interval_whatever_was_said(drawn: list[tuple[Any, ...]]) -> None:
    rows, reviews = [], {}
    for number, (action, by, close, sample, word) in enumerate(drawn):
        rows.append(_row(str(number), action, by=by, sample=sample, **({"borderline": True} if close else {})))
        if word is not None:
            reviews[str(number)] = word
    table = _table(rows, reviews)
    for row in (*table.points, *table.gates):
        for share in (row.precision, row.recall):
            if share.value is not None:
                assert share.low is not None
                assert share.high is not None
                assert 0 <= share.low <= share.value + 1e-12
                assert share.value <= share.high + 1e-12 <= 1 + 2e-12
        assert row.decisions == sum(row.actions.values())
        assert (row.recall.value is None) == bool(row.why)


def test_what_is_marked_false_is_not_counted() -> None:
    figures = GateFigures({})
    for borderline in (False, False, True):
        part = {"gate": "grounding", "action": "allow", "borderline": borderline, "broken": False, "shadow": False}
        figures.add(
            {
                "kind": "gate",
                "time": "2026-01-01T00:00:00+00:00",
                "name": "output",
                "verdict": {"action": "allow", "borderline": borderline},
                "metadata": {"parts": [part]},
                "borderline": borderline,
                "sampled": False,
            }
        )
    table = figures.table()
    assert [(row.borderline, row.broken, row.shadow) for row in (*table.points, *table.gates)] == [(1, 0, 0)] * 2


def test_settings_that_could_not_be_read_again_are_named_until_they_are() -> None:
    failed = {
        "kind": "note",
        "time": "2026-01-01T10:00:00+00:00",
        "name": "settings_not_usable",
        "metadata": {"error": "no `guard:` section", "version": "v1"},
    }

    def decision(version: str) -> dict[str, object]:
        verdict = {"action": "allow", "version": version}
        return {"kind": "gate", "time": "2026-01-01T10:01:00+00:00", "name": "input", "verdict": verdict}

    for later, told in (
        ([], True),
        ([decision("v1")], True),
        ([decision("v2")], False),
        ([{**failed, "name": "settings_read_again"}], False),
    ):
        figures = GateFigures({})
        for row in (failed, *later):
            figures.add(row)
        (note,) = [each for each in figures.table().notes if "read again" in each] or [""]
        assert (note != "") is told
        assert not told or "2026-01-01T10:00:00" in note
        assert not told or "no `guard:` section" in note
