from __future__ import annotations

from pathlib import Path

import pytest
from tests.suites.conversations.logs import lines

from proctor.core.case import Check
from proctor.core.errors import MalformedError, SuiteError
from proctor.suites.conversations.suite import open_recorded_suite

CHAT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
CHECKS = """\
name: desk
scorers: [fluency]
defaults: {tags: [live], expect: {forbidden: [idiot]}}
cases:
  - {id: a, intent: greeting, expect: {facts: [ho]}, checks: [{contains: ho}]}
  - {id: gone, expect: {facts: [x]}}
"""


def test_what_is_known_is_laid_over_each_conversation(tmp_path: Path) -> None:
    log = lines(tmp_path, {"id": "a", "messages": CHAT}, {"id": "b", "messages": CHAT})
    (tmp_path / "checks.yaml").write_text(CHECKS)
    suite = open_recorded_suite([log], checks=tmp_path / "checks.yaml", default=[Check(scorer="conversation")])
    first, second = suite.cases()
    assert suite.suite.scorers == (Check(scorer="fluency"),)
    assert (first.intent, first.expect.facts, first.expect.forbidden) == ("greeting", ("ho",), ("idiot",))
    assert first.checks == (Check(scorer="contains", settings={"": "ho"}),)
    assert (second.tags, second.expect.facts, second.expect.forbidden) == (("live",), (), ("idiot",))
    assert suite.missing() == ["gone"]


def test_gold_of_a_benchmark_stays_where_nothing_else_is_said(tmp_path: Path) -> None:
    log = lines(tmp_path, {"task_id": 1, "reward": 0, "messages": CHAT, "task": {"actions": [], "outputs": ["ho"]}})
    (tmp_path / "checks.yaml").write_text("scorers: [fluency]\ncases: [{id: '1', expect: {escalation: true}}]\n")
    (case,) = open_recorded_suite([log], checks=tmp_path / "checks.yaml").cases()
    assert case.expect.facts == ("ho",)
    assert case.expect.escalation is True
    assert case.expect.extra["complete"] is True


def test_without_a_file_the_default_judges(tmp_path: Path) -> None:
    log = lines(tmp_path, {"id": "a", "messages": CHAT})
    assert open_recorded_suite([log], default=[Check(scorer="x")]).suite.scorers == (Check(scorer="x"),)
    (tmp_path / "checks.yaml").write_text("name: none\ncases: []\n")
    suite = open_recorded_suite([log], checks=tmp_path / "checks.yaml", default=[Check(scorer="x")])
    assert suite.suite.scorers == (Check(scorer="x"),)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("cases:\n  - {expect: {facts: [x]}}\n", None, "needs the id"),
        ("cases:\n  - id: a\n    expekt: {}\n", 3, "unknown key"),
        ("cases:\n  - {id: a}\n  - {id: a}\n", None, "twice"),
    ],
)
def test_what_is_wrong_with_the_checks_is_told(tmp_path: Path, text: str, line: int | None, what: str) -> None:
    log = lines(tmp_path, {"id": "a", "messages": CHAT})
    (tmp_path / "checks.yaml").write_text(text)
    with pytest.raises((SuiteError, MalformedError), match=what) as caught:
        open_recorded_suite([log], checks=tmp_path / "checks.yaml")
    assert line is None or caught.value.line == line
