from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

from proctor.core.case import Case
from proctor.report import junit

from .conftest import Run
from .hostile import HOSTILE
from .sample import report_of, sample_results


def document(run: Run) -> ET.Element:
    return ET.fromstring(run.written(junit.write).encode())


def test_a_suite_per_target_with_its_own_counts(sample: Run) -> None:
    root = document(sample)
    assert root.tag == "testsuites"
    assert {name: root.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "60",
        "failures": "10",
        "errors": "2",
    }
    suites = root.findall("testsuite")
    assert [suite.get("name") for suite in suites] == ["agent-v1", "agent-v2"]
    for suite, tally in zip(suites, sample.report.by_target, strict=True):
        assert suite.get("tests") == str(tally.counts.total) == str(len(suite.findall("testcase")))
        assert suite.get("failures") == str(tally.counts.failed) == str(len(suite.findall("testcase/failure")))
        assert suite.get("errors") == str(tally.counts.unscored) == str(len(suite.findall("testcase/error")))
        assert suite.get("timestamp") == "2026-11-15T09:30:00+00:00"


def test_a_failure_says_which_score_and_why(sample: Run) -> None:
    case = document(sample).find("testsuite/testcase[@name='refund-after-30-days#0']")
    assert case is not None
    assert case.get("classname") == "support-agent.agent-v1"
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("type") == "facts"
    assert (failure.get("message") or "").endswith("not stated: the return window is 30 days")
    assert "policy" in (failure.text or "")
    assert "refunded the full amount" in (case.findtext("system-out") or "")


def test_what_could_not_be_judged_is_an_error(sample: Run) -> None:
    errors = document(sample).findall("testsuite/testcase/error")
    assert {error.get("type") for error in errors} == {"unscored"}
    assert errors[0].get("message") == "timeout error: no answer after 30 s"


def test_a_pass_is_a_bare_case_with_its_time(sample: Run) -> None:
    case = document(sample).find("testsuite/testcase[@name='stock-bristol#0']")
    assert case is not None
    assert len(case) == 0
    assert float(case.get("time") or "0") > 1


def test_samples_of_a_case_are_told_apart() -> None:
    first = next(iter(sample_results()))
    results = [replace(first, sample=number) for number in range(3)]
    names = [
        case.get("name") for case in document(Run(report=report_of(results), results=lambda: results)).iter("testcase")
    ]
    assert names == [f"{first.case.id}#{number}" for number in range(3)]


def test_a_case_whose_id_is_a_hash_is_named_by_what_it_is_about() -> None:
    first = next(iter(sample_results()))
    cases = [
        Case(id="8f3c5a1b9d2e4f60", input="Hi", description="A customer stops another order"),
        Case(id="c-8f3c5a1b9d2e", input="Where is my order?"),
        Case(id="refund-window", input="Hi", description="Refunds"),
        Case(id="t-8f3c5a1b9d", inputs={"a": 1}),
    ]
    results = [replace(first, case=case) for case in cases]
    found = document(Run(report=report_of(results), results=lambda: results)).iter("testcase")
    assert [case.get("name") for case in found] == [
        "A customer stops another order (8f3c5a1b9d2e4f60#0)",
        "Where is my order? (c-8f3c5a1b9d2e#0)",
        "refund-window#0",
        "t-8f3c5a1b9d#0",
    ]


def test_times_add_up(sample: Run) -> None:
    for suite in document(sample).findall("testsuite"):
        total = sum(float(case.get("time") or "0") for case in suite.findall("testcase"))
        assert abs(total - float(suite.get("time") or "0")) < 0.1


def test_hostile_text_is_still_xml(hostile: Run) -> None:
    root = document(hostile)
    assert len(list(root.iter("testcase"))) == len(HOSTILE)
    assert root.get("name") == hostile.report.name
    assert not [each for each in root.iter() if each.tag in ("script", "img")]


def test_a_target_the_report_does_not_name_is_kept(sample: Run) -> None:
    run = Run(report=replace(sample.report, by_target=()), results=sample.results)
    assert [suite.get("name") for suite in document(run)] == ["agent-v1", "agent-v2"]


def test_an_empty_run(empty: Run) -> None:
    assert document(empty).get("tests") == "0"


def test_a_case_in_doubt_passes_with_a_property_that_says_why(doubtful: Run) -> None:
    root = document(doubtful)
    marked = root.findall("testsuite/testcase/properties/property[@name='proctor.in_doubt']/../..")
    assert len(marked) == 2
    for case in marked:
        assert case.find("failure") is None
        assert case.find("error") is None
        (told,) = case.findall("properties/property")
        assert "in doubt, to be reviewed: no call did this" in (told.get("value") or "")
        assert "user: " in (case.findtext("system-out") or "")
    suites = root.findall("testsuite/properties/property[@name='proctor.in_doubt']")
    assert [each.get("value") for each in suites] == ["2", "2"]
