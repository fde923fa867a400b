"""`proctor run my.prompty`: a prompt's own tests, as a user runs them, against a real server on the loopback."""

from __future__ import annotations

import csv
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from proctor.core.case import Case
from proctor.core.rule import Rule
from proctor.generate.artefacts import Artefacts, write_artefacts
from proctor.prompts.load import load_prompt
from tests.cli.conftest import Project

PROMPT = """\
---
name: tag
inputs:
  word: {type: string}
---
system:
Say the word in lower case.
user:
{{word}}
"""
LOWER = Rule(text="The answer is in lower case.", kind="format", predicate="case is lower")
LOUD = Rule(text="The answer is in capitals.", polarity="negative", inverse_of=LOWER.id)
WORD = Rule(text="The answer is one word.", predicate="words = 1", weight=2.0)
POLITE = Rule(text="The answer is polite.", kind="style")


def a_test(number: int, word: str, *aims: Rule, **metadata: Any) -> Case:
    told = {"rules": [rule.id for rule in aims], "polarity": "positive", "strategy": "typical", **metadata}
    return Case(id=f"t-{number:03}", inputs={"word": word}, metadata=told)


def tag(project: Project, tests: list[Case] | None = None, *, judge: bool = False, baseline: bool = False) -> str:
    """A prompt with its folder of tests; the server answers with the last word it was told."""
    path = project.write("tag.prompty", PROMPT)
    made = tests or [
        a_test(0, "run", LOWER, valid=True),
        a_test(1, "dog", WORD, scenario="animals", valid=True),
        a_test(2, "CAT", LOUD, scenario="animals", polarity="negative", valid=False),
    ]
    rules = (LOWER, LOUD, WORD, *([POLITE] if judge else []))
    extra = (Case(id="b-000", inputs={"word": "tree"}, tags=("baseline",)), made[0]) if baseline else ()
    artefacts = Artefacts(intent="Say it.", rules=rules, tests=tuple(made), baseline=extra)
    write_artefacts(
        project.folder / "tag.tests", artefacts, name="tag", prompt="../tag.prompty", hash=load_prompt(path).hash
    )
    return "tag.prompty"


def report_of(project: Project, name: str = "r.json") -> dict[str, Any]:
    data: dict[str, Any] = json.loads((project.folder / name).read_text(encoding="utf-8"))
    return data


def test_every_test_has_a_verdict_on_every_rule(project: Project) -> None:
    outputs = [word for name in ("json", "html", "md", "csv", "overview.csv") for word in ("-o", f"r.{name}")]
    done = project.run("run", tag(project), "-m", "stub", "-k", "2", *outputs, code=1)
    assert "2 of 6 failed" in done.stdout
    assert "warning" not in done.stderr
    found = report_of(project)
    overview = found["report"]["overview"]
    everything, animals = (overview["rows"][place] for place in (0, 2))
    assert (everything["target"], everything["tests"]["ok"], everything["tests"]["err"]) == ("tag@stub", 4, 2)
    assert (animals["scenario"], animals["negative"]["err"], animals["negative"]["rate"]) == ("animals", 2, 0.0)
    rules = {row["rule"]: row for row in overview["rules"]}
    assert set(rules) == {LOWER.id, WORD.id}
    assert (rules[LOWER.id]["covered"], rules[LOWER.id]["failed"], rules[LOWER.id]["kept"]["err"]) == (2, 1, 2)
    assert rules[WORD.id]["kept"]["rate"] == 1.0
    for result in found["results"]:
        (score,) = result["scores"]
        assert [part["label"] for part in score["parts"]] == ["err" if "CAT" in str(result["case"]) else "ok", "ok"]
    rows = list(csv.DictReader((project.folder / "r.csv").read_text(encoding="utf-8").splitlines()))
    assert {row[f"rule:{LOWER.id}"] for row in rows} == {"ok", "err"}
    assert LOWER.text in (project.folder / "r.md").read_text(encoding="utf-8")
    assert LOWER.text in project.run("show", "last", code=0).stdout.replace("\n", " ")


def test_a_prompt_without_tests_says_how_to_make_them(project: Project) -> None:
    project.write("tag.prompty", PROMPT)
    done = project.run("run", "tag.prompty", "-m", "stub", code=2)
    assert "tag.prompty has no tests yet" in done.stderr
    assert "proctor generate tag.prompty" in done.stderr
    missing = project.run("run", "tagg.prompty", "-m", "stub", code=2)
    assert "did you mean" in missing.stderr


def test_a_prompt_whose_folder_has_no_cases_says_where_inputs_come_from(project: Project) -> None:
    tag(project)
    (project.folder / "tag.tests" / "tests.yaml").write_text("name: tag\ncases: []\n")
    done = project.run("run", "tag.prompty", "-m", "stub", code=2)
    assert "tag.prompty has no tests: tag.tests/tests.yaml has no cases" in done.stderr
    assert "samples" in done.stderr
    assert "proctor generate tag.prompty -m MODEL" in done.stderr


