from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.suites.conversations.logs import cases, lines, only, words

from proctor.core.errors import SuiteError

GOLD = {"name": "cancel_order", "kwargs": {"order_id": "#W1"}}
TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "# Policy"},
    {"role": "user", "content": "Cancel #W1 please."},
    {
        "role": "assistant",
        "tool_calls": [{"id": "c", "function": {"name": "cancel_order", "arguments": '{"order_id": "#W1"}'}}],
    },
    {"role": "tool", "tool_call_id": "c", "name": "cancel_order", "content": "Error: order is delivered"},
    {"role": "assistant", "content": "It cannot be cancelled."},
]


def test_results_of_tau_bench(tmp_path: Path) -> None:
    run = {
        "task_id": 3,
        "reward": 0.0,
        "trial": 1,
        "info": {"task": {"user_id": "u", "instruction": "cancel", "actions": [GOLD], "outputs": ["54.04"]}},
        "traj": [*TALK, {"role": "user", "content": "###STOP###"}],
    }
    (tmp_path / "results.json").write_text(json.dumps([run, {**run, "trial": 2}], indent=1))
    first, second = cases(tmp_path / "results.json")
    assert (first.id, second.id) == ("3-1", "3-2")
    assert [(call.name, dict(call.arguments)) for call in first.expect.tool_calls] == [
        ("cancel_order", {"order_id": "#W1"})
    ]
    assert first.expect.facts == ("54.04",)
    assert first.expect.extra["complete"] is True
    assert (first.metadata["reward"], first.metadata["ended_by"]) == (0.0, "STOP")
    assert first.recorded is not None
    assert words(first.recorded) == [("Cancel #W1 please.", "It cannot be cancelled.")]
    assert first.recorded.tool_calls[0].error == "Error: order is delivered"
    assert first.recorded.turns[0].extra["asides"] == [{"role": "user", "content": "###STOP###", "after": 5}]


def test_last_words_before_the_mark_are_kept(tmp_path: Path) -> None:
    row = {"task_id": 1, "reward": 1, "messages": [*TALK, {"role": "user", "content": "Thanks! ###STOP###"}]}
    _, run = only(lines(tmp_path, row))
    assert words(run)[-1] == ("Thanks!", "")
    assert run.messages[-1].extra == {"ended": "STOP"}


def test_a_file_of_tau2_bench(tmp_path: Path) -> None:
    task = {
        "id": "7",
        "user_scenario": {"instructions": "x"},
        "evaluation_criteria": {
            "actions": [
                {"action_id": "a", "requestor": "user", "name": "restart", "arguments": {}, "compare_args": []}
            ],
            "communicate_info": [],
            "nl_assertions": ["be kind"],
            "reward_basis": ["DB"],
        },
    }
    device = {"id": "u", "name": "restart", "arguments": {}, "requestor": "user"}
    messages = [
        {"role": "assistant", "content": "Hi!", "timestamp": "2026-01-01T00:00:00", "cost": 0.0},
        {"role": "user", "content": "No signal.", "timestamp": "2026-01-01T00:00:01", "cost": 0.5},
        {
            "role": "assistant",
            "content": "Restart.",
            "timestamp": "2026-01-01T00:00:03",
            "cost": 0.25,
            "usage": {"prompt_tokens": 4},
        },
        {"role": "user", "tool_calls": [device]},
        {"role": "tool", "id": "u", "content": "ok", "requestor": "user", "error": False},
    ]
    data = {
        "info": {"agent_info": {"llm": "m"}, "environment_info": {"domain_name": "telecom", "policy": "# P"}},
        "tasks": [task],
        "simulations": [
            {
                "id": "sim",
                "task_id": "7",
                "trial": 0,
                "messages": messages,
                "reward_info": {"reward": 1.0},
                "termination_reason": "user_stop",
            }
        ],
    }
    (tmp_path / "run.json").write_text(json.dumps(data))
    case, run = only(tmp_path / "run.json")
    assert case.id == "telecom-7-0"
    assert case.metadata["reward"] == 1.0
    assert (case.metadata["agent"], case.metadata["policy"]) == ("m", "# P")
    assert case.expect.tool_calls[0].extra == {"requestor": "user", "compare_args": []}
    assert case.expect.extra["nl_assertions"] == ["be kind"]
    assert words(run)[0] == ("No signal.", "Restart.")
    assert (run.turns[0].latency, run.turns[0].cost) == (2.0, 0.25)
    assert not run.tool_calls


def test_a_task_without_gold_says_so(tmp_path: Path) -> None:
    case, _ = only(lines(tmp_path, {"task_id": 1, "reward": 1, "messages": TALK}))
    assert "complete" not in case.expect.extra
    none, _ = only(lines(tmp_path, {"task_id": 1, "reward": 1, "messages": TALK, "task": {"actions": []}}))
    assert none.expect.extra["complete"] is True


def test_what_is_wrong_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"simulations": [{"task_id": 1, "messages": [7]}]}))
    with pytest.raises(SuiteError) as caught:
        cases(tmp_path / "run.json")
    assert caught.value.field == "simulations[0].messages[0]"
    with pytest.raises(SuiteError, match="no name"):
        cases(lines(tmp_path, {"task_id": 1, "reward": 1, "messages": TALK, "task": {"actions": [{}]}}))


def test_the_gold_that_the_reward_was_given_by_goes_before_the_task_beside_it(tmp_path: Path) -> None:
    other = {"id": "7", "evaluation_criteria": {"actions": [{"name": "refund", "arguments": {"id": 9}}]}}
    run = {"task_id": "7", "messages": TALK, "task": other}
    checks = {
        "reward": 1.0,
        "db_check": {"db_match": True},
        "action_checks": [{"action": {"name": "cancel_order", "arguments": {"order_id": "#W1"}}, "action_match": True}],
        "communicate_checks": [{"info": "54.04", "met": True}],
        "reward_basis": ["DB", "COMMUNICATE"],
    }
    case, _ = only(lines(tmp_path, {**run, "reward_info": checks}))
    assert [(call.name, dict(call.arguments)) for call in case.expect.tool_calls] == [
        ("cancel_order", {"order_id": "#W1"})
    ]
    assert case.expect.facts == ("54.04",)
    assert case.expect.extra == {"complete": True, "reward_basis": ["DB", "COMMUNICATE"]}
    case, _ = only(lines(tmp_path, {**run, "reward_info": {**checks, "action_checks": None}}))
    assert (case.expect.tool_calls, case.expect.extra["complete"]) == ((), True), "nothing was to be done"
    case, _ = only(lines(tmp_path, {**run, "reward_info": {"reward": 0.0, "actions": [GOLD]}}))
    assert [call.name for call in case.expect.tool_calls] == ["cancel_order"], "tau-bench writes it so"
    for unchecked in ({"reward": 0.0}, None, "none", {"actions": "x"}):
        case, _ = only(lines(tmp_path, {**run, "reward_info": unchecked}))
        assert [call.name for call in case.expect.tool_calls] == ["refund"], unchecked


def test_a_checked_action_that_is_none_is_told_with_its_place(tmp_path: Path) -> None:
    row = {"task_id": 1, "messages": TALK, "reward_info": {"db_check": None, "action_checks": [{"action": 3}]}}
    with pytest.raises(SuiteError) as caught:
        cases(lines(tmp_path, row))
    assert "reward_info.actions[0]" in str(caught.value)
