"""Evaluation events as OTLP has them, over the wire to a real local server."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proctor.core.errors import RefusedError, ReplyError
from proctor.core.report import Report
from proctor.models.pool import Pool
from proctor.report.publish.otel import OtelSettings, events, from_environment, publish, requests
from proctor.report.publish.published_result import Graded

from .conftest import ENDED, Server


def _read(record: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a record, each value by its one OTLP type."""
    found = {}
    for pair in record["attributes"]:
        ((kind, value),) = pair["value"].items()
        assert kind in ("stringValue", "intValue", "doubleValue", "boolValue")
        found[pair["key"]] = int(value) if kind == "intValue" else value
    return found


async def test_events_over_the_wire(server: Server, report: Report, results: list[Graded]) -> None:
    settings = OtelSettings(endpoint=server.url, service="manga", headers={"x-key": "k"}, attributes={"env": "ci"})
    async with Pool() as pool:
        assert await publish(report, results, settings, pool) == 3
    (sent,) = server.sent
    assert (sent.method, sent.path, sent.headers["content-type"]) == ("POST", "/v1/logs", "application/json")
    assert sent.headers["x-key"] == "k"
    (logs,) = json.loads(sent.body)["resourceLogs"]
    resource = {each["key"]: each["value"]["stringValue"] for each in logs["resource"]["attributes"]}
    assert resource["service.name"] == "manga"
    assert resource["proctor.run.id"] == "run-1"
    assert resource["env"] == "ci"
    records = logs["scopeLogs"][0]["logRecords"]
    assert [record["eventName"] for record in records] == ["gen_ai.evaluation.result"] * 3
    good, bad, missing = map(_read, records)
    assert good["gen_ai.evaluation.name"] == "relevance"
    assert good["gen_ai.evaluation.score.value"] == 0.9
    assert good["gen_ai.evaluation.score.label"] == "pass"
    assert good["gen_ai.evaluation.explanation"] == "the opening is off the question"
    assert good["gen_ai.response.id"] == "resp-1"
    assert bad["gen_ai.evaluation.score.label"] == "fail"
    assert "gen_ai.evaluation.score.value" not in missing
    assert missing["error.type"] == "not_scored"
    assert missing["proctor.intent"] == "挨拶"
    assert int(records[0]["timeUnixNano"]) == round(ENDED.timestamp() * 1e6) * 1000
    assert records[0]["traceId"] == "0af7651916cd43dd8448eb211c80319c"
    assert "spanId" not in records[0]  # "zz" is none
    assert [record["severityText"] for record in records] == ["INFO", "WARN", "WARN"]


def test_parts_are_events_where_they_are_asked_for(report: Report, results: list[Graded]) -> None:
    found = [_read(each) for each in events(report, results[:1], OtelSettings(parts=True))]
    assert [each["gen_ai.evaluation.name"] for each in found] == ["relevance", "relevance.intent_relevance"]


def test_a_large_run_goes_in_batches(report: Report, results: list[Graded]) -> None:
    many = (replace(results[0], case=str(number)) for number in range(1100))
    assert [count for count, _ in requests(report, many, OtelSettings())] == [512, 512, 76]


async def test_what_the_collector_did_not_keep_is_told(server: Server, report: Report, results: list[Graded]) -> None:
    server.answers = [(200, {}, b'{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"too old"}}')]
    async with Pool() as pool:
        with pytest.raises(ReplyError, match="2 of 3 events: too old"):
            await publish(report, results, OtelSettings(endpoint=server.url), pool)


@pytest.mark.parametrize("body", [b"", b"{}", b'{"partialSuccess":{}}', b"null", b'{"partialSuccess":[]}', b"<html>"])
async def test_any_other_yes_is_a_yes(server: Server, report: Report, results: list[Graded], body: bytes) -> None:
    server.answers = [(200, {}, body)]
    async with Pool() as pool:
        assert await publish(report, results, OtelSettings(endpoint=server.url), pool) == 3


async def test_a_refusal(server: Server, report: Report, results: list[Graded]) -> None:
    server.answers = [(401, {}, b"who are you")]
    async with Pool() as pool:
        with pytest.raises(RefusedError, match="collector answered with status 401"):
            await publish(report, results, OtelSettings(endpoint=server.url), pool)


def test_the_address_of_log_records() -> None:
    assert OtelSettings(endpoint="http://c:4318/").url == "http://c:4318/v1/logs"
    assert OtelSettings(endpoint="http://c/v1/logs").url == "http://c/v1/logs"
    assert OtelSettings(endpoint="http://c/otlp?key=1").url == "http://c/otlp/v1/logs?key=1"


def test_the_variables_that_opentelemetry_names() -> None:
    env = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318",
        "OTEL_EXPORTER_OTLP_HEADERS": "api-key=abc, other=d=e",
        "OTEL_SERVICE_NAME": "shop",
    }
    found = from_environment(OtelSettings(), {}, env.get)
    assert (found.endpoint, found.service) == ("http://collector:4318", "shop")
    assert found.headers == {"api-key": "abc", "other": "d=e"}
    kept = from_environment(OtelSettings(endpoint="http://mine"), {"endpoint": "http://mine"}, env.get)
    assert kept.endpoint == "http://mine"


def test_an_endpoint_that_is_none() -> None:
    with pytest.raises(ValueError, match="endpoint"):
        OtelSettings(endpoint="localhost:4317")
