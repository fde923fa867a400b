"""Rules in the prompt's own clauses, with their conditions, and predicates no wider than what is said."""

from __future__ import annotations

from tests.tables import table

from proctor.core.rule import Rule
from proctor.generate.extract import extract_intent, extract_rules
from proctor.prompts.load import parse_prompt


def _rules(text: str) -> dict[str, Rule]:
    return {rule.text: rule for rule in extract_rules(parse_prompt(text))}


def _predicates(text: str) -> list[str]:
    return [rule.predicate for rule in _rules(text).values() if rule.predicate]


@table(
    ("prompt", "predicates"),
    [
        ("Write SQL. Write keywords in upper case and identifiers in lower case.", []),
        ("Write SQL. Do not use SELECT *.", ['contains none "SELECT *" ignoring case']),
        (
            "Write SQL. Never write INSERT, UPDATE or DELETE.",
            ['contains none "INSERT", "UPDATE", "DELETE" ignoring case as words'],
        ),
        (
            "Help customers. End every answer with the ticket number in the form “Ticket: C-1234”.",
            [r"matches /Ticket: C-\d{4}\W*$/"],
        ),
        (
            "Help customers. Do not mention competitors such as Velora or BikeBay.",
            ['contains none "Velora", "BikeBay" ignoring case as words'],
        ),
        ("Help customers. Ask at most one question per answer.", ["questions <= 1"]),
        ('Help patients. Never say "You have X". Say "It could be X".', []),
        ("Write a review. Start with a short analysis of the symptoms (1-2 sentences).", []),
        (
            "Write texts. NO AI vocabulary: seamlessly, elevate, delve.",
            ['contains none "seamlessly", "elevate", "delve" ignoring case as words'],
        ),
        ("Write texts. No tables, no em dashes.", ["not (is table)", 'contains none "—"']),
    ],
)
def test_a_predicate_says_no_more_than_its_clause(prompt: str, predicates: list[str]) -> None:
    assert _predicates(prompt) == predicates


@table(
    ("prompt", "text"),
    [
        (
            "- If the customer asks for a refund, say that a colleague will confirm it within one working day.",
            "If the customer asks for a refund, say that a colleague will confirm it within one working day.",
        ),
        (
            "- If the customer mentions a gas smell, smoke or fire, tell them to leave the house and call 112.",
            "If the customer mentions a gas smell, smoke or fire, tell them to leave the house and call 112.",
        ),
        ("Only answer questions about phones; if unsure, say so; be brief.", "If unsure, say so."),
        ("Help customers. Ask only if absolutely necessary.", "Ask only if absolutely necessary."),
        (
            "You must not invent steps, guess at solutions, or answer from memory.",
            "You must not invent steps, guess at solutions, or answer from memory.",
        ),
        (
            "Answer from the context. If it has no answer, say: 'I couldn't find that. Please ask our team.'",
            "If it has no answer, say: 'I couldn't find that. Please ask our team.'",
        ),
        ("Policy rules:\n- Refunds are only allowed within 15 days.", "Refunds are only allowed within 15 days."),
        ("FOCUS ON:\n- Materials and light\n- Surface", "Focus on materials and light."),
        (
            "Do not mention competitors such as Velora or BikeBay.",
            "Do not mention competitors such as Velora or BikeBay.",
        ),
    ],
)
def test_a_rule_is_the_clause_of_the_prompt(prompt: str, text: str) -> None:
    assert text in _rules(prompt)


def test_a_line_that_only_leads_is_no_rule() -> None:
    assert not {"FOCUS ON.", "AVOID.", "No exceptions."} & set(
        _rules("FOCUS ON:\n- size\n\nAVOID:\n- hype\n\nNo exceptions.")
    )


def test_keys_of_a_nested_list_belong_to_their_field() -> None:
    prompt = """Return ONLY valid JSON.
Fields:
- vendor
- date (YYYY-MM-DD)
- currency (ISO code)
- number: string, the invoice number
- items: array of objects with:
  - description
  - price
- score (integer 0-100)
"""
    found = _predicates(prompt)
    keys = '"vendor", "date", "currency", "number", "items", "score"'
    assert f"is json object and json has {keys}" in found
    assert any('json field "items" (json has "description", "price" or is "[]")' in each for each in found)
    assert any('json field "score" number between 0 and 100' in each for each in found)
    assert not any('"currency" is' in each or '"number" is' in each for each in found)


