from __future__ import annotations

import pytest

from proctor.core.errors import MalformedError
from proctor.prompts.yaml_text import read_yaml
from proctor.release.floors import Floor, Floors
from proctor.release.policy import Policy, read_policy
from tests.tables import table

TEXT = """
alpha: 0.01
floors:
  recommendation: {relevance: {least: 0.75, consecutive: 3}}
  default: {quality: 0.75}
  all: {pass_rate: 0.9}
zero_tolerance:
  faq: [factual_accuracy.fact_coverage]
largest_drop: {relevance: 0.02, default: 0.05}
unscored: 0.02
missing: 1
"""


def test_the_file_is_read() -> None:
    policy = read_policy(read_yaml(TEXT))
    assert policy.floors["recommendation"]["relevance"] == Floor(least=0.75, consecutive=3)
    assert policy.floors["default"]["quality"] == Floor(least=0.75)
    assert policy.zero_tolerance == {"faq": ("factual_accuracy.fact_coverage",)}
    assert (policy.allowed_drop("relevance"), policy.allowed_drop("fluency")) == (0.02, 0.05)
    assert (policy.settings.alpha, policy.missing) == (0.01, 1)


def test_an_empty_file_is_the_default_policy() -> None:
    assert read_policy(read_yaml("")) == Policy()
    assert Policy(largest_drop=0.03).allowed_drop("fluency") == 0.03
    assert Policy(largest_drop={}).allowed_drop("fluency") == 0.0


@table(
    ("text", "said"),
    [
        ("floor: {}", "unknown key"),
        ("alpha: 2", "alpha must be between"),
        ("floors: {faq: {relevance: 1.5}}", "from 0 to 1"),
        ("floors: {faq: {relevance: {least: 0.5, runs: 3}}}", "unknown key"),
        ("floors: {faq: {relevance: {least: 0.5, consecutive: 0}}}", "at least 1"),
        ("zero_tolerance: {faq: factual_accuracy}", "expected a list"),
        ("unscored: -1", "unscored must be"),
        ("largest_drop: {relevance: 3}", "largest_drop must be"),
        ("largest_drop: much", "expected"),
        ("consecutive: 0", "consecutive must be"),
        ("missing: -1", "missing must be"),
        ("fewest_cases: 1", "fewest_cases must be"),
        ("[1, 2]", "expected a mapping"),
    ],
)
def test_a_mistake_in_the_file_is_refused(text: str, said: str) -> None:
    with pytest.raises(MalformedError, match=said):
        read_policy(read_yaml(text), file="gate.yaml")


def test_floors_by_intent() -> None:
    floors = Floors(by_intent={"default": {"fluency": Floor(least=0.5)}, "faq": {"relevance": Floor(least=0.8)}})
    assert floors.of("faq", "relevance") == Floor(least=0.8)
    assert floors.of("faq", "fluency") is None
    assert floors.of("chitchat", "fluency") == Floor(least=0.5)
    assert floors.of("all", "fluency") is None
