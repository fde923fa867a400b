"""What a prompt tells of the world is no rule; what it asks in a language without tables is one."""

from __future__ import annotations

from tests.tables import table

from proctor.generate.extract import extract_intent, extract_rules
from proctor.generate.extract.tongues import tongue_of
from proctor.prompts.load import parse_prompt

REST = "\n\nWrite one query. Never change data."


@table(
    ("text", "told"),
    [
        ("You write SQL. The person asking cannot read it; a program shows the rows." + REST, "cannot read"),
        ("You write notes. They don't know our tickets and don't care." + REST, "don't know"),
        ("**How you talk.** Be brief, and use no slang at all.", "How you talk"),
        ("あなたは記録係です。記録は部長が翌朝に読みます。\n\n短く書いてください。絵文字は使わない。", "部長"),
        ("You look after plants.\n\nTools\n- water(bed): A or B\n- wait(minutes)\n\nDo not invent tools.", "water("),
        ("You write notes.\n\n- Tone\n  - be calm\n  - no slang\n- Never name a person.", "Tone"),
        ("議事録を清書します。\n\n■書き方\n・絵文字は使わない。\n・短く書く。", "書き方"),
        ("Svara kort. Hitta inte på något.\n\n<fraga>{{fraga}}</fraga>", "fraga"),
    ],
)
def test_background_is_no_rule(text: str, told: str) -> None:
    rules = [rule.text for rule in extract_rules(parse_prompt(text))]
    assert rules
    assert not [rule for rule in rules if told in rule]


@table(
    ("text", "asked"),
    [
        (
            "You look after plants.\n\nTools\n- water(bed): A or B\n- wait(minutes)\n\nDo not invent tools.",
            "invent tools",
        ),
        ("Keine Erklärungen, kein Codeblock, keine Leerzeilen.", "Erklärungen"),
        ('We answer with yes or no; if I write anything else, send "Yes or no?" and wait. Be kind.', "anything else"),
        ("Schreib einen Brief. Wenn kein Name da ist, antworte nur: Wie heißen Sie?", "Wie heißen Sie"),
        ("Il museo ha tre sale. Rispondi sempre con garbo. Non inventare date.", "inventare"),
    ],
)
def test_what_is_asked_is_a_rule(text: str, asked: str) -> None:
    assert [rule.text for rule in extract_rules(parse_prompt(text)) if asked in rule.text]


def test_a_language_that_is_not_known_is_not_english() -> None:
    text = (
        "Píšeš pro web města krátké souhrny ze zasedání. Souhrny čtou lidé cestou z práce.\n\n"
        "Piš v minulém čase. Jména občanů vynech. Částky zaokrouhluj. Rozhodnutí nehodnoť, od toho jsou diskuse."
    )
    assert tongue_of(text) == "und"
    rules = " ".join(rule.text for rule in extract_rules(parse_prompt(text)))
    assert all(asked in rules for asked in ("minulém", "vynech", "zaokrouhluj"))


@table(
    ("described", "intent"),
    [
        ("one line, paste it and go", "one line, paste it and go. Give me ten names for the product."),
        ("", "You name new things. Give me ten names for the product."),
    ],
)
def test_the_intent_says_what_to_make(described: str, intent: str) -> None:
    head = f"---\nname: x\ndescription: {described}\n---\nsystem:\n" if described else ""
    assert (
        extract_intent(parse_prompt(f"{head}You name new things. Give me ten names for the product. Be bold."))
        == intent
    )


def test_a_word_over_a_deeper_list_ends_the_list_before_it() -> None:
    text = "You write notes.\n\n- Do not:\n  - name a person\n  - give prices\n- Tone\n  - be calm\n- Write in English."
    rules = [rule.text for rule in extract_rules(parse_prompt(text))]
    assert rules == ["Do not: name a person.", "Do not: give prices.", "Be calm.", "Write in English."]
