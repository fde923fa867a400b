"""The text format, read back by the rules of the format, and pushed to a real local server."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.errors import OverloadedError, RejectedError, UnreachableError
from proctor.core.report import Cell, Report
from proctor.models.pool import Pool
from proctor.report.publish.prometheus import PrometheusSettings, file_name, group_url, push, text
from tests.tables import table

from .conftest import Server

Series = dict[tuple[str, frozenset[tuple[str, str]]], float]
_SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)")
_PAIR = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\\\|\\"|\\n)*)"(?:,|$)')


def read(page: str) -> Series:
    """A strict reader: every family is told once, before its samples, and no sample is there twice."""
    assert page.endswith("\n")
    found: Series = {}
    family, done = "", set()
    for line in page.removesuffix("\n").split("\n"):
        if line.startswith("# HELP "):
            family = line.split(" ")[2]
            assert family not in done
            done.add(family)
        elif line.startswith("# TYPE "):
            assert line == f"# TYPE {family} gauge"
        else:
            match = _SAMPLE.fullmatch(line)
            assert match, line
            assert match[1] == family
            pairs = _PAIR.findall(match[2] or "")
            assert "".join(f'{name}="{value}",' for name, value in pairs) == (f"{match[2]}," if match[2] else "")
            unescaped = {
                (name, re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), value)) for name, value in pairs
            }
            key = (match[1], frozenset(unescaped))
            assert key not in found
            found[key] = float(match[3])
    return found


def _find(series: Series, name: str, **labels: str) -> float:
    return next(value for (known, had), value in series.items() if known == name and set(labels.items()) <= had)


def test_every_figure_of_the_run(report: Report) -> None:
    found = read(text(report, PrometheusSettings(labels={"team": "shop"})))
    suite = 'manga "store"/all'
    assert _find(found, "proctor_score", suite=suite, target="shop", dimension="relevance", team="shop") == 0.75
    assert _find(found, "proctor_intent_score", dimension="relevance", intent="faq") == 0.5
    assert _find(found, "proctor_part_score", dimension="relevance", part="intent_relevance") == 0.7
    assert _find(found, "proctor_cases", outcome="unscored") == 1
    assert _find(found, "proctor_pass_rate", target="shop") == 0.5
    assert _find(found, "proctor_run_passed") == 0
    assert _find(found, "proctor_run_info", run="run-1", trigger="prompt_change") == 1
    assert _find(found, "proctor_model_cost_dollars", model="openai:gpt", role="judge") == 0.5
    assert _find(found, "proctor_run_duration_seconds") == 30


def test_what_is_not_known_is_not_there(report: Report) -> None:
    found = read(text(replace(report, decision="unjudged"), PrometheusSettings()))
    names = {(name, dict(labels).get("dimension"), dict(labels).get("model")) for name, labels in found}
    assert ("proctor_score", "fluency", None) not in names
    assert ("proctor_unscored_cases", "fluency", None) in names
    assert ("proctor_model_cost_dollars", None, "local:x") not in names
    assert not any(name == "proctor_run_passed" for name, _, _ in names)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_name_is_read_back_as_one_line(suite: str, intent: str) -> None:
    cells = (Cell(dimension="relevance", intent=intent, target="t", mean=0.5),)
    found = read(text(Report(id="r", name=suite, by_dimension=cells), PrometheusSettings()))
    said = intent.replace("\r", " ").encode(errors="replace").decode()
    if said:
        assert _find(found, "proctor_intent_score", intent=said) == 0.5


def test_the_group_of_a_suite_is_replaced(report: Report) -> None:
    settings = PrometheusSettings(push="http://gateway:9091/")
    packed = base64.urlsafe_b64encode(b'manga "store"/all').decode().rstrip("=")
    assert group_url(settings, report) == f"http://gateway:9091/metrics/job/proctor/suite@base64/{packed}"
    plain = replace(report, name="désk 1")
    assert group_url(settings, plain) == "http://gateway:9091/metrics/job/proctor/suite/d%C3%A9sk%201"
    assert group_url(settings, replace(report, name="")).endswith("/suite@base64/=")


async def test_a_push_over_the_wire(server: Server, report: Report) -> None:
    settings = PrometheusSettings(push=server.url, job="night ly", headers={"Authorization": "Basic c2VjcmV0"})
    async with Pool() as pool:
        await push(report, settings, pool)
    (sent,) = server.sent
    assert sent.method == "PUT"
    assert sent.path.startswith("/metrics/job/night%20ly/suite@base64/")
    assert sent.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert sent.headers["authorization"] == "Basic c2VjcmV0"
    assert _find(read(sent.body.decode()), "proctor_score", dimension="relevance") == 0.75


async def test_a_gateway_that_is_busy_is_asked_again(server: Server, report: Report) -> None:
    server.answers = [(503, {"Retry-After": "0"}, b""), (429, {"Retry-After": "0"}, b"")]
    async with Pool() as pool:
        await push(report, PrometheusSettings(push=server.url), pool)
    assert len(server.sent) == 3


async def test_a_gateway_that_refuses_is_told_without_the_key(server: Server, report: Report) -> None:
    settings = PrometheusSettings(push=server.url, headers={"Authorization": "Bearer s3cr3t-s3cr3t-s3cr3t"})
    server.answers = [(400, {}, b"bad metrics for Bearer s3cr3t-s3cr3t-s3cr3t")]
    async with Pool() as pool:
        with pytest.raises(RejectedError, match="status 400") as caught:
            await push(report, settings, pool)
        assert "s3cr3t" not in str(caught.value)
        server.answers = [(500, {}, b"")]
        with pytest.raises(OverloadedError, match="status 500"):
            await push(report, settings, pool)
    assert len(server.sent) == 2


async def test_nobody_there(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.report.publish.http_delivery._LONGEST_WAIT", 0.0)
    async with Pool() as pool:
        with pytest.raises(UnreachableError):
            await push(report, PrometheusSettings(push="http://127.0.0.1:1"), pool)


def test_a_file_is_named_for_its_suite(report: Report, tmp_path: Path) -> None:
    assert file_name(PrometheusSettings(file="m/{suite}.prom"), report) == "m/manga--store--all.prom"
    assert file_name(PrometheusSettings(), report) is None


@table("wrong", [{"push": "gateway:9091"}, {"job": " "}, {"labels": {"a-b": "c"}}, {"timeout": 0}])
def test_settings_that_cannot_be(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"."):
        PrometheusSettings(**wrong)  # type: ignore[arg-type]
