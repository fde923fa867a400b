from __future__ import annotations

import csv
import io
import json
import tracemalloc
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from proctor.core.case import Case
from proctor.core.codec import dumps
from proctor.core.compliance import PromptCompliance
from proctor.core.decode import decode
from proctor.core.report import Fingerprint, Outcome, Report, Result
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory
from proctor.report import html, json_file, markdown, overview_csv, table_csv, terminal
from proctor.report.overview import overview_of
from proctor.report.overview_tables import overview_tables
from proctor.workflows.run.overview import has_overview

STATUS: dict[str, dict[str, Any]] = {
    "ok": {"value": 1.0},
    "err": {"value": 0.0},
    "na": {"status": "skipped"},
    "unknown": {"status": "error"},
}


def part(rule: str, label: str, *, aimed: bool = False, by: str = "predicate", **more: Any) -> Score:
    words = Evidence(quote=f"Rule {rule}.", where="rule", note="made for it" if aimed else "")
    return Score(name=rule, label=label, evidence=(words,), producer=by, **STATUS[label], **more)


def judged(*parts: Score) -> Score:
    labels = [each.label for each in parts]
    value = None if "unknown" in labels and "err" not in labels else float("err" not in labels)
    status: Any = "error" if value is None else "ok"
    return Score(name="rules", value=value, status=status, threshold=1.0, parts=parts, reason="so")


def result(case: str, *scores: Score, target: str = "m", sample: int = 0, tags: Any = (), **metadata: Any) -> Result:
    outcomes: dict[bool | None, Outcome] = {True: "pass", False: "fail", None: "unscored"}
    return Result(
        case=Case(id=case, inputs={"text": "hello"}, tags=tags, metadata=metadata),
        target=target,
        sample=sample,
        trajectory=Trajectory(error=None if scores else "no connection"),
        scores=scores,
        outcome=outcomes[scores[0].passed if scores else None],
    )


def gathered(results: Iterable[Result], repeat: int = 1) -> PromptCompliance:
    found = overview_of(results, repeat=repeat)
    assert found is not None
    return found


def test_a_row_tells_every_kind_of_test_apart() -> None:
    found = gathered(
        [
            result("a", judged(part("r1", "ok")), polarity="positive", valid=True),
            result("b", judged(part("r1", "err")), polarity="negative", valid=True),
            result("c", judged(part("r1", "err")), polarity="negative", valid=False),
            result("d", judged(part("r1", "unknown")), polarity="positive", valid=None),
            result("e", polarity="positive", valid=True),
            result("f", judged(part("r1", "ok")), tags=("baseline",)),
        ]
    )
    (row,) = found.rows
    assert (row.target, row.scenario, row.errors) == ("m", None, 1)
    assert (row.tests.tests, row.tests.ok, row.tests.err, row.tests.unknown) == (4, 1, 2, 1)
    assert row.tests.rate == pytest.approx(1 / 3)
    assert (row.positive.ok, row.positive.unknown, row.negative.err) == (1, 1, 2)
    assert (row.negative.rate, row.valid.ok, row.valid.err, row.invalid.err) == (0.0, 1, 1, 1)
    assert (row.baseline.tests, row.baseline.ok) == (1, 1)


def test_scenarios_have_rows_of_their_own_where_there_are_several() -> None:
    one = gathered([result("a", judged(part("r", "ok")), scenario="formal")])
    assert [row.scenario for row in one.rows] == [None]
    two = gathered([result(n, judged(part("r", "ok")), scenario=s) for n, s in (("a", "formal"), ("b", ""))])
    assert [(row.scenario, row.tests.tests) for row in two.rows] == [(None, 2), ("", 1), ("formal", 1)]


