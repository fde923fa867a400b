"""The three findings of the document: they succeed against the unguarded desk and fail against the guarded one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.server import ChatServer
from tests.examples.copied import copied

pytestmark = pytest.mark.xdist_group("travel_desk")
FINDINGS = {"finding-other-scripts", "finding-two-intents", "finding-false-premise"}


def test_the_findings_of_the_document_succeed_without_the_guard_and_fail_with_it(tmp_path: Path) -> None:
    with ChatServer() as server:
        desk = copied("travel_desk", tmp_path, server)
        settings = (tmp_path / "proctor.yaml").read_text()
        desk.write("proctor.yaml", settings.replace("timeout: 2 ", "timeout: 60 "))  # other tests use the same cores
        desk.run("redteam", "run", "document", "--attempts", "10", "-q", code=1)
        found = json.loads(desk.run("redteam", "triage", "document", "--json", code=0).stdout)
        assert {each["goal"] for each in found} == FINDINGS
        assert {each["status"] for each in found} == {"open"}
        done = desk.run("redteam", "retest", "document", "--guarded", "--after", "the gates", "-q", code=0)
        assert "PASSED: no goal was reached in 30 scored attempts" in done.stdout
        found = json.loads(desk.run("redteam", "triage", "document", "--json", code=0).stdout)
        assert {each["goal"]: (each["status"], each["retest"]) for each in found} == dict.fromkeys(
            FINDINGS, ("retested", "fixed")
        )
