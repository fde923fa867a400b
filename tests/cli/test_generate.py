"""``proctor generate`` as a user calls it: a process, a server on the loopback, files, signals and kills."""

from __future__ import annotations

import json
import signal
import time
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web

from proctor.cli.generate import _tell_doubts
from proctor.generate.artefacts import read_artefacts
from tests.cli.conftest import Project, interrupt
from tests.cli.generation_server import PROMPT, GenerationServer
from tests.cli.server import ChatServer

FLAGS = ("generate", "tags.prompty", "--effort", "medium")


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with GenerationServer() as running:
        yield running


@pytest.fixture
def prompt(project: Project) -> Path:
    return project.write("tags.prompty", PROMPT)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def beside(project: Project, name: str) -> Project:
    """Another project with the same models, for the same work undisturbed."""
    other = Project(folder=project.folder / name, server=project.server)
    other.write("proctor.yaml", (project.folder / "proctor.yaml").read_text())
    other.write("tags.prompty", (project.folder / "tags.prompty").read_text())
    return other


def answers(project: Project) -> int:
    return sum(project.server.answered.values())


def test_a_folder_of_files_is_made_and_told(project: Project, prompt: Path) -> None:
    done = project.run(*FLAGS, code=0)
    folder = project.folder / "tags.tests"
    assert set(files_in(folder)) == {
        "intent.txt",
        "inputs.yaml",
        "rules.yaml",
        "tests.yaml",
        "baseline.yaml",
        "provenance.json",
    }
    artefacts = read_artefacts(folder)
    assert "covered 3 of 3 rules" in done.stdout or "covered" in done.stdout
    assert f"tests   {len(artefacts.tests)}: " in done.stdout
    assert "spent   " in done.stdout
    provenance = json.loads((folder / "provenance.json").read_text())
    assert provenance["mode"] == "model"
    assert provenance["spend"][0]["calls"] == answers(project)
    assert provenance["uncovered"] == []
    assert not list((project.folder / ".proctor" / "generate").glob("*.calls"))


def test_what_is_there_is_not_made_again(project: Project, prompt: Path) -> None:
    project.run(*FLAGS, code=0)
    before, asked = files_in(project.folder / "tags.tests"), answers(project)
    done = project.run(*FLAGS, code=0)
    assert "up to date" in done.stdout
    assert files_in(project.folder / "tags.tests") == before
    assert answers(project) == asked


def test_no_model_is_said_on_the_screen_and_on_record(project: Project, prompt: Path) -> None:
    done = project.run(*FLAGS, "--no-model", code=0)
    assert "no model was asked" in done.stdout
    assert answers(project) == 0
    assert json.loads((project.folder / "tags.tests/provenance.json").read_text())["mode"] == "offline"


def test_a_plan_asks_nothing_and_counts_what_will_be_asked(project: Project, prompt: Path) -> None:
    planned = project.run(*FLAGS, "--plan", "--no-cross-check", code=0)
    assert answers(project) == 0
    assert not (project.folder / "tags.tests").exists()
    total = next(line for line in planned.stdout.splitlines() if line.startswith("together"))
    project.run(*FLAGS, "--no-cross-check", code=0)
    # The plan takes the rules to be those that code finds; here the server names three.
    assert abs(int(total.split()[1]) - answers(project)) <= answers(project) // 2
    nothing = project.run(*FLAGS, "--plan", "--no-cross-check", code=0)
    assert next(line for line in nothing.stdout.splitlines() if line.startswith("together")).split()[1] == "0"


def test_kill_9_anywhere_and_the_result_is_the_same(project: Project, prompt: Path) -> None:
    undisturbed = beside(project, "undisturbed")
    undisturbed.run(*FLAGS, code=0)
    calls, wanted = answers(project), files_in(undisturbed.folder / "tags.tests")
    for at in (1, 5, 12, 24, calls - 8):
        killed = beside(project, f"killed-{at}")
        project.server.answered.clear()
        project.server.latency = 0.05
        process = killed.start(*FLAGS)
        while answers(project) < at:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.kill()
        process.communicate()
        kept = len(next((killed.folder / ".proctor" / "generate").glob("*.calls")).read_text().splitlines())
        project.server.latency = 0.0
        project.server.asked.clear()
        done = killed.run(*FLAGS, "--resume", code=0)
        assert files_in(killed.folder / "tags.tests") == wanted
        assert sum(project.server.asked.values()) == calls - kept
        assert kept == 0 or f"going on: {kept} answers" in done.stderr


