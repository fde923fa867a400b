from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest

from proctor.config import Config, Environment, Settings
from proctor.wiring.guard import Guard
from tests.third_party import install

CODE = '''
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from proctor.core.step import GateStep
from proctor.core.verdict import Verdict

READ: list[str] = []
DONE = threading.Event()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """Says on which thread it was asked, and reads what tools returned before the draft comes."""

    name: ClassVar[str] = "ready"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[str, ...]] = ("output",)
    pure: ClassVar[bool] = True
    primary: ClassVar[str | None] = None

    async def check(self, step: GateStep) -> Verdict:
        return Verdict(action="allow", gate=self.name, reason=threading.current_thread().name)

    def ahead(self, step) -> Iterator[None]:
        READ.extend(call.name for call in step.memory.calls)
        yield
        DONE.set()
'''


async def test_a_gate_of_another_package_is_pure_and_reads_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "stranger", CODE, gates="ready = stranger:Ready")
    section = {"input": [], "tool_call": [], "tool_result": [], "output": ["ready"]}
    config = Config(settings=Settings(guard=section), folder=tmp_path, environment=Environment(values={}))
    guard = Guard.from_config(config, record=False, reload=False)
    try:
        session = guard.session()
        await session.tool_result("get_booking", {"id": "LT-77"}, {"id": "LT-77"})
        stranger = sys.modules["stranger"]
        assert stranger.DONE.wait(30)
        assert stranger.READ == ["get_booking"]
        assert (await session.output("It leaves at ten.")).reason == threading.current_thread().name
    finally:
        guard.close()
