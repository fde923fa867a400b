from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config, Environment, load_config
from proctor.core.case import Check, Suite
from proctor.core.errors import ConfigError, MalformedError
from proctor.runner.grade import Grader
from proctor.wiring.scorers import GraderFactory


def config_of(folder: Path, text: str) -> Config:
    path = folder / "proctor.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, Environment(values={}), start=folder)


def grader_of(config: Config, scorer: str, **settings: Any) -> Grader:
    return GraderFactory(Suite(name="s"), None, config=config).grader(Check(scorer=scorer, settings=settings))


def scorer_of(config: Config, scorer: str, **settings: Any) -> Any:
    return grader_of(config, scorer, **settings).scorer


def test_thresholds_weights_and_tone_of_an_intent_reach_quality(tmp_path: Path) -> None:
    config = config_of(
        tmp_path,
        """
intents:
  faq: {threshold: 0.85, weights: {factual_accuracy: 1}, floors: {factual_accuracy: 0.7}, tone: [warm, plain]}
  chitchat: {optional: [factual_accuracy], tone: warm}
""",
    )
    scorer = scorer_of(config, "quality")
    assert scorer.intents["faq"].threshold == 0.85
    assert scorer.intents["faq"].weights == {"factual_accuracy": 1}
    assert scorer.intents["faq"].floor("factual_accuracy") == 0.7
    assert scorer.intents["chitchat"].optional == ("factual_accuracy",)
    assert scorer.fluency["tones"] == {"faq": ["warm", "plain"], "chitchat": ["warm"]}
    assert scorer_of(config, "fluency").tones["chitchat"] == ("warm",)


def test_what_a_suite_sets_for_an_intent_replaces_what_the_project_sets(tmp_path: Path) -> None:
    config = config_of(tmp_path, "intents: {faq: {threshold: 0.85, weights: {fluency: 1}}, other: {threshold: 0.6}}")
    scorer = scorer_of(config, "quality", intents={"faq": {"threshold": 0.9}})
    assert scorer.intents["faq"].threshold == 0.9
    assert scorer.blend("faq").weights["relevance"] == 0.25, "nothing of the project's row is left"
    assert scorer.intents["other"].threshold == 0.6


def test_tools_of_an_intent_reach_permissions_and_the_conversation(tmp_path: Path) -> None:
    config = config_of(tmp_path, "intents: {faq: {tools: [search]}, order: {tools: [find_order]}}")
    assert scorer_of(config, "permissions").matrix == {"faq": ("search",), "order": ("find_order",)}
    own = scorer_of(config, "permissions", **{"": {"faq": ["browse"]}})
    assert own.matrix == {"faq": ("browse",), "order": ("find_order",)}
    conversation = scorer_of(config, "conversation")
    assert conversation.settings["permissions"]["matrix"]["faq"] == ["search"]


def test_a_change_of_the_projects_intents_is_a_change_of_the_scorer(tmp_path: Path) -> None:
    def specs(text: str) -> Any:
        grader_factory = GraderFactory(Suite(name="s"), None, config=config_of(tmp_path, text))
        grader_factory.grader(Check(scorer="quality"))
        grader_factory.grader(Check(scorer="contains", settings={"value": "x"}))
        return grader_factory.specs()

    none, low, high = specs("{}"), specs("intents: {faq: {threshold: 0.5}}"), specs("intents: {faq: {threshold: 0.9}}")
    assert len({none["quality"], low["quality"], high["quality"]}) == 3
    assert none["contains"] == low["contains"] == high["contains"]


def test_a_mistake_in_an_intent_is_told_of_proctor_yaml(tmp_path: Path) -> None:
    config = config_of(tmp_path, "intents: {faq: {weights: {speed: 1}}}")
    with pytest.raises(ConfigError, match="no dimension 'speed'") as wrong:
        grader_of(config, "quality")
    assert wrong.value.file == str(config.path)
    assert wrong.value.field == "intents"
    with pytest.raises(MalformedError):  # the suite's own mistake stays the suite's
        grader_of(config, "quality", nothing=1)
