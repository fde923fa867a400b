"""The same conversation through seven real SDKs becomes one identical turn each."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proctor.core.codec import encode, loads
from proctor.core.decode import decode
from proctor.core.event import Event
from tests.server.ingest.servers import environment, model_server, rows_in, serve

ROOT = Path(__file__).parents[3]
CALLS = Path(__file__).with_name("sdk_calls.py")
TOKEN = "a-token-of-the-desk"
CONFIG = "monitor: {ingest: {tokens: {desk: '${PROCTOR_TEST_TOKEN}'}, settle: 1}, history: {masking: none}}\n"
TURN = {
    "messages": [
        {"role": "system", "content": "You help customers."},
        {"role": "user", "content": "Where is my order A-17?"},
        {
            "role": "assistant",
            "tool_calls": [{"name": "find_order", "arguments": {"order": "A-17"}, "id": "call_1"}],
        },
        {"role": "tool", "content": '{"status":"packed"}', "tool_call_id": "call_1"},
        {"role": "assistant", "content": "Your order ships tomorrow."},
    ],
    "tool_calls": [
        {"name": "find_order", "arguments": {"order": "A-17"}, "id": "call_1", "result": {"status": "packed"}}
    ],
    "usage": {"input": 62, "output": 14},
}


def _has_v2() -> bool:
    """Whether openai-v2 can be imported: its newest version does not fit the newest opentelemetry-util-genai."""
    return importlib.util.find_spec("opentelemetry.util.genai.instruments") is not None


def _sent(folder: Path, *runs: list[str]) -> dict[str, list[Event]]:
    """Send through SDKs, one process for each list of names; return the stored events by session."""
    (folder / "proctor.yaml").write_text(CONFIG)
    with serve(folder, env={"PROCTOR_TEST_TOKEN": TOKEN}) as served, model_server() as model:
        for names in runs:
            command = [sys.executable, str(CALLS), *names]
            env = _sdk_environment(model, served.url, names)
            done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode == 0, done.stderr
        assert served.stop() == 130
    found: dict[str, list[Event]] = {}
    for row in rows_in(folder):
        found.setdefault(row.session or "", []).append(decode(Event, loads(row.line)))
    return found


def _sdk_environment(model: str, server: str, names: list[str]) -> dict[str, str]:
    """What a user sets to point each SDK at the server."""
    is_latest = names == ["openai-v2-latest"]
    return environment(
        OPENAI_BASE_URL=f"{model}/v1",
        OPENAI_API_KEY="sk-test",
        OTEL_EXPORTER_OTLP_ENDPOINT=server,
        OTEL_EXPORTER_OTLP_HEADERS=f"x-proctor-token={TOKEN}",
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="span_only" if is_latest else "true",
        OTEL_SEMCONV_STABILITY_OPT_IN="gen_ai_latest_experimental" if is_latest else "",
        LANGFUSE_BASE_URL=server,
        LANGFUSE_PUBLIC_KEY="pk-lf-desk",
        LANGFUSE_SECRET_KEY=TOKEN,
        LANGSMITH_ENDPOINT=server,
        LANGSMITH_API_KEY=TOKEN,
        LANGSMITH_TRACING="true",
    )


def _turn_of(events: list[Event]) -> dict[str, Any]:
    turns = [event for event in events if event.kind == "turn"]
    assert len(turns) == 1
    event = turns[0]
    assert (event.customer, event.model, event.source) == ("u-1", "gpt-4o-mini-2024-07-18", "desk")
    assert event.turn is not None
    assert event.turn.latency is not None
    made: dict[str, Any] = encode(replace(event.turn, latency=None, time=None))
    return made


def test_one_identical_turn_each(tmp_path: Path) -> None:
    names = ["openllmetry", "openinference", "langsmith", "langfuse"]  # Langfuse last: it changes the openai package
    found = _sent(tmp_path, names)
    assert set(found) == set(names)
    assert {name: _turn_of(found[name]) for name in names} == dict.fromkeys(names, TURN)
    for name in ("langsmith", "langfuse"):
        (score,) = [event for event in found[name] if event.kind == "score"]
        assert (score.name, score.value, score.metadata["explanation"]) == ("helpful", 0.9, "good")
    assert found["openinference"][0].version == "7"


@pytest.mark.slow
@pytest.mark.skipif(not _has_v2(), reason="opentelemetry-util-genai is newer than openai-v2 can use")
def test_openai_v2_in_both_modes(tmp_path: Path) -> None:
    modes = ("openai-v2", "openai-v2-latest")
    found = _sent(tmp_path, *([mode] for mode in modes))
    assert {mode: _turn_of(found[mode]) for mode in modes} == dict.fromkeys(modes, TURN)
