"""`proctor publish` as a user calls it, to real local servers."""

from __future__ import annotations

import json
from typing import Any

from tests.cli.conftest import Project
from tests.report.publish.conftest import Server
from tests.report.publish.conftest import server as _server

web_server = _server


def test_to_files_by_configuration(project: Project, suite_of: Any) -> None:
    project.run("run", suite_of(3, bad=(1,)), code=1)
    more = 'publish:\n  jsonl: {file: "out/{suite}.jsonl"}\n  prometheus: {file: "out/${NAME:-p}.prom"}\n'
    project.write("proctor.yaml", (project.folder / "proctor.yaml").read_text(encoding="utf-8") + more)
    done = project.run("publish", code=0)
    assert "jsonl: wrote" in done.stderr
    rows = [json.loads(line) for line in (project.folder / "out/suite.jsonl").read_text().splitlines()]
    assert [row["kind"] for row in rows] == ["run", "result", "result", "result"]
    assert 'proctor_cases{suite="suite",target=' in (project.folder / "out/p.prom").read_text()


def test_a_dry_run_needs_no_key_and_sends_nothing(project: Project, suite_of: Any) -> None:
    project.run("run", suite_of(2), code=0)
    places = ("cloudwatch", "prometheus", "otel", "jsonl")
    done = project.run("publish", *(word for place in places for word in ("--to", place)), "--dry-run", code=0)
    assert '"Namespace": "Proctor/Evaluation"' in done.stdout
    assert "gen_ai.evaluation.result" in done.stdout
    assert "# TYPE proctor_run_info gauge" in done.stdout
    assert {path.name for path in project.folder.iterdir()} == {"proctor.yaml", "suite.jsonl", ".proctor"}


def test_a_place_that_does_not_take_it_leaves_the_others_theirs(
    project: Project, suite_of: Any, web_server: Server
) -> None:
    project.run("run", suite_of(2), code=0)
    web_server.answers = [(400, {}, b"no")]
    done = project.run("publish", "--to", "otel", "--to", "prometheus", "--url", web_server.url, code=3)
    assert "the collector answered with status 400" in done.stderr
    assert "pushed to the gateway" in done.stderr
    assert [sent.method for sent in web_server.sent] == ["POST", "PUT"]


def test_wrong_input_is_told(project: Project, suite_of: Any) -> None:
    assert "no runs yet" in project.run("publish", "--to", "jsonl", code=2).stderr
    project.run("run", suite_of(2), code=0)
    assert "no place" in project.run("publish", code=2).stderr
    assert "neither a file nor a push gateway" in project.run("publish", "--to", "prometheus", code=2).stderr
    assert "had no target" in project.run("publish", "--to", "jsonl", "-t", "zz", code=2).stderr
    project.run("publish", "--to", "nowhere", code=2)
    base = (project.folder / "proctor.yaml").read_text(encoding="utf-8")
    project.write("proctor.yaml", base + "publish: {clodwatch: {}}\n")
    assert "did you mean 'cloudwatch'" in project.run("publish", code=2).stderr
    project.write("proctor.yaml", base + "publish: {otel: {endpiont: x}}\n")
    assert "publish.otel.endpiont" in project.run("publish", code=2).stderr
