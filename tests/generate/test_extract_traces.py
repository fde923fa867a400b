"""The rules of an agent's prompt: step predicates where its words are plain, and never where they are not."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.tables import table

from proctor.core.rule import Rule
from proctor.generate.extract_traces import extract_trace_rules, tools_in
from proctor.prompts.load import parse_prompt
from proctor.scorers.conversation.steps import parse_rule
from proctor.text.predicates import PredicateError

TOOLS = (
    "get_policy",
    "get_booking",
    "modify_booking",
    "create_case",
    "find_user_by_email",
    "search",
    "transfer_to_human",
)


def readable(text: str) -> str | None:
    try:
        return parse_rule(text).text
    except PredicateError:
        return None


def rules(text: str) -> tuple[Rule, ...]:
    return extract_trace_rules(parse_prompt(text), readable=readable, tools=TOOLS)


@table(
    ("said", "predicate"),
    [
        ("Always call get_policy before answering.", "get_policy before answer"),
        ("Before calling modify_booking, you must call get_booking.", "get_booking before modify_booking"),
        ("Call `modify_booking` only after get_booking.", "get_booking before modify_booking"),
        ("Do not call modify_booking until you have called get_booking.", "get_booking before modify_booking"),
        ("First call get_booking and then call modify_booking.", "get_booking before modify_booking"),
        (
            "Never call modify_booking without the customer's explicit confirmation.",
            "confirmation before modify_booking in the same turn",
        ),
        (
            "Before taking consequential actions that update the database (cancel, modify), you have to list the "
            "details and obtain explicit user confirmation (yes) to proceed.",
            "confirmation before write in the same turn",
        ),
        ("Ask the user for confirmation before making any changes.", "confirmation before write in the same turn"),
        ("You should only make one tool call at a time.", "one call at a time"),
        ("If you make a tool call, you should not respond to the user.", "no words beside calls"),
        ("Use search at most 3 times per turn.", "search happens <= 3 times in a turn"),
        ("modify_booking can only be called once.", "modify_booking happens <= 1 times"),
        ("Make no more than 5 tool calls.", "call happens <= 5 times"),
        ("Never call modify_booking with amount over 1,000.", 'never modify_booking with "amount" > 1000'),
        ("Do not use create_case or transfer_to_human.", "never any of create_case, transfer_to_human"),
        ('If the customer mentions "complaint", call create_case.', 'create_case after "complaint"'),
        ('Escalate when the user says "lawyer" or "court".', 'hand-off after any of "lawyer", "court"'),
        ("After calling get_booking, call get_policy.", "get_policy after get_booking"),
        (
            "To transfer, call transfer_to_human, and then send the message 'PLEASE HOLD ON'.",
            'answer saying "PLEASE HOLD ON" after transfer_to_human',
        ),
        ("Only use get_policy, get_booking and search.", "every call is any of get_policy, get_booking, search"),
        ("Start by calling get_booking.", "first call is get_booking"),
        ("At the beginning, you have to authenticate the user identity by email.", "first call is find_user*"),
        ("Always mention the status returned by get_booking.", 'answer after get_booking mentions its "status"'),
        ("Do not make up a booking_id or customer_id.", 'known "booking_id", "customer_id" in call'),
        ("Never repeat the same tool call twice.", "never repeat call"),
        (
            "A booking can only be modified if its status is 'open', and you should check it first.",
            'get_booking returning "status" = "open" before modify_booking',
        ),
        ("Keep every answer under 80 words.", "words < 80"),
    ],
)
def test_plain_words_become_a_predicate(said: str, predicate: str) -> None:
    (rule,) = rules(f"You are a travel agent.\n\n- {said}\n")
    assert rule.predicate == predicate
    assert rule.origin == "extractor"
    assert rule.source is not None


@table(
    "said",
    [
        "You should transfer the user if and only if the request cannot be handled.",
        "Do not call modify_booking unless the customer is a gold member.",
        "For questions about opening hours, first call get_policy.",
        "If the flight is late, call get_policy before answering.",
        "You must deny requests that are against this policy.",
        "An order can only be cancelled if its status is 'pending'.",
    ],
)
def test_a_condition_that_code_cannot_take_in_is_for_a_judge(said: str) -> None:
    (rule,) = rules(f"You are a travel agent.\n\n- {said}\n")
    assert rule.predicate is None
    assert rule.text == said


def test_what_describes_the_world_is_no_rule() -> None:
    assert rules("You are a travel agent.\n\nThere are three levels: regular, silver, gold.\n") == ()


def test_the_same_said_twice_is_one_rule_and_two_things_in_one_breath_are_two() -> None:
    found = rules(
        "- Make one tool call at a time, and if you make a tool call, you should not respond to the user.\n"
        "- If you respond to the user, you should not make a tool call.\n"
    )
    assert [rule.predicate for rule in found] == ["one call at a time", "no words beside calls"]
    assert len({rule.text for rule in found}) == 2


def test_a_long_list_of_quoted_sentences_is_read_sentence_by_sentence() -> None:
    filler = ", ".join(f'"The desk has room number {number} on this floor of ours"' for number in range(12))
    found = rules(f'{filler}, "Always call get_policy before answering.", "Bye now to you"')
    assert [rule.predicate for rule in found if rule.predicate] == ["get_policy before answer"]


def test_tools_are_named_in_the_head_in_backticks_and_with_underscores() -> None:
    prompt = parse_prompt(
        "---\ntools:\n  - name: lookup\n  - type: function\n    function: {name: pay_bill}\n---\n"
        "system:\nUse `get_rate` with the user_id, then set_rate.\n"
    )
    assert tools_in(prompt) == ("lookup", "pay_bill", "get_rate", "set_rate")


@settings(max_examples=examples(60))
@given(
    st.lists(
        st.sampled_from(["call", "never", "before", "get_policy", "confirm", '"x"', "3", "times", ",", "."]),
        max_size=25,
    )
)
def test_any_words_are_read_or_left_to_a_judge(words: list[str]) -> None:
    for rule in rules("You are an agent. " + " ".join(words)):
        assert rule.predicate is None or readable(rule.predicate)
