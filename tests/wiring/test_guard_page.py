"""The examples of docs/guard.md and its pages, run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proctor.config import Environment, load_config
from proctor.wiring.guard_settings import check_guard

_DOCS = Path(__file__).parents[2] / "docs"
PAGE = "\n".join(
    (_DOCS / name).read_text(encoding="utf-8") for name in ("guard.md", "guard_configuration.md", "guard_reference.md")
)
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
YAML = [block for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if block.startswith("guard:")]


@pytest.mark.parametrize("code", PYTHON, ids=range(len(PYTHON)))
def test_an_example_does_what_it_says(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "guard.md", "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out.splitlines()
    said = re.findall(r"print\(.*?\)[ ]{2,}# (.*)", code)
    assert len(printed) == code.count("print(")
    for line in printed:
        assert line
    for words in said:
        if words != "the configured reply":
            assert any(words.lstrip("… ") in line for line in printed), words


@pytest.mark.parametrize("section", YAML, ids=range(len(YAML)))
def test_the_settings_shown_can_be_used(section: str, tmp_path: Path) -> None:
    section = section.replace(
        "my_gate: {isolate: true, ", "danger: {"
    )  # tests/wiring/test_gate_isolation.py has such a gate
    for file, name in re.findall(r"(\w+\.py):(\w+)", section):
        (tmp_path / file).write_text(f"def {name}(escalation):\n    pass\n", encoding="utf-8")
    path = tmp_path / "proctor.yaml"
    path.write_text(section, encoding="utf-8")
    named = {name: "a-value" for name in re.findall(r"\$\{(\w+)\}", section)}
    check_guard(load_config(path, Environment(values=named), start=tmp_path))