def test_kill_9_while_everything_is_made_anew(project: Project, prompt: Path) -> None:
    other = beside(project, "undisturbed")
    for each in (project, other):
        each.run(*FLAGS, code=0)
    project.write("tags.prompty", PROMPT.replace("Never apologise.", "Use no digits."))
    other.write("tags.prompty", PROMPT.replace("Never apologise.", "Use no digits."))
    other.run(*FLAGS, "--from", "tests", code=0)
    project.server.answered.clear()
    project.server.latency = 0.05
    process = project.start(*FLAGS, "--from", "tests")
    while answers(project) < 8:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.kill()
    process.communicate()
    project.run(*FLAGS, "--resume", code=0)  # what it was begun with need not be said again
    assert files_in(project.folder / "tags.tests") == files_in(other.folder / "tags.tests")


def test_ctrl_c_keeps_every_answer(project: Project, prompt: Path) -> None:
    project.server.latency = 0.3
    process = project.start(*FLAGS)
    while answers(project) < 3:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    _, errors = interrupt(process)
    assert process.returncode == 130
    assert "every answer is kept" in errors
    assert "Traceback" not in errors
    paid = answers(project)
    log = next((project.folder / ".proctor" / "generate").glob("*.calls"))
    assert len(log.read_text().splitlines()) == paid
    assert not (project.folder / "tags.tests").exists()
    project.server.latency = 0.0
    project.server.asked.clear()
    project.run(*FLAGS, code=0)
    total = json.loads((project.folder / "tags.tests/provenance.json").read_text())["spend"][0]["calls"]
    assert sum(project.server.asked.values()) == total - paid


def test_a_damaged_line_in_the_middle_of_the_kept_answers_is_asked_again(project: Project, prompt: Path) -> None:
    undisturbed = beside(project, "undisturbed")
    undisturbed.run(*FLAGS, code=0)
    project.server.answered.clear()
    project.server.latency = 0.1
    process = project.start(*FLAGS)
    while answers(project) < 6:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    interrupt(process)
    log = next((project.folder / ".proctor" / "generate").glob("*.calls"))
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([lines[0], lines[1][:40] + b"\n", b'{"key": 1}\n', *lines[2:]]))
    project.server.latency = 0.0
    done = project.run(*FLAGS, code=0)
    assert "line 2 is not a JSON object; it was skipped, and its call is made again" in done.stderr
    assert "line 3 is no model call" in done.stderr
    wanted = files_in(undisturbed.folder / "tags.tests")
    assert files_in(project.folder / "tags.tests") == wanted


def test_a_second_ctrl_c_does_not_wait(project: Project, prompt: Path) -> None:
    project.server.latency = 60
    process = project.start(*FLAGS)
    while not project.server.asked:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    while "stopping" not in process.stderr.readline():
        assert process.poll() is None
    interrupt(process)
    assert process.returncode == 130
    assert answers(project) == 0


def test_a_key_that_is_refused_is_an_error_and_loses_nothing(project: Project, prompt: Path) -> None:
    project.environment["STUB_KEY"] = "wrong"
    done = project.run(*FLAGS, code=3)
    assert "error" in done.stderr
    assert not (project.folder / "tags.tests").exists()


def test_a_budget_ends_it_and_more_money_goes_on(project: Project, prompt: Path) -> None:
    text = (project.folder / "proctor.yaml").read_text()
    project.write("proctor.yaml", text + "prices:\n  'compatible:stub': {input: 1000, output: 1000}\n")
    done = project.run(*FLAGS, "--budget", "0.1", code=3)
    assert "budget is spent" in done.stderr
    paid = answers(project)
    assert paid > 3
    project.server.asked.clear()
    project.run(*FLAGS, "--budget", "100", code=0)
    spend = json.loads((project.folder / "tags.tests/provenance.json").read_text())["spend"][0]
    assert sum(project.server.asked.values()) == spend["calls"] - paid
    assert spend["cost"] == pytest.approx(spend["calls"] * 0.012)


