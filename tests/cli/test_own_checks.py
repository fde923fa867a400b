"""Checks of a user's own: functions from a file, checks of single turns, and suites that need no target."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Project

SUITE = """
scorers:
  - python: checks.py:polite
cases:
  - id: a
    input: How long?
    recorded: {answer: Please return it within 15 days., sources: [The return window is 15 days.], customer: c-1}
    checks: [contains: 15 days]
  - id: b
    turns:
      - text: Where is it?
        checks: [contains: number]
      - text: B-1042
        expect: {facts: [Tuesday]}
        checks:
          - contains
          - python: {function: "checks.py:at_most", settings: {words: 3}}
            name: short
    recorded: [Which number please?, Please wait until Monday]
"""
CHECKS = """
def polite(text):
    return "please" in text.lower(), "no please"

async def at_most(answer, settings, messages):
    assert len(messages) == 4
    words = len(answer.split())
    return {"value": words <= settings["words"], "reason": f"{words} words", "evidence": [answer]}
"""


@pytest.fixture
def own(project: Project) -> Project:
    project.write("proctor.yaml", "{}\n")
    project.write("own.yaml", SUITE)
    project.write("checks.py", CHECKS)
    return project


def test_functions_and_turns_decide_and_recorded_answers_need_no_target(own: Project) -> None:
    done = own.run("run", "own.yaml", "--allow-commands", code=1)
    assert "1 of 2 failed" in done.stdout
    assert "turn 2: contains 0.00 < 1: missing: 'Tuesday'" in done.stdout
    assert "turn 2: short 0.00 < 1: 4 words" in done.stdout
    shown = own.run("show", "last", "a").stdout
    assert "source  The return window is 15 days." in shown
    assert "polite 1.000" in shown


def test_one_function_can_be_chosen_by_its_name(own: Project) -> None:
    assert "2 of 2 passed" in own.run("run", "own.yaml", "--allow-commands", "--scorer", "polite", code=0).stdout


def test_a_suite_may_not_run_code_without_leave(own: Project) -> None:
    done = own.run("run", "own.yaml", code=2)
    assert "own.yaml:8: checks.python: the suite names 'checks.py:polite', which would run code" in done.stderr
    own.write("proctor.yaml", "allow_commands: ['checks.py:polite', 'checks.py:at_most']\n")
    own.run("run", "own.yaml", "-q", code=1)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("checks.py:polit", "did you mean `polite`?"),
        ("check.py:polite", "no such file"),
        ("checks.py", "names no function"),
        ("checks.py:Polite", "is a class, not a function"),
        ("checks.py:wrong", "wants 'colour', which a scorer is not given"),
    ],
)
def test_what_cannot_be_called_is_told_before_the_run(own: Project, written: str, told: str) -> None:
    own.write("checks.py", CHECKS + "\nclass Polite:\n    say = 1\n\ndef wrong(a, colour):\n    return True\n")
    own.write("own.yaml", SUITE.replace("checks.py:polite", written))
    done = own.run("run", "own.yaml", "--allow-commands", code=2)
    assert told in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("return 'yes'", "returned 'yes', not true, false or a number from 0 to 1"),
        ("return {'score': 1}", "a mapping that is not understood"),
        ("return float('nan')", "returned nan"),
    ],
)
def test_a_function_that_fails_leaves_the_case_unscored(own: Project, body: str, told: str) -> None:
    own.write("checks.py", f"def polite(answer):\n    {body}\n")
    own.write("own.yaml", "cases:\n  - {id: a, input: q, recorded: x, checks: [python: 'checks.py:polite']}\n")
    assert told in own.run("run", "own.yaml", "--allow-commands", code=3).stdout.replace("\n", " ")


def test_another_function_is_another_scorer_for_the_gate(own: Project) -> None:
    rows = "\n".join(
        f"  - {{id: c{n}, input: q, recorded: please, checks: [python: 'checks.py:polite']}}" for n in range(6)
    )
    own.write("own.yaml", f"cases:\n{rows}\n")
    own.run("run", "own.yaml", "-q", "--allow-commands", code=0)
    own.run("bless", "last", code=0)
    own.write("checks.py", CHECKS.replace('"no please"', '"none"'))
    own.run("run", "own.yaml", "-q", "--allow-commands", code=0)
    assert "scorers changed since the baseline (polite)" in own.run("gate", "-q", code=3).stdout


def test_a_check_of_a_turn_that_never_came_is_unscored(own: Project) -> None:
    own.write("own.yaml", "cases:\n  - {id: a, turns: [one, {text: two, checks: [contains: x]}], recorded: [x]}\n")
    done = own.run("run", "own.yaml", code=3)
    assert "the conversation ended before turn 2" in done.stdout.replace("\n", " ")


def test_wrong_checks_of_a_turn_are_told_by_their_place(own: Project) -> None:
    own.write("own.yaml", "cases:\n  - id: a\n    turns: [{text: one, checks: {contains: x}}]\n    recorded: [x]\n")
    assert "turns[0].checks: expected a list of checks" in own.run("run", "own.yaml", code=2).stderr


def test_validate_says_that_a_judge_is_missing(own: Project) -> None:
    own.write(
        "own.yaml",
        "cases:\n  - {input: q, recorded: x, checks: [judge: is right]}\n  - {input: b, checks: [exact: x]}\n",
    )
    assert "1 of them ask a judge and none is set" in own.run("validate", "own.yaml", code=0).stdout
    own.write("own.yaml", "cases:\n  - {input: q, checks: [judge: {rubric: right, judge: 'openai:x'}]}\n")
    assert "judge" not in own.run("validate", "own.yaml", code=0).stdout


def test_a_case_without_an_answer_still_needs_a_target(own: Project) -> None:
    own.write(
        "own.yaml", "cases:\n  - {input: q, recorded: x, checks: [exact: x]}\n  - {input: q2, checks: [exact: x]}\n"
    )
    assert "nothing to test" in own.run("run", "own.yaml", code=2).stderr
