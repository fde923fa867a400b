"""Puts the same texts to several detectors in turn, so that what else the machine does hits all of them alike."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any

from benchmarks.peers.detectors import Detector, command
from benchmarks.processes import ROOT

__all__ = ["Runner", "race"]

_START_SECONDS = 60.0
_ANSWER_SECONDS = 60.0
_LONGEST_LINE = 4_000_000
_HELLO = "Good morning, when does the shop open on Saturday?"
_NO_NETWORK = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "NO_PROXY": "*"}


@dataclass(slots=True, kw_only=True)
class Runner:
    """One detector at work: what it answered by the number of the text, or why it was not run."""

    detector: Detector
    answers: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    not_run: str = ""
    spent: float = 0.0
    _process: asyncio.subprocess.Process | None = None
    _errors: IO[bytes] = field(default_factory=tempfile.TemporaryFile)  # a pipe that nobody reads would hold it up

    async def start(self) -> None:
        """Start it and wait for its first answer, a minute at most."""
        program = await asyncio.to_thread(command, self.detector)
        if program is None:
            self.not_run = "cannot be installed here"
            return
        pipe = asyncio.subprocess.PIPE
        closed = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}  # noqa: TID251
        self._process = await asyncio.create_subprocess_exec(
            *program,
            cwd=ROOT,
            env=closed | _NO_NETWORK,
            stdin=pipe,
            stdout=pipe,
            stderr=self._errors,
            limit=_LONGEST_LINE,
        )
        if await self._asked(_HELLO, _START_SECONDS) is None and not self.not_run:
            self.not_run = f"does not start within {_START_SECONDS:g} s without a network"
        if self.not_run:
            await self.stop()

    async def ask(self, number: int, text: str) -> None:
        """Put one text to it; who does not answer is out."""
        begun = asyncio.get_running_loop().time()
        said = await self._asked(text, _ANSWER_SECONDS)
        self.spent += asyncio.get_running_loop().time() - begun
        if said is None:
            late = f"did not answer within {_ANSWER_SECONDS:g} s to a text of {len(text)} letters"
            self.not_run = self.not_run or late
            await self.stop()
        else:
            self.answers[number] = said

    async def stop(self) -> None:
        """End its process."""
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        self._errors.close()

    async def _asked(self, text: str, seconds: float) -> Mapping[str, Any] | None:
        assert self._process is not None
        asked, said = self._process.stdin, self._process.stdout
        assert asked is not None
        assert said is not None
        with suppress(TimeoutError, ConnectionError):
            asked.write(json.dumps(text).encode() + b"\n")
            async with asyncio.timeout(seconds):
                while line := await said.readline():
                    if line.startswith(b'{"us"'):  # others print of themselves while they are loaded
                        answer: Mapping[str, Any] = json.loads(line)
                        return answer
            self.not_run = self._last_words()
        return None

    def _last_words(self) -> str:
        """Of what it said when it ended only the kind of error: the rest may name machines and folders."""
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        kinds = [line.partition(":")[0].rpartition(".")[2] for line in lines if line and not line[0].isspace()]
        kind = next((each for each in reversed(kinds) if each.isidentifier()), "no reason given")
        return f"broke off ({kind})" if self.answers else f"does not start without a network ({kind})"


async def race(
    detectors: Sequence[Detector],
    texts: Sequence[str],
    wanted: Callable[[Detector, int], bool],
    seconds: float,
) -> list[Runner]:
    """Each detector with its answers to the texts that are wanted of it.

    They are asked one after the other about each text, beginning with another one every time. Who has used up its
    ``seconds`` is asked no more.
    """
    runners = [Runner(detector=detector) for detector in detectors]
    try:
        for runner in runners:
            await runner.start()
        for number, text in enumerate(texts):
            first = number % len(runners)
            for runner in (*runners[first:], *runners[:first]):
                if not runner.not_run and runner.spent < seconds and wanted(runner.detector, number):
                    await runner.ask(number, text)
    finally:
        for runner in runners:
            await runner.stop()
    return runners
