"""Translates English sentences on the GPU, so that entailment and vectors can be learned in other languages."""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from training.qwen import build
from training.spoken import believable, wanted

__all__ = ["prompt_parts", "translate"]


def prompt_parts(
    language: str, special: dict[str, int], tokenizer: Tokenizer
) -> tuple[list[int], list[int], list[int]]:
    """What stands before every sentence, and what follows it, in token numbers."""
    spoken = json.loads((Path(__file__).parent / "wording" / "translations.json").read_text(encoding="utf-8"))
    name, shown = spoken[language]
    opened, closed = special["<|im_start|>"], special["<|im_end|>"]

    def turn(role: str, text: str) -> list[int]:
        return [opened, *tokenizer.encode(f"{role}\n{text}").ids, closed, *tokenizer.encode("\n").ids]

    before = turn(
        "system", f"Translate every sentence of the user into natural {name}. Answer with the translation only."
    )
    for english, other in shown:
        before += turn("user", english) + turn("assistant", other)
    before += [opened, *tokenizer.encode("user\n").ids]
    after = [closed, *tokenizer.encode("\n").ids, opened, *tokenizer.encode("assistant\n").ids]
    return before, after, [closed, special["<|endoftext|>"]]


@torch.no_grad()
def translate(
    model: Any,
    tokenizer: Tokenizer,
    special: dict[str, int],
    language: str,
    texts: Sequence[str],
    *,
    device: str,
    most: int,
) -> list[str]:
    """Greedy translations; sentences of like length go together."""
    from transformers import DynamicCache

    before, after, ends = prompt_parts(language, special, tokenizer)
    stop = torch.tensor(ends, device=device)
    lines = [line.ids for line in tokenizer.encode_batch_fast(list(texts))]
    order = sorted(range(len(lines)), key=lambda i: len(lines[i]))
    found = [""] * len(lines)
    for at in range(0, len(order), most):
        group = order[at : at + most]
        length = len(lines[group[-1]])
        cache = DynamicCache()
        model(torch.tensor([before], device=device), past_key_values=cache, use_cache=True, logits_to_keep=1)
        cache.batch_repeat_interleave(len(group))
        # shorter sentences have blind places between the examples and themselves
        blind = torch.tensor([length - len(lines[i]) for i in group], device=device)
        step = torch.tensor([[ends[0]] * (length - len(lines[i])) + lines[i] + after for i in group], device=device)
        place = torch.arange(step.shape[1], device=device)[None]
        seen = torch.cat(
            [torch.ones(len(group), len(before), device=device, dtype=torch.long), (place >= blind[:, None]).long()], 1
        )
        where = (len(before) + place - blind[:, None]).clamp(min=0)
        done = torch.zeros(len(group), dtype=torch.bool, device=device)
        chosen = []
        for _ in range(min(100, int(length * 2.2) + 10)):
            out = model(
                step, attention_mask=seen, position_ids=where, past_key_values=cache, use_cache=True, logits_to_keep=1
            )
            step = out.logits[:, -1].argmax(-1, keepdim=True)
            seen = torch.cat([seen, torch.ones_like(step)], 1)
            where = where[:, -1:] + 1
            done = done | torch.isin(step[:, 0], stop)
            chosen.append(torch.where(done, -1, step[:, 0]))
            if len(chosen) % 4 == 0 and int(done.sum()) >= 0.985 * len(group):
                break  # what still talks is not translating
        table = torch.stack(chosen, 1).cpu().tolist()
        for i, row in zip(group, table, strict=True):
            if -1 in row:  # a sentence that never ended is not a translation
                found[i] = tokenizer.decode(row[: row.index(-1)]).strip()
    return found


def main() -> None:
    """Write ``translated.jsonl.gz``: {lang, en, text}."""
    ask = argparse.ArgumentParser()
    ask.add_argument("--qwen", type=Path, required=True)
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--count", type=int, default=60000)
    ask.add_argument("--seconds", type=float, default=300)
    ask.add_argument("--limit", type=int)
    ask.add_argument("--most", type=int, default=4096)
    told = ask.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    began = time.time()
    model = build(told.qwen, device, torch.bfloat16)
    tokenizer = Tokenizer.from_file(str(told.qwen / "tokenizer.json"))
    special = json.loads((told.qwen / "special.json").read_text())
    print("translate: model", f"{time.time() - began:.0f}s", flush=True)
    lists = wanted(told.data, told.count, told.limit)
    with gzip.open(told.out.with_suffix(".part"), "wt", encoding="utf-8", compresslevel=6) as out:
        for language, texts in lists.items():
            random.Random(3).shuffle(texts)
            for at in range(0, len(texts), 16384):
                if time.time() - began > told.seconds:
                    break
                part = texts[at : at + 16384]
                said = translate(model, tokenizer, special, language, part, device=device, most=told.most)
                good = [(e, t) for e, t in zip(part, said, strict=True) if believable(e, t, language)]
                for english, text in good:
                    out.write(json.dumps({"lang": language, "en": english, "text": text}, ensure_ascii=False) + "\n")
                print(
                    "translate",
                    language,
                    at + len(part),
                    len(texts),
                    f"kept {len(good) / len(part):.2f}",
                    f"{time.time() - began:.0f}s",
                    flush=True,
                )
                print("  e.g.", good[:2], flush=True)
    told.out.with_suffix(".part").rename(told.out)


if __name__ == "__main__":
    main()
