"""Bless, compare, gate, trend, review, thresholds and schedule as a user calls them, over runs that really happened."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from proctor.config import open_config
from proctor.core.errors import InputError, StoreError
from proctor.prompts.yaml_text import read_yaml
from proctor.store.answers import answers_path, read_answers
from proctor.store.baselines import write_baseline
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.workflows.release import baseline
from tests.cli.conftest import Project
from tests.cli.server import ChatServer

AGENT = """
import os

def answer(text):
    intent, number = text.split()
    if intent == os.environ.get("FAULTY") and int(number) < int(os.environ.get("BROKEN", "0")):
        return "Buy one of our bundles today!"
    return f"The answer is {number} days."
"""
CONFIG = """
target: agent
targets:
  agent: {python: "agent.py:answer"}
  second: {python: "agent.py:answer"}
suites: {golden: golden.jsonl}
run: {pass_rate: 0.1}
triggers:
  prompt_change: {suites: [golden], gate: true}
  knowledge_refresh: {suites: [golden], intents: [faq], scorers: [factual_accuracy], gate: true}
  schedule: {suites: [golden], every: 1 week}
"""
RULES = """
floors:
  faq: {factual_accuracy: 0.85}
  recommendation: {relevance: {least: 0.75, consecutive: 3}}
zero_tolerance: {faq: [factual_accuracy]}
"""
INTENTS = ("faq", "order_tracking", "recommendation")


@pytest.fixture
def shop(project: Project) -> Project:
    _furnish(project)
    return project


def _furnish(project: Project) -> None:
    project.write("agent.py", AGENT)
    project.write("proctor.yaml", CONFIG)
    project.write("gate.yaml", RULES)
    _write_suite(project, 60)


def _write_suite(project: Project, count: int) -> None:
    lines = []
    for number in range(count):
        intent = INTENTS[number % 3]
        checks = [
            {"contains": f"{number} days", "name": "factual_accuracy"},
            {"contains": "answer", "name": "relevance"},
        ]
        case = {"id": f"{intent}-{number:02d}", "input": f"{intent} {number}", "intent": intent, "checks": checks}
        lines.append(json.dumps(case))
    project.write("golden.jsonl", "\n".join(lines) + "\n")


def _break(shop: Project, intent: str, below: int) -> None:
    shop.environment = {"FAULTY": intent, "BROKEN": str(below)}


def _hint(shop: Project) -> None:
    shop.environment = {}


@pytest.fixture(scope="module")
def blessed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shop after its first run, blessed: made once, since every test begins with the same."""
    with ChatServer() as server:
        made = Project(folder=tmp_path_factory.mktemp("blessed"), server=server)
        _furnish(made)
        made.run("run", "golden", "-q", code=0)
        made.run("bless", code=0)
    return made.folder


@pytest.fixture
def blessed(project: Project, blessed_once: Path) -> Project:
    shutil.copytree(blessed_once, project.folder, dirs_exist_ok=True)
    return project


def test_a_run_becomes_a_baseline_that_can_be_committed(blessed: Project) -> None:
    path = blessed.folder / "baselines" / "golden.json"
    text = path.read_text()
    assert sum(line.startswith('{"case"') for line in text.splitlines()) == 60
    assert str(blessed.folder) not in text
    blessed.run("bless", code=0)
    assert path.read_text() == text, "blessing the same run again changes nothing"


