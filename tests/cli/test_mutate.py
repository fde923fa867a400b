from __future__ import annotations

import json
from pathlib import Path

import pytest

from proctor.core.case import Case
from proctor.core.rule import Rule, Span
from proctor.generate.artefacts import Artefacts, folder_of, read_artefacts, write_artefacts
from tests.cli.conftest import Project
from tests.tables import table

SAID = "Use at most 20 words. Always be kind."
RULES = (
    Rule(
        text="The output has at most 20 words.",
        predicate="words <= 20",
        source=Span(start=0, end=21, quote="Use at most 20 words."),
        kind="format",
    ),
    Rule(text="The output is kind.", source=Span(start=22, end=37, quote="Always be kind."), kind="style"),
)


def _prompt(project: Project, tests: int = 4) -> Path:
    path = project.write("tag.prompty", f"---\nname: tag\n---\nsystem:\n{SAID}\n\nuser:\n{{{{text}}}}\n")
    cases = tuple(
        Case(
            id=f"t-{number}",
            inputs={"text": f"A story number {number} about {'x' * number}"},
            metadata={"rules": [RULES[number % 2].id], "origin": "extractor", "valid": True},
        )
        for number in range(tests)
    )
    write_artefacts(folder_of(path), Artefacts(intent="Tag.", rules=RULES, tests=cases), name="tag")
    return path


# A stand-in that keeps the limit while the prompt states it.
BRAIN = """\
def answer(request):
    kept = "Use at most 20 words." in request.messages[0].content
    return "word " * (20 if kept else 50)
"""


def test_tests_are_measured_and_the_report_is_written(project: Project) -> None:
    _prompt(project)
    project.write("brain.py", BRAIN)
    model = "rule:brain.py:answer"
    done = project.run(
        "mutate", "tag.prompty", "-m", model, "--no-control", "-o", "m.json", "-o", "m.md", "-o", "m.html"
    )
    assert done.returncode == 0, done.stderr
    data = json.loads((project.folder / "m.json").read_text())
    fates = {(each["operator"], each["fate"]) for each in data["mutants"]}
    assert {("drop", "killed"), ("weaken", "killed")} <= fates
    assert data["model"] == model
    assert data["oracle"]["total"] > 0
    for name in ("m.md", "m.html"):
        text = (project.folder / name).read_text()
        assert model in text
        assert "The output has at most 20 words" in text


def test_without_a_model_it_is_asked_for(project: Project) -> None:
    _prompt(project)
    project.write("proctor.yaml", "{}\n")
    for more in ((), ("--plan",)):
        bare = project.run("mutate", "tag.prompty", *more, code=2)
        assert "no model is set to put the tests of tag.prompty to" in bare.stderr
        assert "--model" in bare.stderr


def test_a_plan_shows_mutants_and_calls_and_spends_nothing(project: Project) -> None:
    _prompt(project)
    done = project.run("mutate", "tag.prompty", "--plan", "-k", "2", code=0)
    assert "weaken" in done.stdout and "at most 40 words" in done.stdout  # noqa: PT018 - one line of the table
    assert "calls of stub" in done.stderr
    assert not project.server.asked


@table(
    ("flags", "told"),
    [
        (("-m", "model.py:reply"), "'model.py:reply' names no provider"),
        (("-m", "reply"), "no model is called 'reply'"),
        (("-m", "openai:gpt-5-mini", "--judge", "jugde:x"), "'jugde:x' names no provider"),
    ],
)
def test_a_plan_refuses_a_model_that_cannot_exist(project: Project, flags: tuple[str, ...], told: str) -> None:
    _prompt(project)
    assert told in project.run("mutate", "tag.prompty", "--plan", *flags, code=2).stderr
    assert told in project.run("generate", "tag.prompty", "--plan", "--force", *flags, code=2).stderr


def test_the_list_of_models_says_how_a_function_is_written(project: Project) -> None:
    (row,) = [line for line in project.run("list", "models", code=0).stdout.splitlines() if line.startswith("rule\t")]
    assert "`rule:file.py:function`" in row


