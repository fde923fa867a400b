"""Predicates and rules that may be wrong are not written: replies, bans, parts, equal amounts, fragments."""

from __future__ import annotations

import pytest
from tests.tables import table

from proctor.core.rule import Rule
from proctor.generate.extract.rules import extract_rules
from proctor.prompts.load import parse_prompt
from proctor.text.predicates import parse


def rules(text: str) -> tuple[Rule, ...]:
    return extract_rules(parse_prompt(text))


def predicates(text: str) -> list[str]:
    return [rule.predicate for rule in rules(text) if rule.predicate]


@table(
    ("prompt", "reply"),
    [
        (
            'Answer letters to the zoo. Start with "Dear friend,".\n\nLost children: "Please go to the main gate."',
            "Please go to the main gate.",
        ),
        (
            'Beantworte Anfragen an den Zoo. Jede Antwort beginnt mit "Guten Tag".\nBei Beschwerden lautet die Antwort '
            "nur: Wir melden uns morgen.",
            "Wir melden uns morgen.",
        ),
        (
            'Redacta el aviso del zoológico. El aviso empieza con "Zoo Lago:". Si el texto está vacío la salida es SIN '
            "AVISO.",
            "SIN AVISO",
        ),
        (
            "Réponds aux visiteurs du zoo. Termine par « À bientôt au zoo ».\n| cas | réponse |\n|---|---|\n| accident "
            "| seulement : « Appelez le gardien. » |",
            "Appelez le gardien.",
        ),
    ],
)
def test_a_text_that_may_be_the_whole_reply_keeps_every_predicate(prompt: str, reply: str) -> None:
    found = predicates(prompt)
    assert found
    assert all(parse(each).check(reply, inputs={}).ok is not False for each in found)


def test_a_reply_with_more_than_its_quoted_text_leaves_the_others_to_a_judge() -> None:
    found = rules(
        'Comment the dive. Start with "Diver:". If the diver is late, print "Dive over." with a score from 1 to 10.'
    )
    assert not [rule for rule in found if rule.predicate]
    assert any("another case" in str(rule.extra.get("note")) for rule in found)


@table(
    "prompt",
    [
        'A parcel that no depot knows: "We are looking for it."',
        'Keine Kundennamen, stattdessen "KD" für den Kunden.',
        "称呼客人用“您”，不要用“喂”。",
        'Use plain words (say "wind", not "anemometric load").',
        "States are OPEN and SHUT. A locked gate is never OPEN.",
    ],
)
def test_what_may_be_written_is_not_banned(prompt: str) -> None:
    assert not any("contains none" in each for each in predicates(f"Write a note.\n{prompt}"))


def test_a_word_is_banned_where_the_negation_is_of_it() -> None:
    assert 'contains none "cheap" ignoring case as words' in predicates('Write a note. Never say "cheap".')


@pytest.mark.parametrize(
    "format_",
    [
        "Q: <question> | A: <answer>\n\nThe question ends with a question mark.",
        "**Gist** - one sentence\n**Advice** - one sentence, at most 12 words",
        "1) a line that begins with `CODE:`\n2) a line that begins with `WHY:`\n\nAt most 12 words.",
    ],
)
def test_a_limit_in_an_answer_of_parts_is_not_for_all_of_it(format_: str) -> None:
    found = predicates(f"Make a quiz card.\n\nFormat:\n{format_}")
    assert not [each for each in found if not each.startswith("when contains")]  # where the label is used, it leads


def test_a_limit_that_names_the_answer_is_for_all_of_it() -> None:
    shown = "Make a quiz card.\n\nFormat:\nQ: <question>\nA: <answer>\n\nThe whole output has at most 40 words."
    assert "words <= 40" in predicates(shown)


@table(
    ("sentence", "predicate"),
    [
        ("Reply in exactly three sentences.", "sentences = 3"),
        ("Three paragraphs: the sea, the wind, the harbour.", "paragraphs = 3"),
        ("Reply in three sentences.", None),
        ("The number does not count as a word.", None),
    ],
)
def test_an_amount_is_met_exactly_only_where_that_is_said(sentence: str, predicate: str | None) -> None:
    found = [each for each in predicates(f"Describe the port of the day.\n- {sentence}") if " = " in each]
    assert found == ([predicate] if predicate else [])


def test_a_limit_beside_one_that_excludes_it_is_left_to_a_judge() -> None:
    prompt = "Describe the port. Write between 80 and 120 words.\n\nFor children the text has at most 60 words."
    assert not any(each.startswith("words between") for each in predicates(prompt))


def test_a_sentence_that_opens_with_its_case_only_closes_its_reply() -> None:
    prompt = 'Name the ship. Should the name have fewer than three letters, then output only "No name."'
    assert predicates(prompt) == ['when starts with "No name.": is "No name." ignoring punctuation']


def test_a_doubted_rewording_goes_back_to_the_words_of_the_prompt() -> None:
    found = rules("Set a riddle.\n- the hint does not count as a word")
    assert not any(rule.text.startswith("The output is a single word") for rule in found)


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("Answer the guests. Use one comma. Never two.", "Never two."),
        ("Harbour Lines — Lost Property\n\nAnswer the guests. Never promise a find.", "Harbour Lines — Lost Property."),
    ],
)
def test_fragments_and_titles_are_no_rules(prompt: str, text: str) -> None:
    found = [rule.text for rule in rules(prompt)]
    assert found
    assert text not in found


@table(
    ("prompt", "answer"),
    [
        ("Write a commit message. The whole header line stays within 20 characters.", "fix: header\n\n" + "why " * 20),
        (
            'Answer the guest. End with "Bye." When told HINT, answer with a line that starts with "Perhaps".',
            "Perhaps so.",
        ),
        ("Antworte dem Gast. Uhrzeiten schreibst du als 18:30 Uhr (auf Englisch 18:30).", "Das Zimmer ist frei."),
        ('Skriv referatet for mig. Er der ingen punkter, ingen, skriver du "Udsat: intet".', "Udsat: intet"),
    ],
)
def test_what_is_of_a_part_or_a_case_fails_no_right_answer(prompt: str, answer: str) -> None:
    assert [each for each in predicates(prompt) if parse(each).check(answer, inputs={}).ok is False] == []


@table(
    ("prompt", "said"),
    [
        (
            "<話し方>\n- 敬語は使わない\n- 改行しない\n</話し方>\n\n<例>\n客：こんばんは。\n主：いらっしゃい。\n</例>",
            "話し方",
        ),
        ("You write a command. It is read by people who don't look twice. Never use sudo.", "look twice"),
    ],
)
def test_titles_tags_and_what_is_told_of_others_are_no_rules(prompt: str, said: str) -> None:
    found = [rule.text for rule in rules(prompt)]
    assert found
    assert not [text for text in found if said in text or "いらっしゃい" in text]