def test_a_baseline_that_the_disk_refuses_leaves_the_one_before_with_its_answers(
    blessed: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    _break(blessed, "faq", 20)
    blessed.run("run", "golden", "-q")
    config = open_config(blessed.folder)
    files = {path: path.read_bytes() for path in (blessed.folder / "baselines").iterdir()}
    assert len(files) == 2

    def full(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(baseline, "write_baseline", full)
    with RunStore(config.store) as store, pytest.raises(StoreError, match="full"):
        baseline.bless_run(config, RunReader(store, store.find("last")))
    assert {path: path.read_bytes() for path in (blessed.folder / "baselines").iterdir()} == files


def test_a_baseline_keeps_its_own_answers_when_two_runs_are_blessed_at_once(
    blessed: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = blessed.last_run()
    _break(blessed, "faq", 20)
    blessed.run("run", "golden", "-q")
    both = threading.Barrier(2)

    def write(path: Path, header: Mapping[str, Any], cases: Iterable[Mapping[str, Any]]) -> None:
        write_baseline(path, header, cases)
        with suppress(threading.BrokenBarrierError):
            if both.wait(timeout=1) == 0:  # nothing holds them apart: the answers of the first one come last
                time.sleep(0.5)

    monkeypatch.setattr(baseline, "write_baseline", write)
    config = open_config(blessed.folder)

    def bless(run: str) -> Path:
        with RunStore(config.store) as store:
            return baseline.bless_run(config, RunReader(store, store.find(run))).path

    with ThreadPoolExecutor(2) as pool:
        (path,) = set(pool.map(bless, (first, blessed.last_run())))
    assert list(read_answers(answers_path(path), baseline.open_baseline(path).answers))


def test_the_same_system_again_ships(blessed: Project) -> None:
    blessed.run("run", "golden", "-q", code=0)
    done = blessed.run("gate", "last", "--baseline", "baselines/golden.json", code=0)
    assert "SHIP" in done.stdout
    assert "nothing is waiting" in blessed.run("review", "list", code=0).stderr
    assert not (blessed.folder / ".proctor" / "alerts").exists()


def test_a_drop_holds_and_names_the_dimension_and_the_cases(blessed: Project) -> None:
    _break(blessed, "faq", 40)
    blessed.run("run", "golden", "-q", code=0)
    outputs = [f"out/gate.{ending}" for ending in ("md", "html", "json")]
    done = blessed.run("gate", *(word for output in outputs for word in ("-o", output)), code=1)
    assert "HOLD" in done.stdout
    assert "1 cause to hold, 14 cases to look at" in done.stdout, "everything follows from one fault"
    assert "faq relevance fell from 1.000 to" in done.stdout
    assert re.search(r"\(−0\.\d{3}, 95 % −0\.\d{3} to −0\.\d{3}, p", done.stdout)
    assert "factual_accuracy 1.000 →" in done.stdout
    assert "faq-00" in done.stdout
    data = json.loads((blessed.folder / "out/gate.json").read_text())
    assert data["decision"] == "hold"
    assert {reason["rule"] for reason in data["reasons"]} == {"newly failing", "regression", "floor", "zero tolerance"}
    fallen = {(each["dimension"], each.get("intent")) for each in data["changes"] if each["verdict"] == "regression"}
    assert ("factual_accuracy", "faq") in fallen
    assert all(intent in ("faq", None) for _, intent in fallen)
    assert {each["case"] for each in data["worse"]} == {f"faq-{number:02d}" for number in range(0, 40, 3)}
    assert data["worse"][0]["reason"].startswith("no longer passes; missing")
    (cause,) = data["causes"]
    assert len(cause["cases"]) == 14
    assert {each["state"] for each in data["cases"]} == {"worse"}, "unchanged cases are not repeated in the file"
    turn = data["cases"][0]["turns"][0]
    assert (turn["before"], turn["after"]) == ("The answer is 0 days.", "Buy one of our bundles today!")
    assert turn["diff"] == [["gone", turn["before"]], ["new", turn["after"]]]
    assert "HOLD" in (blessed.folder / "out/gate.html").read_text()
    run = blessed.last_run()
    kept = blessed.folder / ".proctor" / "runs" / run
    assert {path.name for path in kept.glob("gate.*")} == {"gate.md", "gate.html", "gate.json"}
    alert = json.loads(next((blessed.folder / ".proctor" / "alerts").glob("gate-*.json")).read_text())
    assert alert["metadata"]["run"] == run
    assert alert["tier"] == "high"
    assert "factual_accuracy" in alert["metadata"]["dimensions"]


def test_what_got_worse_waits_for_review_and_a_person_resolves_it(blessed: Project) -> None:
    _break(blessed, "faq", 40)
    blessed.run("run", "golden", "-q")
    blessed.run("gate", "-q", code=1)
    blessed.run("gate", "-q", code=1)
    listed = blessed.run("review", "list", code=0).stdout.splitlines()
    assert len(listed) == 1 + 14, "deciding twice puts nothing up twice"
    first = listed[1].split("\t")
    assert (first[1], first[2], first[3]) == ("faq-00", "faq", "factual_accuracy")
    shown = blessed.run("review", "show", first[0], code=0).stdout
    assert "what changed:\n  [-The answer is 0 days.-]{+Buy one of our bundles today!+}" in shown
    done = blessed.run(
        "review", "resolve", first[0], listed[2].split("\t")[0], "--verdict", "acceptable", "--by", "kim"
    )
    assert "acceptable (by kim)" in done.stdout
    assert "12 left" in done.stderr
    assert len(blessed.run("review", "list", "--state", "resolved", code=0).stdout.splitlines()) == 3
    assert (
        "'zzzz' is no item of the review queue"
        in blessed.run("review", "resolve", "zzzz", "--verdict", "worse", code=2).stderr
    )


def test_missing_cases_hold_and_too_few_are_not_enough(blessed: Project) -> None:
    _write_suite(blessed, 57)
    blessed.run("run", "golden", "-q", code=0)
    done = blessed.run("gate", "-q", code=1)
    assert "3 cases of the baseline were not run" in done.stdout
    _write_suite(blessed, 3)
    blessed.run("run", "golden", "-q", code=0)
    blessed.run("bless", "-o", "few.json", code=0)
    blessed.run("run", "golden", "-q", code=0)
    blessed.write("none.yaml", "{}\n")
    done = blessed.run("gate", "--baseline", "few.json", "--policy", "none.yaml", code=3)
    assert "NOT ENOUGH DATA" in done.stdout


def test_comparing_decides_nothing_and_takes_another_run_for_a_baseline(blessed: Project) -> None:
    first = blessed.last_run()
    _break(blessed, "recommendation", 60)
    blessed.run("run", "golden", "-q")
    done = blessed.run("compare", "last", first, "-o", "c.json", code=0)
    assert "COMPARED" in done.stdout
    assert "20 cases got worse" in done.stdout
    assert "decision" not in json.loads((blessed.folder / "c.json").read_text())
    assert blessed.run("compare", code=0).stdout == blessed.run("compare", "last", code=0).stdout


def test_scores_over_time_and_the_alarm_after_so_many_runs(blessed: Project) -> None:
    _break(blessed, "recommendation", 60)
    for number in range(3):
        done = blessed.run("run", "golden", "-q")
        assert ("ALARM" in done.stderr) is (number == 2), done.stderr
        blessed.run("trend", "-d", "relevance", "-i", "recommendation", code=int(number == 2))
    done = blessed.run("trend", "-d", "relevance", "-i", "recommendation", code=1)
    means = [line.split("\t")[2] for line in done.stdout.splitlines()[1:]]
    assert means == ["1.000", "0.000", "0.000", "0.000"]
    assert "under 0.75 in the last 3 runs" in done.stderr
    assert list((blessed.folder / ".proctor" / "alerts").glob("floor-*relevance*.json"))
    lines = [json.loads(line) for line in blessed.run("trend", "-d", "quality", "--json").stdout.splitlines()]
    assert [line["cases"] for line in lines] == [60] * 4
    blessed.run("trend", "-d", "relevance", "--floor", "0.9", "--runs", "5", code=0)
    everything = blessed.run("trend", code=1).stdout
    assert "relevance\trecommendation\t0.000\t0.000\t0.75\tALARM\t4" in everything
    _hint(blessed)
    blessed.run("run", "golden", "-q", code=0)
    blessed.run("trend", "-d", "relevance", "-i", "recommendation", code=0)


def test_a_run_narrowed_by_hand_is_not_part_of_the_line(blessed: Project) -> None:
    blessed.run("run", "golden", "--case", "faq-00", "-q", code=0)
    blessed.run("run", "golden", "--intent", "faq", "-q", code=0)
    assert len(blessed.run("trend", "-d", "relevance", code=0).stdout.splitlines()) == 1 + 1
    assert len(blessed.run("trend", "-d", "relevance", "-i", "faq", code=0).stdout.splitlines()) == 1 + 2
    assert len(blessed.run("trend", "-d", "relevance", "--partial", code=0).stdout.splitlines()) == 1 + 3


def test_a_trigger_selects_suites_cases_and_scorers_and_gates(blessed: Project) -> None:
    done = blessed.run("run", "--trigger", "prompt_change", code=0)
    assert "SHIP" in done.stdout
    _break(blessed, "faq", 40)
    done = blessed.run("run", "--trigger", "knowledge_refresh", code=1)
    assert "HOLD" in done.stdout
    assert "40 of 60 cases of the baseline were not asked for" in done.stdout
    assert "relevance" not in blessed.run("show", "last", "faq-01", "--json").stdout
    shown = blessed.run("show", "last", "--page", "1", "-n", "100", code=0).stdout.splitlines()[1:]
    assert len(shown) == 20
    assert all(line.startswith("faq-") for line in shown)
    done = blessed.run("run", "golden", "--trigger", "promt_change", code=2)
    assert "Did you mean 'prompt_change'?" in done.stderr


def test_a_trigger_that_gates_says_when_there_is_no_baseline_yet(shop: Project) -> None:
    done = shop.run("run", "--trigger", "prompt_change", "-q", code=0)
    assert "no baseline yet: `proctor bless" in done.stderr


def test_the_schedule_runs_what_is_due_and_nothing_else(shop: Project) -> None:
    assert "now" in shop.run("schedule", "list", code=0).stdout
    assert "60 of 60 passed" in shop.run("schedule", "run", code=0).stdout
    done = shop.run("schedule", "run", code=0)
    assert "due in 7 days" in done.stdout
    assert "passed" not in done.stdout
    assert "60 of 60 passed" in shop.run("schedule", "run", "--now", code=0).stdout
    shop.write("proctor.yaml", CONFIG.replace("schedule:", "nightly:").replace("every: 1 week", "every: soon"))
    assert "every must be a length of time" in shop.run("schedule", "run", code=2).stderr
    shop.write("proctor.yaml", CONFIG.split("triggers:", maxsplit=1)[0])
    assert "nothing is scheduled" in shop.run("schedule", "run", code=2).stderr


def test_floors_are_proposed_from_good_runs_and_are_rules_that_hold(blessed: Project) -> None:
    _break(blessed, "faq", 6)
    for _ in range(2):
        blessed.run("run", "golden", "-q")
    _break(blessed, "faq", 60)
    blessed.run("run", "golden", "-q")
    blessed.run("gate", "-q", code=1)
    done = blessed.run("thresholds", "suggest", code=0)
    assert "# from 3 runs of golden" in done.stdout, "the run that was held is not one to learn from"
    assert "no decision of the gate has been reviewed yet" in done.stdout
    assert "minus one standard deviation" in done.stdout
    blessed.write("gate.yaml", done.stdout)
    blessed.run("gate", "-q", code=1)
    _break(blessed, "faq", 6)
    blessed.run("run", "golden", "-q")
    assert "is under" not in blessed.run("trend", code=0).stderr
    _break(blessed, "faq", 0)
    blessed.run("run", "golden", "-q")
    blessed.run("gate", "-q", code=0)
    told = blessed.run("thresholds", "suggest", code=0).stdout
    assert "# decisions that shipped or were reviewed: 1; false holds: 0 " in told  # nobody reviewed anything


def test_answers_before_come_from_the_file_beside_the_baseline_or_are_said_to_be_gone(blessed: Project) -> None:
    shutil.rmtree(blessed.folder / ".proctor")
    _break(blessed, "faq", 40)
    blessed.run("run", "golden", "-q")
    blessed.run("compare", "-o", "out/c.json", code=0)
    worse = json.loads((blessed.folder / "out/c.json").read_text())["cases"][0]
    assert (worse["state"], worse["turns"][0]["before"]) == ("worse", "The answer is 0 days.")
    next((blessed.folder / "baselines").glob("*.answers.jsonl")).unlink()
    blessed.run("compare", "-o", "out/c.json", code=0)
    data = json.loads((blessed.folder / "out/c.json").read_text())
    assert "before" not in data["cases"][0]["turns"][0]
    assert any("the answers before cannot be shown" in note for note in data["notes"])


def test_a_trend_is_also_a_page(blessed: Project) -> None:
    blessed.run("run", "golden", "-q")
    done = blessed.run("trend", "-o", "out/trend.html", "-o", "out/trend.json", code=0)
    assert "wrote out/trend.html" in done.stderr
    lines = json.loads((blessed.folder / "out/trend.json").read_text())["lines"]
    assert {(each["dimension"], each.get("intent")) for each in lines} >= {("relevance", "faq"), ("pass_rate", None)}
    assert all(len(each["moments"]) == 2 for each in lines)
    assert "<svg" in (blessed.folder / "out/trend.html").read_text()
    blessed.run("trend", "-d", "relevance", "-o", "out/one.json", code=0)
    assert len(json.loads((blessed.folder / "out/one.json").read_text())["lines"]) == 1
    assert "no trend can be written under this name" in blessed.run("trend", "-o", "trend.pdf", code=2).stderr


def test_a_run_narrowed_to_an_intent_teaches_no_floors(blessed: Project) -> None:
    blessed.run("run", "golden", "-q", "--intent", "faq")
    newest = blessed.run("thresholds", "suggest", code=0).stdout
    assert "# from 1 run of golden" in newest
    assert "narrowed to a part of its suite" in blessed.run("thresholds", "suggest", "last", code=2).stderr


def test_failed_runs_are_named_and_a_floor_that_nothing_breaks_is_none(blessed: Project) -> None:
    blessed.write("proctor.yaml", CONFIG.replace("pass_rate: 0.1", "pass_rate: 0.9"))
    _break(blessed, "recommendation", 60)
    blessed.run("run", "golden", "-q", code=1)
    blessed.run("run", "golden", "-q", code=1)
    newest = [line.split("\t")[0] for line in blessed.run("list", code=0).stdout.splitlines()[1:3]]
    told = blessed.run("thresholds", "suggest", *newest, code=0).stdout
    assert f"# these runs failed: {newest[0]}, {newest[1]}" in told
    floors = read_yaml(told, file="gate.yaml", error=InputError)["floors"]
    assert all(least > 0 for row in floors.values() for least in row.values())
    assert sorted(floors) == ["all", "faq", "order_tracking"]
    assert "  # recommendation:" in told
    assert "    # pass_rate: no floor, these cases allow none (best 0.000" in told
    blessed.write("gate.yaml", told)
    blessed.run("gate", "-q", code=1)


def test_a_suite_is_named_by_its_title_or_as_it_is_run(shop: Project) -> None:
    cases = [{"id": f"c{number}", "input": f"faq {number}", "checks": [{"contains": "days"}]} for number in range(3)]
    shop.write("rooms.json", json.dumps({"name": "hotel desk", "cases": cases}))
    shop.write("proctor.yaml", CONFIG.replace("suites: {golden: golden.jsonl}", "suites: {hotel: rooms.json}"))
    told = shop.run("trend", "--suite", "hotel", code=2).stderr
    assert "no run has been scored yet" in told
    shop.run("run", "hotel", "-q", code=0)
    for named in ("hotel desk", "hotel", "rooms.json"):
        assert "hotel desk · agent" in shop.run("trend", "--suite", named, code=0).stderr
        assert "of hotel desk" in shop.run("thresholds", "suggest", "--suite", named, code=0).stdout
    told = shop.run("trend", "--suite", "hotle", code=2).stderr
    assert "no run is of a suite 'hotle'" in told
    assert "did you mean 'hotel'?" in told
    assert "the store has runs of 'hotel desk'" in told


def test_light_leaves_out_what_asks_a_model(shop: Project) -> None:
    lines = [
        '{"id": "a", "input": "faq 1", "checks": [{"contains": "1 days"}, {"judge": "is right"}]}',
        '{"id": "b", "input": "faq 2", "checks": [{"judge": "is right"}]}',
    ]
    shop.write("mixed.jsonl", "\n".join(lines) + "\n")
    assert "1 of 1 passed" in shop.run("run", "mixed.jsonl", "--light", code=0).stdout
    shop.write("mixed.jsonl", lines[1] + "\n")
    assert (
        "no case has a check that is left without a model" in shop.run("run", "mixed.jsonl", "--light", code=2).stderr
    )


def test_a_folder_with_its_own_settings_is_a_project(shop: Project, tmp_path: Path) -> None:
    outside = Project(folder=shop.folder.parent, server=shop.server)
    done = outside.run("run", shop.folder.name, "-q", code=0)
    assert "60 of 60 passed" in done.stdout
    assert f"proctor -c {shop.folder.name}" in done.stderr
    outside.run("-c", shop.folder.name, "bless", code=0)
    assert (shop.folder / "baselines" / "golden.json").is_file()


def test_several_targets_each_have_their_baseline(shop: Project) -> None:
    shop.run("run", "golden", "-t", "agent", "-t", "second", "-q", code=0)
    assert "several targets" in shop.run("bless", code=2).stderr
    assert "no target 'third'" in shop.run("bless", "-t", "third", code=2).stderr
    shop.run("bless", "-t", "second", code=0)
    assert (shop.folder / "baselines" / "golden@second.json").is_file()
    assert "SHIP" in shop.run("gate", "-t", "second", code=0).stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("bless",), "no runs yet"),
        (("compare",), "no runs yet"),
        (("gate",), "no runs yet"),
        (("gate", "nonesuch"), "no run 'nonesuch'"),
        (("trend",), "no run has been scored yet"),
        (("trend", "-d", "relevance"), "no run has been scored yet"),
        (("thresholds", "suggest"), "no run to go by"),
        (("thresholds", "suggest", "nonesuch"), "no run 'nonesuch'"),
        (("review", "list", "--run", "nonesuch"), "no run 'nonesuch'"),
        (("gate", "-o", "gate.pdf"), "no decision can be written under this name"),
        (("compare", "-o", "x"), "no decision can be written under this name"),
    ],
)
def test_an_empty_store_and_wrong_words_are_told_with_a_mend(shop: Project, words: tuple[str, ...], told: str) -> None:
    done = shop.run(*words, code=2)
    assert told in done.stderr
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr


