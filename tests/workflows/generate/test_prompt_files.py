from __future__ import annotations

from pathlib import Path

import pytest

from proctor.config import Config, open_config
from proctor.core.errors import InputError, NotFoundError
from proctor.workflows.generate.prompt_files import find_prompts, open_prompt_rules, prompt_named, suite_names

PROMPT = "Answer in one word.\nNever mention prices."
RULES = """
rules:
  - text: The answer is one word.
    predicate: words = 1
    source: {start: 0, end: 19, quote: Answer in one word.}
  - text: The answer names no price.
    disabled: true
"""


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "proctor.yaml").write_text("suites: {words: deep/word.md}\n", encoding="utf-8")
    for place in ("a.prompty", "deep/a.prompty", "deep/word.md", "notes.md", "m.metric.prompty", ".hidden/b.prompty"):
        path = tmp_path / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(PROMPT, encoding="utf-8")
    folder = tmp_path / "deep" / "word.tests"
    folder.mkdir()
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    (folder / "tests.yaml").write_text("name: word\ncases:\n  - {id: t1, input: Hi}\n", encoding="utf-8")
    return open_config(tmp_path)


def test_prompts_are_found_and_named_once(config: Config) -> None:
    found = find_prompts(config)
    assert [(each.name, each.place, each.has_tests) for each in found] == [
        ("a.prompty", "a.prompty", False),
        ("deep/a.prompty", "deep/a.prompty", False),
        ("word", "deep/word.md", True),
    ]
    assert prompt_named(config, "deep/word.md") == prompt_named(config, "word") == found[2]
    assert suite_names(config, found[2]) == ("words", "word.md")
    for wrong in ("../proctor.yaml", "notes.md", "m", ".hidden/b.prompty"):
        with pytest.raises(NotFoundError):
            prompt_named(config, wrong)


def test_a_prompt_is_read_with_its_rules_and_what_tests_cover(config: Config) -> None:
    read = open_prompt_rules(prompt_named(config, "word"))
    assert [rule.text for rule in read.rules] == ["The answer is one word.", "The answer names no price."]
    assert [rule.text for rule in read.enabled] == ["The answer is one word."]
    assert read.covered == {}
    assert not read.is_changed


def test_a_broken_file_is_named(config: Config) -> None:
    (config.folder / "deep" / "word.tests" / "rules.yaml").write_text("rules: 7\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        open_prompt_rules(prompt_named(config, "word"))
    assert "rules.yaml" in str(raised.value)
