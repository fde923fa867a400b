"""The head for intents fitted anew over a frozen body."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from training.rehead import fit, named  # noqa: E402 - needs torch


def test_a_message_with_names_is_harmless_unless_it_speaks_of_danger() -> None:
    rows = [{"text": "I moved to 12 Mill Lane, Leeds."}, {"text": "I will see you in court, says Anna Berg."}]
    assert [row["text"] for row in named(rows)] == ["I moved to 12 Mill Lane, Leeds."]
    assert named(rows)[0]["label"] == "none"


def test_the_head_learns_what_it_is_shown_and_stays_near_elsewhere() -> None:
    torch.manual_seed(1)
    head = torch.nn.Linear(6, 5)
    before = head.weight.detach().clone()
    seen = torch.eye(6).repeat(20, 1)
    labels = torch.tensor([0, 1, 2, 3, 4, 0]).repeat(20)
    fit(head, seen, labels, torch.ones(len(labels)), steps=400)
    assert (head(seen).argmax(-1) == labels).float().mean() == 1.0
    assert float((head.weight.detach() - before).abs().max()) < 5.0
