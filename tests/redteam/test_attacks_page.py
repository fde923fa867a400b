"""docs/redteam_attacks.md: its examples run, and it names every technique."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from proctor.redteam.technique_registry import FAMILIES, load_attacks

PAGE = (Path(__file__).parents[2] / "docs" / "redteam_attacks.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("code", PROGRAMS, ids=range(len(PROGRAMS)))
def test_an_example_prints_what_its_comments_say(
    code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "attacks_page", type(sys)("attacks_page"))  # dataclasses look their module up
    exec(compile(code, "redteam_attacks.md", "exec"), {"__name__": "attacks_page"})
    expected = re.findall(r"print\(.*\)  # (.*)", code)
    assert expected
    assert capsys.readouterr().out.splitlines() == expected


def test_the_page_has_two_examples_and_names_every_technique_and_family() -> None:
    assert len(PROGRAMS) == 2
    named = set(re.findall(r"`([a-z0-9_]+)`", PAGE))
    assert {*load_attacks(), *FAMILIES} <= named
    assert len(PAGE.splitlines()) <= 200