def test_a_rule_knows_who_covered_it_executed_it_and_ever_failed() -> None:
    found = gathered(
        [
            result("a", judged(part("r1", "ok", aimed=True), part("r2", "na", by="judge:x"))),
            result("b", judged(part("r1", "err"), part("r2", "unknown", by="judge:x"))),
            result("c", judged(part("r1", "ok"), part("r2", "na", by="judge:x"))),
        ]
    )
    first, second = found.rules
    assert (first.text, first.covered, first.failed, first.executed) == ("Rule r1.", 1, 1, True)
    assert (first.kept.ok, first.kept.err) == (2, 1)
    assert first.kept.rate == pytest.approx(2 / 3)
    assert first.judged_by == {"predicate": 3}
    assert (second.covered, second.executed, second.na, second.kept.unknown) == (0, False, 2, 1)
    assert second.kept.rate is None
    assert second.judged_by == {"judge:x": 2}


def test_the_interval_is_over_tests_and_not_over_answers() -> None:
    once = gathered([result(f"t{n}", judged(part("r", "ok" if n else "err"))) for n in range(10)])
    often = gathered(
        (result(f"t{n}", judged(part("r", "ok" if n else "err")), sample=s) for n in range(10) for s in range(5)), 5
    )
    first, again = once.rows[0].tests, often.rows[0].tests
    assert (again.tests, again.answers, again.rate) == (10, 50, first.rate)
    assert (first.low, first.high) == (again.low, again.high)


def test_pass_hat_and_the_tests_that_waver() -> None:
    verdicts = {"steady": ("ok", "ok", "ok"), "half": ("ok", "err", "ok"), "never": ("err", "err", "err")}
    found = gathered(
        (result(n, judged(part("r", v)), sample=s) for n, vs in verdicts.items() for s, v in enumerate(vs)), 3
    )
    assert found.rows[0].tests.steady == pytest.approx(1 / 3)
    assert found.flaky == 1
    (test,) = found.wavering
    assert (test.case, test.ok, test.err, test.rules) == ("half", 2, 1, ("r",))
    assert 0.9 < test.entropy < 1


def test_only_the_worst_are_listed_and_all_are_counted() -> None:
    found = gathered(
        (result(f"t{n}", judged(part("r", "ok" if s else "err")), sample=s) for n in range(50) for s in range(2)), 2
    )
    assert (found.flaky, len(found.wavering)) == (50, 20)


def test_a_metric_without_a_score_is_missing_and_never_0() -> None:
    def metric(value: float | None, *parts: Score, status: Any = "error") -> Score:
        return Score(name="nice", value=value, status="ok" if value is not None else status, parts=parts)

    both = (Score(name="x", value=0.5), Score(name="y", value=0.9))
    found = gathered(
        [
            result("a", judged(part("r", "ok")), metric(0.7, *both)),
            result("b", judged(part("r", "ok")), metric(None)),
            result("c", judged(part("r", "ok")), metric(None, status="skipped")),
        ]
    )
    (figure,) = found.rows[0].metrics
    assert (figure.name, figure.count, figure.missing, figure.mean) == ("nice", 1, 1, 0.7)
    assert figure.apart == pytest.approx(0.4)


def test_judges_agreement_is_told_where_there_were_several() -> None:
    voices = (Score(name="a", value=1.0), Score(name="b", value=0.0), Score(name="c", value=1.0))
    found = gathered([result("a", judged(part("r", "ok", by="judge:a+b+c", parts=voices, confidence=2 / 3)))])
    assert found.rules[0].agreement == pytest.approx(2 / 3)


def test_a_run_without_rules_has_no_overview() -> None:
    assert overview_of([result("a", Score(name="exact", value=1.0, threshold=1.0))]) is not None  # a metric of its own
    assert overview_of([]) is None
    assert not has_overview(Report(id="r", fingerprint=Fingerprint(scorers={"exact": "1"})))
    assert has_overview(Report(id="r", fingerprint=Fingerprint(scorers={"rules": "1+x"})))


