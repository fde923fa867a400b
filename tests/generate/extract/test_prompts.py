"""Prompts of many kinds: what is found in them, what is not, and with which predicate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.tables import table

from proctor.core.rule import Rule
from proctor.generate.extract import extract_rules
from proctor.prompts.load import parse_prompt
from proctor.prompts.yaml_text import read_yaml
from proctor.text.predicates import parse

PROMPTS: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("prompts.yaml").read_text(encoding="utf-8"))


def _says(rule: Rule, words: list[Any]) -> bool:
    return all(str(word).lower() in rule.text.lower() for word in words)


@table("row", PROMPTS, ids=lambda row: row["name"])
def test_a_careful_reader_agrees(row: dict[str, Any]) -> None:
    rules = list(extract_rules(parse_prompt(row["prompt"])))
    for wanted in row["rules"]:  # a rule is a sentence of the prompt, so it may say several of them
        fitting = [rule for rule in rules if _says(rule, wanted["has"])]
        assert fitting, f"no rule says {wanted['has']}: {[rule.text for rule in rules]}"
        predicate = wanted.get("predicate")
        right = [rule for rule in fitting if predicate in ("any", rule.predicate)]
        assert right, f"{wanted['has']} should be checked by {predicate}: {[rule.predicate for rule in fitting]}"
    assert len(rules) <= row["most"], [rule.text for rule in rules]
    for word in row.get("never", ()):
        assert not any(_says(rule, [word]) for rule in rules), word


@table("row", PROMPTS, ids=lambda row: row["name"])
def test_every_rule_is_grounded_and_its_predicate_is_known(row: dict[str, Any]) -> None:
    prompt = parse_prompt(row["prompt"])
    for rule in extract_rules(prompt):
        assert rule.source is not None
        assert rule.source.quote == prompt.text[rule.source.start : rule.source.end]
        assert rule.origin == "extractor"
        assert rule.groundedness == 1.0
        assert rule.predicate is None or parse(rule.predicate).text == rule.predicate


@table("row", PROMPTS, ids=lambda row: row["name"])
def test_no_rule_is_there_twice(row: dict[str, Any]) -> None:
    rules = extract_rules(parse_prompt(row["prompt"]))
    assert len({rule.id for rule in rules}) == len(rules)
    checked = [rule.predicate for rule in rules if rule.predicate]
    assert len(set(checked)) == len(checked)
