"""Faults made of clean conversations."""

from __future__ import annotations

import random
from typing import Any

from training.talk_swaps import renamed, swapped_talks

ROW: dict[str, Any] = {
    "label": "clean",
    "fault": "wrong_id",
    "turn": None,
    "sources": [{"id": "s", "text": "Changes cost 25 EUR until 3 days before."}],
    "messages": [
        {"role": "user", "content": "Cancel order 440712-9, please. The other one is 440733-1."},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"name": "cancel_order", "arguments": {"order": "440712-9"}, "result": {"ok": True}}],
        },
        {"role": "assistant", "content": "Order 440712-9 is cancelled, which costs 25 EUR."},
        {"role": "user", "content": "thanks"},
        {"role": "assistant", "content": "You are welcome."},
    ],
}


def made() -> list[dict[str, Any]]:
    return [row for seed in range(30) for row in swapped_talks([ROW], seed=seed)]


def test_every_kind_of_fault_is_made_and_names_its_message() -> None:
    faulty = [row for row in made() if row["label"] == "faulty"]
    assert {row["fault"] for row in faulty} == {"invented_policy", "wrong_id", "false_claim_of_act", ""}
    for row in faulty:
        assert row["messages"][row["turn"] - 1]["role"] == "assistant"


def test_a_wrong_id_is_another_one_than_was_asked_for() -> None:
    for row in made():
        if row["fault"] == "wrong_id" and row["label"] == "faulty":
            assert row["turn"] == 2
            assert row["messages"][1]["tool_calls"][0]["arguments"]["order"] != "440712-9"


def test_an_act_that_was_not_done_is_still_told_as_done() -> None:
    told = [row for row in made() if row["fault"] == "false_claim_of_act"]
    for row in told:
        assert "is cancelled" in row["messages"][row["turn"] - 1]["content"]
        calls = [call for message in row["messages"] for call in message.get("tool_calls", ())]
        assert not calls or calls[0]["result"] != {"ok": True}
    assert {len(row["messages"]) for row in told} == {4, 5}


def test_a_renamed_conversation_has_other_codes_each_always_the_same_way() -> None:
    found = renamed(ROW, random.Random(5))
    asked = found["messages"][0]["content"]
    code = found["messages"][1]["tool_calls"][0]["arguments"]["order"]
    assert code != "440712-9"
    assert code in asked
    assert code in found["messages"][2]["content"]
    assert found["sources"] == ROW["sources"]


def test_a_faulty_conversation_makes_nothing() -> None:
    assert list(swapped_talks([ROW | {"label": "faulty"}])) == []
