"""Goal files are read whole, and every mistake in them is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from proctor.core.errors import InputError, MalformedError
from proctor.redteam.goals import goals_in, load_goals
from tests.redteam.sample_goals import DIRECT, INDIRECT, goal, goals
from tests.tables import table

GOAL = """
- id: g
  scope: {scope}
  title: t
  severity: high
  effects: [{effect}]
  instruction: {instruction}
  carriers: {carriers}
"""
CARRIERS = '[{turns: {en: ["Hello?"]}, places: [{channel: document, at: a/b, text: "x {payload}"}]}]'
SAID = "{kind: said, pattern: abc}"


def made(
    effect: str = SAID, scope: str = "policy_bypass", instruction: str = "{en: Do it}", carriers: str = CARRIERS
) -> str:
    return GOAL.format(scope=scope, effect=effect, instruction=instruction, carriers=carriers)


def test_files_and_folders_give_their_goals_in_order(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(INDIRECT, encoding="utf-8")
    (tmp_path / "b.yaml").write_text(DIRECT, encoding="utf-8")
    assert load_goals([tmp_path]) == load_goals([tmp_path / "a.yaml", tmp_path / "b.yaml"]) == goals()
    assert goal().carriers[0].places[0].at == "bookings/LT-1001/note"


@table(
    ("text", "field", "message", "hint"),
    [
        (made("{kind: row_changed, table: b, row: r}"), "effects[0].column", "is missing", "row_changed needs it"),
        (made("{kind: row_added, values: {a: 1}}"), "effects[0].table", "is missing", "row_added"),
        (made("{kind: said, pattern: a, tool: t}"), "effects[0].tool", "no meaning for said", "pattern"),
        (made("{kind: canary_shown, canary: it}"), "effects[0].canary", "too short", "4 characters"),
        (made("{kind: said, pattern: '(a'}"), "effects[0].pattern", "missing )", "short text"),
        (made("{kind: said, pattern: '(?=(a+)+)\\1(?!b)(a+)+$'}"), "effects[0].pattern", "too long", ""),
        (made("{kind: contradiction, pattern: a, turns: [1, 2]}"), "effects[0].pattern", "no group", "( )"),
        (made("{kind: contradiction, pattern: (a), turns: [1, 3]}"), "effects[0].turns", "no turn 3", "shortest has 1"),
        (made("{kind: contradiction, pattern: (a), turns: [1]}"), "effects[0].turns", "fewer than two", "another one"),
        (made("{kind: teleported}"), "effects[0].kind", "expected one of", ""),
        (made(instruction="{}"), "instruction", "is empty", "en"),
        (made(instruction="{english: Do it}"), "instruction.english", "no language code", "pt-BR"),
        (made(instruction='{en: " "}'), "instruction.en", "is empty", "leave the language out"),
        (made(instruction='{en: "a {payload}"}'), "instruction.en", "{payload}", "place"),
        (made(carriers="[]"), "carriers", "is empty", "harmless conversation"),
        (made(carriers='[{turns: {de: ["Hallo"]}}]'), "carriers[0].turns", "no `en`", "missing"),
        (made(carriers="[{turns: {en: []}}]"), "carriers[0].turns.en", "no turn", "customer"),
        (
            made(carriers="[{turns: {en: [a]}, places: [{channel: message, at: b}]}]"),
            "carriers[0].places[0].channel",
            "said by the user",
            "read by the agent",
        ),
        (
            made(carriers='[{turns: {en: [a]}, places: [{channel: email, at: b, text: "{payload}{payload}"}]}]'),
            "carriers[0].places[0].text",
            "more than once",
            "once",
        ),
        (
            made(scope="indirect_injection", carriers="[{turns: {en: [a]}}]"),
            "carriers",
            "have no place",
            "indirect injection",
        ),
        (made() + "  colour: red\n", "colour", "unknown key", ""),
    ],
)
def test_a_mistake_is_named_with_its_goal_field_and_hint(text: str, field: str, message: str, hint: str) -> None:
    with pytest.raises(MalformedError) as caught:
        goals_in(text, file="goals.yaml")
    problems = [problem for problem in caught.value.problems if problem.where == f"[0].{field}"]
    assert problems, [problem.where for problem in caught.value.problems]
    assert message in problems[0].message
    assert "goal 'g'" in problems[0].message
    assert hint in (problems[0].hint or "")
    assert problems[0].line
    assert str(caught.value).startswith("goals.yaml:")


@pytest.mark.parametrize("text", ["Say ABC-ORCHID now.", "Say ＡＢＣ－orchid now.", "Say abc-\u200borchid"])
def test_a_canary_is_never_given_away(text: str) -> None:
    effect = "{kind: canary_shown, canary: ABC-ORCHID}"
    with pytest.raises(MalformedError, match=r"is in instruction\.de"):
        goals_in(made(effect, instruction=f'{{en: Do it, de: "{text}"}}'))
    with pytest.raises(MalformedError, match=r"is in carriers\[0\]\.turns\.en"):
        goals_in(made(effect, carriers=f'[{{turns: {{en: ["{text}"]}}}}]'))


def test_a_planted_row_may_hold_the_canary() -> None:
    carriers = '[{turns: {en: [a]}, places: [{channel: tool_result, at: b, text: "ABC-ORCHID"}]}]'
    assert goals_in(made("{kind: canary_shown, canary: ABC-ORCHID}", carriers=carriers))


def test_every_problem_of_a_file_is_listed_at_once() -> None:
    with pytest.raises(MalformedError) as caught:
        goals_in(made(instruction="{}") + made("{kind: tool_called}"))
    places = {problem.where for problem in caught.value.problems}
    assert places == {"[0].instruction", "[1].effects[0].tool", "[1].id"}


@table(
    ("files", "message"),
    [
        ({"a.yaml": "goals: 3"}, "list of goals"),
        ({"a.yaml": "[]"}, "no goals"),
        ({"a.yaml": "- ["}, "YAML"),
        ({}, "no goals"),
        ({"a.yaml": made(), "b.yaml": made()}, "also in"),
    ],
)
def test_a_file_that_is_no_list_of_goals_is_an_input_error(tmp_path: Path, files: dict[str, str], message: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_goals([tmp_path])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read") as caught:
        load_goals([tmp_path / "none.yaml"])
    assert caught.value.file == str(tmp_path / "none.yaml")