def test_recorded_answers_of_a_prompt_need_no_model(project: Project) -> None:
    project.write("proctor.yaml", "")
    tag(project)
    path = project.folder / "tag.tests" / "tests.yaml"
    path.write_text("name: tag\ncases:\n  - {id: mine, inputs: {word: dog}, recorded: noun}\n")
    project.run("run", "tag.prompty", "-o", "r.json", code=0)
    (row,) = report_of(project)["report"]["overview"]["rows"]
    assert row["tests"]["ok"] == 1
    project.run("review", "tag.prompty", code=0)


def test_a_prompt_that_was_edited_is_told_and_the_run_goes_on(project: Project) -> None:
    name = tag(project, [a_test(0, "run", LOWER)])
    project.write(name, PROMPT.replace("lower case", "small letters"))
    done = project.run("run", name, "-m", "stub", code=0)
    assert "has changed since its tests were made" in done.stderr
    assert "proctor generate tag.prompty" in done.stderr


def test_rules_that_take_a_judge_stay_unknown_without_one(project: Project) -> None:
    project.write("proctor.yaml", (project.folder / "proctor.yaml").read_text().replace("judge: stub\n", ""))
    name = tag(project, [a_test(0, "run", LOWER), a_test(1, "dog", POLITE)], judge=True)
    done = project.run("run", name, "-m", "stub", "-o", "r.json", code=3)
    assert "1 of 3 rules take a judge and stay unknown" in done.stderr
    row = report_of(project)["report"]["overview"]["rows"][0]["tests"]
    assert (row["ok"], row.get("err", 0), row["unknown"]) == (1, 0, 1)
    light = project.run("run", name, "-m", "stub", "--light", code=0)
    assert "warning" not in light.stderr


def test_judges_are_asked_one_call_a_rule_and_by_name(project: Project) -> None:
    name = tag(project, [a_test(0, "run", POLITE), a_test(1, "bad", POLITE)], judge=True)
    project.run("run", name, "-m", "stub", "--judge", "stub", "-o", "r.json", code=0)
    asked = [question for question in project.server.asked if question.startswith("judge")]
    assert len(asked) == 2
    assert all(POLITE.text in question for question in asked)
    assert not any(PROMPT.splitlines()[-3] in question for question in asked)  # the prompt is not what is judged
    (row,) = [row for row in report_of(project)["report"]["overview"]["rules"] if row["rule"] == POLITE.id]
    assert (row["judged_by"], row["kept"]["ok"], row["na"]) == ({"judge:compatible:stub": 2}, 1, 1)


def test_baseline_tests_are_added_when_asked_for_and_put_once(project: Project) -> None:
    name = tag(project, [a_test(0, "run", LOWER)], baseline=True)
    project.run("run", name, "-m", "stub", "--baseline", "-o", "r.json", code=0)
    (row,) = report_of(project)["report"]["overview"]["rows"]
    assert (row["tests"]["tests"], row["baseline"]["tests"]) == (1, 1)
    done = project.run("run", tag(project), "-m", "stub", "--baseline", code=2)
    assert "no baseline tests" in done.stderr


def test_metrics_beside_the_prompt_and_named_are_asked(project: Project) -> None:
    name = tag(project, [a_test(0, "run", LOWER)])
    project.write("nice.metric.prompty", "---\nname: nice\n---\nuser:\nJudge {{output}} as asked: OK")
    project.write("hidden.metric.prompty", "---\ntags: [experimental]\n---\nuser:\n{{output}} OK")
    other = project.write("more/cold.metric.prompty", "---\nname: cold\n---\nuser:\n{{output}} is it good? Perhaps")
    project.run("run", name, "-m", "stub", "--metric", str(other), "-o", "r.json", code=0)
    (row,) = report_of(project)["report"]["overview"]["rows"]
    figures = {figure["name"]: figure for figure in row["metrics"]}
    assert (figures["nice"]["mean"], figures["nice"]["count"]) == (1.0, 1)
    assert figures["cold"] == {"name": "cold", "missing": 1}
    assert "hidden" not in figures
    broken = project.write("bad.metric.prompty", "---\nname: bad\n---\nuser:\n{{answer}}")
    done = project.run("run", name, "-m", "stub", code=2)
    assert "asks for answer" in done.stderr
    broken.unlink()


def test_a_prompts_tests_are_checked_without_running_them(project: Project) -> None:
    done = project.run("validate", tag(project), code=0)
    assert "3 cases" in done.stdout
    assert not project.server.asked