def test_an_edited_prompt_shows_what_came_and_went(project: Project, prompt: Path) -> None:
    project.run(*FLAGS, code=0)
    prompt.write_text(PROMPT.replace("Never apologise.", "Use no digits."))
    project.server.asked.clear()
    done = project.run(*FLAGS, code=0)
    assert "+ The answer has no digits in it." in done.stdout
    assert "- The answer does not apologise in any way." in done.stdout
    assert "tests kept" in done.stdout
    assert 0 < sum(project.server.asked.values()) < 40


def test_a_persons_words_in_the_files_are_kept(project: Project, prompt: Path) -> None:
    project.run(*FLAGS, "--no-model", code=0)
    rules = project.folder / "tags.tests/rules.yaml"
    rules.write_text(rules.read_text() + "  - text: The answer is a noun.\n    locked: true\n")
    tests = project.folder / "tags.tests/tests.yaml"
    tests.write_text(tests.read_text() + "  - id: mine\n    inputs: {sentence: Mine.}\n")
    done = project.run(*FLAGS, "--no-model", code=0)
    assert "up to date" not in done.stdout
    assert "0 dropped" in done.stdout
    made = read_artefacts(project.folder / "tags.tests")
    mine = next(rule for rule in made.rules if rule.text == "The answer is a noun.")
    assert (mine.locked, mine.origin) == (True, "person")
    assert any(mine.id in case.metadata.get("rules", ()) for case in made.tests)
    assert any(case.id == "mine" for case in made.tests)
    assert "up to date" in project.run(*FLAGS, "--no-model", code=0).stdout


def test_two_at_once_on_one_folder_are_refused(project: Project, prompt: Path) -> None:
    project.server.latency = 60
    process = project.start(*FLAGS)
    try:
        while not project.server.asked:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        done = project.run(*FLAGS, code=3)
        assert "being made already" in done.stderr
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--force", "--resume"), "--force"),
        (("--no-model", "--judge", "x"), "--no-model"),
        (("--instruction", "nothing"), "STAGE=TEXT"),
        (("--tests-per-rule", "0"), "from 1 to 50"),
        (("--resume",), "nothing was begun"),
        (("--from", "nowhere"), "nowhere"),
    ],
)
def test_a_wrong_word_is_named(project: Project, prompt: Path, words: tuple[str, ...], said: str) -> None:
    done = project.run("generate", "tags.prompty", *words, code=2)
    assert said in done.stderr


def test_a_prompt_that_is_not_there_is_named(project: Project) -> None:
    assert "no such file" in project.run("generate", "none.prompty", code=2).stderr


def test_a_servers_faults_are_retried(project: Project, prompt: Path) -> None:
    project.server.misbehave = lambda question, times: web.Response(status=503) if times == 1 else None
    other = beside(project, "undisturbed")
    project.run("generate", "tags.prompty", "--effort", "min", code=0)
    project.server.misbehave = lambda question, times: None
    other.run("generate", "tags.prompty", "--effort", "min", code=0)
    assert files_in(project.folder / "tags.tests") == files_in(other.folder / "tags.tests")


def test_everything_anew_with_the_same_answers_is_the_same(project: Project, prompt: Path) -> None:
    flags = ("generate", "tags.prompty", "--effort", "min", "-q")
    project.run(*flags, code=0)
    first = files_in(project.folder / "tags.tests")
    project.server.asked.clear()
    project.run(*flags, "--force", code=0)
    assert project.server.asked
    assert files_in(project.folder / "tags.tests") == first


def test_numbers_in_the_prompts_file_go_before_the_preset_and_flags_before_both(project: Project) -> None:
    project.write("tags.prompty", PROMPT.replace("name: Tags", "name: Tags\npromptPex:\n  testsPerRule: 5"))
    path = project.folder / "tags.tests/provenance.json"
    project.run("generate", "tags.prompty", "--no-model", "-q", code=0)
    assert json.loads(path.read_text())["effort"]["tests_per_rule"] == 5
    project.run("generate", "tags.prompty", "--no-model", "-q", "--tests-per-rule", "1", code=0)
    assert json.loads(path.read_text())["effort"]["tests_per_rule"] == 1


def test_one_test_that_is_left_out_is_told_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    made = types.SimpleNamespace(invalid=1, repeats=1, only_code=(), only_model=(), notes=())
    _tell_doubts(made)
    made.invalid, made.repeats = 2, 3
    _tell_doubts(made)
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == [
        "left out: 1 test without a valid input",
        "left out: 1 test with the content of another",
        "left out: 2 tests without a valid input",
        "left out: 3 tests with the content of another",
    ]
