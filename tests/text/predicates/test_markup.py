"""Tags, tables, code and Markdown; and nothing beside the answer."""

from __future__ import annotations

from tests.tables import table

from proctor.text.predicates import parse

BOMB = '<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;&x;&x;">]><a>&y;</a>'
CASES = [
    ('tags "p" = 2', '<p>a</p><P class="x">b</p><pre>', True),
    ('tags "br" = 2', "<br><br/>", True),
    ('elements "p" = 1', "<p>a</p><p>b", True),
    ('elements "div" = 2', "<div><div></div></div>", True),
    ('tags only "p", "em"', "<p><em>a</em></p>", True),
    ('tags only "p", "em"', "<p><b>a</b></p>", False),
    ('tags only "p"', "a < b and c > d", True),
    ('each "p": tags "strong" = 1', "<p><strong>a</strong></p><p><strong>b</strong></p>", True),
    ('each "p": tags "strong" = 1', "<p><strong>a</strong></p><p>b</p>", False),
    ('each "p": tags "strong" = 1', "no paragraph", None),
    ('elements "p" >= 1 and each "p": tags "strong" = 1', "no paragraph", False),
    (r"each /<(.*?)>/: words = 1", "<one> and <two>", True),
    (r"each /<(.*?)>/: words = 1", "<one> and <two three>", False),
    (r"each /\d+/: number <= 9", "3 and 12", False),
    ("is html", "<p>a <br> b</p>\n<ul><li>x<li>y</ul>", True),
    ("is html", "```html\n<p>a</p>\n```", True),
    ("is html", "text <p>a</p>", False),
    ("is html", "<p>a</div>", False),
    ("is html", "<div>a", False),
    ("is html", "<name>a</name>", False),
    ("is xml", "<name a='1'><b/></name>", True),
    ("is xml", "<name><b></name>", False),
    ("is xml", "<a/><b/>", False),
    ("is xml", BOMB, False),
    ("is xml", "", False),
    ("is table", "| a | b |\n|---|:-:|\n| 1 | 2 |", True),
    ("is table", "a | b\n--- | ---\n1 | 2", True),
    ("is table", "a | b", False),
    ("has code block", "```\nx\n```", True),
    ("has code block", "``` open", False),
    ("no markdown", "Plain text, 2 * 3 * 4, snake_case_name.", True),
    ("no markdown", "1. first\n2. second", True),
    ("no markdown", "**bold**", False),
    ("no markdown", "# Title", False),
    ("no markdown", "- item", False),
    ("no markdown", "see [a](b)", False),
    ("no markdown", "`code`", False),
    ("has markdown", "# Title", True),
    ("has markdown", "plain", False),
]
BARE = [
    ("no extra text", "NN", True),
    ("no extra text", "Sci/Tech", True),
    ("no extra text", '["a"]', True),
    ("no extra text", "```json\n[1]\n```", True),
    ("no extra text", "<p>a</p>", True),
    ("no extra text", "[NA, broken", None),
    ("no extra text", "[NA, broken]", True),
    ("no extra text", 'Here is the JSON: {"a": 1}', False),
    ("no extra text", '{"a": 1}\nThese are the fields I found.', False),
    ("no extra text", "```json\n[1]\n```\nDone as you asked.", False),
    ("no extra text", "Sure! NN", False),
    ("no extra text", "The part of speech is NN.", False),
    ("no extra text", "", False),
    ("no extra text", "The river was wide and the boat was small.", None),
    ("no framing", "The river was wide and the boat was small.", True),
    ("no framing", "Of course the river was wide.", True),
    ("no framing", "Of course! The river was wide.", False),
    ("no framing", "Here is the rewritten sentence:\n\nThe river was wide.", False),
    ("no framing", "The river was wide.\n\nLet me know if you need more!", False),
    ("no framing", "Based on the given text, I would say:\n\nBusiness", False),
    ("no framing", "Company names: Apple\nPeople names: Tim", True),
    ("no framing", "I have a dream.", True),
    ("no framing", "", True),
    ('fields in order "A:", "B:"', "A: 1\nB: 2", True),
    ('fields in order "A:", "B:"', "**A:** 1\n\n- B: 2\n", True),
    ('fields in order "A:", "B:"', "B: 2\nA: 1", False),
    ('fields in order "A:", "B:"', "A: 1", False),
    ('fields in order "a:" ignoring case', "A: 1", True),
]


@table(("predicate", "text", "ok"), CASES + BARE)
def test_markup(predicate: str, text: str, ok: bool | None) -> None:
    found = parse(predicate).check(text)
    assert found.ok is ok, found.reason


def test_the_reason_names_the_place() -> None:
    found = parse('each "p": tags "em" >= 1').check("<p><em>a</em></p><p>b c</p>")
    assert found.reason == "<p> 2 of 2: 0 × <em> (asked: at least 1)"
    assert found.quote == "b c"
    assert parse("no framing").check("Sure, here you go: a").quote == "Sure,"
