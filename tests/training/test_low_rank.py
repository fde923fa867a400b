"""The adapter of the large network: what is learnt, how it is kept, and conversations as training lines."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from training.low_rank import LowRank, TalkTask, adapted, fit, kept_adapter, started, told_talks
from training.qwen_network import FAULT_AT, OUTPUTS, Network
from training.talks import events_of, faulty_act, talk_arrays

from proctor.core.talk_event import FAULTS

MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Cancel order 17."},
    {"role": "assistant", "content": "One moment."},
    {"role": "user", "content": "Thanks"},
    {
        "role": "assistant",
        "content": "I cancel it.",
        "tool_calls": [{"name": "cancel", "arguments": {"id": 71}, "result": "ok"}],
    },
    {"role": "assistant", "content": "Done."},
]
TALK: dict[str, Any] = {
    "label": "faulty",
    "fault": "wrong_id",
    "turn": 4,
    "sources": ["Orders can be cancelled until they are sent."],
    "messages": MESSAGES,
}
CLEAN = TALK | {"label": "clean", "turn": 4, "fault": None}


def codes(text: str) -> list[int]:
    return [ord(each) % 39 + 1 for each in text]


def small_network() -> Network:
    torch.manual_seed(3)
    return Network(40, 0, 2, 64)


def test_the_call_of_a_message_is_what_is_at_fault() -> None:
    events, places = events_of(TALK)
    bad = faulty_act(TALK, places, events)
    assert bad is not None
    assert (events[bad].who, places[bad]) == ("call", 4)
    assert faulty_act(CLEAN, places, events) is None


def test_acts_beside_the_fault_and_after_it_are_not_judged() -> None:
    found = talk_arrays([TALK, CLEAN], codes)
    faulty, fine = (found["talks_marks"][found["talks_marks"][:, 4] == n] for n in (0, 1))
    assert faulty[:, 2].tolist() == [0, -1, 1, -1]
    assert faulty[:, 3].tolist() == [-1, -1, FAULTS.index("wrong_id"), -1]
    assert fine[:, 2].tolist() == [0, 0, 0, 0]


def test_a_fresh_adapter_changes_nothing() -> None:
    network = small_network().eval()
    ids, sizes = torch.randint(1, 40, (2, 11)), torch.tensor([11, 7])
    with torch.no_grad():
        before = network(ids, sizes)
        after = adapted(network, torch.float32)(ids, sizes)
    assert torch.allclose(before, after, atol=1e-5)


def test_the_kept_adapter_is_what_runs() -> None:
    network = adapted(small_network(), torch.float32)
    part = network.layers[0].up
    assert isinstance(part, LowRank)
    with torch.no_grad():
        part.b.normal_()
        part.round()
    kept = kept_adapter(network)
    x = torch.randn(5, part.a.shape[1])
    a, b = (torch.from_numpy(kept[f"layers.0.up.{side}"].astype(np.float32)) for side in "ab")
    assert torch.allclose(part(x), x @ part.base.T + x @ a.T @ b.T, atol=1e-2)
    for side in (a, b.T):  # no block has more than the fifteen values that four bits hold
        for row in side:
            assert len(set((row[:64] / row[:64].abs().max()).round(decimals=2).tolist())) <= 15


def test_training_goes_on_from_a_kept_adapter() -> None:
    network = adapted(small_network(), torch.float32, rank=4)
    with torch.no_grad():
        for each in network.modules():
            if isinstance(each, LowRank):
                each.b.normal_(std=0.1)
                each.round()
    again = started(adapted(small_network(), torch.float32, rank=4), kept_adapter(network))
    ids, sizes = torch.randint(1, 40, (2, 9)), torch.tensor([9, 6])
    with torch.no_grad():
        assert torch.allclose(network(ids, sizes), again(ids, sizes), atol=2e-2)


def test_places_within_a_line_are_read_as_if_it_ended_there() -> None:
    network = small_network().eval()
    ids = torch.randint(1, 40, (1, 12))
    with torch.no_grad():
        within = network.read_at(ids, torch.tensor([12]), torch.tensor([[0, 5], [0, 11]]))
        short, long = network(ids[:, :6], torch.tensor([6])), network(ids, torch.tensor([12]))
    assert torch.allclose(within, torch.cat([short, long]), atol=1e-4)


def test_a_fault_is_learnt(tmp_path: Path) -> None:
    file = tmp_path / "talks.npz"
    short: list[dict[str, Any]] = [TALK, CLEAN | {"messages": MESSAGES[:3]}]
    arrays: dict[str, Any] = talk_arrays(short, codes)
    np.savez(file, **arrays)
    network = adapted(small_network(), torch.float32)
    task = TalkTask(file, "cpu", 4_000)
    told = argparse.Namespace(rate=1e-2, head=1.0, seconds=60, until=None, steps=30, look=10**9, budget=4_000, out=None)
    fit(network, [task], told, None)
    ids, sizes, _ = task.lines.batch([0, 1])
    marks, numbers = task.places([0, 1])
    with torch.no_grad():
        out = network.read_at(ids, sizes, marks)
    assert out.shape == (len(numbers), OUTPUTS)
    figures = told_talks(task, out.numpy()[np.argsort(numbers.numpy())])
    assert figures["acts"] == 1.0
    assert out[:, FAULT_AT].argmax() == int((torch.from_numpy(task.marks)[numbers][:, 2] == 1).nonzero()[0, 0])