def test_wrong_rules_and_baselines_are_told_by_file_and_line(blessed: Project) -> None:
    blessed.write("gate.yaml", "alpha: 0.05\nflors: {}\nunscored: 3\n")
    done = blessed.run("gate", code=2)
    assert "gate.yaml:2: flors: unknown key" in done.stderr
    assert "did you mean `floors`" in done.stderr
    blessed.write("gate.yaml", RULES)
    assert "no such baseline" in blessed.run("gate", "--baseline", "none.json", code=2).stderr
    assert "there is no such file" in blessed.run("gate", "--policy", "none.yaml", code=2).stderr
    blessed.write("baselines/golden.json", '{"cases": [{"case": "a", "outcome": "great"}], "run": "r", "format": 1}')
    assert "expected one of pass, fail, unscored" in blessed.run("gate", code=2).stderr
    blessed.write("baselines/golden.json", "<<<<<<< ours\n")
    assert "is not JSON" in blessed.run("gate", code=2).stderr


def test_a_run_that_stopped_cannot_be_blessed(shop: Project) -> None:
    shop.write("agent.py", "import os\n\ndef answer(text):\n    return os._exit(9) if '30' in text else 'yes'\n")
    shop.run_process("run", "golden", "-j", "1", "-q")
    assert "proctor run --resume" in shop.run("bless", code=2).stderr
    assert "proctor run --resume" in shop.run("gate", "--baseline", "last", code=2).stderr


