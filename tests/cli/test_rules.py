"""The verb rules, as a user runs it: a prompt, recorded conversations, a table, files, exit codes."""

from __future__ import annotations

import json

from tests.cli.conftest import Project

PROMPT = """\
You are a travel desk agent.

- Always call get_booking before modify_booking.
- Obtain explicit user confirmation before making any changes.
- Be kind to the customer, whatever they say.
"""


def conversation(*messages: object) -> str:
    return json.dumps({"messages": list(messages)})


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def agent(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


def calls(name: str, number: str) -> list[dict[str, object]]:
    made = {"id": number, "type": "function", "function": {"name": name, "arguments": '{"id": 7}'}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [made]},
        {"role": "tool", "tool_call_id": number, "content": "done"},
    ]


GOOD = conversation(
    user("move booking 7"), *calls("get_booking", "a"), agent("To Friday, shall I?"), user("yes"),
    *calls("modify_booking", "b"), agent("Done."),
)  # fmt: skip
BAD = conversation(user("move booking 7"), *calls("modify_booking", "a"), agent("Done."))


def prepared(project: Project, *lines: str) -> Project:
    project.write("agent.md", PROMPT)
    project.write("talks.jsonl", "\n".join(lines) + "\n")
    return project


def test_rules_are_read_from_a_prompt_and_written_to_a_file_that_can_be_checked_with(project: Project) -> None:
    prepared(project, GOOD)
    said = project.run("rules", "read", "--prompt", "agent.md", "-o", "rules.yaml", code=0).stdout
    assert "get_booking before modify_booking" in said
    assert "confirmation before write in the same turn" in said
    done = project.run("rules", "check", "--rules", "rules.yaml", "--light", "talks.jsonl", code=0)
    assert "0 of 1 conversations broke a rule" in done.stderr


def test_a_broken_rule_is_a_failure_with_its_turn(project: Project) -> None:
    prepared(project, GOOD, BAD)
    done = project.run(
        "rules", "check", "--prompt", "agent.md", "talks.jsonl", "--light", "-o", "all.jsonl", "-o", "t.json", code=1
    )
    assert "1 of 2 conversations broke a rule" in done.stderr
    assert "are unknown: it takes a judge" in done.stderr
    rows = [json.loads(line) for line in (project.folder / "all.jsonl").read_text().splitlines()]
    assert len(rows) == 6
    broken = [row for row in rows if row["outcome"] == "err"]
    assert {(row["turn"], row["step"]) for row in broken} == {(0, "modify_booking(id=7)")}
    table = json.loads((project.folder / "t.json").read_text())
    assert [(each["kept"], each["broken"], each["unknown"]) for each in table["rules"]] == [
        (1, 1, 0),
        (1, 1, 0),
        (0, 0, 2),
    ]
    assert table["rules"][0]["examples"][0]["turn"] == 0


def test_a_judge_decides_what_code_cannot_read(project: Project) -> None:
    prepared(project, GOOD, GOOD.replace("Done.", "What a bad customer."))
    project.run("rules", "check", "--prompt", "agent.md", "talks.jsonl", "--judge", "stub", "-o", "t.json", code=0)
    table = json.loads((project.folder / "t.json").read_text())
    kind = table["rules"][2]
    assert (kind["checked_by"], kind["kept"], kind["not_applicable"], kind["unknown"]) == ("judge", 1, 1, 0)


def test_nothing_but_judged_rules_and_no_judge_is_no_verdict(project: Project) -> None:
    prepared(project, GOOD)
    project.write("kind.yaml", "rules:\n  - text: The agent is kind.\n")
    done = project.run("rules", "check", "--rules", "kind.yaml", "--light", "talks.jsonl", code=3)
    assert "1 of 1 rules are unknown" in done.stderr


def test_a_mistake_in_a_rule_is_named_with_its_line(project: Project) -> None:
    prepared(project, GOOD)
    project.write("rules.yaml", "rules:\n  - text: The agent asks.\n    predicate: ask befor write\n")
    done = project.run("rules", "check", "--rules", "rules.yaml", "talks.jsonl", code=2)
    assert "rules.yaml:3" in done.stderr
    assert "`before` was expected" in done.stderr


def test_what_is_missing_is_said(project: Project) -> None:
    prepared(project, GOOD)
    assert "no rules to check" in project.run("rules", "check", "talks.jsonl", code=2).stderr
    assert "--prompt" in project.run("rules", "read", code=2).stderr
    project.write("empty.md", "Hello there.")
    assert "no rule was found" in project.run("rules", "check", "--prompt", "empty.md", "talks.jsonl", code=2).stderr
    wrong = project.run("rules", "check", "--prompt", "agent.md", "talks.jsonl", "-o", "x.csv", code=2)
    assert ".jsonl for every verdict" in wrong.stderr
