"""The comparison with the careful reader counts what was found, missed, found beyond, and checked otherwise."""

from __future__ import annotations

from typing import Any

from benchmarks.extraction import compare, table

from proctor.core.rule import Rule, Span

TEXT = "Use at most 80 words. Be polite. Cite the page."


def _rule(text: str, quote: str, predicate: str | None = None) -> Rule:
    start = TEXT.index(quote)
    return Rule(text=text, source=Span(start=start, end=start + len(quote), quote=quote), predicate=predicate)


def test_a_row_tells_what_was_found_missed_and_checked() -> None:
    rules = [
        _rule("The output has at most 80 words.", "Use at most 80 words.", "words <= 80"),
        _rule("The output is polite.", "Be polite.", "words >= 1"),
        _rule("The output is short.", "Use at most 80 words."),
    ]
    wanted: list[dict[str, Any]] = [
        {"text": "80 words", "predicate": "words <= 80", "where": "at most 80 words", "words": ["80|eighty"]},
        {"text": "polite", "predicate": None, "where": "Be polite", "words": ["polite"]},
        {"text": "cites", "predicate": None, "where": "Cite the page", "words": ["cite"]},
        {"text": "page", "predicate": None, "where": "the page", "words": ["page"], "optional": True},
    ]
    row = compare(rules, wanted, TEXT, "x")
    assert (row.expected, row.found, row.missed) == (3, 2, ("cites",))
    assert row.extra == ("The output is short.",)
    assert (row.predicates_expected, row.predicates_right) == (1, 1)
    assert row.predicates_wrong == ("polite expected None, got words >= 1",)
    assert "| x | 3 | 2 | 1 | 2 | 1 | 1 |" in table([row])
