"""That parts are there, in order, and nothing stands beside them."""

from __future__ import annotations

from tests.tables import table

from proctor.generate.extract import extract_rules
from proctor.prompts.load import parse_prompt

SECTIONS = "Write a section called SUMMARY and a section called TOOLS. "
TAGS = "Put the answer in <answer> and </answer> and the reason in <reason> and </reason>. "
FIELDS = 'Return JSON:\n{"a": "...", "b": "..."}\n\n'


def predicates(text: str) -> list[str]:
    return [rule.predicate for rule in extract_rules(parse_prompt(text)) if rule.predicate]


@table(
    ("text", "asked"),
    [
        (TAGS, 'tags "answer" >= 1 and tags "reason" >= 1'),
        (f"{TAGS}Nothing stands outside the tags.", 'outside tags "answer", "reason": is empty'),
        (f"{TAGS}Nichts davor, nichts danach.", 'outside tags "answer", "reason": is empty'),
        (SECTIONS, 'contains all "SUMMARY", "TOOLS"'),
        (f"{SECTIONS}Keep the sections in this order.", 'fields in order "SUMMARY", "TOOLS"'),
        (f"{FIELDS}All keys must be there.", 'json has "a", "b"'),
        (f"{FIELDS}Keep the keys in this order.", 'json keys in order "a", "b"'),
        ('Explain it. Then add a line that begins with "Note:".', 'when contains "Note:": matches /^\\W{0,4}Note\\:/m'),
    ],
)
def test_what_must_be_there_is_checked(text: str, asked: str) -> None:
    found = predicates(text)
    assert any(asked in each for each in found), found


@table(
    "text",
    [
        "If there are risks, write a section called RISKS.",
        f"{SECTIONS}Leave out a section that has nothing in it. Keep the sections in this order.",
        "Never write a section called RISKS.",
    ],
)
def test_a_part_that_may_be_missing_is_not_demanded(text: str) -> None:
    assert not [each for each in predicates(text) if each.startswith(("contains all", "fields in order"))]


SHAPE = """{said}:
<summary>...</summary>
<reason>...</reason>

Use full sentences in <summary>.
"""
EXACTLY = (
    'tags "summary" = 1 and tags "reason" = 1 and fields in order "<summary>", "<reason>"',
    'outside tags "summary", "reason": is empty',
)


@table(
    ("said", "asked"),
    [
        ("Answer with exactly these elements, in this order, and nothing else", EXACTLY),
        ("Answer with these elements", ('tags "summary" >= 1 and tags "reason" >= 1',)),
    ],
)
def test_elements_are_checked_as_strictly_as_they_are_asked_for(said: str, asked: tuple[str, ...]) -> None:
    assert tuple(predicates(SHAPE.format(said=said))) == asked


def test_what_is_asked_of_an_element_is_not_checked_by_its_presence() -> None:
    rules = extract_rules(parse_prompt(SHAPE.format(said="Answer with these elements")))
    assert [rule.predicate for rule in rules if rule.text == "Use full sentences in <summary>."] == [None]


def test_a_list_of_steps_is_no_shape() -> None:
    text = "Work through these steps before you write:\n1. Find the complaint.\n2. Choose the priority.\n\n" + (
        "Answer with these elements:\n<summary>...</summary>\n<reason>...</reason>"
    )
    rules = extract_rules(parse_prompt(text))
    assert not [rule for rule in rules if rule.text.startswith("Work") and rule.predicate]
