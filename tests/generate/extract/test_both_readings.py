"""A predicate holds for every reading of its prompt: lists that deny, cases, fixed ends, titles, places, tables."""

from __future__ import annotations

import pytest
from tests.tables import table

from proctor.generate.extract.rules import extract_rules
from proctor.prompts.load import parse_prompt
from proctor.text.predicates import parse


def predicates(text: str) -> list[str]:
    return [rule.predicate for rule in extract_rules(parse_prompt(text)) if rule.predicate]


@table(
    ("prompt", "answer"),
    [
        ("Beantwoord brieven.\n\nNiet doen:\n- meer dan één vraag stellen\n- smileys", "De winkel is open."),
        ("Responda cartas. Não use emojis ou mais de um ponto de exclamação.", "A loja abre às nove."),
        ('answer letters. dont use the word "cheap" in the reply', "The shop opens at nine."),
        ("Review the diff. At most 8 bullets. With LGTM there are no bullets at all.", "NITS\n- one\n- two"),
        ("依頼を読み、1行で出力する。部屋は「桜」「楓」のどれか。", "10:00|桜"),
        ("请回复投诉。开头写“您好”。涉及伤害时，直接回复：请拨打急救电话。", "请拨打急救电话。"),
        (
            "Rédige une annonce avec un titre. Chaque paragraphe compte entre 5 et 60 mots.",
            "CHAMBRE\n\nLa chambre donne sur une cour calme et fleurie.",
        ),
        ('Write alt text. One sentence. If the photo is decorative, output "".', '""'),
        (
            'Write a letter in three paragraphs. It must close with the line "Yours faithfully,".',
            "Dear Ann,\n\nOne.\n\nTwo.\n\nThree.\n\nYours faithfully,",
        ),
        (
            'Answer guests in two sentences at most. End each answer with "Your hotel team".',
            "The pool is open. Towels are there. Your hotel team",
        ),
        ("Write flashcards. A card is a question of 8 words at most and an answer of up to 30 words.", "word " * 35),
        (
            "turn the article into a thread of 4 to 8 posts\n* each post under 20 characters",
            "1/ one two\n\n2/ three four five",
        ),
        ("Classify. Possible labels: praise, spam. Return only the label, then a colon and a score.", "praise: 0.9"),
        (
            "Écris une fable. La morale est la dernière phrase ; elle commence par « Morale : ».",
            "Un loup. Morale : ris.",
        ),
        ("Explain queries.\n- DELETE without WHERE is always HIGH", "It filters with WHERE."),
        ("Beginne die Antwort mit einer Frage. Du schreibst Texte für Kinder.", "Wer ist da? Was will er? Komm mit."),
    ],
)
def test_a_right_answer_keeps_every_predicate(prompt: str, answer: str) -> None:
    failed = [each for each in predicates(prompt) if parse(each).check(answer, inputs={}).ok is False]
    assert failed == []


@table(
    ("prompt", "expected"),
    [
        (
            "Write a text. no exclamation marks, no emoji, no capitals except in names",
            ["exclamations = 0", "emoji = 0"],
        ),
        ("Schrijf een brief. Geen titel, geen witregels.", ["not (matches /\\n[ \\t]*\\n/)"]),
        ("あなたは返信を書きます。絵文字と感嘆符（！）は使わない。", ["emoji = 0 and exclamations = 0"]),
        ("Write a status. 2 or 3 sentences, max. 280 characters altogether", ["characters <= 280"]),
        ("Write a caption. Don't use the clapper board 🎬 in it or any flag.", ['contains none "🎬" ignoring case']),
        ("Beantworte Mails. Eine Zeile hat nie mehr als zehn Wörter.", ["each line: words <= 10"]),
        ("你是客服。每次回复最多提一个问题。", ["questions <= 1"]),
    ],
)
def test_checks_beside_others_are_found(prompt: str, expected: list[str]) -> None:
    assert set(expected) <= set(predicates(prompt))


def test_fields_of_a_table_are_fields_of_the_json() -> None:
    prompt = (
        "Return one JSON object and nothing else.\n\n| key | rule |\n|---|---|\n| level | P1, P2 or P3 |\n"
        "| place | at most 5 words |\n| done | true or false |\n\nThese three keys, no others."
    )
    found = predicates(prompt)
    assert 'json field "level" one of "P1", "P2", "P3"' in found
    assert 'json field "place" words <= 5' in found
    assert 'json only has "level", "place", "done"' in found


@pytest.mark.parametrize("said", ["short, friendly, clear", "string or null", "phone or email"])
def test_words_that_describe_a_value_are_no_closed_list(said: str) -> None:
    prompt = f"Return one JSON object.\n\n| key | rule |\n|---|---|\n| a_field | {said} |\n| done | true or false |"
    assert not [each for each in predicates(prompt) if '"a_field" one of' in each]
