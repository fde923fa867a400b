"""An open project, and the evaluation of cases that a program gives."""

from __future__ import annotations

import asyncio
import gc
import json
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from proctor import Evaluation, Project, evaluate
from proctor.core.case import Case, Check
from proctor.core.chat import Message, Request
from proctor.core.errors import ConfigError, InputError, NotFoundError
from proctor.core.report import Result
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.workflows.run.job import Job, RunProgress, carry_out, resumed_job
from tests.tables import table


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _echo(text: str) -> str:
    return f"You said: {text}"


@contextmanager
def _chat_server() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            message = {"role": "assistant", "content": "pong"}
            body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


# --- the project ---------------------------------------------------------------------------------------


def test_a_project_is_found_from_a_folder_inside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "proctor.yaml").write_text("target: agent\n", encoding="utf-8")
    (tmp_path / "notes").mkdir()
    monkeypatch.chdir(tmp_path / "notes")
    assert Project.open().config.settings.target == "agent"
    assert Project.open(tmp_path).config.path == tmp_path / "proctor.yaml"
    assert Project.open(tmp_path, store="kept").config.store == tmp_path / "notes" / "kept"
    with pytest.raises(ConfigError, match="no such file"):
        Project.open(tmp_path / "notes")


def test_without_a_file_every_setting_has_its_default(tmp_path: Path) -> None:
    with Project.open() as project:
        assert project.config.path is None
        assert project.config.folder == tmp_path
    assert list(tmp_path.iterdir()) == []


def test_models_answer_in_plain_and_in_async_code_and_their_connections_are_closed(tmp_path: Path) -> None:
    with _chat_server() as url:
        text = f"model: here\nmodels: {{here: {{provider: compatible, model: tiny, base_url: '{url}'}}}}\n"
        (tmp_path / "proctor.yaml").write_text(text, encoding="utf-8")
        request = Request(messages=(Message(role="user", content="ping"),))
        with Project.open() as project:
            assert project.run_sync(project.model().complete(request)).text == "pong"

        async def ask() -> str:
            async with Project.open() as opened:
                return (await opened.model("here").complete(request)).text

        assert asyncio.run(ask()) == "pong"
        gc.collect()  # an open connection would warn here, and a warning is an error


def test_the_store_and_the_bridge_end_with_the_project() -> None:
    before = threading.active_count()
    with Project.open() as project:
        assert project.store.list() == []
        assert project.run_sync(asyncio.sleep(0, "done")) == "done"
        assert threading.active_count() > before
        database = project.store.database
    assert threading.active_count() == before
    with pytest.raises(Exception, match="closed"):
        database.execute("SELECT 1")


def test_an_interrupted_wait_cancels_the_work() -> None:
    begun, ended = threading.Event(), threading.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    with Project.open() as project:

        def interrupt() -> None:
            begun.wait()
            main = threading.main_thread().ident or 0
            while sys._current_frames()[main].f_code.co_name != "wait":  # until it waits for the result
                time.sleep(0.01)
            signal.pthread_kill(main, signal.SIGINT)

        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            project.run_sync(work())
        assert ended.wait(30)


# --- evaluate ------------------------------------------------------------------------------------------


def test_cases_may_be_texts_mappings_and_objects_and_keep_their_order() -> None:
    made = evaluate(
        [
            "zebra",
            {"id": "m", "input": "mapping", "checks": [{"contains": "mapping"}]},
            Case(id="a", input="object", checks=(Check(scorer="contains", settings={"": "object"}),)),
        ],
        _echo,
        [{"contains": "You said"}, "forbidden"],
    )
    assert made.decision == "passed"
    assert [each.trajectory.answer for each in made] == [_echo("zebra"), _echo("mapping"), _echo("object")]
    assert (len(made), made.counts.passed) == (3, 3)


def test_three_states_are_told_apart_and_an_exception_is_one_unscored_result() -> None:
    def answer(text: str) -> str:
        if text == "crash":
            raise ValueError("no connection")
        return text

    heard: list[Result] = []
    cases: list[Any] = [{"id": name, "input": name} for name in ("good", "bad", "crash")]
    made = evaluate(cases, answer, [{"contains": "good"}], on_result=heard.append)
    assert {each.case.id: each.outcome for each in made} == {"good": "pass", "bad": "fail", "crash": "unscored"}
    assert not made.passed
    assert made.decision == "failed"
    assert len(heard) == 3
    assert [each.case.id for each in made.results("unscored")] == ["crash"]
    rows = {row["case"]: row for row in made.rows()}
    assert rows["bad"]["verdict:contains"] == "fail"
    assert "no connection" in rows["crash"]["error"]
    only = evaluate([{"id": "crash", "input": "crash"}], answer, [{"contains": "good"}])
    assert (only.decision, only.passed) == ("unjudged", False)


