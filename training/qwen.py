"""Rebuilds Qwen2.5-Coder-1.5B-Instruct (Apache-2.0) from its GGUF file, to translate and to judge on the GPU.

The file is cut into parts that hold the quantised tensors as they are; the numbers are unfolded on the device.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

__all__ = ["build", "four_bits", "six_bits", "split"]

LAYERS, WIDTH, INNER, HEADS, GROUPS, VOCABULARY = 28, 1536, 8960, 12, 2, 151936
NAMES = {
    "attn_norm.weight": "input_layernorm.weight",
    "ffn_norm.weight": "post_attention_layernorm.weight",
    "ffn_down.weight": "mlp.down_proj.weight",
    "ffn_gate.weight": "mlp.gate_proj.weight",
    "ffn_up.weight": "mlp.up_proj.weight",
    **{
        f"attn_{short}.{kind}": f"self_attn.{long}_proj.{kind}"
        for short, long in (("q", "q"), ("k", "k"), ("v", "v"), ("output", "o"))
        for kind in ("weight", "bias")
    },
}


def four_bits(raw: torch.Tensor) -> torch.Tensor:
    """Blocks of Q4_K (144 bytes for 256 numbers) as float32."""
    blocks = raw.view(-1, 144)
    scale, least = (blocks[:, i : i + 2].contiguous().view(torch.float16).float() for i in (0, 2))
    packed = blocks[:, 4:16].int()
    low, mid, high = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    factor = torch.cat([low & 63, (high & 15) | ((low >> 6) << 4)], 1).float()
    offset = torch.cat([mid & 63, (high >> 4) | ((mid >> 6) << 4)], 1).float()
    nibbles = blocks[:, 16:].view(-1, 4, 32)
    numbers = torch.stack([nibbles & 15, nibbles >> 4], 2).reshape(-1, 8, 32).float()
    return ((scale * factor)[:, :, None] * numbers - (least * offset)[:, :, None]).reshape(-1)


def six_bits(raw: torch.Tensor) -> torch.Tensor:
    """Blocks of Q6_K (210 bytes for 256 numbers) as float32."""
    blocks = raw.view(-1, 210)
    low, high = blocks[:, :128].reshape(-1, 2, 64), blocks[:, 128:192].reshape(-1, 2, 1, 32)
    factor = blocks[:, 192:208].contiguous().view(torch.int8).float()
    scale = blocks[:, 208:210].contiguous().view(torch.float16).float()
    nibbles = torch.stack([low & 15, low >> 4], 2).reshape(-1, 2, 4, 32)
    shifts = torch.tensor([0, 2, 4, 6], dtype=torch.uint8, device=raw.device).view(1, 1, 4, 1)
    numbers = (nibbles | (((high >> shifts) & 3) << 4)).float() - 32
    return (numbers.reshape(-1, 16, 16) * (scale * factor)[:, :, None]).reshape(-1)


def split(gguf: Path, out: Path, size: int = 60_000_000) -> int:
    """Write the tensors as ``part-NN.npz`` of about ``size`` bytes each, and the tokenizer; how many parts."""
    from gguf import GGUFReader
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

    reader = GGUFReader(gguf)
    out.mkdir(parents=True, exist_ok=True)
    part: dict[str, np.ndarray] = {}
    held = count = 0
    for tensor in reader.tensors:
        if tensor.name == "token_embd.weight":
            continue  # the same matrix as the output's, in fewer bits
        rows = int(np.prod(tensor.shape[1:], dtype=np.int64))
        kind, data = tensor.tensor_type.name, np.asarray(tensor.data).view(np.uint8).reshape(-1)
        pieces = max(1, -(-len(data) // size))
        step = -(-rows // pieces) * (len(data) // rows)
        for i in range(pieces):
            piece = data[i * step : (i + 1) * step]
            if held + len(piece) > size and part:
                np.savez(out / f"part-{count:02d}.npz", **part)
                part, held, count = {}, 0, count + 1
            part[f"{tensor.name}|{kind}|{'x'.join(map(str, reversed(tensor.shape.tolist())))}|{i}"] = piece
            held += len(piece)
    np.savez(out / f"part-{count:02d}.npz", **part)
    tokens, merges, kinds = (
        [bytes(f.parts[i]).decode() if f.types[-1] == 8 else int(f.parts[i][0]) for i in f.data]
        for f in (reader.fields[f"tokenizer.ggml.{n}"] for n in ("tokens", "merges", "token_type"))
    )
    pairs = [tuple(m.split(" ")) for m in merges]
    plain = {t: i for i, (t, k) in enumerate(zip(tokens, kinds, strict=True)) if k == 1}
    tokenizer = Tokenizer(models.BPE(vocab=plain, merges=pairs))
    tokenizer.normalizer = normalizers.NFC()
    words = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(words), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(out / "tokenizer.json"))
    (out / "special.json").write_text(
        json.dumps({t: i for i, (t, k) in enumerate(zip(tokens, kinds, strict=True)) if k != 1 and "|" in t})
    )
    return count + 1


def build(folder: Path, device: str, kind: torch.dtype) -> Any:
    """The model from its parts."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    found: dict[str, dict[int, torch.Tensor]] = {}
    for file in sorted(folder.glob("part-*.npz")):
        with np.load(file) as part:
            for key in part.files:
                name, form, shape, number = key.split("|")
                raw = torch.from_numpy(part[key]).to(device)
                flat = {"Q4_K": four_bits, "Q6_K": six_bits, "F32": lambda r: r.view(torch.float32)}[form](raw)
                sides = [int(x) for x in shape.split("x")]
                found.setdefault(name, {})[int(number)] = (
                    flat.to(kind).view(-1, *sides[1:]) if len(sides) > 1 else flat.to(kind)
                )
    whole = {n: torch.cat([p[i] for i in sorted(p)]) for n, p in found.items()}
    state = {"model.embed_tokens.weight": whole["output.weight"], "model.norm.weight": whole["output_norm.weight"]}
    for name, value in whole.items():
        if name.startswith("blk."):
            _, layer, rest = name.split(".", 2)
            state[f"model.layers.{layer}.{NAMES[rest]}"] = value
    layers = 1 + max(int(n.split(".")[2]) for n in state if ".layers." in n)
    config = Qwen2Config(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        intermediate_size=INNER,
        num_hidden_layers=layers,
        num_attention_heads=HEADS,
        num_key_value_heads=GROUPS,
        max_position_embeddings=32768,
        rms_norm_eps=1e-6,
        rope_parameters={"rope_type": "default", "rope_theta": 1e6},
        tie_word_embeddings=True,
    )
    torch.set_default_dtype(kind)
    with torch.device(device):
        model = Qwen2ForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    model.load_state_dict(state, strict=True)
    model.tie_weights()
    return model.eval()


def main() -> None:
    """Cut a GGUF file into parts."""
    ask = argparse.ArgumentParser()
    ask.add_argument("gguf", type=Path)
    ask.add_argument("out", type=Path)
    told = ask.parse_args()
    print(split(told.gguf, told.out))


if __name__ == "__main__":
    main()
