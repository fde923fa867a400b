from __future__ import annotations

from tests.tables import table

from proctor.generate.required_rules import demanded_rules
from proctor.prompts.load import parse_prompt


@table(
    ("text", "predicates"),
    [
        ("You must answer with at most 20 words.", ["words <= 20"]),
        ("You may not use emojis.", ["emoji = 0"]),
        ("You may answer with at most 20 words.", []),
        ("Usually answer with at most 20 words.", []),
        ("If it may be shown, answer with at most 20 words.", [None]),
    ],
)
def test_what_is_only_allowed_is_not_demanded(text: str, predicates: list[str | None]) -> None:
    assert [rule.predicate for rule in demanded_rules(parse_prompt(text))] == predicates