def test_async_functions_classes_and_several_targets() -> None:
    async def soon(text: str) -> str:
        await asyncio.sleep(0)
        return text

    class Talker:
        def __init__(self) -> None:
            self.count = 0

        def say(self, text: str) -> str:
            self.count += 1
            return f"{self.count} {text}"

    made = evaluate([{"turns": ["one", "two"]}], [soon, Talker], [{"contains": "two"}], repeat=2)
    assert sorted({each.target for each in made}) == ["Talker", "soon"]
    assert made.counts.passed == 4
    assert {each.trajectory.answer for each in made if each.target == "Talker"} == {"2 two"}


@dataclass(frozen=True)
class _Longer:
    least: int
    name: ClassVar[str] = "longer"
    version: ClassVar[str] = "3"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = None

    async def score(self, case: Case, run: Trajectory) -> Score:
        return Score(name=self.name, value=float(len(run.answer) > self.least))


class _Plain:
    name: ClassVar[str] = "plain"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = None

    async def score(self, case: Case, run: Trajectory) -> Score:
        return Score(name=self.name, value=1.0)


def test_scorer_objects_judge_and_their_settings_are_on_record() -> None:
    short, long = (evaluate(["Hello"], _echo, [_Longer(least), _Plain()]) for least in (3, 300))
    assert (short.decision, long.decision) == ("passed", "failed")
    versions = [each.report.fingerprint.scorers["longer"] for each in (short, long)]
    assert all(version.startswith("3 ") for version in versions)
    assert versions[0] != versions[1]
    assert set(short.report.fingerprint.scorer_hashes) == {"longer", "plain"}


class _Speaking:
    def say(self, text: str) -> str:
        return text


