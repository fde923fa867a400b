"""Predicates beside each other: what another sentence takes back, or lets be missing."""

from __future__ import annotations

from tests.tables import table

from proctor.generate.extract import extract_rules
from proctor.generate.extract.settle_shapes import missing_values
from proctor.generate.extract.statements import statements_of
from proctor.prompts.load import parse_prompt
from proctor.text.predicates import parse

JSON = 'Return JSON:\n{"title": "...", "tags": ["..."]}\n\nKeep title under 8 words. '


def predicates(text: str) -> list[str]:
    return [rule.predicate for rule in extract_rules(parse_prompt(text)) if rule.predicate]


def fails(text: str, answer: str) -> list[str]:
    return [each for each in predicates(text) if parse(each).check(answer, inputs={}).ok is False]


@table(
    ("text", "answer"),
    [
        (f'{JSON}If it is no recipe, return {{"error": "no recipe"}}.', '{"error": "no recipe"}'),
        (f"{JSON}If it is no recipe, return {{}}.", "{}"),
        (f"{JSON}Use null where nothing is known.", '{"title": null, "tags": []}'),
        ("Answer in two to six numbered steps. If it is unsafe, say in one sentence why.", "It may burn you."),
        (
            'Say what to do. Sign with "The Desk". If a colleague takes over, put [[HANDOVER]] on the last line.',
            "Wait here.\nThe Desk\n[[HANDOVER]]",
        ),
        (
            "Reply with the query in a fenced block marked `sql`. End with a semicolon.",
            "```sql\nSELECT 1;\n```",
        ),
        ("Write 40 to 60 words. If the type is missing, answer MISSING TYPE.", "MISSING TYPE"),
        ("Write 40 to 60 words. If approval is missing, return BLOCKED: needs approval", "BLOCKED: needs approval"),
        ("Write 40 to 60 words. Om det är reklam svarar du bara: Ingen notis", "Ingen notis"),
        ("Write 40 to 60 words. Rechnungen nie; dann nur das Wort BRIEF ausgeben.", "BRIEF"),
    ],
)
def test_an_answer_of_another_case_is_right(text: str, answer: str) -> None:
    assert predicates(text)
    assert fails(text, answer) == []


def test_lists_are_not_banned_where_another_sentence_asks_for_their_signs() -> None:
    text = 'No lists. When I write STOP, give two lines that start with "+" and one that starts with "-".'
    assert fails(text, "+ calm\n+ quick\n- short") == []
    assert "items = 0" in predicates("No lists. When I write STOP, say goodbye.")


def test_what_is_missing_is_said_by_its_words() -> None:
    def values(text: str) -> tuple[str, ...]:
        return missing_values(statements_of(parse_prompt(text)))

    assert values("Use null.") == ("null",)
    assert values("Leave it empty.") == ("",)
    assert values("Always fill it in.") == ()
