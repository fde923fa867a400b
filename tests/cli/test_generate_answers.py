"""What ``proctor generate`` does with the answers of a server that cuts, refuses, filters, pauses or loops."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from proctor.generate.artefacts import read_artefacts
from tests.cli.conftest import Project, interrupt
from tests.cli.generation_server import PROMPT, GenerationServer

SMALL = ("generate", "tags.prompty", "--effort", "min")


class RecordingServer(GenerationServer):
    """Keeps every request, and lets a test replace the answer to it."""

    def __init__(self) -> None:
        super().__init__()
        self.bodies: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.replace: Callable[[dict[str, Any], int], dict[str, Any] | web.StreamResponse | None] = lambda data, n: None

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        data = await request.json()
        self.bodies.append(data)
        self.times.append(time.monotonic())
        odd = self.replace(data, len(self.bodies))
        if isinstance(odd, web.StreamResponse):
            return odd
        if odd is not None:
            return web.json_response(odd)
        return await super()._complete(request)


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    with RecordingServer() as running:
        assert isinstance(running, RecordingServer)
        yield running


@pytest.fixture
def prompt(project: Project) -> Path:
    return project.write("tags.prompty", PROMPT)


def said(text: str, finish: str = "stop", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, **more}
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    return {"model": "stub", "choices": [{"index": 0, "finish_reason": finish, "message": message}], "usage": usage}


def stage_of(data: dict[str, Any]) -> str:
    return str(data["response_format"]["json_schema"]["name"])


def texts_without_limit(schema: Any, place: str = "") -> list[str]:
    """The texts and lists of a schema that may be of any length."""
    found = []
    if isinstance(schema, dict):
        free = "enum" not in schema
        if schema.get("type") == "string" and free and "maxLength" not in schema:
            found.append(place)
        if schema.get("type") == "array" and "maxItems" not in schema:
            found.append(place)
        for key, each in schema.items():
            found += texts_without_limit(each, f"{place}/{key}")
    return found


def test_every_question_limits_its_answer(project: Project, server: RecordingServer, prompt: Path) -> None:
    flags = ("--effort", "high", "--groundtruth", "stub", "--agreement", "--most-rules", "2", "--tests-per-rule", "1")
    project.run("generate", "tags.prompty", *flags, code=0)
    asked = {stage_of(data): data for data in server.bodies if "response_format" in data}
    wanted = {"intent", "inputs", "rules", "opposites", "tests", "expand", "baseline", "groundedness", "validity"}
    assert wanted | {"truth", "agreement"} <= set(asked)
    for stage, data in asked.items():
        assert 200 < data["max_tokens"] < 20_000, stage
        assert texts_without_limit(data["response_format"]["json_schema"]["schema"]) == [], stage
    assert asked["intent"]["max_tokens"] <= 10 * 40  # a few times the forty tokens of the plan


def test_an_answer_that_loops_is_cut_and_asked_for_again(
    project: Project, server: RecordingServer, prompt: Path
) -> None:
    loop = '{"intent": "' + "The user will view the results. " * 200

    def first_is_cut(data: dict[str, Any], number: int) -> dict[str, Any] | None:
        repeated = any("cut off" in message["content"] for message in data["messages"])
        return said(loop, "length") if stage_of(data) == "intent" and not repeated else None

    server.replace = first_is_cut
    project.run(*SMALL, code=0)
    again = [data for data in server.bodies if stage_of(data) == "intent"][1]
    assert len(again["messages"][-2]["content"]) < 1_000  # the loop is not sent back as a whole
    assert read_artefacts(project.folder / "tags.tests").intent.startswith("It answers")


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (said("", refusal="I cannot help with that."), "refused"),
        (said('{"intent": "It ans', "length"), "cut at length"),
        (said("", "content_filter"), "content filter"),
        (said("Certainly, here is what I think of it."), "not JSON"),
    ],
)
def test_the_cause_is_named_on_screen_and_on_record(
    project: Project, server: RecordingServer, prompt: Path, answer: dict[str, Any], cause: str
) -> None:
    server.replace = lambda data, number: answer if stage_of(data) == "intent" else None
    done = project.run(*SMALL, code=0)
    assert f"intent: 1 question without a usable answer: {cause}" in done.stdout
    provenance = json.loads((project.folder / "tags.tests/provenance.json").read_text())
    assert provenance["unusable_answers"] == {"intent": {cause: 1}}


def test_a_content_filter_that_rejects_the_request_is_named(
    project: Project, server: RecordingServer, prompt: Path
) -> None:
    error = {"error": {"message": "The response was filtered", "code": "content_filter"}}
    server.replace = lambda data, number: web.json_response(error, status=400) if stage_of(data) == "rules" else None
    done = project.run(*SMALL, code=0)
    assert "rules: 1 question without a usable answer: content filter" in done.stdout


def test_a_model_that_gives_nothing_at_any_stage_is_an_error(
    project: Project, server: RecordingServer, prompt: Path
) -> None:
    server.replace = lambda data, number: said("", refusal="I cannot help with that.")
    done = project.run(*SMALL, code=3)
    assert "gave nothing usable at any stage: refused (" in done.stderr
    assert "--no-model" in done.stderr
    assert not (project.folder / "tags.tests").exists()
    server.replace = lambda data, number: None
    project.run(*SMALL, code=0)  # its refusals are not taken for answers the next time


def test_a_reasoning_model_gets_room_for_its_thoughts(project: Project, server: RecordingServer, prompt: Path) -> None:
    def thinks(data: dict[str, Any], number: int) -> dict[str, Any] | None:
        if data["max_tokens"] > 5_000:
            return None
        cut = said("", "length")
        cut["usage"]["completion_tokens_details"] = {"reasoning_tokens": data["max_tokens"]}
        return cut

    server.replace = thinks
    done = project.run(*SMALL, "-j", "1", code=0)
    assert "without a usable answer" not in done.stdout
    assert (
        sum(data["max_tokens"] <= 5_000 for data in server.bodies) == 2
    )  # learnt from the first answer, as a writer and as a judge


def test_it_waits_as_long_as_the_server_asks_and_no_longer(
    project: Project, server: RecordingServer, prompt: Path
) -> None:
    def two_of_three(data: dict[str, Any], number: int) -> web.StreamResponse | None:
        return web.Response(status=429, headers={"Retry-After": "0.1"}) if number % 3 else None

    server.replace = two_of_three
    project.run(*SMALL, code=0)
    gaps = [after - before for before, after in zip(server.times, server.times[1:], strict=False)]
    assert max(gaps) < 1.6, gaps  # a second between calls at most, whatever was refused before


def test_a_stop_does_not_wait_for_calls_that_the_server_put_off(
    project: Project, server: RecordingServer, prompt: Path
) -> None:
    server.replace = lambda data, number: web.Response(status=429, headers={"Retry-After": "30"})
    process = project.start(*SMALL)
    while not server.bodies:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    time.sleep(0.2)
    began = time.monotonic()
    _, errors = interrupt(process)
    assert process.returncode == 130
    assert time.monotonic() - began < 10
    assert "every answer is kept" in errors


def test_the_hint_to_go_on_repeats_every_flag(project: Project, server: RecordingServer, prompt: Path) -> None:
    server.latency = 60
    flags = ("--effort", "low", "-o", "elsewhere", "-m", "stub", "--no-cross-check", "--instruction", "rules=be brief")
    process = project.start("generate", "tags.prompty", *flags)
    while not server.bodies:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    while "stopping" not in process.stderr.readline():
        assert process.poll() is None
    _, errors = interrupt(process)
    hint = errors.split("go on with `")[1].split("`")[0]
    assert hint.startswith("proctor generate tags.prompty ")
    for part in ("--effort low", "--out elsewhere", "--model stub", "--no-cross-check", "'rules=be brief'"):
        assert part in hint


def test_progress_is_told_without_a_terminal(project: Project, server: RecordingServer, prompt: Path) -> None:
    server.latency = 6
    process = project.start(*SMALL)
    lines = [process.stderr.readline(), process.stderr.readline()]
    process.kill()
    process.communicate()
    assert "asking compatible:stub" in lines[0]
    assert "calls, at most" in lines[0]
    assert "answers," in lines[1]
    assert "under way" in lines[1]


def test_one_extra_key_does_not_lose_an_answer(project: Project, server: RecordingServer, prompt: Path) -> None:
    def wordy(data: dict[str, Any], number: int) -> dict[str, Any] | None:
        if stage_of(data) not in ("validity", "groundedness", "intent"):
            return None
        wanted = data["response_format"]["json_schema"]["schema"]["properties"]
        answer = {name: each.get("enum", ["The prompt tags words."])[0] for name, each in wanted.items()}
        return said(json.dumps({**answer, "confidence": "high"}))

    server.replace = wordy
    done = project.run(*SMALL, code=0)
    assert "without a usable answer" not in done.stdout
    assert len([data for data in server.bodies if stage_of(data) == "intent"]) == 1


def test_the_second_ctrl_c_ends_a_process_whose_model_cannot_be_stopped(project: Project, prompt: Path) -> None:
    """A local model works in a thread, which Python waits for at its end."""
    brain = "import asyncio, time\n\nasync def answer(request):\n    await asyncio.to_thread(time.sleep, 50)\n"
    project.write("brain.py", brain)
    process = project.start(*SMALL, "-m", "rule:brain.py:answer")
    while "asking" not in process.stderr.readline():
        assert process.poll() is None
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    while "stopping" not in process.stderr.readline():
        assert process.poll() is None
    began = time.monotonic()
    _, errors = interrupt(process)
    assert process.returncode == 130
    assert time.monotonic() - began < 15
    assert "go on with `proctor generate tags.prompty" in errors
