"""Any JSON at all, with the keys the tools use in wrong places: read, or refused with its place, and never a crash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.profiles import examples

from proctor.core.case import Case
from proctor.core.codec import encode
from proctor.core.decode import decode
from proctor.core.errors import InputError
from proctor.suites.conversations import open_conversations
from proctor.suites.conversations.detect import importers

KEYS = [
    *(
        "id",
        "role",
        "content",
        "messages",
        "type",
        "text",
        "name",
        "tool_calls",
        "function",
        "arguments",
        "args",
        "parts",
    ),
    *(
        "traj",
        "reward",
        "task",
        "task_id",
        "actions",
        "simulations",
        "tasks",
        "info",
        "reward_info",
        "outputs",
        "trial",
    ),
    *(
        "resourceSpans",
        "scopeSpans",
        "spans",
        "attributes",
        "key",
        "value",
        "stringValue",
        "events",
        "context",
        "traceId",
    ),
    *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.operation.name", "gen_ai.tool.name", "intValue"),
    *("run_type", "inputs", "outputs", "trace_id", "extra", "metadata", "child_runs", "generations", "kwargs", "data"),
    *("input", "output", "observations", "timestamp", "session_id", "start_time", "level", "usage_details", "request"),
    *("response", "choices", "message", "system", "turns", "answer", "trajectory", "recorded", "case", "utility"),
    *(
        "user_task",
        "tool_call",
        "tool_call_id",
        "error",
        "intents",
        "sources",
        "escalation",
        "confidence",
        "usage",
        "cost",
    ),
]
WORDS = [
    "user",
    "assistant",
    "tool",
    "human",
    "tool_use",
    "tool_result",
    "llm",
    "GENERATION",
    "TOOL",
    "chat",
    "execute_tool",
]
LEAVES = (
    st.none() | st.booleans() | st.integers(-9, 10**20) | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([*WORDS, "", "[]", '{"role": "user"}', "2026-03-01T10:00:00Z", "###STOP###", "Error: x"])
)  # fmt: skip
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)


def read_or_refused(folder: Path, form: str, rows: list[Any]) -> None:
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    told, cases = "", list[Case]()
    try:
        cases = list(open_conversations(path, form))
    except InputError as error:
        told = str(error)
        assert "the importer of" not in told, "a built-in importer raised something else than `entry.wrong(…)`"
    assert cases or str(path) in told
    for case in cases:
        assert case.id
        assert decode(Case, encode(case)) == case


@pytest.mark.parametrize("form", [*importers(), "auto"])
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])
@given(rows=st.lists(VALUES, min_size=1, max_size=3))
def test_anything_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, form: str, rows: list[Any]) -> None:
    read_or_refused(tmp_path_factory.mktemp("hostile"), form, rows)


MORE = {name: VALUES for name in ("content", "tool_calls", "usage", "intent", "sources")}
ROLES = st.sampled_from([*WORDS, "system", "robot"])
MESSAGES = st.lists(st.fixed_dictionaries({"role": ROLES}, optional=MORE), min_size=1, max_size=4)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
@given(messages=MESSAGES)
def test_messages_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, messages: list[Any]) -> None:
    read_or_refused(tmp_path_factory.mktemp("hostile"), "openai", [{"messages": messages}])
