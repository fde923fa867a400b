"""Which rules are kept when there are more than asked for."""

from __future__ import annotations

from proctor.core.rule import Rule
from proctor.generate.build_rules import _first


def test_rules_of_the_model_go_before_those_of_code_and_safety_before_the_rest() -> None:
    safe = Rule(text="Give no medical advice.", kind="safety", origin="model")
    checked = Rule(text="At most 80 words.", predicate="words <= 80", origin="model")
    plain = Rule(text="Be friendly.", kind="style", priority=1, origin="model")
    coded = [Rule(text=f"Rule {at}.", priority=2, origin="extractor") for at in range(7)]
    kept = _first([plain, checked, safe, *coded], 4, {rule.id for rule in coded})
    assert kept == [safe, checked, plain, coded[0]]
