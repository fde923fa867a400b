"""Has Qwen2.5-Coder-1.5B invent short texts, each with a sentence that follows, one that contradicts and one that may be true.

The examples of a language are read once and shared by all lines of a batch. A step of the whole batch is one recorded
graph on the GPU, so that a second gives tens of thousands of tokens. What is invented is believed only where a
teacher (``qwen_teacher.py``) judges a pair as it was meant.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from training.data import LABELS, clean
from training.qwen import build

__all__ = ["KEYS", "Inventor", "asked", "examples", "parsed", "requests"]

KEYS = ("Text", "Must be true", "Cannot be true", "May be true or not")
MEANT = ("entailment", "contradiction", "neutral")
WARMTH, LEAST = 0.9, 0.04  # of sampling: the temperature, and the share of the likeliest token that another needs
# how much of the time each language gets
SHARES = {
    **{"en": 14, "ja": 12, "de": 10, "fr": 9, "es": 9, "zh": 9, "ru": 9, "ar": 7, "hi": 7},
    **{"it": 3, "pt": 3, "nl": 2, "pl": 2, "ko": 3, "tr": 2},
}
SCRIPTS = {"ru": "Ѐ-ӿ", "zh": "一-鿿", "ja": "぀-ヿ一-鿿", "ko": "가-힯", "ar": "؀-ۿ", "hi": "ऀ-ॿ"}
NEEDED = 0.5  # share of letters in the script of the language


def wording() -> dict[str, Any]:
    """The examples of each language, and the kinds of text."""
    found: dict[str, Any] = json.loads(
        (Path(__file__).parent / "wording" / "invented.json").read_text(encoding="utf-8")
    )
    return found


def asked(kind: str, word: str) -> str:
    """The line before a text."""
    return f"From {kind} ({word}):\n{KEYS[0]}:"


def examples(language: str) -> str:
    """What stands before every request in a language."""
    told = wording()["languages"][language]
    head = f"Short {told['name']} texts of many kinds, each with three new {told['name']} sentences in other words.\n\n"
    blocks = [
        asked(kind, word) + f" {text}\n" + "".join(f"{k}: {s}\n" for k, s in zip(KEYS[1:], rest, strict=True))
        for kind, word, text, *rest in told["shown"]
    ]
    return head + "\n".join(blocks) + "\n"


def requests(words: Sequence[str], dice: random.Random) -> Iterator[str]:
    """Kinds and words without end."""
    kinds = wording()["kinds"]
    while True:
        yield asked(dice.choice(kinds), dice.choice(words))


def parsed(text: str, language: str) -> list[tuple[str, str, str]]:
    """Text, sentence and meant label of what was written; nothing if a part is missing, strange or copied."""
    block = text.split("\n\n")[0]
    lines = [line.strip() for line in block.split("\n")]
    if len(lines) < len(KEYS) or any(
        not line.startswith(f"{k}:") for k, line in zip(KEYS[1:], lines[1:4], strict=True)
    ):
        return []
    whole = clean(lines[0])
    found = []
    for line, label in zip(lines[1:4], MEANT, strict=True):
        sentence = clean(line.split(":", 1)[1])
        if not 3 <= len(sentence) <= 300 or sentence.lower() == whole.lower():
            return []
        found.append((whole, sentence, label))
    if not 8 <= len(whole) <= 700 or len({x[1].lower() for x in found}) < len(found):
        return []
    return found if _in_language(" ".join([whole, *(x[1] for x in found)]), language) else []


def _in_language(text: str, language: str) -> bool:
    letters = re.findall(r"[^\W\d_]", text)
    if not letters:
        return False
    script = SCRIPTS.get(language)
    strange = re.findall("[Ѐ-ӿ一-鿿぀-ヿ가-힯؀-ۿऀ-ॿ]", text) if script is None else re.findall(f"[{script}]", text)
    return len(strange) / len(letters) <= 0.05 if script is None else len(strange) / len(letters) >= NEEDED


class Inventor:
    """The language model, one token of a whole batch at a time."""

    def __init__(self, model: Any, batch: int, longest: int) -> None:
        self.body, self.config = model.model, model.config
        self.device = self.body.embed_tokens.weight.device
        self.kind = self.body.embed_tokens.weight.dtype
        self.batch, self.longest = batch, longest
        self.groups = self.config.num_key_value_heads
        self.heads = self.config.num_attention_heads
        self.size = self.config.hidden_size // self.heads
        shape = (len(self.body.layers), batch, self.groups, longest, self.size)
        self.keys = torch.zeros(shape, dtype=self.kind, device=self.device)
        self.values = torch.zeros(shape, dtype=self.kind, device=self.device)
        self.tokens = torch.zeros(batch, dtype=torch.long, device=self.device)
        self.at = torch.zeros(1, dtype=torch.long, device=self.device)  # own tokens so far
        theta = float(self.config.rope_parameters["rope_theta"])
        half = torch.arange(0, self.size, 2, device=self.device, dtype=torch.float32) / self.size
        self.turn = theta**-half
        self.first: tuple[torch.Tensor, torch.Tensor] | None = None
        self.graph: Any = None

    def _norm(self, x: torch.Tensor, norm: Any) -> torch.Tensor:
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + norm.variance_epsilon)
        return wide.to(x.dtype) * norm.weight

    def _turned(self, x: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        angle = place.float()[:, None] * self.turn[None]
        cos, sin = angle.cos().repeat(1, 2).to(x.dtype), angle.sin().repeat(1, 2).to(x.dtype)
        one, two = x.chunk(2, -1)
        return x * cos[:, None] + torch.cat([-two, one], -1) * sin[:, None]

    @torch.no_grad()
    def begin(self, ids: Sequence[int]) -> None:
        """Read the examples once; a recorded step of another language is forgotten."""
        line = torch.tensor(list(ids), device=self.device)
        x, place = self.body.embed_tokens(line), torch.arange(len(ids), device=self.device)
        keys, values = [], []
        for layer in self.body.layers:
            h, own = self._norm(x, layer.input_layernorm), layer.self_attn
            q = self._turned(own.q_proj(h).view(-1, self.heads, self.size), place)
            k = self._turned(own.k_proj(h).view(-1, self.groups, self.size), place)
            v = own.v_proj(h).view(-1, self.groups, self.size)
            keys.append(k.transpose(0, 1))
            values.append(v.transpose(0, 1))
            wide = (y.repeat_interleave(self.heads // self.groups, 1).transpose(0, 1)[None] for y in (k, v))
            seen = F.scaled_dot_product_attention(q.transpose(0, 1)[None], *wide, is_causal=True)[0]
            x = x + own.o_proj(seen.transpose(0, 1).reshape(len(ids), -1))
            x = x + layer.mlp(self._norm(x, layer.post_attention_layernorm))
        self.first = torch.stack(keys), torch.stack(values)  # [layers, groups, length, size]
        self.graph = None

    def logits(self) -> torch.Tensor:
        """Read the tokens at their place, and give the logits of the next."""
        assert self.first is not None
        before = self.first[0].shape[2]
        x = self.body.embed_tokens(self.tokens)
        place = (self.at + before).expand(self.batch)
        unseen = (torch.arange(self.longest, device=self.device) > self.at)[None, None, None]
        for number, layer in enumerate(self.body.layers):
            h, own = self._norm(x, layer.input_layernorm), layer.self_attn
            q = self._turned(own.q_proj(h).view(self.batch, self.heads, self.size), place)
            k = self._turned(own.k_proj(h).view(self.batch, self.groups, self.size), place)
            keys, values = self.keys[number], self.values[number]
            keys.index_copy_(2, self.at, k[:, :, None])
            values.index_copy_(2, self.at, own.v_proj(h).view(self.batch, self.groups, 1, self.size))
            q = q.view(self.batch, self.groups, -1, self.size) * self.size**-0.5
            # the examples are the same for all lines: one product for the whole batch
            flat = q.transpose(0, 1).reshape(self.groups, -1, self.size)
            shared = flat @ self.first[0][number].transpose(-1, -2)
            mine = (q @ keys.transpose(-1, -2)).masked_fill(unseen, -1e4)
            shared = shared.view(self.groups, self.batch, -1, before).transpose(0, 1)
            weight = torch.cat([shared, mine], -1).float().softmax(-1).to(self.kind)
            far = weight[..., :before].transpose(0, 1).reshape(self.groups, -1, before) @ self.first[1][number]
            far = far.view(self.groups, self.batch, -1, self.size).transpose(0, 1)
            seen = far + weight[..., before:] @ values
            x = x + own.o_proj(seen.reshape(self.batch, -1))
            x = x + layer.mlp(self._norm(x, layer.post_attention_layernorm))
        return F.linear(self._norm(x, self.body.norm), self.body.embed_tokens.weight)

    def _step(self) -> torch.Tensor:
        share = (self.logits().float() / WARMTH).softmax(-1)
        share = share.masked_fill(share < LEAST * share.amax(-1, keepdim=True), 0.0)
        return (share / torch.empty_like(share).exponential_(1.0)).argmax(-1)

    @torch.no_grad()
    def step(self) -> torch.Tensor:
        """The next token of each line; on a GPU the work is recorded once and repeated."""
        if self.device.type != "cuda":
            return self._step()
        if self.graph is None:
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(2):
                    self._step()
            torch.cuda.current_stream().wait_stream(side)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.out = self._step()
        self.graph.replay()
        return self.out

    @torch.no_grad()
    def write(self, starts: Sequence[Sequence[int]], ends: set[int], most: int) -> list[list[int]]:
        """What follows each start (all of one length), up to an end or so many tokens."""
        given = torch.tensor([list(s) for s in starts], device=self.device)
        stop = torch.tensor(sorted(ends), device=self.device)
        done = torch.zeros(self.batch, dtype=torch.bool, device=self.device)
        found = []
        self.at.zero_()
        for i in range(given.shape[1] + min(most, self.longest - given.shape[1]) - 1):
            if i < given.shape[1]:
                self.tokens.copy_(given[:, i])
            chosen = self.step()
            self.at += 1
            if i >= given.shape[1] - 1:
                self.tokens.copy_(chosen)
                found.append(chosen.clone())
                done |= torch.isin(chosen, stop)
                if len(found) % 8 == 0 and float(done.float().mean()) > 0.97:
                    break
        written = torch.stack(found, 1).tolist()
        return [_until(line, ends) for line in written]


def _until(line: list[int], ends: set[int]) -> list[int]:
    for at, token in enumerate(line):
        if token in ends:
            return line[: at + 1]
    return line


def batches(tokenizer: Tokenizer, words: Sequence[str], batch: int, dice: random.Random) -> Iterator[list[list[int]]]:
    """Requests of one length in tokens, so many at a time."""
    waiting: dict[int, list[list[int]]] = {}
    for request in requests(words, dice):
        ids = tokenizer.encode(request).ids
        many = waiting.setdefault(len(ids), [])
        many.append(ids)
        if len(many) == batch:
            yield waiting.pop(len(ids))


def blank_ends(tokenizer: Tokenizer, special: dict[str, int]) -> set[int]:
    """Every token with an empty line in it."""
    words = {i: tokenizer.decode([i]) for i in tokenizer.get_vocab().values()}
    return {i for i, word in words.items() if "\n\n" in word} | {special["<|endoftext|>"], special["<|im_end|>"]}


def main() -> None:
    """Write ``invented.jsonl.gz`` until the seconds are spent; a line is a pair with its language and meant label."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("--qwen", type=Path, required=True)
    ask.add_argument("--words", type=Path, required=True, help="one word a line")
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--seconds", type=float, default=240)
    ask.add_argument("--batch", type=int, default=1536)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--only", nargs="*", default=list(SHARES))
    told = ask.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(told.seed)
    dice = random.Random(told.seed)
    tokenizer = Tokenizer.from_file(str(told.qwen / "tokenizer.json"))
    special = json.loads((told.qwen / "special.json").read_text())
    words = told.words.read_text(encoding="utf-8").split()
    ends = blank_ends(tokenizer, special)
    began = time.time()
    inventor = Inventor(
        build(told.qwen, device, torch.bfloat16 if device == "cuda" else torch.float32), told.batch, 240
    )
    print("loaded", f"{time.time() - began:.0f}s", flush=True)
    began, whole = time.time(), sum(SHARES[x] for x in told.only)
    seen: set[tuple[str, str]] = set()
    with gzip.open(told.out, "wt", encoding="utf-8", compresslevel=5) as out:
        until = began
        for language in told.only:
            until += told.seconds * SHARES[language] / whole
            inventor.begin(tokenizer.encode(examples(language)).ids)
            asked_for = pairs = tokens = 0
            for starts in batches(tokenizer, words, told.batch, dice):
                if asked_for and time.time() > until:
                    break
                for line in inventor.write(starts, ends, 220):
                    tokens += len(line)
                    asked_for += 1
                    for text, sentence, label in parsed(tokenizer.decode(line), language):
                        if (text, sentence) not in seen:
                            seen.add((text, sentence))
                            pairs += 1
                            row = {"p": text, "h": sentence, "y": LABELS.index(label), "lang": language}
                            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
            print(language, asked_for, pairs, tokens, f"{time.time() - began:.0f}s", flush=True)


if __name__ == "__main__":
    main()