def test_a_run_that_could_not_be_judged_is_blessed_only_by_force(shop: Project) -> None:
    shop.write("agent.py", "def answer(text):\n    raise ValueError('down')\n")
    shop.run("run", "golden", "-q")
    assert "60 of 60 cases" in shop.run("bless", code=2).stderr
    assert "60 unscored" in shop.run("bless", "--force", code=0).stdout


def test_wrong_rules_and_triggers_are_found_before_anything_runs(shop: Project) -> None:
    shop.run("validate", code=0)
    shop.write("gate.yaml", "alpha: 2\n")
    shop.write("proctor.yaml", CONFIG.replace("suites: [golden], every", "suites: [goldn], every"))
    told = shop.run("validate", code=2).stderr
    assert "alpha must be between 0 and 1" in told
    assert "there is no suite 'goldn'" in told


class _Hook:
    """A webhook on the loopback that keeps what it is sent."""

    def __init__(self, status: int = 200) -> None:
        self.heard: list[dict[str, object]] = []
        self.status = status
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        assert self._ready.wait(60)

    def _serve(self) -> None:
        async def hear(request: web.Request) -> web.Response:
            self.heard.append({**await request.json(), "sent with": request.headers.get("X-Key")})
            return web.Response(status=self.status)

        app = web.Application()
        app.router.add_post("/hook", hear)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        self._loop.run_until_complete(runner.setup())
        self._loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


