"""CloudWatch over boto3's own wire, against a server that speaks it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.errors import ConfigError, InputError, RefusedError, UnreachableError
from proctor.core.report import Report
from proctor.models.cloudwatch import CloudWatch, cloudwatch
from proctor.report.publish.cloudwatch import CloudWatchSettings, batches, data, publish
from proctor.report.publish.published_result import Graded
from tests.tables import table

from .conftest import ENDED, Server

SECRET = "aws/Zx81+very-secret"
ENV = {"AWS_ACCESS_KEY_ID": "AKIAEXAMPLEEXAMPLE00", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1"}
SETTINGS = CloudWatchSettings(namespace="MangaAssist/Evaluation")


@pytest.fixture(autouse=True)
def _no_aws_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in (*ENV, "AWS_SESSION_TOKEN", "AWS_PROFILE", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def door() -> Iterator[CloudWatch]:
    moto = pytest.importorskip("moto.server")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    made = cloudwatch(ENV.get, endpoint_url=f"http://{host}:{port}")
    yield made
    made.close()
    running.stop()


def _statistics(door: CloudWatch, name: str, **dimensions: str) -> dict[str, Any]:
    found = door.client.get_metric_statistics(
        Namespace="MangaAssist/Evaluation",
        MetricName=name,
        Dimensions=[{"Name": key, "Value": value} for key, value in dimensions.items()],
        StartTime=ENDED - timedelta(minutes=5),
        EndTime=ENDED + timedelta(minutes=5),
        Period=60,
        Statistics=["Average", "Minimum", "Maximum", "SampleCount"],
    )
    points: list[dict[str, Any]] = found["Datapoints"]
    assert len(points) == 1, name
    return points[0]


async def test_what_is_sent_is_what_cloudwatch_then_tells(
    door: CloudWatch, report: Report, results: list[Graded]
) -> None:
    assert await publish(report, results, SETTINGS, door) == 8
    listed = {each["MetricName"] for each in door.client.list_metrics()["Metrics"]}
    assert listed == {
        "CompositeScore", "EvaluationLatency", "DimensionScore_relevance", "QualityGateResult",
        "BatchPassRate", "BatchTotalCases", "BatchUnscoredCases", "BatchAvg_relevance",
    }  # fmt: skip
    relevance = _statistics(door, "DimensionScore_relevance", Intent="faq")
    assert relevance["SampleCount"] == 2
    assert relevance["Average"] == pytest.approx(0.5)
    assert (relevance["Minimum"], relevance["Maximum"]) == (0.1, 0.9)
    assert _statistics(door, "QualityGateResult", Intent="faq")["Average"] == pytest.approx(0.5)
    assert _statistics(door, "EvaluationLatency", Intent="faq")["Maximum"] == 2000
    assert _statistics(door, "BatchPassRate")["Average"] == pytest.approx(0.5)
    assert _statistics(door, "BatchTotalCases")["Average"] == 3


def test_names_units_and_dimensions_are_the_documents(report: Report, results: list[Graded]) -> None:
    found = list(data(report, results, SETTINGS))
    by_name = {each["MetricName"]: each for each in found}
    for name in ("CompositeScore", "DimensionScore_relevance", "QualityGateResult"):
        assert by_name[name]["Dimensions"] == [{"Name": "Intent", "Value": "faq"}]
        assert by_name[name]["Unit"] == "None"
    assert by_name["EvaluationLatency"]["Unit"] == "Milliseconds"
    assert by_name["BatchTotalCases"]["Unit"] == "Count"
    assert "Dimensions" not in by_name["BatchPassRate"]
    assert {each["Timestamp"] for each in found} == {ENDED}


def test_what_could_not_be_judged_has_no_figure(report: Report, results: list[Graded]) -> None:
    found = list(data(report, [results[2]], SETTINGS))
    assert {each["MetricName"] for each in found} == {"BatchTotalCases", "BatchUnscoredCases", "BatchAvg_relevance"}


def test_an_intent_in_any_script_becomes_a_name_that_is_taken(report: Report, results: list[Graded]) -> None:
    odd = [replace(results[0], intent="挨拶"), replace(results[0], intent="100%"), replace(results[0], intent=" ")]
    intents = {each["Dimensions"][0]["Value"] for each in data(report, odd, SETTINGS) if "Dimensions" in each}
    assert intents == {"%E6%8C%A8%E6%8B%B6", "100%25", "other"}


def test_a_run_older_than_two_weeks_is_refused(report: Report, results: list[Graded]) -> None:
    later = datetime.now(UTC) + timedelta(days=15)
    with pytest.raises(InputError, match="two weeks"):
        list(data(report, results, SETTINGS, now=later))


@given(st.lists(st.floats(0, 1), max_size=700))
def test_no_value_is_lost_or_counted_twice(values: list[float]) -> None:
    report = Report(id="r", finished=datetime.now(UTC))
    results = [Graded(case=str(n), target="t", outcome="pass", value=v) for n, v in enumerate(values)]
    kept: Counter[float] = Counter()
    for batch in batches(data(report, results, SETTINGS)):
        assert len(batch) <= 1000
        for datum in batch:
            if datum["MetricName"] == "CompositeScore":
                assert len(datum["Values"]) == len(datum["Counts"]) <= 150
                kept.update({v: int(n) for v, n in zip(datum["Values"], datum["Counts"], strict=True)})
    assert kept == Counter(round(value, 6) for value in values)


def test_a_large_run_goes_in_requests_that_are_small_enough(report: Report) -> None:
    results = [Graded(case=str(n), target="t", outcome="pass", value=n / 20_000) for n in range(20_000)]
    sizes = [sum(len(each.get("Values", [0])) for each in batch) for batch in batches(data(report, results, SETTINGS))]
    assert max(sizes) <= 6000
    assert len(sizes) == 4


async def test_a_refusal_names_the_cause_and_no_secret(server: Server, report: Report, results: list[Graded]) -> None:
    denied = b'{"__type":"com.amazonaws#AccessDeniedException","message":"not allowed: ' + SECRET.encode() + b'"}'
    server.answers = [
        (403, {"Content-Type": "application/json", "x-amzn-query-error": "AccessDenied;Sender"}, denied)
    ] * 9
    door = cloudwatch(ENV.get, endpoint_url=server.url)
    with pytest.raises(RefusedError) as caught:
        await publish(report, results, SETTINGS, door)
    door.close()
    assert SECRET not in str(caught.value)
    assert "CloudWatch" in str(caught.value)
    assert SECRET.encode() not in server.sent[0].body


async def test_a_busy_server_is_asked_again(server: Server, report: Report, results: list[Graded]) -> None:
    server.answers = [(503, {}, b"{}")]
    door = cloudwatch(ENV.get, endpoint_url=server.url)
    await door.put("A/B", [{"MetricName": "A", "Value": 1.0}])
    door.close()
    assert len(server.sent) == 2


async def test_nobody_there(report: Report, results: list[Graded]) -> None:
    door = cloudwatch(ENV.get, endpoint_url="http://127.0.0.1:1", timeout=2)
    with pytest.raises(UnreachableError, match="CloudWatch"):
        await publish(report, results, SETTINGS, door)
    door.close()


def test_no_region_is_said() -> None:
    env = {name: value for name, value in ENV.items() if name != "AWS_REGION"}
    with pytest.raises(ConfigError, match="region"):
        cloudwatch(env.get)


@table("namespace", ["", "AWS/Mine", ":x", "x" * 256])
def test_a_namespace_that_cannot_be(namespace: str) -> None:
    with pytest.raises(ValueError, match="namespace"):
        CloudWatchSettings(namespace=namespace)
