"""`isolate: true` works from the library, the command line and the sidecar, and is refused where it makes no sense."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from proctor.core.errors import InputError
from proctor.server.sidecar.app import make_app
from proctor.wiring.guard import Guard
from tests.server.upstream import running

GATE = '''"""A gate that holds the interpreter in C code."""

import re
from dataclasses import dataclass
from typing import ClassVar

from proctor.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow:
    """Matches a pattern that backtracks for ever."""

    name: ClassVar[str] = "slow"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[str, ...]] = ("input",)
    primary: ClassVar[str | None] = None

    async def check(self, step):
        found = re.match(r"(?:a+)+$", step.text)
        return Verdict(action="block" if found else "allow", reason="matched" if found else "")
'''
HANGS = "a" * 5_000 + "!"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    info = tmp_path / "slow_gate-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: slow_gate\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[proctor.gates]\nslow = slow_gate:Slow\n")
    (tmp_path / "slow_gate.py").write_text(GATE)
    settings = "guard:\n  timeout: 1\n  input:\n    - slow: {isolate: true}\n  output: []\n  tool_result: []\n"
    (tmp_path / "proctor.yaml").write_text(settings)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("slow_gate", None)


async def test_from_the_library_and_the_sidecar(project: Path) -> None:
    guard = Guard.from_config(project, record=False)
    async with running(make_app(guard)) as address, aiohttp.ClientSession(address) as client:
        verdict = await guard.session().input("aaa")
        assert (verdict.action, verdict.reason) == ("block", "matched")
        async with client.post("/v1/input", json={"text": HANGS}) as answer:
            told = await answer.json()
        assert (told["action"], told["broken"]) == ("block", True)
        assert "no answer within 1 s" in told["reason"]
        async with client.post("/v1/input", json={"text": "good morning"}) as answer:
            assert (await answer.json())["action"] == "allow"
    guard.close()


def test_from_the_command_line(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(project))

    def check(text: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from proctor.cli.main import main; main()", "guard", "check", text]
        return subprocess.run(command, capture_output=True, text=True, cwd=project, check=False, timeout=120)

    done = check(HANGS)
    assert (done.returncode, "no answer within 1 s" in " ".join(done.stdout.split())) == (1, True), done.stdout
    done = check("good morning")
    assert done.returncode == 0, done.stdout + done.stderr


def test_proctors_own_gates_are_not_isolated(project: Path) -> None:
    (project / "proctor.yaml").write_text("guard:\n  input:\n    - banned: {words: [a], isolate: true}\n")
    with pytest.raises(InputError, match=r"banned.isolate.*a gate of Proctor's own"):
        Guard.from_config(project, record=False)
