from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from proctor.core.case import Ask, Case
from proctor.core.chat import Message
from proctor.core.errors import InputError
from proctor.core.sockets import Target
from proctor.targets.command import connect
from tests.tables import table

from .conftest import KitOf

PYTHON = sys.executable


def script(folder: Path, code: str) -> list[str]:
    path = folder / "agent.py"
    path.write_text("import json, sys, os, time\n" + code)
    return [PYTHON, str(path)]


async def test_a_command_is_given_json_and_gives_json(tmp_path: Path, kit_of: KitOf) -> None:
    command = script(
        tmp_path,
        "asked = json.load(sys.stdin)\n"
        "print(json.dumps({'answer': asked['text'] + '!', 'sources': ['s'], 'seen': asked, 'cwd': os.getcwd()}))",
    )
    target = connect(kit_of({"command": command}))
    assert isinstance(target, Target)
    case = Case(
        id="c",
        turns=(Ask(text="日本語"), Ask(text="b")),
        inputs={"n": 1},
        page={"u": 2},
        history=(Message(role="user", content="before"),),
    )
    made = await target.run(case, sample=2)
    assert [turn.answer for turn in made.turns] == ["日本語!", "b!"]
    assert made.turns[0].sources[0].id == "s"
    first, second = (turn.extra["seen"] for turn in made.turns)
    assert (first["inputs"], first["page"], first["case"]["id"], first["sample"]) == ({"n": 1}, {"u": 2}, "c", 2)
    assert [message["content"] for message in second["messages"]] == ["before", "日本語", "日本語!", "b"]
    assert first["session"] == second["session"] == made.session
    assert Path(made.turns[0].extra["cwd"]).name == tmp_path.name


@table(
    ("code", "answer"),
    [
        ("print('plain text')", "plain text"),
        ("print(' two\\nlines ')", "two\nlines"),
        ('print(\'{"city": "Kyoto"}\')', '{"city": "Kyoto"}'),
        ("print('{broken json')", "{broken json"),
        ("pass", ""),
        ("sys.stdout.buffer.write(b'caf\\xe9')", "caf\ufffd"),
        ("sys.stdin.close(); print('did not listen')", "did not listen"),
    ],
)
async def test_text_is_an_answer_too(tmp_path: Path, kit_of: KitOf, code: str, answer: str) -> None:
    made = await connect(kit_of({"command": script(tmp_path, code)})).run(Case(id="c", input="q" * 200_000))
    assert (made.error, made.answer) == (None, answer)


async def test_text_is_split_but_no_shell_is_run(tmp_path: Path, kit_of: KitOf) -> None:
    script(tmp_path, "print(sys.argv[1:])")
    made = await connect(kit_of({"command": f"{PYTHON} agent.py 'a b' $HOME ; echo"})).run(Case(id="c", input="q"))
    assert made.answer == "['a b', '$HOME', ';', 'echo']"
    made = await connect(kit_of({"command": "echo one; echo $((1 + 1))", "shell": True})).run(Case(id="c", input="q"))
    assert made.answer == "one\n2"


@table(
    ("code", "what"),
    [
        ("print('half'); sys.stderr.write('x' * 100000 + 'why it broke'); sys.exit(3)", "status 3.*why it broke"),
        ("os.kill(os.getpid(), 9)", "signal 9"),
        ("raise ValueError('boom')", "ValueError: boom"),
        ("print(json.dumps({'answer': 5}))", "must be text"),
        ("print(json.dumps({'sources': []}))", "no `answer`"),
        ("sys.stdout.write('x' * 9_000_000)", "more than 8 MB"),
    ],
)
async def test_what_goes_wrong_is_one_error_record(tmp_path: Path, kit_of: KitOf, code: str, what: str) -> None:
    import re

    made = await connect(kit_of({"command": script(tmp_path, code)})).run(Case(id="c", input="q"))
    assert re.search(what, made.error or "", re.DOTALL)
    assert made.error_kind == "target"
    assert len(made.error or "") < 2_000


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
    return False


async def gone(pid: int) -> bool:
    for _ in range(200):
        if not alive(pid):
            return True
        await asyncio.sleep(0.02)
    return False


FAMILY = (
    "import subprocess\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    "open('pids', 'w').write(f'{os.getpid()} {child.pid}')\n"
    "time.sleep(60)"
)


