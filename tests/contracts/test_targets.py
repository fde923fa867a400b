"""What every registered target keeps to, ours and strangers' alike."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from proctor.core.case import Ask, Case
from proctor.core.chat import Message
from proctor.core.codec import dumps, loads
from proctor.core.decode import decode
from proctor.core.errors import InputError
from proctor.core.sockets import Kit, Model, Target
from proctor.core.trajectory import Trajectory
from proctor.models.fake import ReplyRule
from proctor.models.pool import Pool

ROOT = Path(__file__).parents[2]
NAMES = sorted(point.name for point in entry_points(group="proctor.targets"))
CASES = {
    "empty": Case(id="a", input=""),
    "nothing to ask": Case(id="b"),
    "huge": Case(id="c", input="x" * 1_000_000),
    "hostile": Case(id="d\x00\n", input="\ud800\x00<script>{{ 7 * 7 }}{% raw %} $(rm -rf) \x1b[31m"),
    "japanese": Case(id="e", input="返品できますか。", history=(Message(role="user", content="こんにちは"),)),
    "right to left": Case(id="f", input="هل يمكنني إرجاع هذا؟"),
    "several turns": Case(id="g", turns=(Ask(text="one"), Ask(text="two 👩‍👩‍👧"))),
    "odd inputs": Case(id="h", input="hi", inputs={"": None, "deep": {"a": [1, {"b": float("nan")}]}}, page={"u": "…"}),
}


async def _echo(request: web.Request) -> web.Response:
    data = await request.json()
    return web.json_response({"answer": str(data.get("text", ""))[:100]})


@pytest.fixture
async def made(tmp_path: Path) -> AsyncIterator[Mapping[str, Target]]:
    app = web.Application(client_max_size=1 << 26)
    app.router.add_post("/", _echo)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    (tmp_path / "agent.py").write_text("def answer(text, messages):\n    return text[:100]\n")
    (tmp_path / "echo.py").write_text(
        "import json, sys\nprint(json.dumps({'answer': json.load(sys.stdin)['text'][:100]}))\n"
    )
    (tmp_path / "rec.jsonl").write_text('{"case": {"id": "a"}, "trajectory": {"turns": []}}\n')
    settings: dict[str, dict[str, Any]] = {
        "prompt": {"prompt": "Be brief."},
        "python": {"python": "agent.py:answer"},
        "command": {"command": [sys.executable, "echo.py"], "timeout": 30},
        "recording": {"recording": "rec.jsonl"},
        "http": {
            "http": f"http://127.0.0.1:{runner.addresses[0][1]}/",
            "request": {"text": "{{ text }}"},
            "reply": {"answer": "answer"},
        },
    }
    async with Pool() as pool:
        yield {
            point.name: point.load()(_kit(settings[point.name], tmp_path, pool))
            for point in entry_points(group="proctor.targets")
            if point.name in settings
        }
    await runner.cleanup()


def _kit(settings: Mapping[str, Any], folder: Path, pool: Pool) -> Kit:
    def model(name: str | None) -> Model:
        return ReplyRule(function=lambda request: request.messages[-1].content[:100])

    return Kit(name="under test", settings=settings, folder=str(folder), env=lambda name: None, http=pool, model=model)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("name", NAMES)
async def test_a_target_answers_or_says_why_not_and_never_raises(
    name: str, case: Case, made: Mapping[str, Target]
) -> None:
    assert name in made, f"give the target {name} settings in this test, so that it is held to the contract"
    run = await made[name].run(case, sample=1)
    assert isinstance(run, Trajectory)
    assert run.turns or run.error or not case.asks or name == "recording"
    assert (run.error is None) == (run.error_kind is None)
    again = decode(Trajectory, loads(dumps(run)))
    assert len(again.turns) == len(run.turns)


@pytest.mark.parametrize("name", NAMES)
async def test_a_target_says_what_it_is(name: str, made: Mapping[str, Target]) -> None:
    assert made[name].name == "under test"
    assert made[name].spec
    dumps(dict(made[name].spec))
    (point,) = entry_points(group="proctor.targets", name=name)
    assert (point.load().__doc__ or "").strip(), "the first line of the docstring is what `proctor list targets` shows"
    assert f"`{name}`" in (ROOT / "docs" / "targets.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("settings", [{}, {"no_such_setting": 1}, {"timeout": "soon"}])
async def test_wrong_settings_are_the_users_mistake(name: str, settings: dict[str, Any], tmp_path: Path) -> None:
    (point,) = entry_points(group="proctor.targets", name=name)
    async with Pool() as pool:
        with pytest.raises(InputError):
            point.load()(_kit(settings, tmp_path, pool))
