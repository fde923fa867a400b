"""Step predicates are read in several spellings, written in one, and refused with how to fix them."""

from __future__ import annotations

import pickle

import pytest

from proctor.scorers.conversation.steps import parse_rule, parse_steps
from proctor.text.predicates import PredicateError
from tests.tables import table


@table(
    ("text", "canonical"),
    [
        ("get_policy before answer", "get_policy before answer"),
        ("modify_booking only after get_booking", "get_booking before modify_booking"),
        ("never call modify_booking", "never modify_booking"),
        ('never call X with "amount" > 100', 'never X with "amount" > 100'),
        ('never X with "amount" more than 100', 'never X with "amount" > 100'),
        ("at most 3 calls of search", "search happens <= 3 times"),
        ('at most 3 calls of search with "q"', 'search with "q" happens <= 3 times'),
        ("exactly 1 search", "search happens = 1 times"),
        ('call create_case after "complaint"', 'create_case after "complaint"'),
        ("ask before write", "question before write"),
        ("call get_policy", "get_policy happens"),
        ("get_policy then answer", "answer after get_policy"),
        ("any of a_tool, or b_tool before reply", "any of a_tool, b_tool before answer"),
        ("`answer` before write", "`answer` before write"),
        ("never calls of write", "never write"),
        ("if hand-off happens then (never call after hand-off)", "when hand-off happens: never call after hand-off"),
        ("a before b but not (c happens)", None),
        ('never call X with "check_only" = false', 'never X with "check_only" = false'),
        ('never X with "check_only" == FALSE', 'never X with "check_only" = false'),
        ('never X with "check_only" != true and Y happens', 'never X with "check_only" != true and Y happens'),
        ("never X with 'reason' = 'late' and Y happens", 'never X with "reason" = "late" and Y happens'),
    ],
)
def test_it_is_read_and_written_in_one_form(text: str, canonical: str | None) -> None:
    if canonical is None:
        with pytest.raises(PredicateError):
            parse_steps(text)
        return
    assert parse_steps(text).text == canonical
    assert parse_steps(canonical).text == canonical


@table(
    ("text", "says"),
    [
        ("", "it is empty"),
        ("get_policy befor answer", "`before` was expected"),
        ("get_policy before", "a step was expected, not the end"),
        ("every answer: wurds <= 3", "did you mean `words <= 80`"),
        ("(get_policy before answer", "a closing parenthesis"),
        ("get_policy before answer answer", "join with and / or"),
        ('never X with "a" > ', "a number was expected"),
        ('never X with "a" <= input "b"', "not with an input"),
        ('never X with "a" = maybe', "write a text in double quotes"),
        ("never answer where words > 3", "a parenthesis was expected"),
        ('never answer saying ""', "a text to look for is empty"),
        ("search happens <= 3 times for each search", "in double quotes"),
        ("when a_tool happens", "a colon was expected"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, says: str) -> None:
    with pytest.raises(PredicateError) as caught:
        parse_steps(text)
    assert says in str(caught.value)


def test_the_place_of_a_mistake_inside_an_output_predicate_is_that_in_the_whole() -> None:
    with pytest.raises(PredicateError) as caught:
        parse_steps("every answer: words <= x")
    assert caught.value.position == len("every answer: words <= ")


def test_a_colon_takes_in_everything_to_its_right() -> None:
    wide = parse_steps('every answer: words <= 80 and not (contains "x")')
    assert wide.root.form == "every A: PRED"
    closed = parse_steps("(every answer: words <= 80) and get_policy before answer")
    assert closed.root.form == "and"
    assert closed.text == "(every answer: words <= 80) and get_policy before answer"


def test_a_predicate_of_an_output_is_one_of_every_answer() -> None:
    assert parse_rule("words <= 80").text == "every answer: words <= 80"
    assert parse_rule("never write").text == "never write"
    with pytest.raises(PredicateError):
        parse_rule("wurds of wisdom")


def test_it_can_be_pickled() -> None:
    rule = parse_steps("one call at a time")
    assert pickle.loads(pickle.dumps(rule)) == rule


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(PredicateError, match="nested too deeply"):
        parse_steps("(" * 60 + "write happens" + ")" * 60)