@pytest.fixture
def hook() -> Iterator[_Hook]:
    made = _Hook()
    yield made
    made.close()


def test_an_alert_is_sent_and_a_webhook_that_fails_changes_nothing(blessed: Project, hook: _Hook) -> None:
    _break(blessed, "faq", 40)
    blessed.run("run", "golden", "-q")
    alerts = "alerts: {webhook: {url: '${HOOK}', headers: {X-Key: '${SECRET}'}}}\n"
    blessed.write("proctor.yaml", CONFIG + alerts)
    assert "HOOK is not set" in blessed.run("gate", "-q", code=2).stderr
    blessed.environment |= {"HOOK": hook.url, "SECRET": "s3cret"}
    assert "sent to the webhook" in blessed.run("gate", "-q", code=1).stderr
    assert hook.heard[0]["sent with"] == "s3cret"
    assert hook.heard[0]["rule"] == "release gate"
    hook.status = 500
    done = blessed.run("gate", "-q", code=1)
    assert "the webhook answered with status 500" in done.stderr
    blessed.environment |= {"HOOK": "http://127.0.0.1:9/none"}
    done = blessed.run("gate", "-q", code=1)
    assert "alert" in done.stderr
    assert "s3cret" not in done.stderr + done.stdout
    blessed.environment |= {"HOOK": "ftp://x"}
    assert "http:// or https://" in blessed.run("gate", "-q", code=2).stderr


def test_one_case_is_told_as_one(blessed: Project) -> None:
    _write_suite(blessed, 1)
    assert "golden: 1 case\n" in blessed.run("validate", code=0).stdout
    assert "froze 1 case of" in blessed.run("freeze", "golden", "-o", "frozen.jsonl", code=0).stdout
    blessed.run("run", "golden", "-q", code=0)
    first = blessed.last_run()
    assert ": 1 case of golden in " in blessed.run("bless", "-o", "one.json", code=0).stdout
    assert ", 1 case\n" in blessed.run("thresholds", "suggest", first, code=0).stdout
    _break(blessed, INTENTS[0], 60)
    blessed.run("run", "golden", "-q")
    told = blessed.run("compare", "last", first, code=0).stdout
    assert "1 case is in both runs" in told
    assert ", 1 case got worse" in told
