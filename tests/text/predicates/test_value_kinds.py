"""One value: a number, a date, an address, yes or no, nothing; lists and their order."""

from __future__ import annotations

from tests.tables import table

from proctor.text.predicates import parse

CASES = [
    ("is number", " 1,234.5 ", True),
    ("is number", "-3", True),
    ("is number", "45%", True),
    ("is number", "about 3", False),
    ("is number", "3 and 4", False),
    ("is number", "", False),
    ("is integer", "42", True),
    ("is integer", "1,000", True),
    ("is integer", "4.2", False),
    ("is integer", "four", False),
    ("number between 1 and 5", "4", True),
    ("number between 1 and 5", "9", False),
    ("number between 1 and 5", "Score: 4/5", True),
    ("number between 1 and 5", "I give it a 4.", True),
    ("number between 1 and 5", "none", False),
    ("number between 1 and 5", "Of 10 people, 7 liked it", None),
    ("number <= 0.5", "0.25", True),
    ("number = -2", "-2", True),
    ("is date", "2025-01-31", True),
    ("is date", "January 31, 2025", True),
    ("is date", "Friday, 31 January 2025", True),
    ("is date", "2025-02-30", False),
    ("is date", "on 2025-01-31 at noon", False),
    ("is iso date", "2025-01-31", True),
    ("is iso date", "31 January 2025", False),
    ("is iso date", "2025-02-30", False),
    ("is url", "https://example.com/a?b=c", True),
    ("is url", "see https://example.com", False),
    ("is url", "example.com", False),
    ("is email", "a.b@example.co.uk", True),
    ("is email", "a@b", False),
    ("is email", "write to a@example.com", False),
    ("is yes or no", "Yes.", True),
    ("is yes or no", "NO", True),
    ("is yes or no", "いいえ", True),
    ("is yes or no", "Yes, because", False),
    ("is empty", " \n", True),
    ("is empty", "x", False),
    ("no duplicates", '["a", "b"]', True),
    ("no duplicates", '["a", "A "]', False),
    ("no duplicates", "- a\n- b\n- a", False),
    ("no duplicates", "a, b, c", True),
    ("in alphabetical order", "- Ant\n- bee\n- Cat", True),
    ("in alphabetical order", "b, a", False),
    ("in alphabetical order", "alone", None),
    ("is csv", 'a,b\n1,"x, y"', True),
    ("is csv", "a,b\n1", False),
    ("is csv", "just text", False),
    ("is csv", "", False),
]


@table(("predicate", "text", "ok"), CASES)
def test_kinds(predicate: str, text: str, ok: bool | None) -> None:
    found = parse(predicate).check(text)
    assert found.ok is ok, found.reason
