"""What a clause asks, whatever part it is of."""

from __future__ import annotations

from tests.tables import table

from proctor.generate.extract.clause_requests import find_requests
from proctor.generate.extract.prompt_scope import PromptScope


@table(
    ("text", "asked"),
    [
        ("at most 12 words", "words <= 12"),
        ("one sentence only", "sentences <= 1"),
        ("5 to 12 techniques", "(items between 5 and 12 or lines between 5 and 12)"),
        ("alles in Kleinbuchstaben", "case is lower"),
        ("nella forma GG/MM/AAAA", "matches /\\d{2}\\/\\d{2}\\/\\d{4}/"),
        ("one of: low, medium, high", 'one of "low", "medium", "high" ignoring case'),
        ("può essere solo g, ml, pz o qb", 'one of "g", "ml", "pz", "qb" ignoring case'),
        ("without a full stop.", 'not (ends with ".", "。")'),
    ],
)
def test_a_request_has_its_predicate(text: str, asked: str) -> None:
    assert asked in [each for each, _, _ in find_requests(text, PromptScope(language="en"))]


@table("text", ["not in lower case", "exactly 16 words", "only for water, gas or fire"])
def test_what_is_denied_or_too_exact_is_none(text: str) -> None:
    assert not [each for each, _, _ in find_requests(text, PromptScope(language="en")) if "emoji" not in each]
