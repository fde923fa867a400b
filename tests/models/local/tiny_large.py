"""A large network that is tiny: its base as a GGUF file, an adapter, weights that have it, and its answers in float."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import pre_tokenizers

from proctor.models.local.large_adapter import ADAPTED, pack_codes
from proctor.models.local.weights import open_weights

WIDTH, HEADS, GROUPS, INNER, LAYERS, RANK, OUTPUTS = 256, 4, 2, 256, 5, 8, 42
SIZE = WIDTH // HEADS
THETA, EPSILON = 1e6, 1e-6
TOKENS = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "th", "er"]
OTHERS = 40  # tokens of the base that the tokenizer has not
SINGLE, FOUR_BITS, SIX_BITS = 0, 12, 14
TEXT, LIST, WHOLE, REAL = 8, 9, 4, 6  # kinds of fields
ALIGNMENT = 32

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Tensor:
    """Packed numbers and what they stand for, computed one by one."""

    form: int
    packed: bytes
    value: Array


def single(value: Array) -> Tensor:
    return Tensor(SINGLE, value.astype("<f4").tobytes(), value.astype(np.float32))


def four_bits(shape: tuple[int, int], size: float, random: np.random.Generator) -> Tensor:
    """A random matrix in blocks of 256 numbers: eight groups of 32 with a factor and an offset of six bits each."""
    packed, values = bytearray(), []
    for _ in range(shape[0] * shape[1] // 256):
        scale, least = (float(np.float16(x)) for x in (size / 140, size / 20))
        factors, offsets = (random.integers(20, 64, 8).tolist() for _ in range(2))
        codes = random.integers(0, 16, (8, 32))
        twelve = [0] * 12
        for at in range(4):
            twelve[at] = factors[at] | (factors[at + 4] >> 4) << 6
            twelve[at + 4] = offsets[at] | (offsets[at + 4] >> 4) << 6
            twelve[at + 8] = factors[at + 4] & 15 | (offsets[at + 4] & 15) << 4
        packed += struct.pack("<ee", scale, least) + bytes(twelve)
        for pair in range(4):
            packed += bytes((codes[2 * pair] | codes[2 * pair + 1] << 4).astype(np.uint8).tolist())
        groups = zip(factors, offsets, codes.tolist(), strict=True)  # numbers of Python: those of numpy are slow here
        values += [scale * f * c - least * o for f, o, group in groups for c in group]
    return Tensor(FOUR_BITS, bytes(packed), np.array(values, np.float32).reshape(shape))


def six_bits(shape: tuple[int, int], size: float, random: np.random.Generator) -> Tensor:
    """A random matrix in blocks of 256 numbers: sixteen groups of 16 with a signed factor each."""
    packed, values = bytearray(), []
    for _ in range(shape[0] * shape[1] // 256):
        scale = float(np.float16(size / 900))
        factors = random.integers(-64, 64, 16)
        codes = random.integers(0, 64, 256).tolist()
        signed = factors.tolist()
        low, high = bytearray(128), bytearray(64)
        for at, code in enumerate(codes):
            half, place = divmod(at, 128)
            quarter, column = divmod(place, 32)
            low[half * 64 + quarter % 2 * 32 + column] |= (code & 15) << (4 if quarter > 1 else 0)
            high[half * 32 + column] |= (code >> 4) << (2 * quarter)
        packed += low + high + factors.astype(np.int8).tobytes() + struct.pack("<e", scale)
        values += [scale * signed[at // 16] * (code - 32) for at, code in enumerate(codes)]
    return Tensor(SIX_BITS, bytes(packed), np.array(values, np.float32).reshape(shape))


@cache
def base_tensors(seed: int = 1) -> dict[str, Tensor]:
    """The tensors of the base by their names in the file."""
    random = np.random.default_rng(seed)

    def vector(size: int, middle: float) -> Tensor:
        return single(middle + 0.1 * random.normal(size=size))

    found = {
        "output.weight": six_bits((len(TOKENS) + OTHERS, WIDTH), 1.0, random),
        "output_norm.weight": vector(WIDTH, 1.0),
    }
    side = GROUPS * SIZE
    for layer in range(LAYERS):
        start = f"blk.{layer}"
        for name in ("attn_norm", "ffn_norm"):
            found[f"{start}.{name}.weight"] = vector(WIDTH, 1.0)
        for name, rows, columns, form in (
            ("attn_q", WIDTH, WIDTH, four_bits),
            ("attn_k", side, WIDTH, four_bits),
            ("attn_v", side, WIDTH, six_bits),
            ("attn_output", WIDTH, WIDTH, four_bits),
            ("ffn_gate", INNER, WIDTH, four_bits),
            ("ffn_up", INNER, WIDTH, four_bits),
            ("ffn_down", WIDTH, INNER, six_bits),
        ):
            found[f"{start}.{name}.weight"] = form((rows, columns), 0.4 * columns**-0.5, random)
        for name, size in (("attn_q", WIDTH), ("attn_k", side), ("attn_v", side)):
            found[f"{start}.{name}.bias"] = vector(size, 0.0)
    return found


def write_base(path: Path, tensors: dict[str, Tensor], fields: dict[str, Any] | None = None) -> Path:
    """Write a GGUF file."""
    known = {
        "general.architecture": "qwen2",
        "qwen2.embedding_length": WIDTH,
        "qwen2.feed_forward_length": INNER,
        "qwen2.attention.head_count": HEADS,
        "qwen2.attention.head_count_kv": GROUPS,
        "qwen2.rope.freq_base": THETA,
        "qwen2.attention.layer_norm_rms_epsilon": EPSILON,
        # in another order than the tokenizer's, as in the real one
        "tokenizer.ggml.tokens": [f"<other-{at}>" for at in range(OTHERS)] + TOKENS[::-1],
        "tokenizer.ggml.token_type": [1, 1, 3],
        **(fields or {}),
    }
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(known))
    for name, value in known.items():
        header += _text(name) + _field(value)
    places, body = b"", b""
    for name, tensor in tensors.items():
        sides = tensor.value.shape[::-1]
        places += _text(name) + struct.pack(f"<I{len(sides)}Q", len(sides), *sides)
        body += b"\0" * (-len(body) % ALIGNMENT)
        places += struct.pack("<IQ", tensor.form, len(body))
        body += tensor.packed
    header += places
    path.write_bytes(header + b"\0" * (-len(header) % ALIGNMENT) + body)
    return path


def _text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def _field(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", TEXT) + _text(value)
    if isinstance(value, int):
        return struct.pack("<II", WHOLE, value)
    if isinstance(value, float):
        return struct.pack("<If", REAL, value)
    inner = TEXT if isinstance(value[0], str) else WHOLE
    items = b"".join(_text(each) if inner == TEXT else struct.pack("<I", each) for each in value)
    return struct.pack("<IIQ", LIST, inner, len(value)) + items


def adapter_arrays(seed: int = 2) -> dict[str, Array]:
    """What is learnt, in float, already rounded to four bits: as training leaves it."""
    random = np.random.default_rng(seed)
    side = GROUPS * SIZE
    sides = {
        "q": (WIDTH, WIDTH), "k": (WIDTH, side), "v": (WIDTH, side), "o": (WIDTH, WIDTH), "up": (WIDTH, INNER),
        "down": (INNER, WIDTH),
    }  # fmt: skip
    found: dict[str, Array] = {}
    for layer in range(LAYERS):
        for name in ADAPTED:
            wide, out = sides[name]
            found[f"layers.{layer}.{name}.a"] = _four_bits_of(random.normal(size=(RANK, wide)) * wide**-0.5)
            found[f"layers.{layer}.{name}.b"] = _four_bits_of(random.normal(size=(RANK, out)) * 0.03).T
    found["norm"] = (1 + 0.1 * random.normal(size=WIDTH)).astype(np.float32)
    found["head.weight"] = (random.normal(size=(OUTPUTS, 2 * WIDTH)) * 0.1).astype(np.float16).astype(np.float32)
    found["head.bias"] = (random.normal(size=OUTPUTS) * 0.1).astype(np.float32)
    return found


def _four_bits_of(value: Array) -> Array:
    blocks = value.reshape(value.shape[0], -1, 64)
    scale = (np.abs(blocks).max(-1, keepdims=True) / 7).astype(np.float16).astype(np.float32)
    rounded: Array = (np.rint(blocks / scale).clip(-7, 7) * scale).reshape(value.shape).astype(np.float32)
    return rounded


def packed_adapter(arrays: dict[str, Array]) -> dict[str, Any]:
    """The arrays of ``large.npz``."""
    found: dict[str, Any] = {"layers": np.array(LAYERS)}
    for name, value in arrays.items():
        if name.startswith("layers."):
            found |= pack_codes(name, value.T if name.endswith(".b") else value)
        else:
            found[name] = value
    return found


def write_weights(folder: Path, arrays: dict[str, Array]) -> Path:
    """Write a folder of weights with that adapter and a tokenizer of bytes; the other files are those that ship."""
    shipped = open_weights()
    folder.mkdir()
    np.savez_compressed(folder / "large.npz", **packed_adapter(arrays))
    vocabulary = {token: at for at, token in enumerate(TOKENS)}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    model = {"type": "BPE", "vocab": vocabulary, "merges": [["t", "h"], ["e", "r"]]}
    tokenizer = {"version": "1.0", "added_tokens": [], "pre_tokenizer": level, "decoder": level, "model": model}
    (folder / "multilingual.tokenizer.json").write_text(json.dumps(tokenizer))
    own = {
        name: sha256((folder / name).read_bytes()).hexdigest() for name in ("large.npz", "multilingual.tokenizer.json")
    }
    for name in shipped.files:
        if name not in own:
            (folder / name).symlink_to(shipped.folder / name)
    said = {"files": {**shipped.files, **own}, "settings": shipped.settings}
    (folder / "manifest.json").write_text(json.dumps(said))
    return folder


def float_outputs(tensors: dict[str, Tensor], arrays: dict[str, Array], line: tuple[int, ...]) -> Array:
    """The outputs at the end of a line, in plain float64."""
    numbers = [OTHERS + len(TOKENS) - 1 - each for each in line]
    x = tensors["output.weight"].value[numbers].astype(np.float64)
    place = np.arange(len(line))
    angle = np.tile(place[:, None] * THETA ** -(np.arange(0, SIZE, 2) / SIZE), 2)[:, None]

    def turned(y: Array) -> Array:
        one, two = np.split(y, 2, -1)
        whole: Array = y * np.cos(angle) + np.concatenate([-two, one], -1) * np.sin(angle)
        return whole

    for layer in range(LAYERS):
        start, own = f"blk.{layer}", f"layers.{layer}"

        def product(y: Array, long: str, short: str, start: str = start, own: str = own) -> Array:
            weight = tensors[f"{start}.{long}.weight"].value.astype(np.float64)
            if f"{own}.{short}.a" in arrays:
                weight = weight + arrays[f"{own}.{short}.b"] @ arrays[f"{own}.{short}.a"]
            bias = tensors.get(f"{start}.{long}.bias")
            whole: Array = y @ weight.T + (0 if bias is None else bias.value)
            return whole

        h = _norm(x, tensors[f"{start}.attn_norm.weight"].value)
        q = turned(product(h, "attn_q", "q").reshape(-1, HEADS, SIZE))
        k = turned(product(h, "attn_k", "k").reshape(-1, GROUPS, SIZE)).repeat(HEADS // GROUPS, 1)
        v = product(h, "attn_v", "v").reshape(-1, GROUPS, SIZE).repeat(HEADS // GROUPS, 1)
        near = q.transpose(1, 0, 2) @ k.transpose(1, 2, 0) * SIZE**-0.5
        near += np.where(place[None] <= place[:, None], 0, -np.inf)
        share = np.exp(near - near.max(-1, keepdims=True))
        share /= share.sum(-1, keepdims=True)
        x = x + product((share @ v.swapaxes(0, 1)).swapaxes(0, 1).reshape(len(line), WIDTH), "attn_output", "o")
        h = _norm(x, tensors[f"{start}.ffn_norm.weight"].value)
        gate = product(h, "ffn_gate", "gate")
        x = x + product(gate / (1 + np.exp(-gate)) * product(h, "ffn_up", "up"), "ffn_down", "down")
    x = _norm(x, arrays["norm"])
    outputs: Array = (
        np.concatenate([x[-1], x.mean(0)]) @ arrays["head.weight"].T.astype(np.float64) + arrays["head.bias"]
    )
    return outputs


def _norm(x: Array, weight: Array) -> Array:
    normed: Array = x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * weight
    return normed
