from __future__ import annotations

from pathlib import Path

from tests.tables import table

from proctor.core.case import Check
from proctor.suites.generated import is_prompt, joined, metric_name, metrics_beside
from proctor.suites.load import LoadedSuite, open_suite


def suite(folder: Path, name: str, *ids: str, more: str = "") -> LoadedSuite:
    path = folder / name
    cases = "".join(f"  - {{id: {each}, inputs: {{text: hello}}}}\n" for each in ids)
    path.write_text(f"name: {path.stem}\n{more}cases:\n{cases}", encoding="utf-8")
    return open_suite(path)


def test_a_further_suite_comes_behind_and_no_test_is_there_twice(tmp_path: Path) -> None:
    tests = suite(tmp_path, "tests.yaml", "a", "b")
    found = joined(tests, [suite(tmp_path, "baseline.yaml", "b", "c")], [Check(scorer="rules")])
    assert [case.id for case in found.cases()] == ["a", "b", "c"]
    assert [case.id for case in found.cases()] == ["a", "b", "c"]
    assert found.suite.name == "tests"
    assert [check.scorer for check in found.suite.scorers] == ["rules"]
    assert found.place("c") == (tmp_path / "baseline.yaml", 4)


def test_what_a_person_wrote_goes_before_what_is_added(tmp_path: Path) -> None:
    tests = suite(tmp_path, "tests.yaml", "a", more="scorers:\n  - rules: [Says why.]\n  - exact\n")
    checks = [Check(scorer="rules", settings={"rules": ["Other."]}), Check(scorer="metric", name="nice")]
    found = joined(tests, (), checks).suite.scorers
    assert [check.name or check.scorer for check in found] == ["rules", "exact", "nice"]
    assert found[0].settings == {"": ["Says why."]}


@table(
    ("name", "prompt"),
    [
        ("a.prompty", True),
        ("a.PROMPTY", True),
        ("b.prompt.yml", True),
        ("c.md", True),
        ("d.txt", True),
        ("suite.yaml", False),
        ("suite.yml", False),
        ("cases.jsonl", False),
        ("folder", False),
    ],
)
def test_prompts_are_told_from_suites(name: str, prompt: bool) -> None:
    assert is_prompt(name) is prompt


def test_a_chat_in_yaml_is_a_prompt(tmp_path: Path) -> None:
    chat, suite = tmp_path / "chat.yml", tmp_path / "suite.yml"
    chat.write_text("name: x\nmessages:\n  - {role: user, content: Hi}\n")
    suite.write_text("name: x\ncases:\n  - input: |\n      messages: here\n")
    assert is_prompt(chat)
    assert not is_prompt(suite)


def test_metrics_beside_a_prompt(tmp_path: Path) -> None:
    for name in ("b.metric.prompty", "a.metric.prompty", "tag.prompty", "c.metric.md"):
        (tmp_path / name).touch()
    found = metrics_beside(tmp_path / "tag.prompty")
    assert [metric_name(path) for path in found] == ["a", "b"]
