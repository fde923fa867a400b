"""An expectation fits a rule by place and words; a place may have an item number, words may be an expression."""

from __future__ import annotations

from benchmarks.prompt_rules.__main__ import fits

from proctor.core.rule import Rule, Span
from tests.tables import table

TEXT = "1. never say that you are an ai; 2. two to four sentences"


def _rule(quote: str) -> Rule:
    start = TEXT.index(quote)
    return Rule(text=f"{quote}.", source=Span(start=start, end=start + len(quote), quote=quote))


@table(
    ("at", "say", "right"),
    [
        ("1. never say that you are an ai", [r"\bAI\b"], True),
        ("never say that you are an ai;", ["human|ai"], True),
        ("1. never say that you are an ai", [r"\bAIR\b"], False),
        ("1. never say that you are an ai", ["a.i"], False),
        ("2. two to four sentences", ["(two|2)"], False),
    ],
)
def test_a_place_and_words_fit(at: str, say: list[str], right: bool) -> None:
    assert fits(_rule("never say that you are an ai;"), {"at": at, "say": say}, TEXT) is right