@pytest.mark.parametrize("keep", [False, True])
async def test_a_command_that_hangs_is_ended_with_all_it_started(tmp_path: Path, kit_of: KitOf, keep: bool) -> None:
    started = time.monotonic()
    target = connect(kit_of({"command": script(tmp_path, FAMILY), "timeout": 2, "keep": keep}))
    made = await target.run(Case(id="c", input="q"))
    assert (made.error, made.error_kind) == ("no answer within 2 s", "timeout")
    assert time.monotonic() - started < 20
    for pid in (tmp_path / "pids").read_text().split():
        assert await gone(int(pid))


@pytest.mark.parametrize("keep", [False, True])
async def test_a_command_does_not_outlive_a_run_that_is_stopped(tmp_path: Path, kit_of: KitOf, keep: bool) -> None:
    target = connect(kit_of({"command": script(tmp_path, FAMILY), "keep": keep}))
    running = asyncio.create_task(target.run(Case(id="c", input="q")))
    for _ in range(500):
        if (tmp_path / "pids").exists() and (tmp_path / "pids").read_text().count(" "):
            break
        await asyncio.sleep(0.02)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    for pid in (tmp_path / "pids").read_text().split():
        assert await gone(int(pid))


KEPT = """
count = 0
for line in sys.stdin:
    asked = json.loads(line)
    count += 1
    if asked['text'] == 'die':
        sys.stderr.write('I am dying')
        sys.exit(4)
    print(json.dumps({'answer': f"{count} {asked['text']}", 'pid': os.getpid()}), flush=True)
open('farewell', 'a').write('x')
"""


async def test_one_process_serves_a_whole_conversation(tmp_path: Path, kit_of: KitOf) -> None:
    target = connect(kit_of({"command": script(tmp_path, KEPT), "keep": True}))
    case = Case(id="c", turns=(Ask(text="line\nbreak"), Ask(text="b")))
    first, second = await asyncio.gather(target.run(case), target.run(case))
    assert [turn.answer for turn in first.turns] == ["1 line\nbreak", "2 b"]
    assert first.turns[0].extra["pid"] == first.turns[1].extra["pid"] != second.turns[0].extra["pid"]
    assert (tmp_path / "farewell").read_text() == "xx", "each was told that it was over"


async def test_a_kept_process_that_dies(tmp_path: Path, kit_of: KitOf) -> None:
    target = connect(kit_of({"command": script(tmp_path, KEPT), "keep": True}))
    made = await target.run(Case(id="c", turns=(Ask(text="a"), Ask(text="die"), Ask(text="c"))))
    assert len(made.turns) == 1
    assert "status 4: I am dying" in (made.error or "")


async def test_many_at_once(tmp_path: Path, kit_of: KitOf) -> None:
    target = connect(kit_of({"command": ["sed", "s/^/got /"]}))
    made = await asyncio.gather(*(target.run(Case(id=str(n), input=f"text {n}")) for n in range(20)))
    assert [json.loads(each.answer.removeprefix("got "))["text"] for each in made] == [f"text {n}" for n in range(20)]


@table(
    ("settings", "what"),
    [
        ({"command": "no-such-command-anywhere --x"}, "there is no command"),
        ({"command": "./nowhere.sh"}, "there is no command"),
        ({"command": ""}, "is empty"),
        ({"command": []}, "is empty"),
        ({"command": "echo 'open"}, "cannot be split"),
        ({"command": ["echo"], "shell": True}, "as text"),
        ({"command": "echo", "timeout": 0}, "timeout"),
        ({"command": "echo", "kept": True}, "kept"),
        ({"command": 5}, "command"),
    ],
)
def test_wrong_settings_are_told_at_once(kit_of: KitOf, settings: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        connect(kit_of(settings))


async def test_a_command_that_cannot_be_started(tmp_path: Path, kit_of: KitOf) -> None:
    (tmp_path / "agent.sh").write_text("not a program")
    made = await connect(kit_of({"command": "./agent.sh"})).run(Case(id="c", input="q"))
    assert "cannot be started" in (made.error or "")


def test_the_spec_is_the_command(kit_of: KitOf) -> None:
    assert connect(kit_of({"command": "echo a b"})).spec == {
        "command": ("echo", "a", "b"),
        "shell": False,
        "keep": False,
    }
