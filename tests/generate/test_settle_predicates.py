"""Predicates that the author's own answers, or other predicates, contradict are left to a judge."""

from __future__ import annotations

from tests.tables import table

from proctor.core.rule import Rule
from proctor.generate.extract import extract_rules
from proctor.generate.settle_predicates import known_answers, settle_predicates
from proctor.prompts.load import parse_prompt
from proctor.text.predicates import parse


def _rules(*predicates: str) -> tuple[Rule, ...]:
    return tuple(Rule(text=f"Rule {at}.", predicate=each) for at, each in enumerate(predicates))


@table(
    "predicates",
    [
        ("case is upper", "case is lower"),
        ("words <= 5", "sentences between 4 and 6"),
        ("lines = 1", "paragraphs = 3"),
        ('one of "yes", "no"', "sentences >= 2"),
        ("language is de", "language is fr"),
    ],
)
def test_what_no_answer_keeps_together_is_left_to_a_judge(predicates: tuple[str, str]) -> None:
    for rule in settle_predicates(_rules(*predicates)):
        assert rule.predicate is None
        assert "exclude each other" in rule.extra["note"]


@table(
    "predicates",
    [
        ("words between 120 and 180", "paragraphs = 3"),
        ("bullets >= 1", "numbered items >= 1"),
        ('contains any "low", "high"', 'is json object and json has "urgency", "why"', 'json field "why" words <= 12'),
        ("sentences between 4 and 6", "bullets = 0", "emoji = 0", "no markdown"),
        ('fields in order "A:", "B:"', "lines = 2"),
        (r"matches /Ticket: C-\d{4}\W*$/", "words <= 80", "questions <= 1"),
        ("language is de", "words <= 60"),
    ],
)
def test_what_some_answer_keeps_together_stays(predicates: tuple[str, ...]) -> None:
    assert [rule.predicate for rule in settle_predicates(_rules(*predicates))] == list(predicates)


def test_an_expected_answer_of_the_author_outweighs_a_predicate() -> None:
    prompt = parse_prompt("Classify the text. Answer with one word.\n\n{{text}}")
    samples = [{"text": "The bus is late.", "expected": "very negative"}]
    rules = settle_predicates(extract_rules(prompt), known_answers(prompt, samples))
    noted = [rule for rule in rules if "note" in rule.extra]
    assert noted
    assert all(rule.predicate is None and "expected answer" in rule.extra["note"] for rule in noted)


@table(("answers", "tentative"), [(2, True), (3, False)])
def test_a_tentative_predicate_that_enough_answers_keep_decides(answers: int, tentative: bool) -> None:
    rule = Rule(text="Short.", predicate="words <= 4", tentative=True)
    prompt = parse_prompt("Answer.\n\n{{text}}")
    known = known_answers(prompt, [{"text": "a", "expected": f"answer number {each}"} for each in range(answers)])
    assert bool(settle_predicates([rule], known)[0].tentative) is tentative


def test_few_shot_answers_are_known() -> None:
    prompt = parse_prompt(
        "system:\nAnswer in at most two words.\nuser:\nHow are you?\nassistant:\nI am quite well.\nuser:\n{{question}}"
    )
    assert [each.text for each in known_answers(prompt)] == ["I am quite well."]
    shown = parse_prompt("Answer in one word.\n\nInput: good film\nOutput: positive\n\nInput: {{text}}\nOutput:")
    assert [each.text for each in known_answers(shown)] == ["positive"]


def test_a_person_s_predicate_is_never_dropped() -> None:
    mine = Rule(text="Short.", predicate="words <= 1", origin="person")
    prompt = parse_prompt("Answer.\n\n{{text}}")
    answers = known_answers(prompt, [{"text": "a", "expected": "two words"}])
    assert settle_predicates([mine], answers)[0].predicate == "words <= 1"


def test_notes_are_written_and_predicates_are_canonical() -> None:
    for rule in settle_predicates(_rules("words <= 5", "lines = 1")):
        assert parse(rule.predicate or "").text == rule.predicate


@table(
    ("shown", "answers"),
    [
        ("<examples>\ncount lines -> wc --lines\nthrow it away -> rm a.log\n</examples>", ["wc --lines", "rm a.log"]),
        ("<例>\n客：こんばんは。\nマスター：いらっしゃいにゃ。\n</例>", ["いらっしゃいにゃ。"]),
        ("예시\nq: 발볼이 좁아요\n감정: 부정\n별점: 3", ["감정: 부정\n별점: 3"]),
        ("# Notes\nfirst -> second\nthen -> last", []),
    ],
)
def test_answers_under_a_heading_of_examples_are_known(shown: str, answers: list[str]) -> None:
    prompt = parse_prompt(f"system:\nDo what is asked.\n\n{shown}\n\nuser:\n{{{{q}}}}\n", name="p")
    assert [answer.text for answer in known_answers(prompt)] == answers