def many(count: int) -> Iterator[Result]:
    for number in range(count):
        parts = [part(f"r{n}", "ok" if (number + n) % 7 else "err") for n in range(5)]
        yield result(f"t{number:06}", judged(*parts), scenario=f"s{number % 3}", polarity="positive")


def test_memory_does_not_grow_with_the_results() -> None:
    def most(count: int) -> int:
        tracemalloc.start()
        gathered(many(count))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    most(100)
    assert most(2_000) < most(200) + 100_000


@pytest.fixture
def report() -> Report:
    hostile = "</script><b>|`@you` $x_1$"
    results = [
        result("t-1", judged(part("r1", "ok", aimed=True)), target="a", scenario="x", polarity="positive"),
        result("t-1", judged(part("r1", "err", aimed=True)), target="a", sample=1, scenario="x", polarity="positive"),
        result("t-2", judged(part("r1", "err")), target="a", scenario=hostile, polarity="negative"),
        result("t-2", judged(part("r1", "err")), target="a", sample=1, scenario=hostile, polarity="negative"),
    ]
    overview = overview_of(results, repeat=2)
    return Report(id="run-1", name="tags", overview=overview, fingerprint=Fingerprint(scorers={"rules": "1"}))


def written(writer: Any, report: Report) -> str:
    out = io.StringIO()
    writer(report, lambda: iter(()), out)
    return out.getvalue()


def test_a_true_0_is_shown_and_what_is_not_there_is_a_dash(report: Report) -> None:
    (compliance, rules, flaky) = overview_tables(report)
    cells = {row[1].text: [cell.text for cell in row] for row in compliance.cells()}
    heads = [column.name for column in compliance.columns]
    at = heads.index
    assert cells["all"][at("Negative")] == "0/2 0 %"
    assert cells["x"][at("Negative")] == "–"
    assert "Baseline" not in heads
    assert cells["all"][at("Unknown")] == "0"
    assert "pass^2" in heads
    assert [cell.text for cell in next(iter(rules.cells()))][:3] == ["Rule r1.", "1", "1/4 25.0 %"]
    assert next(iter(flaky.cells()))[0].text == "t-1"


def test_every_format_has_the_overview(report: Report) -> None:
    shown = written(lambda *each: terminal.write(*each, width=80, colour=False), report)
    assert "Compliance" in shown
    assert max(map(len, shown.splitlines())) <= 80
    text = written(markdown.write, report)
    assert "| Rule r1." in text
    assert "<b>" not in text
    page = written(html.write, report)
    assert "Rule r1." in page
    assert "</script><b>" not in page
    assert json.loads(written(json_file.write, report))["report"]["overview"]["rules"][0]["rule"] == "r1"


def test_the_overview_as_a_table_of_its_own(report: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(written(overview_csv.write, report))))
    assert [row["row"] for row in rows] == ["model", "model", "model", "rule"]
    assert rows[0]["negative rate"] == "0"
    assert (rows[0]["tests"], rows[0]["tests compliant"], rows[0]["tests steady"]) == ("2", "1", "0")
    assert rows[0]["baseline rate"] == ""
    assert (rows[-1]["rule"], rows[-1]["covered"], rows[-1]["broken by"]) == ("r1", "1", "2")
    empty = written(overview_csv.write, replace(report, overview=None))
    assert len(empty.splitlines()) == 1


def test_each_rule_has_a_column_in_the_table_of_results(report: Report) -> None:
    out = io.StringIO()
    one = result("t-1", judged(part("r1", "err")), scenario="x", valid=False, rules=["r1"])
    table_csv.write(report, lambda: [one], out)
    (row,) = csv.DictReader(io.StringIO(out.getvalue()))
    assert (row["rule:r1"], row["scenario"], row["valid"], row["aims at"]) == ("err", "x", "false", "r1")
    assert row["question"] == '{"text":"hello"}'


def test_an_overview_goes_to_json_and_back(report: Report) -> None:
    assert decode(Report, json.loads(dumps(report)), strict=True).overview == report.overview