def test_a_plan_needs_no_key(project: Project) -> None:
    _prompt(project)
    project.write("proctor.yaml", "models: {mine: {provider: openai, model: gpt-5-mini, api_key: '${NOT_SET}'}}\n")
    for model in ("mine", "openai:gpt-5-mini", "rule:brain.py:answer"):
        assert f"calls of {model}" in project.run("mutate", "tag.prompty", "--plan", "-m", model, code=0).stderr


def test_a_score_under_the_bar_is_exit_code_1_and_nothing_judged_is_3(project: Project) -> None:
    _prompt(project)
    brain = "def answer(request):\n    return 'one two'\ndef long(request):\n    return 'word ' * 30\n"
    project.write("brain.py", brain)
    deaf = project.run("mutate", "tag.prompty", "-m", "rule:brain.py:answer", "--at-least", "0.5")
    assert deaf.returncode == 1
    assert "is under 0.5" in deaf.stderr
    assert "Survived" in deaf.stdout
    failing = project.run("mutate", "tag.prompty", "-m", "rule:brain.py:long")
    assert failing.returncode == 3
    assert "no mutant could be judged" in failing.stdout


def test_what_is_wrong_is_told_before_anything_is_spent(project: Project) -> None:
    project.write("bare.prompty", "system:\nSay hello.\n")
    bare = project.run("mutate", "bare.prompty", code=2)
    assert "has no tests yet" in bare.stderr
    assert "proctor generate bare.prompty" in bare.stderr
    _prompt(project)
    assert "end the file name" in project.run("mutate", "tag.prompty", "-o", "m.docx", code=2).stderr
    assert not project.server.asked


def test_tests_are_reviewed_and_only_with_write_are_some_taken_out(project: Project) -> None:
    path = _prompt(project, tests=6)
    before = (folder_of(path) / "tests.yaml").read_bytes()
    done = project.run("review", "tag.prompty", "--keep", "2", "-o", "r.json", "-o", "r.md", "-o", "r.html", code=0)
    assert "no model was asked" in done.stdout
    data = json.loads((project.folder / "r.json").read_text())
    assert len(data["keep"]) == 2 and len(data["notes"]) == 6  # noqa: PT018 - one finding
    assert (folder_of(path) / "tests.yaml").read_bytes() == before
    project.run("review", "tests", "tag.prompty", "--keep", "2", "--write", code=0)
    kept = read_artefacts(folder_of(path)).tests
    assert [case.id for case in kept] == data["keep"]
    assert {rule for case in kept for rule in case.metadata["rules"]} == {rule.id for rule in RULES}


def test_the_queue_is_still_there_and_a_slip_is_told(project: Project) -> None:
    assert "nothing is waiting" in project.run("review", "list", code=0).stderr
    assert project.run("review", "nothing.prompty").returncode == 2
    assert "No such command" in project.run("review", "lst").stderr
    _prompt(project)
    assert "--keep" in project.run("review", "tag.prompty", "--write", code=2).stderr


def test_a_review_knows_what_failed_in_stored_runs(project: Project) -> None:
    _prompt(project)
    project.write("brain.py", "def long(request):\n    return 'word ' * 30\n")
    project.run("run", "tag.prompty", "-m", "rule:brain.py:long")
    done = project.run("review", "tag.prompty", "-o", "r.json", code=0)
    assert "stored runs 1" in done.stdout
    notes = json.loads((project.folder / "r.json").read_text())["notes"]
    assert all((note["failures"], note["runs"]) == (1, 1) for note in notes)


@pytest.mark.parametrize("verb", ["mutate", "review"])
def test_a_prompt_that_is_not_there_names_its_neighbour(project: Project, verb: str) -> None:
    _prompt(project)
    assert "did you mean tag.prompty?" in project.run(verb, "tga.prompty", code=2).stderr
