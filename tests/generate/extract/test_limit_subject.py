"""A limit is for the whole answer only where every noun beside it means the answer."""

from __future__ import annotations

import re

from tests.tables import table

from proctor.generate.extract import extract_rules
from proctor.generate.extract.asked_amounts import find_amounts
from proctor.generate.extract.limit_subject import is_of_whole
from proctor.prompts.load import parse_prompt


def _predicates(prompt: str) -> list[str]:
    return [rule.predicate for rule in extract_rules(parse_prompt(prompt)) if rule.predicate]


@table(
    ("code", "sentence", "whole"),
    [
        ("en", "Keep the whole answer below 220 words.", True),
        ("de", "Höchstens fünf Sätze pro Antwort.", True),
        ("pl", "Odpowiedź powinna mieć od trzech do pięciu zdań.", True),
        ("ja", "全体で400文字以内", True),
        ("en", "Code lines of at most 88 characters.", False),
        ("en", "A code block, and after it one sentence on the cost (max. 25 words).", False),
        ("de", "Der Betreff hat höchstens acht Wörter.", False),
        ("it", "Poi un titolo su una riga, al massimo 10 parole.", False),
        ("ja", "見出しは15文字以内", False),
    ],
)
def test_a_noun_that_is_not_known_may_be_a_part(code: str, sentence: str, whole: bool) -> None:
    amount = list(find_amounts(sentence, code))[-1]
    assert is_of_whole(sentence, amount.start, amount.end) is whole


@table(
    ("prompt", "kept"),
    [
        ("Answer the customer. Maximum 70 words per reply. Exception: disputes may take 120 words.", "words <= 70"),
        ("Answer the customer. At most 70 words. For complaints the answer may have 120 words.", "words <= 70"),
        ("Names of functions are in snake_case.", "case is snake"),
        ("Write a regex in a code block. If it is too vague, ask a question instead.", "has code block"),
        ("Give a caption and an alt text. Caption: at most 12 words.", "words <= 12"),
    ],
)
def test_what_is_in_doubt_is_left_to_a_judge(prompt: str, kept: str) -> None:
    assert kept not in _predicates(prompt)


def test_the_reason_of_a_doubt_is_kept() -> None:
    rules = extract_rules(parse_prompt("Answer. Maximum 70 words per reply. Exception: disputes may take 120 words."))
    notes = [str(rule.extra["note"]) for rule in rules if "note" in rule.extra]
    assert [note[:16] for note in notes] == ["left to a judge:"]


def test_nested_fields_of_json_are_read_by_their_indentation() -> None:
    found = _predicates(
        'Return a JSON object.\n\nFields\n  - "kind": "a" or "b"\n  - "people": array of objects, each with\n'
        '      - "role": one of "buyer", "seller"\n    At most six people.\n'
        '  - "note": no more than 30 words\n\n{{text}}'
    )
    assert 'is json object and json has "kind", "people", "note"' in found
    assert 'json field "people" (each json item: json field "role" one of "buyer", "seller")' in found
    assert 'json field "people" json array length <= 6' in found
    assert 'json field "note" words <= 30' in found


def test_fields_in_one_sentence_are_read_with_what_their_brackets_say() -> None:
    found = _predicates(
        'A saída é um array JSON. Cada objeto deve conter "data" (AAAA-MM-DD) e "tipo" ("PIX" ou "TED").\n\n{{texto}}'
    )
    assert 'is json array and (json array length = 0 or json has "data", "tipo")' in found
    assert 'each json item: json field "data" is iso date' in found
    assert 'each json item: json field "tipo" one of "PIX", "TED"' in found


def test_parts_under_labels_have_their_own_limits() -> None:
    found = _predicates(
        "Schreibe eine Notiz.\n\nAufbau:\nAnlass:\nInhalt:\nOffen:\n\n- Anlass: ein Satz, höchstens zwölf Wörter\n"
        "- Inhalt: zwei bis vier Stichpunkte\n\n{{text}}"
    )
    assert 'fields in order "Anlass:", "Inhalt:", "Offen:"' in found
    assert any("words <= 12" in each and each != "words <= 12" for each in found)
    assert 'after "Inhalt:" before "Offen:" bullets between 2 and 4' in found


def test_a_number_of_things_on_lines_of_their_own_is_counted() -> None:
    found = _predicates(
        "Write five slogans for the shop. One per line, each at most eight words, nothing else.\n\n{{shop}}"
    )
    assert "lines = 5" in found
    assert "each line: words <= 8" in found


def test_the_words_of_a_choice_are_the_answer() -> None:
    found = _predicates(
        "Ordne die Anfrage ein. Antworte mit genau einem Wort: Rechnung, Lieferung oder Sonstiges.\n\n{{a}}"
    )
    assert 'one of "Rechnung", "Lieferung", "Sonstiges" ignoring case' in found


@table(
    ("prompt", "predicate"),
    [
        ("Write at most 30 words about the weather.", "words <= 30"),
        ("Reply in no more than three sentences and never use exclamation marks.",
         "sentences <= 3 and exclamations = 0"),
        ("Antworte in höchstens zwei Sätzen.", "sentences <= 2"),
        ("Responde en un máximo de 50 palabras y nunca uses emojis.", "words <= 50 and emoji = 0"),
        ("Rispondi con al massimo tre frasi.", "sentences <= 3"),
        ("Never use emojis and answer in at most 50 words.", "words <= 50 and emoji = 0"),
        ("You list flats. Write a single paragraph of between 60 and 110 words.",
         "paragraphs = 1 and words between 60 and 110"),
        ("Write at most 30 words about each product.", None),
        ("Write a post with a title of at most 10 words about the weather.", None),
        ("Write an email with no headings and sections of at most 50 words.", None),
        ("Придумай три названия. В одно слово и не длиннее двенадцати букв.", None),
        ("Don't write a single paragraph.", None),
    ],
)  # fmt: skip
def test_a_limit_of_the_only_sentence_is_of_the_whole_answer(prompt: str, predicate: str | None) -> None:
    found = [rule.predicate for rule in extract_rules(parse_prompt(prompt)) if rule.predicate]
    assert [each for each in found if re.search(r"words|sentences|paragraphs", each)] == (
        [predicate] if predicate else []
    )
