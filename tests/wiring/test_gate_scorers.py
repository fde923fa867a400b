from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proctor.core.case import Check
from proctor.core.errors import ConfigError, InputError, MalformedError, SuiteError
from proctor.core.sockets import entailer_for_facts
from proctor.guard.gates.commitments import CommitmentsGate
from proctor.guard.gates.grounding import Grounding
from proctor.guard.gates.leak import Leak
from proctor.guard.gates.scored import Scored
from proctor.wiring.gate_scorers import prompt_text, scorer_sockets
from proctor.wiring.local_models import FAST
from proctor.wiring.scorers import with_fast_models
from tests.tables import table


def test_a_gates_other_settings_are_its_scorers() -> None:
    settings: dict[str, Any] = {"granted": ["refund"], "light": True, "action": "block", "nonsense": 1}
    made = scorer_sockets(CommitmentsGate, settings, None)
    assert made["commitments"].granted == ("refund",)  # type: ignore[attr-defined]
    assert settings == {"action": "block", "nonsense": 1}


def test_a_scorer_is_named_with_or_without_settings() -> None:
    assert scorer_sockets(Scored, {"scorer": "relevance"}, None)["scorer"].name == "relevance"
    made = scorer_sockets(Scored, {"scorer": {"length": {"at_most": 5}}}, None)["scorer"]
    assert made.at_most == 5  # type: ignore[attr-defined]


def test_a_gates_scorer_asks_the_small_networks_alone_unless_told_otherwise() -> None:
    grounded: Any = scorer_sockets(Grounding, {}, None)["grounded"]
    named: Any = scorer_sockets(Scored, {"scorer": "factual_accuracy"}, None)["scorer"]
    for scorer in (grounded, named):
        assert entailer_for_facts(scorer.entailer) is scorer.entailer
        assert type(scorer.grounder) is FAST["grounder"]
    thorough: Any = scorer_sockets(Grounding, {"entailer": "local"}, None)["grounded"]
    assert entailer_for_facts(thorough.entailer) is not thorough.entailer
    assert type(thorough.grounder) is FAST["grounder"]


def test_a_check_that_shares_a_process_with_gates_asks_the_small_networks_alone() -> None:
    fast = {"entailer": "fast", "grounder": "fast"}
    assert with_fast_models(Check(scorer="factual_accuracy")).settings == fast
    told = with_fast_models(Check(scorer="factual_accuracy", settings={"grounder": "local"}))
    assert told.settings == {**fast, "grounder": "local"}
    for check in (Check(scorer="length", settings={"at_most": 5}), Check(scorer="no_such_scorer")):
        assert with_fast_models(check) is check


@table("asked", ["no_such_scorer", {"length": {"nonsense": 1}}, {"length": 5}, None, []])
def test_what_is_wrong_is_said(asked: Any) -> None:
    with pytest.raises(InputError):
        scorer_sockets(Scored, {"scorer": asked}, None)


def test_wrong_settings_of_the_scorer_are_said() -> None:
    with pytest.raises((MalformedError, SuiteError), match="granted"):
        scorer_sockets(CommitmentsGate, {"granted": ["no such entry"]}, None)


def test_a_gate_without_a_scorer_has_none() -> None:
    assert scorer_sockets(Leak, {}, None) == {}


def test_a_prompt_is_words_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "desk.prompty").write_text("---\nname: desk\n---\nsystem:\nBe kind.\n", encoding="utf-8")
    assert prompt_text("desk.prompty", tmp_path) == "system:\nBe kind.\n"
    assert prompt_text("You are kind.\nSee desk.md", tmp_path) == "You are kind.\nSee desk.md"
    assert prompt_text("You are kind.", tmp_path) == "You are kind."
    with pytest.raises(ConfigError, match="cannot be read"):
        prompt_text("gone.md", tmp_path)
    (tmp_path / "large.txt").write_bytes(b"a" * 1_000_001)
    with pytest.raises(ConfigError, match="larger than 1 MB"):
        prompt_text("large.txt", tmp_path)
