"""The program as a user runs it: a process, a real server on the loopback, real files, real signals."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from aiohttp import web

from tests.cli.conftest import Project, interrupt
from tests.cli.server import KEY
from tests.third_party import install

Suite = Callable[..., str]


def test_a_suite_that_passes_says_so_in_words_code_and_files(project: Project, suite_of: Suite) -> None:
    outputs = [f"out/r.{ending}" for ending in ("json", "html", "junit.xml", "md", "csv", "jsonl")]
    flags = [word for output in outputs for word in ("-o", output)]
    done = project.run("run", suite_of(6, judge=True), *flags, code=0)
    assert "PASSED" in done.stdout
    assert "6 of 6 passed" in done.stdout
    assert sum(project.server.answered.values()) == 12
    report = json.loads((project.folder / "out/r.json").read_text())
    assert report["report"]["decision"] == "passed"
    assert len(report["results"]) == 6
    assert ElementTree.parse(project.folder / "out/r.junit.xml").getroot().attrib["tests"] == "6"
    assert all((project.folder / output).stat().st_size for output in outputs)


def test_a_suite_that_fails_says_so_in_words_and_code(project: Project, suite_of: Suite) -> None:
    done = project.run("run", suite_of(5, bad=(2,)), code=1)
    assert "FAILED" in done.stdout
    assert "1 of 5 failed" in done.stdout
    assert "c2" in done.stdout
    again = project.run("run", suite_of(5, bad=(2,)), "--pass-rate", "0.8", code=0)
    assert "PASSED" in again.stdout


def test_a_server_that_is_down_is_neither_a_pass_nor_a_fail(project: Project, suite_of: Suite) -> None:
    project.server.misbehave = lambda question, times: web.Response(status=503, text="down")
    done = project.run("run", suite_of(3), code=3)
    assert "NOT JUDGED" in done.stdout
    assert "3 of 3 could not be judged" in done.stdout


def test_faults_that_pass_are_retried_and_cost_no_verdict(project: Project, suite_of: Suite) -> None:
    def one_in_five_fails_once(question: str, times: int) -> web.Response | None:
        return web.Response(status=503) if times == 1 and question.endswith(("0", "5")) else None

    project.server.misbehave = one_in_five_fails_once
    done = project.run("run", suite_of(40, bad=(1, 2, 3, 4)), "--pass-rate", "0.9", code=0)
    assert "36 of 40 passed, 4 failed" in done.stdout


def test_kill_9_and_resume_repeats_no_finished_call(project: Project, suite_of: Suite) -> None:
    project.server.latency = 0.05
    suite = suite_of(60, judge=True)
    process = project.start("run", suite, "-j", "5")
    while sum(project.server.answered.values()) < 40:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.kill()
    process.communicate()
    run = project.last_run()
    assert "running" in project.run("list", code=0).stdout or "interrupted" in project.run("list", code=0).stdout
    done = project.run("run", "--resume", run, code=0)
    assert "60 of 60 passed" in done.stdout
    asked = sum(project.server.asked.values())
    assert len(project.server.asked) == 120
    # Only what was in flight when it was killed may have been asked twice.
    assert 120 <= asked <= 120 + 5
    shown = project.run("show", run, "--page", "1", "-n", "100", code=0).stdout.splitlines()
    assert len(shown) == 61


def test_ctrl_c_finishes_what_is_in_flight_and_says_how_to_go_on(project: Project, suite_of: Suite) -> None:
    project.server.latency = 0.1
    process = project.start("run", suite_of(80), "-j", "4")
    while sum(project.server.answered.values()) < 8:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    _, told = interrupt(process)
    assert process.returncode == 130
    run = project.last_run()
    assert f"proctor run --resume {run}" in told
    before = dict(project.server.asked)
    assert sum(before.values()) == sum(project.server.answered.values()) < 80
    done = project.run("run", "--resume", run, code=0)
    assert "80 of 80 passed" in done.stdout
    assert set(project.server.asked.values()) == {1}


def test_a_second_ctrl_c_drops_what_hangs(project: Project, suite_of: Suite) -> None:
    project.server.latency = 60
    process = project.start("run", suite_of(4))
    while sum(project.server.asked.values()) < 4:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    while "stopping" not in process.stderr.readline():
        assert process.poll() is None
    interrupt(process)
    assert process.returncode == 130


def test_a_resumed_run_must_be_the_same_run(project: Project, suite_of: Suite) -> None:
    suite = suite_of(3)
    project.server.misbehave = lambda question, times: web.Response(status=400)
    project.run("run", suite, code=3)
    suite_of(4)
    done = project.run("run", "--resume", "last", code=2)
    assert "suite changed since it began" in done.stderr


def test_what_could_not_be_judged_can_be_tried_again(project: Project, suite_of: Suite) -> None:
    project.server.misbehave = lambda question, times: (
        web.Response(text="no json", content_type="text/plain") if question.startswith("judge") else None
    )
    project.run("run", suite_of(4, judge=True), code=3)
    project.server.misbehave = lambda question, times: None
    targets = {question: n for question, n in project.server.asked.items() if not question.startswith("judge")}
    done = project.run("run", "--resume", "last", "--retry-unscored", code=0)
    assert "4 of 4 passed" in done.stdout
    after = {question: n for question, n in project.server.asked.items() if not question.startswith("judge")}
    assert after == targets  # the answers were there: only the judge was asked again


def test_only_failing_runs_what_failed_before(project: Project, suite_of: Suite) -> None:
    project.run("run", suite_of(6, bad=(1, 4)), code=1)
    before = sum(project.server.asked.values())
    done = project.run("run", suite_of(6), "--only-failing", "last", code=0)
    assert "2 of 2 passed" in done.stdout
    assert sum(project.server.asked.values()) == before + 2


def test_only_failing_keeps_target_and_samples_of_that_run(project: Project, suite_of: Suite) -> None:
    project.write("other.py", "def answer(message: str) -> str:\n    return 'from the other'\n")
    suite = suite_of(3)
    project.run("run", suite, "-t", "python:other.py:answer", "-k", "2", code=1)
    done = project.run("run", "--only-failing", "last", code=1)
    assert "6 of 6 failed" in done.stdout
    assert "from the other" in done.stdout
    assert not project.server.asked  # the project's own target was not called
    done = project.run("run", suite, "--only-failing", "last", "-m", "stub", "-k", "1", code=0)
    assert "3 of 3 passed" in done.stdout


def test_only_failing_of_scored_conversations_uses_the_project_target(project: Project, suite_of: Suite) -> None:
    said = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "no"}]
    talk = json.dumps({"conversation_id": "c1", "messages": said})
    project.write("talks.jsonl", talk + "\n")
    project.write("checks.yaml", 'name: checks\ndefaults: {expect: {forbidden: ["no"]}}\nscorers: [forbidden]\n')
    project.run("score", "talks.jsonl", "--suite", "checks.yaml", code=1)
    assert "1 of 1 passed" in project.run("run", suite_of(3), "--only-failing", "last", code=0).stdout


def test_samples_are_asked_each_on_its_own(project: Project, suite_of: Suite) -> None:
    done = project.run("run", suite_of(2), "-k", "3", code=0)
    assert "6 of 6 passed" in done.stdout
    assert set(project.server.asked.values()) == {3}


def test_the_cache_keeps_answers_between_runs_when_asked_to(project: Project, suite_of: Suite) -> None:
    suite = suite_of(3)
    for _ in range(2):
        project.run("run", suite, "--cache", "on", code=0)
    assert sum(project.server.asked.values()) == 3
    project.run("run", suite, code=0)
    assert sum(project.server.asked.values()) == 6


def test_what_was_recorded_can_be_replayed_without_the_server(project: Project, suite_of: Suite) -> None:
    suite = suite_of(3)
    project.run("run", suite, "--record", "calls.jsonl", code=0)
    asked = sum(project.server.asked.values())
    done = project.run("run", suite, "-m", "replay:calls.jsonl", code=0)
    assert "replay:calls.jsonl" in done.stdout
    assert sum(project.server.asked.values()) == asked


def test_a_budget_stops_the_spending(project: Project, suite_of: Suite) -> None:
    text = (project.folder / "proctor.yaml").read_text().replace("attempts: 3", "price: {input: 1000, output: 0}")
    project.write("proctor.yaml", text)
    done = project.run("run", suite_of(30), "-j", "1", "--budget", "0.05", code=3)
    assert "could not be judged" in done.stdout
    assert 4 <= sum(project.server.asked.values()) <= 6  # a cent each


def test_doctor_says_which_settings_come_from_dotenv(project: Project) -> None:
    project.write(".env", "PROCTOR_JUDGE=openai:gpt-judge\n")
    told = project.run("doctor", code=0).stdout
    (judge,) = [line for line in told.splitlines() if line.startswith("judge\t")]
    assert judge.endswith(f"\t{project.folder / '.env'}")


def test_doctor_writes_settings_as_a_file_has_them(project: Project) -> None:
    lines = dict(line.split("\t")[:2] for line in project.run("doctor", code=0).stdout.splitlines() if "\t" in line)
    assert lines["release"] == "policy: gate.yaml, baselines: baselines"
    assert lines["monitor"] == "–"


def test_doctor_names_a_part_that_two_packages_offer_once(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("stranger", "other"):
        install(tmp_path / name, monkeypatch, name, "def make(kit): ...", targets=f"pair = {name}:make")
    rows = project.run("doctor", code=0).stdout.splitlines()
    (row,) = [line for line in rows if line.startswith("target pair\t")]
    offers = "other:make (other) and stranger:make (stranger)"
    assert row.split("\t")[1:] == [
        f"broken: two packages offer the target 'pair': {offers}",
        "uninstall one of them",
    ]


def test_validate_lists_the_mistakes_of_several_cases_at_once(project: Project) -> None:
    cases = [
        "{id: a, input: hi, checks: [{contians: x}]}",
        "{id: b, input: hi, checks: [{regx: x}]}",
        "{id: c, inptu: hi}",
    ]
    project.write("wrong.yaml", "cases:\n" + "".join(f"  - {case}\n" for case in cases))
    told = project.run("validate", "wrong.yaml", code=2).stderr
    assert "did you mean 'contains'?" in told
    assert "did you mean 'regex'?" in told
    assert "wrong.yaml:4" in told  # the case that cannot be read


def test_an_unknown_name_of_a_suite_is_said_to_be_one(project: Project, suite_of: Suite) -> None:
    project.write("proctor.yaml", f"suites: {{golden: {suite_of(1)}}}\n")
    for words in (("run", "goldn"), ("freeze", "goldn", "-o", "x.jsonl"), ("diff", "golden", "goldn")):
        told = project.run(*words, code=2).stderr
        assert "there is no suite 'goldn', and no such file" in told
        assert "did you mean 'golden'?" in told
    assert "`suites:` has: golden" in project.run("run", "other", code=2).stderr
    assert "no such file" in project.run("run", "other.yaml", code=2).stderr
    project.write("suites/incidents.yaml", "cases: []\n")
    assert "did you mean the file suites/incidents.yaml?" in project.run("run", "incidents", code=2).stderr


def test_every_flag_has_a_variable_and_dotenv_sets_it(project: Project, suite_of: Suite) -> None:
    project.environment["PROCTOR_RUN_REPEAT"] = "2"
    project.write(".env", "PROCTOR_RUN_FIRST=2\nPROCTOR_RUN_REPEAT=5\n")
    done = project.run("run", suite_of(9), code=0)
    assert "4 of 4 passed" in done.stdout


def test_nobody_sees_the_key(project: Project, suite_of: Suite) -> None:
    project.run("run", suite_of(2, judge=True), "-o", "ok.html", "-o", "ok.json", code=0)
    wrong = "sk-wrong-key-9876543210-secret"
    project.environment["STUB_KEY"] = wrong
    done = project.run("run", suite_of(2), "-o", "bad.html", "-o", "bad.json", code=3)
    assert "STUB_KEY" in done.stdout + done.stderr
    told = project.run("doctor", code=0).stdout + project.run("show", "last", "c0", code=0).stdout
    for secret in (wrong, KEY):
        assert secret not in done.stdout + done.stderr + told
        for path in project.folder.rglob("*"):
            if path.is_file():
                assert secret.encode() not in path.read_bytes(), path


@pytest.mark.parametrize(
    ("misbehaviour", "words"),
    [
        (lambda: web.Response(text="<html>not json"), "not a JSON object"),
        (lambda: web.json_response({"choices": []}), "without choices"),
        (lambda: web.Response(body=b'"' + b"x" * 10_000_000 + b'"', content_type="application/json"), "sent more than"),
        (lambda: web.json_response({"error": {"message": "context too long"}}, status=400), "context too long"),
    ],
    ids=["no json", "no choices", "10 MB", "400"],
)
def test_a_reply_that_cannot_be_used_is_one_error_record(
    project: Project, suite_of: Suite, misbehaviour: Callable[[], web.Response], words: str
) -> None:
    project.server.misbehave = lambda question, times: misbehaviour() if question.endswith("n1") else None
    done = project.run("run", suite_of(3), code=3)
    assert words in " ".join(done.stdout.split())
    rows = project.run("show", "last", "--page", "1", code=0).stdout
    assert rows.count("\tpass\t") == 2
    assert rows.count("\tunscored\t") == 1


def test_a_server_that_hangs_is_one_error_record(project: Project, suite_of: Suite) -> None:
    text = (
        (project.folder / "proctor.yaml").read_text().replace("timeout: 20, attempts: 3", "timeout: 0.3, attempts: 1")
    )
    project.write("proctor.yaml", text)
    project.server.misbehave = lambda question, times: 60.0 if question.endswith("n1") else None
    done = project.run("run", suite_of(3), code=3)
    assert "1 of 3 could not be judged" in done.stdout


def test_a_server_that_is_not_there_is_named(project: Project, suite_of: Suite) -> None:
    text = (project.folder / "proctor.yaml").read_text().replace(project.server.url, "http://127.0.0.1:9/v1")
    project.write("proctor.yaml", text.replace("attempts: 3", "attempts: 1"))
    done = project.run("run", suite_of(1), code=3)
    assert "127.0.0.1" in done.stdout


def test_a_model_that_is_not_there_is_named(project: Project, suite_of: Suite) -> None:
    project.write(
        "proctor.yaml", (project.folder / "proctor.yaml").read_text().replace("model: stub, api", "model: missing, api")
    )
    done = project.run("run", suite_of(1), code=3)
    assert "does not exist" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "nowhere.yaml"], "nowhere.yaml"),
        (["run"], "name a SUITE"),
        (["run", "suite.jsonl", "-t", "agnet"], "no target is called 'agnet'"),
        (["run", "suite.jsonl", "-m", "nobody"], "no model is called 'nobody'"),
        (["run", "suite.jsonl", "-m", "opnai:x"], "did you mean 'openai'"),
        (["run", "suite.jsonl", "-m", "openai:gpt-5-mini"], "OPENAI_API_KEY"),
        (["run", "suite.jsonl", "-o", "report.pdf"], "report.pdf"),
        (["run", "suite.jsonl", "-j", "0"], "concurrency must be between"),
        (["run", "suite.jsonl", "--tag", "none"], "no case is left"),
        (["run", "--resume", "nothing"], "no run"),
        (["run", "suite.jsonl", "--rate", "fast"], "fast"),
        (["run", "suite.jsonl", "--budget", "nan"], "budget must be 0 or more"),
        (["run", "suite.jsonl", "--retry-unscored"], "goes with --resume"),
        (["show", "nothing"], "no run"),
        (["rnu"], "Did you mean 'run'"),
        (["run", "suite.jsonl", "--jobs", "3"], "No such option"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_mistake_is_named_and_nothing_is_run(project: Project, suite_of: Suite, words: list[str], said: str) -> None:
    suite_of(1)
    done = project.run(*words, code=2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not project.server.asked


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.yaml", b"", "empty"),
        ("binary.yaml", b"\x00\x01\xff\xfe" * 50, "binary.yaml"),
        ("broken.yaml", b"cases:\n  - id: a\n   input: b\n", "broken.yaml:"),
        ("key.yaml", b"cases:\n  - id: a\n    inptu: b\n", "did you mean `input`"),
        ("type.yaml", b"cases:\n  - id: a\n    input: 7\n", "put it in quotes"),
        ("twice.yaml", b"cases:\n  - {id: a, input: b, checks: [exact: x]}\n  - {id: a, input: c}\n", "'a' is taken"),
        ("scorer.yaml", b"cases:\n  - {id: a, input: b, checks: [contans: x]}\n", "did you mean 'contains'"),
        ("setting.yaml", b"cases:\n  - {id: a, input: b, checks: [regex: '(']}\n", "setting.yaml:2"),
        ("none.yaml", b"cases:\n  - {id: a, input: b}\n", "nothing to be judged by"),
        ("bad.jsonl", b'{"id": "a", "input": "b", "checks": [{"exact": "x"}]}\nnot json\n', "bad.jsonl:2"),
    ],
)
def test_a_bad_suite_is_named_with_its_line_and_mend(project: Project, name: str, content: bytes, said: str) -> None:
    (project.folder / name).write_bytes(content)
    for verb in ("run", "validate"):
        done = project.run(verb, name, code=2)
        assert said in done.stderr
        assert name in done.stderr
        assert "Traceback" not in done.stderr
    assert not project.server.asked


def test_a_full_disk_stops_the_run_and_loses_nothing_that_was_finished(project: Project, suite_of: Suite) -> None:
    suite = suite_of(500)
    limit = 250_000  # bytes a file may have: what a full disk does, without filling one

    def no_more_than() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    project.environment["PYTHONDONTWRITEBYTECODE"] = "1"  # what is compiled would be cut as well, and kept
    done = project.run_process("run", suite, "-j", "5", code=3, preexec_fn=no_more_than)
    assert "Traceback" not in done.stderr
    assert "error:" in done.stderr
    finished = int(project.run("list", code=0).stdout.splitlines()[1].split("\t")[3])
    assert finished > 10
    resumed = project.run("run", "--resume", "last", code=0)
    assert "500 of 500 passed" in resumed.stdout


def test_a_store_that_cannot_be_made_is_named(project: Project, suite_of: Suite) -> None:
    project.write(".proctor", "a file, not a folder")
    done = project.run("run", suite_of(1), code=3)
    assert ".proctor" in done.stderr
    assert "hint:" in done.stderr


def test_the_progress_line_is_drawn_on_a_terminal_only(project: Project, suite_of: Suite) -> None:
    import os
    import pty
    import subprocess

    from tests.cli.conftest import PROGRAM

    project.server.latency = 0.05
    piped = project.run("run", suite_of(20), "-j", "2", code=0)
    assert "left" not in piped.stderr
    assert "\x1b" not in piped.stderr + piped.stdout
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, "run", suite_of(20), "-j", "2"],
        cwd=project.folder,
        env=project.variables(),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    drawn = b""
    while True:
        try:
            block = os.read(ours, 65536)
        except OSError:
            break
        if not block:
            break
        drawn += block
    os.close(ours)
    assert process.wait(60) == 0
    text = drawn.decode()
    assert "/20 · " in text
    assert "/s" in text
    assert " left" in text


def test_quiet_prints_the_decision_alone(project: Project, suite_of: Suite) -> None:
    done = project.run("run", suite_of(2), "-q", code=0)
    assert done.stdout == "PASSED: 2 of 2 passed\n"


def test_answers_that_were_of_no_use_are_counted_and_paid_for(project: Project, suite_of: Suite) -> None:
    text = (project.folder / "proctor.yaml").read_text().replace("attempts: 3", "price: {input: 1000, output: 0}")
    project.write("proctor.yaml", text)
    project.server.misbehave = lambda question, times: (
        web.json_response({"choices": [{"message": {"content": "no verdict"}}], "usage": {"prompt_tokens": 10}})
        if question.startswith("judge")
        else None
    )
    project.run("run", suite_of(1, judge=True), "-o", "r.json", code=3)
    spend = {
        each.get("role", "target"): each
        for each in json.loads((project.folder / "r.json").read_text())["report"]["spend"]
    }
    judged = sum(n for question, n in project.server.asked.items() if question.startswith("judge"))
    assert spend["judge"]["calls"] == judged == 3
    assert spend["judge"]["cost"] == pytest.approx(0.03)


def test_a_model_is_tested_even_where_the_project_has_an_agent(project: Project, suite_of: Suite) -> None:
    project.write("agent.py", "def answer(text):\n    return 'from the agent'\n")
    text = (project.folder / "proctor.yaml").read_text()
    project.write("proctor.yaml", text + "target: agent\ntargets: {agent: {python: 'agent.py:answer'}}\n")
    project.run("run", suite_of(2), "-q", code=1)
    project.run("run", suite_of(2), "-m", "stub", "-q", code=0)
    done = project.run("run", suite_of(2), "-m", "stub", "-t", "agent", code=2)
    assert "takes no model" in done.stderr


def test_a_killed_run_is_called_interrupted(project: Project, suite_of: Suite) -> None:
    project.server.latency = 30
    process = project.start("run", suite_of(3))
    while sum(project.server.asked.values()) < 3:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    assert "running" in project.run("list", code=0).stdout
    process.kill()
    process.communicate()
    assert "interrupted" in project.run("list", code=0).stdout


def _open_files(pid: int) -> set[str]:
    found = set()
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed in this moment
            found.add(os.readlink(file))
    return found


def test_ctrl_c_is_heard_while_a_large_suite_is_looked_through(project: Project, suite_of: Suite) -> None:
    suite = (project.folder / suite_of(60_000)).resolve()
    process = project.start("run", suite.name, "-j", "1")
    while str(suite) not in _open_files(process.pid):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    time.sleep(0.5)
    _, told = interrupt(process)
    assert process.returncode == 130, told
    assert "Traceback" not in told


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("targets: {a: {pyhton: x}}", "names no kind of target"),
        ("targets: {a: {python: 'no.py:f'}}", "no.py"),
        ("target: zz", "no target is called 'zz'"),
        ("run: {rate: fast}", "fast"),
    ],
)
def test_validate_finds_what_a_run_would_stumble_over(project: Project, more: str, said: str) -> None:
    project.write("proctor.yaml", (project.folder / "proctor.yaml").read_text() + more + "\n")
    assert said in project.run("validate", code=2).stderr


def test_a_catalogue_without_its_file_is_named_before_anything_is_asked(project: Project) -> None:
    settings = (project.folder / "proctor.yaml").read_text()
    project.write("proctor.yaml", f"{settings}catalogue: gone.csv\n")
    project.write("s.yaml", "cases: [{id: a, input: how much, checks: [factual_accuracy]}]\n")
    for words in (("validate",), ("run", "s.yaml")):
        told = project.run(*words, code=2).stderr
        assert f"catalogue.file: there is no file {project.folder / 'gone.csv'}" in told
    assert not project.server.asked


def test_the_case_that_broke_the_target_is_shown(project: Project) -> None:
    project.write("agent.py", "def answer(text):\n    raise RuntimeError('boom')\n")
    project.write("s.yaml", "cases: [{id: a, input: what breaks it, checks: [exact: x]}]\n")
    project.run("run", "s.yaml", "-t", "python:agent.py:answer", code=3)
    shown = project.run("show", "last", "a", code=0).stdout
    assert "what breaks it" in shown
    assert "boom" in shown


def test_flaky_cases_are_told_once_each_with_a_clustered_interval(project: Project) -> None:
    project.write(
        "agent.py",
        "asked = {}\n"
        "def answer(question):\n"
        "    asked[question] = asked.get(question, 0) + 1\n"
        "    wavers, number = question.startswith('flaky'), asked[question]\n"
        "    return 'no' if question == 'broken' or (wavers and number % 2) else 'yes'\n",
    )
    names = ["flaky 1", "flaky 2", "broken", *(f"steady {n}" for n in range(17))]
    cases = "".join(f"  - {{id: {name.replace(' ', '-')}, input: {name}, checks: [contains: yes]}}\n" for name in names)
    project.write(
        "s.yaml", f"target: {{python: 'agent:answer'}}\ncases:\n{cases}".replace("contains: yes", "contains: 'yes'")
    )
    project.write("proctor.yaml", "targets: {agent: {python: 'agent:answer'}}\ntarget: agent\n")
    project.write("s.yaml", f"cases:\n{cases}".replace("contains: yes", "contains: 'yes'"))
    done = project.run("run", "s.yaml", "-k", "5", "-j", "1", "-o", "r.json", "-o", "r.md", "-o", "r.html", code=1)
    assert "11 of 100 failed (samples of 3 cases)" in done.stdout
    assert "pass^5" in done.stdout
    assert "Failures (3 cases, 11 samples)" in done.stdout
    assert done.stdout.count("✗") == 3, "one entry for each case, not for each sample"
    assert "flaky-1 (in 3 of 5 samples)" in done.stdout
    assert "broken (in every sample)" in done.stdout
    report = json.loads((project.folder / "r.json").read_text())["report"]
    (tally,) = report["repeats"]
    assert {key: tally[key] for key in ("cases", "always", "flaky", "never")} == {
        "cases": 20, "always": 17, "flaky": 2, "never": 1,
    }  # fmt: skip
    assert tally["pass_all"] == pytest.approx(0.85)
    assert tally["pass_any"] == pytest.approx(0.95)
    assert {each["case"] for each in report["flaky"]} == {"flaky-1", "flaky-2"}
    assert 20 <= report["counts"]["independent"] < 60, "100 results of 20 cases are not 100 independent ones"
    assert "Flaky cases" in (project.folder / "r.md").read_text()
    assert "Flaky cases" in (project.folder / "r.html").read_text()
    once = project.run("run", "s.yaml", code=1)
    assert "pass^" not in once.stdout


def test_a_target_that_cannot_be_made_is_named_with_its_file(project: Project) -> None:
    project.write("own.py", "def answer(text):\n    return text\n")
    project.write("proctor.yaml", 'targets: {agent: {python: "own.py:anser"}}\ntarget: agent\n')
    project.write("one.yaml", "cases: [{id: a, input: hi, checks: [{contains: hi}]}]\n")
    done = project.run("run", "one.yaml", code=2)
    assert "proctor.yaml: targets.agent: own.py has no 'anser'" in done.stderr
    assert "did you mean `answer`?" in done.stderr
