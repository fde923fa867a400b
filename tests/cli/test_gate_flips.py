"""The gate on flipped cases, idle rules and changed scorers, as a user meets them, over runs that really happened."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Project
from tests.cli.server import ChatServer

AGENT = """
import os

BROKEN = int(os.environ.get("BROKEN", "0"))
asked = {}

def answer(text):
    number = int(text.split()[1])
    asked[number] = asked.get(number, 0) + 1
    if number < BROKEN or (number == 100 and os.environ.get("WOBBLY") and asked[number] % 2 == 0):
        return "Come back later."
    return f"You have {number} days."
"""
CONFIG = "target: agent\ntargets: {agent: {python: 'agent.py:answer'}}\nrun: {pass_rate: 0.9}\n"


def write_suite(project: Project, count: int, name: str = "golden", intent: str | None = None) -> None:
    cases = [
        {
            "id": f"c{number:03d}",
            "input": f"case {number}",
            **({"intent": intent} if intent else {}),
            "expect": {"reference": f"{number} days, no more"},
            "checks": [{"contains": f"{number} days"}],
        }
        for number in range(count)
    ]
    project.write(f"{name}.jsonl", "".join(json.dumps(case) + "\n" for case in cases))


def furnish(project: Project) -> None:
    project.write("agent.py", AGENT)
    project.write("proctor.yaml", CONFIG)
    write_suite(project, 200)


@pytest.fixture(scope="module")
def blessed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """200 deterministic cases, run and blessed: made once, since every test begins with the same."""
    with ChatServer() as server:
        made = Project(folder=tmp_path_factory.mktemp("blessed"), server=server)
        furnish(made)
        made.run("run", "golden.jsonl", "-q", code=0)
        made.run("bless", code=0)
    return made.folder


@pytest.fixture
def blessed(project: Project, blessed_once: Path) -> Project:
    shutil.copytree(blessed_once, project.folder, dirs_exist_ok=True)
    return project


def broken(project: Project, count: int) -> None:
    project.environment = {"BROKEN": str(count)}
    project.run("run", "golden.jsonl", "-q")


def test_five_flipped_cases_of_200_hold_are_listed_everywhere_and_wait_for_review(blessed: Project) -> None:
    broken(blessed, 5)
    done = blessed.run("gate", "-o", "g.json", "-o", "g.html", "-o", "g.md", code=1)
    assert "5 cases that passed no longer pass (contains): c000, c001, c002, c003, c004" in done.stdout
    assert "Cases that passed and now fail (5)" in done.stdout
    assert "5 cases wait for review" in done.stderr
    flips = json.loads((blessed.folder / "g.json").read_text())["newly_failing"]
    assert [(each["case"], each["check"], each["before"], each["after"]) for each in flips] == [
        (f"c{number:03d}", "contains", "1 of 1", "0 of 1") for number in range(5)
    ]
    for name in ("g.html", "g.md"):
        page = (blessed.folder / name).read_text()
        assert ("Cases that passed and now fail" if name == "g.md" else "no longer pass (contains)") in page
        assert "c004" in page
    assert len(blessed.run("review", "list", code=0).stdout.splitlines()) == 1 + 5
    alert = json.loads(next((blessed.folder / ".proctor" / "alerts").glob("gate-*.json")).read_text())
    assert alert["metadata"]["cases"] == [f"c{number:03d}" for number in range(5)]


def test_one_flip_among_four_cases_holds_although_there_is_too_little_data(project: Project) -> None:
    furnish(project)
    write_suite(project, 4)
    project.run("run", "golden.jsonl", "-q", code=0)
    project.run("bless", code=0)
    broken(project, 1)
    done = project.run("gate", code=1)
    assert "HOLD" in done.stdout
    assert "speaks against" not in done.stdout
    assert "c000" in project.run("review", "list", code=0).stdout


def test_so_many_flips_as_the_rules_allow_ship_with_their_names(blessed: Project) -> None:
    blessed.write("gate.yaml", "newly_failing: {contains: 0.03}\nlargest_drop: 0.1\n")
    broken(blessed, 5)
    done = blessed.run("gate", code=0)
    assert "it ships, but 5 cases that passed no longer pass: c000" in done.stdout
    assert "speaks against" not in done.stdout
    assert "5 cases wait for review" in done.stderr
    broken(blessed, 7)
    blessed.run("gate", code=1)
    blessed.write("gate.yaml", "newly_failing: 1.5\n")
    assert "newly_failing must be a number of cases, or a share under 1" in blessed.run("gate", code=2).stderr


def test_a_failed_run_that_ships_says_that_it_failed(project: Project) -> None:
    furnish(project)
    broken(project, 40)
    project.run("bless", code=0)
    broken(project, 40)
    done = project.run("gate", code=0)
    assert "the run itself FAILED" in done.stdout
    assert "nothing speaks against it" not in done.stdout


def test_a_case_whose_samples_disagree_is_listed_and_does_not_hold(blessed: Project) -> None:
    blessed.run("run", "golden.jsonl", "-q", "-k", "4", code=0)
    blessed.run("bless", code=0)
    blessed.environment = {"WOBBLY": "yes"}
    blessed.run("run", "golden.jsonl", "-q", "-k", "4", code=0)
    done = blessed.run("gate", code=0)
    assert "c100" in done.stdout
    assert "their samples disagree" in done.stdout
    assert "passed 4 of 4 → 2 of 4" in done.stdout


def test_one_answer_of_a_model_that_flipped_asks_for_more_samples(project: Project) -> None:
    lines = [
        json.dumps({"id": f"c{number}", "input": f"say n{number}", "checks": [{"exact": f"n{number}"}]})
        for number in range(40)
    ]
    project.write("suite.jsonl", "\n".join(lines) + "\n")
    project.run("run", "suite.jsonl", "-q", code=0)
    project.run("bless", code=0)
    # The same model, asked for something else in one case: the check of that case fails now.
    data = json.loads((project.folder / "baselines/suite.json").read_text())
    project.write("suite.jsonl", "\n".join(lines).replace('"exact": "n7"', '"exact": "n77"') + "\n")
    project.run("run", "suite.jsonl", "-q")
    for case in data["cases"]:
        case.pop("checks_hash")
        case.pop("checks")  # as an older version wrote it, so that the changed check is not what is told
    project.write("baselines/suite.json", json.dumps(data))
    done = project.run("gate", code=3)
    assert "run again with -k 3" in done.stdout
    assert "c7" in project.run("review", "list", code=0).stdout
    project.write("gate.yaml", "sampled_target: false\n")
    assert "HOLD" in project.run("gate", code=1).stdout


@pytest.mark.parametrize(
    "rule",
    [
        "zero_tolerance: {nosuchintent: [contains]}",
        "zero_tolerance: {default: [nosuch]}",
        "zero_tolerance: {all: [nosuch]}",
        "floors: {nosuchintent: {contains: 0.5}}",
        "floors: {default: {nosuch: 0.5}}",
        "largest_drop: {nosuch: 0.1}",
        "newly_failing: {nosuch: 1}",
    ],
)
def test_a_rule_that_nothing_answers_to_is_named_with_exit_3(blessed: Project, rule: str) -> None:
    blessed.write("gate.yaml", rule + "\n")
    done = blessed.run("gate", code=3)
    assert "a rule that nothing answers to" in done.stdout
    assert "nosuch" in done.stdout
    assert "speaks against" not in done.stdout


@pytest.mark.parametrize("intent", ["default", "all", "other"])
def test_zero_tolerance_for_the_default_and_for_all_holds(blessed: Project, intent: str) -> None:
    blessed.write("gate.yaml", f"zero_tolerance: {{{intent}: [contains]}}\nnewly_failing: 10\nlargest_drop: 1.0\n")
    broken(blessed, 2)
    done = blessed.run("gate", code=1)
    assert "contains fell in 2 cases, and may in none: c000, c001" in done.stdout


def test_a_rule_for_an_intent_of_another_suite_does_not_stop_this_one(blessed: Project) -> None:
    blessed.write("gate.yaml", "zero_tolerance: {returns: [contains]}\n")
    blessed.run("gate", code=3)
    write_suite(blessed, 3, name="second", intent="returns")
    blessed.run("run", "second.jsonl", "-q", code=0)
    blessed.run("run", "golden.jsonl", "-q", code=0)
    done = blessed.run("gate", code=0)
    assert "no case of this run has the intent returns" in done.stdout


def test_review_shows_the_question_both_answers_and_what_was_expected_and_queues_a_case_once(blessed: Project) -> None:
    broken(blessed, 2)
    blessed.run("gate", "-q", code=1)
    broken(blessed, 2)
    blessed.run("gate", "-q", code=1)
    listed = blessed.run("review", "list", code=0).stdout.splitlines()[1:]
    assert [line.split("\t")[1] for line in listed] == ["c000", "c001"]
    assert {line.split("\t")[7] for line in listed} == {blessed.last_run()}
    item = listed[1].split("\t")[0]
    shown = blessed.run("review", "show", item, code=0).stdout
    for text in ("case 1", "Come back later.", "You have 1 days.", "reference: 1 days, no more", "contains: 1 days"):
        assert text in shown
    # On another checkout the run of the baseline is not on record: its answers lie beside it.
    baseline = json.loads((blessed.folder / "baselines/golden.json").read_text())["run"]
    other = blessed.folder / "elsewhere"
    shutil.copytree(blessed.folder / "baselines", other / "baselines")
    for name in ("agent.py", "proctor.yaml", "golden.jsonl"):
        shutil.copy(blessed.folder / name, other / name)
    fresh = Project(folder=other, server=blessed.server, environment=dict(blessed.environment))
    fresh.run("run", "golden.jsonl", "-q")
    fresh.run("gate", "-q", code=1)
    item = fresh.run("review", "list", code=0).stdout.splitlines()[2].split("\t")[0]
    assert "You have 1 days." in fresh.run("review", "show", item, code=0).stdout
    (other / "baselines/golden.answers.jsonl").unlink()
    assert f"run {baseline}" in (told := fresh.run("review", "show", item, code=0).stdout) or "not there" in told


def test_a_queue_that_is_cut_says_so(blessed: Project) -> None:
    broken(blessed, 150)
    assert "100 cases wait for review (the worst of 150)" in blessed.run("gate", "-q", code=1).stderr


PLUGIN = """
from dataclasses import dataclass
from typing import ClassVar
from proctor.core.score import Score
from gate_plugin.words import POLITE

