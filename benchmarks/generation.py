"""Measures whether ``proctor generate`` waits for nothing but answers: its time against the longest chain of questions.

Run ``python -m benchmarks.generation [--prompt FILE]``. A stub answers every stage after 50 ms. The longest chain of
dependent questions is found by walking through the same generation on a clock that jumps; the peer is the same work
with one question at a time, as the tool that this one follows goes about it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import selectors
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from benchmarks.processes import ROOT, Measured, hurry, measure
from benchmarks.stub import Stub, serve
from proctor.core.chat import Reply, Request
from proctor.core.codec import content_id
from proctor.core.rule import Rule
from proctor.generate.artefacts import Artefacts
from proctor.generate.dry_run_model import stand_in
from proctor.generate.effort import PRESETS
from proctor.generate.extract import extract_rules
from proctor.generate.generation_request import Makers, Order
from proctor.generate.pipeline import generate
from proctor.prompts.load import load_prompt, parse_prompt
from proctor.prompts.prompt import Prompt
from proctor.prompts.test_config import told

__all__ = ["GenerationStub", "longest_chain", "main"]

LATENCY = 0.05
_EFFORT = "medium"
_OWN = """\
---
name: Word class
inputs:
  sentence: {type: string}
  word: {type: string}
---
system:
You are given a sentence and a word in it. Return only the tag of the word's class. The tag is one of: NOUN, VERB, ADJ,
ADV, OTHER. If the word cannot be tagged, return Unknown. Never explain your answer. Answer in English.
user:
{{sentence}}
{{word}}
"""


@dataclass(slots=True, kw_only=True)
class GenerationStub(Stub):
    """The stub with an answer for every stage; what it says depends on the question alone."""

    rules: Sequence[Rule] = field(default_factory=tuple)

    def _answer(self, key: bytes, body: bytes) -> web.Response:
        asked = json.loads(body)
        wanted = asked["response_format"]["json_schema"]
        data = answer(wanted["name"], wanted["schema"], content_id(asked["messages"]), self.rules)
        self.tally.answered += 1
        self.tally.answers[key] += 1
        message = {"role": "assistant", "content": json.dumps(data)}
        reply = {
            "model": "stub",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": len(body) // 4, "completion_tokens": 50},
        }
        return web.json_response(reply)


def answer(stage: str, schema: Mapping[str, Any], key: str, rules: Sequence[Rule]) -> dict[str, Any]:
    """What the stub says; a test of a prompt that wants "sentence; word" in one input has that form."""
    data = stand_in(stage, schema, key, rules)
    for test in data.get("tests", ()):
        inputs = test["inputs"]
        if "sentenceword" in inputs:
            inputs["sentenceword"] += f"; {inputs['sentenceword'].split()[1]}"
    return data


class _Waiting:
    """A model that takes its time on whatever clock the loop has."""

    name = "stub"

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = rules
        self.calls = 0

    async def complete(self, request: Request) -> Reply:
        self.calls += 1
        await asyncio.sleep(LATENCY)
        data = answer(request.schema_name, request.schema or {}, content_id(request), self.rules)
        return Reply(text=json.dumps(data), data=data)


class _Jumping(asyncio.SelectorEventLoop):
    """A loop whose clock jumps to the next thing that is due: it measures what waits for what, and nothing else."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_NoWaiting(self))

    def time(self) -> float:
        return self._now

    def jump(self, seconds: float) -> None:
        self._now += seconds


class _NoWaiting(selectors.DefaultSelector):
    def __init__(self, loop: _Jumping) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        if timeout:
            self._loop.jump(timeout)
        return super().select(0)


def longest_chain(prompt: Prompt, effort: str = _EFFORT) -> tuple[int, float]:
    """How many questions there are, and how long the longest chain of them takes when nothing else takes any time."""
    model = _Waiting(extract_rules(prompt))
    order = Order(prompt=prompt, samples=told(prompt).samples, effort=PRESETS[effort])
    loop = _Jumping()
    try:
        loop.run_until_complete(generate(order, Makers(writer=model, judge=model), Artefacts()))
        return model.calls, loop.time()
    finally:
        loop.close()


def _prompt(path: Path | None) -> Prompt:
    return load_prompt(path) if path else parse_prompt(_OWN, name="word-class")


@contextmanager
def _stub(path: Path | None) -> Iterator[str]:
    command = [sys.executable, "-m", "benchmarks.generation", "--serve", *(["--prompt", str(path)] if path else [])]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def _generate(address: str, path: Path | None, *words: str) -> tuple[Measured, dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = f'{{provider: compatible, base_url: "{address}/v1", model: stub, api_key_env: STUB_KEY}}'
        (folder / "proctor.yaml").write_text(f"model: stub\nmodels:\n  stub: {model}\n")
        file = folder / (path.name if path else "word-class.prompty")
        file.write_text(path.read_text("utf-8") if path else _OWN, "utf-8")
        urllib.request.urlopen(urllib.request.Request(f"{address}/reset", method="POST")).read()
        command = [sys.executable, "-c", "from proctor.cli.main import main; main()", "generate", file.name, "-q"]
        done = measure([*command, "--effort", _EFFORT, *words], folder=folder)
        if done.code:
            raise SystemExit(done.errors)
        stats: dict[str, Any] = json.loads(urllib.request.urlopen(f"{address}/stats").read())
        return done, stats


def main() -> None:
    """Measure and print a table."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--prompt", type=Path, help="a prompt file; default: a small one of our own")
    ask.add_argument("--times", type=int, default=5, help="runs; the median counts")
    ask.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = ask.parse_args()
    path = options.prompt.resolve() if options.prompt else None
    prompt = _prompt(path)
    if options.serve:
        asyncio.run(_serve(prompt))
        return
    os.environ["STUB_KEY"] = "none"  # noqa: TID251 - for the program that is measured
    print(hurry())
    calls, chain = longest_chain(prompt)
    print(f"{prompt.name}: {calls} questions; longest chain {chain / LATENCY:.0f} of them, {chain * 1000:.0f} ms")
    with _stub(path) as address:
        runs = sorted((_generate(address, path) for _ in range(options.times)), key=lambda run: run[1]["loop"])
        _, one = _generate(address, path, "-j", "1")
    process, stats = runs[len(runs) // 2]
    ratio = stats["loop"] / chain
    print(f"{'':<28}{'questions':>10}{'first to last':>15}{'÷ chain':>9}{'most at once':>14}")
    print(
        f"{'proctor generate':<28}{stats['requests']:>10}{stats['loop'] * 1000:>12.0f} ms{ratio:>9.2f}"
        f"{stats['most_in_flight']:>14}"
    )
    print(
        f"{'one at a time (-j 1)':<28}{one['requests']:>10}{one['loop'] * 1000:>12.0f} ms{one['loop'] / chain:>9.2f}"
        f"{one['most_in_flight']:>14}"
    )
    print(f"the whole process took {process.wall:.2f} s, {process.cpu:.2f} s of it the processor's")


async def _serve(prompt: Prompt) -> None:
    runner, address = await serve(GenerationStub(latency=LATENCY, rules=extract_rules(prompt)))
    print(address, flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


if __name__ == "__main__":
    main()