def test_a_rule_that_cannot_be_read_is_named_with_its_line(project: Project) -> None:
    name = tag(project)
    rules = project.folder / "tag.tests" / "rules.yaml"
    rules.write_text(rules.read_text().replace("predicate: words = 1", "predicate: words about 1"))
    done = project.run("run", name, "-m", "stub", code=2)
    assert "rules.yaml:" in done.stderr


def test_kill_9_and_resume_gives_the_identical_result(project: Project) -> None:
    words = [word if n % 3 else word.upper() for n, word in enumerate(["run", "dog", "bad", "cat", "tree"] * 8)]
    tests = [a_test(n, word, POLITE if n % 2 else LOWER) for n, word in enumerate(words)]
    name = tag(project, tests, judge=True)
    project.server.latency = 0.03
    project.run("run", name, "-m", "stub", "-k", "2", "-j", "6", "-o", "whole.json", code=1)
    calls = sum(project.server.answered.values())
    project.server.asked.clear()
    project.server.answered.clear()
    process = project.start("run", name, "-m", "stub", "-k", "2", "-j", "6")
    while sum(project.server.answered.values()) < calls // 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.kill()
    process.communicate()
    run = project.last_run()
    project.run("run", "--resume", run, "-o", "again.json", code=1)
    whole, again = (report_of(project, file) for file in ("whole.json", "again.json"))
    assert again["report"]["overview"] == whole["report"]["overview"]
    assert again["report"]["counts"] == whole["report"]["counts"]
    assert verdicts(again) == verdicts(whole)
    assert sum(project.server.asked.values()) <= calls + 12  # what was in flight may be asked twice


def verdicts(found: dict[str, Any]) -> list[Any]:
    return sorted(
        (result["case"]["id"], result.get("sample", 0), part["name"], part["label"], part["reason"])
        for result in found["results"]
        for score in result["scores"]
        for part in score["parts"]
    )


def test_two_models_are_compared_case_by_case(project: Project) -> None:
    text = (project.folder / "proctor.yaml").read_text()
    project.write("shout.py", "def answer(request):\n    return request.messages[-1].content.upper()\n")
    project.write("proctor.yaml", text + "  loud: rule:shout.py:answer\n")
    name = tag(
        project,
        [a_test(n, chr(ord("a") + n) * 3, LOWER) for n in range(12)],
    )
    project.run("run", name, "-m", "stub", "-m", "loud", code=1)
    done = project.run("compare", "last", "-t", "tag@loud", "--against", "tag@stub", code=0)
    assert "12 cases are in both runs" in done.stdout
    assert "regression" in done.stdout
    project.run("run", name, "-m", "stub", code=0)
    first, second = (line.split("\t")[0] for line in project.run("list", code=0).stdout.splitlines()[1:3])
    across = project.run("compare", second, first, "-t", "tag@loud", code=0)
    assert "regression" in across.stdout


def test_answers_are_stored_under_their_tests_names(project: Project) -> None:
    bodies: list[dict[str, Any]] = []

    async def keep(request: web.Request, handler: Any) -> web.StreamResponse:
        bodies.append(await request.json())
        return await handler(request)  # type: ignore[no-any-return]

    original = project.server._complete

    async def complete(request: web.Request) -> web.StreamResponse:
        return await keep(request, original)

    name = tag(project, [a_test(0, "run", LOWER, scenario="s")])
    with recording(project, complete) as base:
        project.write("proctor.yaml", (project.folder / "proctor.yaml").read_text().replace(project.server.url, base))
        project.run("run", name, "-m", "stub", "--store-completions", code=0)
    (body,) = bodies
    assert body["store"] is True
    told = body["metadata"]
    assert (told["test"], told["scenario"], told["prompt"], told["run"]) == ("t-000", "s", "tag", project.last_run())
    assert told["dataset"] in ("training", "test")


def recording(project: Project, complete: Any) -> Any:
    """The same answers from a second server, which keeps what it was sent."""
    from contextlib import contextmanager

    from tests.cli.server import ChatServer

    @contextmanager
    def serve() -> Any:
        second = ChatServer()
        second._complete = complete  # type: ignore[method-assign]
        with second:
            yield second.url

    return serve()


@pytest.mark.live
def test_a_complete_run_on_the_small_model_that_runs_in_process(project: Project) -> None:
    folder = Path(os.environ.get("PROCTOR_CACHE") or Path.home() / ".cache" / "proctor")  # noqa: TID251
    if not list(folder.glob("models/SmolLM2*.gguf")):
        pytest.skip("`proctor models add smollm2` fetches the model")
    name = tag(project, [a_test(0, "run", LOWER), a_test(1, "dog", WORD)])
    project.run("run", name, "-m", "local:smollm2", "-k", "2", "-o", "r.json")
    (row,) = report_of(project)["report"]["overview"]["rows"]
    assert row["tests"]["tests"] == 2
    assert row["tests"].get("ok", 0) + row["tests"].get("err", 0) == 4
    assert row.get("errors", 0) == 0
