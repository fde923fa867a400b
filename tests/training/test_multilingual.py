"""The network that is cut out of a language model: its numbers, its smaller vocabulary, and one run of each step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from training.aside import TONGUES, situation, split
from training.multilingual import Plan, fit
from training.multilingual_figures import answers
from training.multilingual_tasks import Task, acts_of, role_of, turn_lines
from training.qwen_layers import eight_bits, five_bits, smaller
from training.qwen_network import ROLES, Network, cut_from, four_bit, keep_rounded, kept_network, network_of
from training.token_lines import Lines, alone_lines, lines_of


def test_blocks_of_five_bits() -> None:
    half = np.frombuffer(np.float16(0.5).tobytes(), np.uint8)
    numbers = np.arange(32) - 16
    whole = numbers + 16
    high = sum(int(bit) << at for at, bit in enumerate(whole >> 4))
    nibbles = (whole[:16] & 15) | ((whole[16:] & 15) << 4)
    raw = np.concatenate([half, np.frombuffer(np.uint32(high).tobytes(), np.uint8), nibbles.astype(np.uint8)])
    assert five_bits(torch.from_numpy(raw.copy())).tolist() == (numbers * 0.5).tolist()


def test_blocks_of_eight_bits() -> None:
    half = np.frombuffer(np.float16(0.25).tobytes(), np.uint8)
    numbers = (np.arange(32) * 7 - 100).astype(np.int8)
    raw = np.concatenate([half, numbers.view(np.uint8)])
    assert eight_bits(torch.from_numpy(raw.copy())).tolist() == (numbers * 0.25).tolist()


def test_four_bits_are_near_and_keep_short_blocks() -> None:
    torch.manual_seed(1)
    weight = torch.randn(3, 100)
    whole, scale = four_bit(weight)
    near = whole * scale.repeat_interleave(64, 1)[:, :100]
    assert whole.abs().max() <= 7
    assert scale.shape == (3, 2)
    assert (near - weight).abs().max() <= scale.max() * 0.51


def tokenizer() -> Tokenizer:
    alphabet = {c: at for at, c in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    merges = [("a", "b"), ("ab", "c"), ("c", "d")]
    vocabulary = alphabet | {"ab": 256, "abc": 257, "cd": 258}
    found = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    found.decoder = decoders.ByteLevel()
    return found


def test_a_kept_token_keeps_what_it_is_joined_from() -> None:
    whole = json.loads(tokenizer().to_str())
    small, former, counts = smaller(whole, ["abc abc abc", "cd"], 258)
    names = small["model"]["vocab"]
    assert {"ab", "abc"} <= set(names)
    assert "cd" not in names
    assert former[names["abc"]] == 257
    assert counts[names["abc"]] == 3
    cut = Tokenizer.from_str(json.dumps(small))
    for text in ("abc", "cdab", "ä – 亲", "x\n\ty"):
        assert cut.decode(cut.encode(text).ids) == text


@pytest.mark.parametrize("both", [False, True])
def test_padding_changes_nothing(both: bool) -> None:
    torch.manual_seed(2)
    network = Network(40, 0, 2, 64, both=both).eval()
    ids = torch.randint(1, 40, (1, 9))
    wide = torch.cat([ids, torch.zeros(1, 7, dtype=torch.long)], 1)
    with torch.no_grad():
        assert torch.allclose(network(ids, torch.tensor([9])), network(wide, torch.tensor([9])), atol=1e-5)


def test_attention_in_both_directions_sees_what_comes_later_and_is_kept() -> None:
    torch.manual_seed(2)
    back = Network(40, 0, 2, 64).eval()
    one, two = torch.tensor([[1, 2, 3, 4, 5]]), torch.tensor([[1, 2, 3, 4, 6]])
    sizes = torch.tensor([5])

    def first_states(network: Network, ids: torch.Tensor) -> torch.Tensor:
        states: list[torch.Tensor] = []
        with torch.no_grad():
            network(ids, sizes, states)
        return states[-1][0, 0]

    assert torch.allclose(first_states(back, one), first_states(back, two))
    back.look_on()
    again = network_of(back.state_dict()).eval()
    assert not torch.allclose(first_states(again, one), first_states(again, two))
    assert torch.allclose(first_states(back, one), first_states(again, one))


def test_numbers_kept_before_turns_were_read_get_outputs_for_them() -> None:
    state = Network(40, 0, 2, 64).state_dict()
    old = {n: v[:11] if n.startswith("head.") else v for n, v in state.items() if n != "both"}
    again = network_of(old)
    assert not again.looks_on
    assert torch.equal(again.head.weight[:11], state["head.weight"][:11])
    assert again.head.weight[11:].abs().max() == 0


def test_a_turn_is_asked_about_the_acts_of_its_role() -> None:
    reader = tokenizer()
    rows = [
        {"role": "customer", "before": "abc", "text": "cd", "acts": ["thanks"]},
        {"role": "agent", "before": "cd", "text": "abc", "acts": ["done", "closes"]},
    ]
    assert [reader.decode(line) for line in turn_lines(reader, rows)] == [
        "Agent: abc\nCustomer: cd\nActs:",
        "Customer: cd\nAgent: abc\nActs:",
    ]
    assert acts_of(rows[1]).sum() == 2
    assert acts_of(rows[0])[: len(ROLES["agent"])].sum() == 0
    assert role_of("customer").tolist() == [0.0] * len(ROLES["agent"]) + [1.0] * len(ROLES["customer"])


def test_twins_are_kept_aside_together() -> None:
    for kind in ("answers", "documents", "injection", "intent_safety", "commitments", "facts"):
        train, left = split(kind)
        names = {situation(kind, row) for row in left}
        assert not names & {situation(kind, row) for row in train}
        assert len(left) > 30
    assert not {row["lang"] for row in split("answers")[0]} & TONGUES


def test_a_network_is_cut_taught_and_kept(tmp_path: Path) -> None:
    torch.manual_seed(3)
    teacher = Network(40, 0, 3, 64)
    lines = Lines([[1 + (i + j) % 39 for j in range(6 + i % 5)] for i in range(40)], "cpu")
    network, beside = cut_from(teacher, [lines], np.ones(40, np.int64), layers=2, inner=32, narrow=16)
    assert beside in ([0, 2], [1, 2])  # the state before the next layer that was kept, and the last one

    def loss(out: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        return ((out[:, 0] - (rows % 2).float()) ** 2).mean()

    before = answers(network, lines, 256)
    plan = Plan(seconds=60, rate=1e-3, name="small", teacher=teacher, beside=beside, shown=1.0, rounding=0.0, steps=2)
    fit(network, [Task(lines, loss, 256, 4)], plan)
    assert not np.allclose(before, answers(network, lines, 256))
    torch.save(network.state_dict(), tmp_path / "network.pt")
    again = kept_network(tmp_path / "network.pt", "cpu")
    again.round()
    assert np.allclose(answers(network, lines, 256), answers(again, lines, 256), atol=1e-4)
    keep_rounded(network, tmp_path / "kept")
    kept = np.load(tmp_path / "kept" / "rounded-0.npz")
    packed = next(name for name in kept.files if name.startswith("layers.0.gate.weight|4|"))
    assert kept[packed].dtype == np.uint8
    assert kept[packed].size * 2 == np.prod([int(x) for x in packed.split("|")[2].split("x")])


def test_the_first_text_gives_way() -> None:
    found = lines_of(tokenizer(), [("x" * 200, "abc")], 60)
    assert len(found[0]) == 60
    assert 257 in found[0]


def test_a_text_alone_stands_in_its_channel_and_loses_its_end() -> None:
    one, two = alone_lines(tokenizer(), [("user", "abc"), ("document", "x" * 200)], 40)
    reader = tokenizer()
    assert reader.decode(one) == "Message: abc\nJudge:"
    assert len(two) == 40
    assert reader.decode(two).endswith("x\nOrders:")