@dataclass(frozen=True, slots=True, kw_only=True)
class Polite:
    \"\"\"Whether the answer is polite.\"\"\"
    name: ClassVar[str] = "polite"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 0.5
    primary: ClassVar[str | None] = None

    async def score(self, case, run):
        return Score(name=self.name, value=float(any(word in run.answer for word in POLITE)), version="1")
"""


def install(project: Project, words: str) -> None:
    """A scorer of a package that is installed by its entry point; its word list is in another module."""
    project.write("gate_plugin/__init__.py", "")
    project.write("gate_plugin/scorer.py", PLUGIN)
    project.write("gate_plugin/words.py", f"POLITE = {words}\n")
    project.write("gate_plugin-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: gate-plugin\nVersion: 1\n")
    project.write("gate_plugin-1.dist-info/entry_points.txt", "[proctor.scorers]\npolite = gate_plugin.scorer:Polite\n")


def test_a_scorer_that_changed_is_told_and_the_baseline_is_scored_again_from_its_answers(project: Project) -> None:
    project.write("agent.py", "def answer(text):\n    return f'Dear friend, {text}.'\n")
    project.write("proctor.yaml", CONFIG)
    cases = [{"id": f"c{number}", "input": f"case {number}"} for number in range(60)]
    project.write("polite.yaml", json.dumps({"name": "polite", "scorers": ["polite"], "cases": cases}))
    install(project, "('Dear',)")
    path = {"PYTHONPATH": str(project.folder)}

    def proctor(*words: str, code: int) -> str:
        return _called(project, path, *words, code=code)

    proctor("run", "polite.yaml", "-q", code=0)
    proctor("bless", code=0)
    proctor("run", "polite.yaml", "-q", code=0)
    assert "SHIP" in proctor("gate", code=0)
    # The word list is another module than the scorer's own; its version is as it was.
    install(project, "('Sir',)")
    proctor("run", "polite.yaml", "-q", code=1)
    told = proctor("gate", code=3)
    assert "scorers changed since the baseline (polite); re-score the baseline" in told
    told = proctor("gate", "--rescore-baseline", code=0)
    assert "the baseline was scored again with today's scorers" in told
    assert "HOLD" not in told
    # An answer that is really worse holds, with today's scorers on both sides.
    install(project, "('friend',)")
    project.write("agent.py", "def answer(text):\n    return 'No.'\n")
    proctor("run", "polite.yaml", "-q", code=1)
    proctor("gate", "--rescore-baseline", code=1)
    assert "60 cases got worse" in proctor("compare", "--rescore-baseline", code=0)
    # Without the answers it says what is missing.
    shutil.rmtree(project.folder / ".proctor" / "runs" / baseline_run(project, "polite"))
    (project.folder / "baselines/polite.answers.jsonl").unlink()
    forget(project, baseline_run(project, "polite"))
    assert "cannot be scored again" in proctor("gate", "--rescore-baseline", code=2)


def _called(project: Project, path: dict[str, str], *words: str, code: int) -> str:
    project.environment = path
    done = project.run(*words, code=code)
    return done.stdout + done.stderr


def baseline_run(project: Project, suite: str) -> str:
    run: str = json.loads((project.folder / f"baselines/{suite}.json").read_text())["run"]
    return run


def forget(project: Project, run: str) -> None:
    from proctor.store.runs import RunStore

    with RunStore(project.folder / ".proctor") as store:
        store.forget(store.get(run))


def test_a_baseline_without_hashes_still_opens_and_says_that_it_cannot_tell(blessed: Project) -> None:
    path = blessed.folder / "baselines/golden.json"
    data = json.loads(path.read_text())
    del data["fingerprint"]["scorer_hashes"]
    path.write_text(json.dumps(data))
    blessed.run("run", "golden.jsonl", "-q", code=0)
    done = blessed.run("gate", code=0)
    assert re.search(r"cannot be told whether\s+they changed", done.stdout)
    assert "scored again" in blessed.run("gate", "--rescore-baseline", code=0).stdout


def test_a_case_whose_check_was_loosened_is_told_and_scored_alike(blessed: Project) -> None:
    text = (blessed.folder / "golden.jsonl").read_text()
    blessed.write("golden.jsonl", text.replace('"contains": "7 days"', '"contains": "days"'))
    blessed.run("run", "golden.jsonl", "-q", code=0)
    assert "the checks of c007" in blessed.run("gate", code=3).stdout
    blessed.run("gate", "--rescore-baseline", code=0)


def test_answers_that_are_not_the_baselines_are_refused(blessed: Project) -> None:
    path = blessed.folder / "baselines/golden.answers.jsonl"
    path.write_text(path.read_text().replace("You have 3 days", "You have 4 days"))
    text = (blessed.folder / "golden.jsonl").read_text()
    blessed.write("golden.jsonl", text.replace('"contains": "7 days"', '"contains": "days"'))
    blessed.run("run", "golden.jsonl", "-q", code=0)
    assert "not the answers of the baseline" in blessed.run("gate", "--rescore-baseline", code=2).stderr