@table(
    ("cases", "target", "scorers", "options", "told"),
    [
        ("no-such.yaml", _echo, (), {}, "there is no such suite"),
        ({"input": "x"}, _echo, (), {}, "expected a list of cases"),
        (["x"], _echo, (), {}, "nothing to be judged by"),
        (["x", "x"], _echo, ["forbidden"], {}, "the same case is at line 1"),
        (["x", {"inptu": "y"}], _echo, ["forbidden"], {}, "<cases>:2: .*and 1 more"),
        (["x"], _echo, "forbidden", {}, "expected a list of scorers"),
        (["x"], _echo, ["forbidden", "contians"], {}, "contians"),
        (["x"], _echo, ["forbidden", {}], {}, r"scorers\[1\]: names no scorer"),
        (["x"], _echo, [_Longer], {}, r"scorers\[0\].*is no scorer"),
        (["x"], 3, ["forbidden"], {}, "int is no target"),
        (["x"], lambda text, wanted: text, ["forbidden"], {}, "wants 'wanted'"),
        (["x"], [_echo, "agent"], ["forbidden"], {}, "cannot be mixed"),
        (["x"], [_echo, _echo], ["forbidden"], {}, "two targets are called '_echo'"),
        (["x"], "agnet", ["forbidden"], {}, "no target is called 'agnet'"),
        (["x"], _echo, ["forbidden"], {"repaet": 2}, "did you mean 'repeat'"),
        (["x"], _echo, ["forbidden"], {"repeat": 0}, "repeat must be between"),
        (["x"], _echo, ["forbidden"], {"timeout": "1m"}, "timeout: expected a number, found '1m'"),
        (["x"], _echo, ["forbidden"], {"budget": "2 dollars"}, "budget: expected a number"),
        (["x"], _echo, ["forbidden"], {"cache": True}, "cache: expected "),
        (["x"], _Speaking(), ["forbidden"], {}, r"a class \(not an object of it\) with a method `say`"),
        (["x"], None, ["forbidden"], {}, "no target and no model is set\n.*in Python `target=` or `models=`"),
    ],
)
def test_a_mistake_is_told_before_anything_is_run(
    cases: Any, target: Any, scorers: Any, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        evaluate(cases, target, scorers, **options)


def test_without_a_project_the_run_goes_with_the_result(tmp_path: Path) -> None:
    made = evaluate(["Hello"], _echo, [{"contains": "Hello"}])
    folder = made._config.store
    assert (folder / "proctor.db").is_file() or any(folder.iterdir())
    assert list(tmp_path.iterdir()) == []
    del made
    gc.collect()
    assert not folder.exists()


async def test_it_works_where_a_loop_is_running_and_on_the_loop_itself(tmp_path: Path) -> None:
    assert evaluate(["Hello"], _echo, [{"contains": "Hello"}]).passed  # as in a notebook
    loops = []

    async def answer(text: str) -> str:
        loops.append(asyncio.get_running_loop())
        return text

    async with Project.open() as project:
        made = await project.evaluate(["Hello"], answer, [{"contains": "Hello"}])
        assert made.passed
        assert project.evaluation().id == made.id
    assert loops == [asyncio.get_running_loop()]
    assert (tmp_path / ".proctor").is_dir()


def test_targets_and_suites_have_their_names_from_proctor_yaml(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("def answer(text): return text.upper()\n", encoding="utf-8")
    (tmp_path / "first.yaml").write_text("cases: [{id: a, input: hello}]\n", encoding="utf-8")
    settings = "target: agent\ntargets: {agent: {python: 'agent.py:answer'}}\nsuites: {first: first.yaml}\n"
    (tmp_path / "proctor.yaml").write_text(settings, encoding="utf-8")
    for cases, target in (("first", None), (Path("first.yaml"), "agent"), (["hello"], "agent")):
        made = evaluate(cases, target, [{"contains": "HELLO"}])
        assert made.passed
        assert [each.target for each in made] == ["agent"]


def test_reports_are_written_in_the_formats_of_the_command_line(tmp_path: Path) -> None:
    made = evaluate(["Hello"], _echo, [{"contains": "Bye"}], name="greeting")
    for name in ("r.html", "r.json", "r.junit.xml", "r.md", "r.csv", "r.jsonl"):
        assert "greeting" in made.write(tmp_path / name).read_text(encoding="utf-8") or name in ("r.csv", "r.jsonl")
    with pytest.raises(InputError, match="no report can be written"):
        made.write("r.docx")


def test_the_table_of_a_notebook_shows_failures_and_escapes_them() -> None:
    def hostile(text: str) -> str:
        return "<script>alert(1)</script>"

    cases: list[Any] = [{"id": f"<b>{number}</b>", "input": f"question {number}"} for number in range(15)]
    made = evaluate(cases, hostile, [{"contains": "Hello"}])
    shown = made._repr_html_()
    assert "FAILED" in shown
    assert "&lt;script&gt;" in shown
    assert "<script" not in shown
    assert "<b>0" not in shown
    assert shown.count("missing:") == 10
    assert "5 more" in shown
    assert "FAILED: 15 of 15 failed" in repr(made)


def test_a_baseline_holds_a_run_that_got_worse() -> None:
    def worse(text: str) -> str:
        return "nothing"

    cases: list[Any] = [{"id": f"case-{number}", "input": f"question {number}"} for number in range(8)]
    with Project.open() as project:
        good = evaluate(cases, _echo, [{"contains": "question"}], project=project)
        path = good.bless()
        assert path == project.config.folder / "baselines" / "evaluation.json"
        assert evaluate(cases, _echo, [{"contains": "question"}], project=project).gate().outcome == "ship"
        decision = evaluate(cases, worse, [{"contains": "question"}], project=project).gate(path)
        assert decision.outcome == "hold"
        assert decision.cases


def test_a_run_of_cases_in_no_file_cannot_be_resumed_and_says_so() -> None:
    with Project.open() as project:
        made = evaluate(["Hello"], _echo, [{"contains": "Hello"}], project=project)
        job: Job = resumed_job(project.store, project.store.find(made.id))
        with pytest.raises(InputError, match="given by a program"):
            project.run_sync(carry_out(project.config, job, RunProgress(), resume=made.id))
        with pytest.raises(NotFoundError):
            project.evaluation("none")


def test_an_evaluation_outlives_its_project() -> None:
    with Project.open() as project:
        made: Evaluation = evaluate(["Hello"], _echo, [{"contains": "Hello"}], project=project)
    assert [each.outcome for each in made] == ["pass"]
