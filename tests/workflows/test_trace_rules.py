"""The rules of a job: from a file, from a prompt, from a model beside it; and what decides between the two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config, Environment, Settings
from proctor.core.errors import InputError
from proctor.core.rule import Rule, Span
from proctor.wiring.models import ModelPool
from proctor.workflows import trace_rules
from proctor.workflows.trace_rules import TraceJob, check_trace_rules, read_trace_rules

PROMPT = "Always call get_policy before answering. Look at the booking first, always. Always be kind. Our motto: smile."


def config(folder: Path) -> Config:
    return Config(settings=Settings(), folder=folder, environment=Environment(values={}))


def placed(text: str, quote: str, predicate: str | None) -> Rule:
    start = PROMPT.index(quote)
    return Rule(text=text, predicate=predicate, source=Span(start=start, end=start + len(quote), quote=quote))


async def test_a_model_adds_predicates_where_code_read_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def found(*_: Any, **given: Any) -> tuple[Rule, ...]:
        assert [rule.predicate for rule in given["known"]] == ["get_policy before answer"]
        return (
            placed("The agent looks first.", "Look at the booking first", "first call is get_booking"),
            placed("The agent is always kind.", "Always be kind", None),
            placed("The agent reads the policy.", "call get_policy", "get_policy before answer"),
            placed("The agent smiles in words.", "Our motto: smile", None),
        )

    monkeypatch.setattr(trace_rules, "find_trace_rules", found)
    monkeypatch.setattr(ModelPool, "get", lambda *_, **__: None)
    (tmp_path / "agent.md").write_text(PROMPT)
    rules = await read_trace_rules(config(tmp_path), TraceJob(prompt=tmp_path / "agent.md", model="any"))
    # The model's own predicate takes the place of the judged rule on the same words; nothing is there twice.
    assert [(rule.text, rule.predicate) for rule in rules] == [
        ("Always call get_policy before answering.", "get_policy before answer"),
        ("Always be kind.", None),
        ("The agent looks first.", "first call is get_booking"),
        ("The agent smiles in words.", None),
    ]


async def test_a_file_without_conversations_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "agent.md").write_text(PROMPT)
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError):
        await check_trace_rules(
            config(tmp_path), TraceJob(prompt=tmp_path / "agent.md", recordings=(tmp_path / "none",))
        )