def test_labelled_lines_have_their_own_limits_and_fixed_replies_are_excused() -> None:
    prompt = """Answer in exactly three lines:
URGENCY: one of EMERGENCY, TODAY, LATER
REASON: at most 25 words
NEXT STEP: one sentence
Fever in a baby is EMERGENCY.
If the question is not about symptoms, say "I can only help with symptoms."
"""
    rules = _rules(prompt)
    found = _predicates(prompt)
    assert r"each /REASON:[ \t]*([^\n]*)/: words <= 25" in found
    assert any('one of "EMERGENCY", "TODAY", "LATER"' in each for each in found)
    assert all("I can only help with symptoms." in each for each in found if each.startswith(("lines", "fields")))
    assert "Fever in a baby is EMERGENCY." in rules


@table(
    ("prompt", "intent"),
    [
        (
            "You are a customer support agent for TechCorp.\n\nFormat:\n1. Acknowledge the issue\n2. Offer steps",
            "You are a customer support agent for TechCorp.",
        ),
        ("You turn questions into SQL.\nDo not use SELECT *.", "You turn questions into SQL."),
        ("---\ndescription: 'Source: https://example.org/prompts'\n---\nSummarise {{text}}.", "Summarise {{text}}."),
        (
            "---\ndescription: A basic prompt that uses the GPT-3 chat API\n---\nName {{city}}'s river.",
            "Name {{city}}'s river.",
        ),
        ("Do not mention prices.\nWrite a product text for {{name}}.", "Write a product text for {{name}}."),
        (
            "You are a helpful assistant.\nYour task is to sort mails.\nBe brief.",
            "You are a helpful assistant. Your task is to sort mails.",
        ),
        (
            "Jsi redaktor obecního zpravodaje.\n\nPřepiš oznámení občanům jednoduše.\n- Bez emoji.",
            "Jsi redaktor obecního zpravodaje. Přepiš oznámení občanům jednoduše.",
        ),
        (
            "당신은 시립 도서관의 안내원입니다. 대출 규정을 쉬운 말로 설명합니다.\n- 이모지를 쓰지 않습니다.",
            "당신은 시립 도서관의 안내원입니다. 대출 규정을 쉬운 말로 설명합니다.",
        ),
        (
            "Question du voisin : {{question}}\n\nTu réponds aux voisins d'une copropriété.",
            "Tu réponds aux voisins d'une copropriété.",
        ),
    ],
)
def test_an_intent_says_what_the_prompt_is_for(prompt: str, intent: str) -> None:
    assert extract_intent(parse_prompt(prompt)) == intent


@table(
    ("ban", "predicate", "judged"),
    [
        ("不要使用列表。", "items = 0", False),
        ("不要使用列表、标题或表情符号。", "emoji = 0", True),
        ("Use no tables and no images.", "not (is table)", True),
        ("No tables or images.", "not (is table)", True),
        ("Never use emojis and keep it friendly.", "emoji = 0", True),
        ("Use no emojis and at most 30 words.", "words <= 30 and emoji = 0", False),
        ("Use no emojis or hashtags.", "emoji = 0 and count /#[^\\s#]+/ = 0", False),
    ],
)
def test_a_ban_on_a_thing_that_no_predicate_is_for_is_left_to_a_judge_too(
    ban: str, predicate: str, judged: bool
) -> None:
    rules = [rule for rule in extract_rules(parse_prompt(f"Answer the user.\n\n- {ban}")) if rule.text[:4] == ban[:4]]
    assert predicate in [rule.predicate for rule in rules]
    assert any(rule.predicate is None for rule in rules) is judged


def test_a_list_of_quotations_is_not_cut() -> None:
    said = 'Do not use exclamation marks or the words "stunning", "nestled" or "boasting".'
    rules = _rules(f"Write listings.\n\n{said}")
    assert rules[said].predicate == (
        'exclamations = 0 and contains none "stunning", "nestled", "boasting" ignoring case as words'
    )


@table("said", ['A list of names, or the word "none".', "A list, or `none`."])
def test_a_quoted_word_denies_nothing(said: str) -> None:
    assert "items = 0" not in _predicates(f"Answer the user.\n\n- {said}")
