"""Translates entailment pairs, both sentences together, with Qwen2.5-Coder-1.5B as a fast writer."""

from __future__ import annotations

import argparse
import functools
import gzip
import json
import random
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from training.data import clean, read
from training.fast_qwen import Writer
from training.qwen import build
from training.spoken import believable

__all__ = ["asked", "chosen", "examples", "parsed"]

# how much of the time each language gets
SHARES = {"de": 15, "fr": 14, "es": 14, "ru": 15, "zh": 15, "ja": 12, "ar": 9, "hi": 6}
FIRST = ("nli_mnli20k/", "nli_mnli_ni/")  # written in ten genres; the others follow
OTHERS = ("nli_snli_ni/", "nli_cad/", "contra_dnli_clasp/", "nli_scitail_ni/")
LONGEST = 75, 50  # tokens of the English sentences
ROOM = 320  # tokens of a line with its translation


@functools.cache
def wording() -> dict[str, Any]:
    """The same sentences in every language."""
    found: dict[str, Any] = json.loads(
        (Path(__file__).parent / "wording" / "parallel.json").read_text(encoding="utf-8")
    )
    return found


def asked(first: str, second: str, name: str) -> str:
    """A request: two sentences, and the name of the language."""
    return f"English 1: {first}\nEnglish 2: {second}\n{name} 1:"


def examples(language: str) -> str:
    """What stands before every request in a language."""
    told = wording()
    name, out = told[language]["name"], []
    for at, (english, other) in enumerate(zip(told["en"]["shown"], told[language]["shown"], strict=True)):
        for second in (1 + at % 3, 1 + (at + 1) % 3):
            out.append(f"{asked(english[0], english[second], name)} {other[0]}\n{name} 2: {other[second]}\n")
    return f"Faithful translations from English into natural {name}.\n\n" + "\n".join(out) + "\n"


def parsed(text: str, first: str, second: str, language: str) -> tuple[str, str] | None:
    """Both translations, or none if one is missing, strange, or has other numbers than the English."""
    lines = text.split("\n\n", maxsplit=1)[0].strip().split("\n")
    mark = f"{wording()[language]['name']} 2:"
    if len(lines) != 2 or not lines[1].startswith(mark):
        return None
    pair = clean(lines[0]), clean(lines[1].removeprefix(mark))
    for english, other in zip((first, second), pair, strict=True):
        if not believable(english, other, language) or _numbers(english) != _numbers(other):
            return None
    return None if pair[0] == pair[1] and first != second else pair


def _numbers(text: str) -> list[str]:
    return sorted(re.findall(r"[0-9]+", text))


def chosen(rows: Sequence[dict[str, Any]], dice: random.Random) -> list[dict[str, Any]]:
    """English pairs: those of ten genres first, then some of each other source."""
    english = [r for r in rows if r["lang"] == "en" and len(r["p"]) < 260 and len(r["h"]) < 200]
    one = [r for r in english if r["src"].startswith(FIRST)]
    two = [r for r in english if r["src"].startswith(OTHERS)]
    dice.shuffle(one)
    dice.shuffle(two)
    return one + two


def batches(
    tokenizer: Tokenizer, rows: Sequence[dict[str, Any]], name: str, batch: int
) -> Iterator[tuple[list[dict[str, Any]], list[list[int]]]]:
    """Requests of one length in tokens, so many at a time, in the order of the rows."""
    waiting: dict[int, list[tuple[dict[str, Any], list[int]]]] = {}
    for at in range(0, len(rows), 8192):
        part = rows[at : at + 8192]
        lines = tokenizer.encode_batch_fast([asked(r["p"], r["h"], name) for r in part])
        for row, line in zip(part, lines, strict=True):
            if len(line.ids) > sum(LONGEST):
                continue
            many = waiting.setdefault(len(line.ids), [])
            many.append((row, line.ids))
            if len(many) == batch:
                del waiting[len(line.ids)]
                yield [r for r, _ in many], [ids for _, ids in many]


def blank_ends(tokenizer: Tokenizer, special: dict[str, int]) -> set[int]:
    """Every token with an empty line in it."""
    words = {i: tokenizer.decode([i]) for i in tokenizer.get_vocab().values()}
    return {i for i, word in words.items() if "\n\n" in word} | {special["<|endoftext|>"], special["<|im_end|>"]}


def main() -> None:
    """Write pairs with their English until the seconds are spent."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("--qwen", type=Path, required=True)
    ask.add_argument("--data", type=Path, required=True)
    ask.add_argument("--out", type=Path, required=True)
    ask.add_argument("--seconds", type=float, default=280)
    ask.add_argument("--batch", type=int, default=768)
    ask.add_argument("--only", nargs="*", default=list(SHARES))
    told = ask.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = Tokenizer.from_file(str(told.qwen / "tokenizer.json"))
    special = json.loads((told.qwen / "special.json").read_text())
    ends = blank_ends(tokenizer, special)
    began = time.time()
    model = build(told.qwen, device, torch.bfloat16 if device == "cuda" else torch.float32)
    writer = Writer(model, told.batch, ROOM)
    english = read(told.data / "nli.jsonl.gz")
    print("loaded", f"{time.time() - began:.0f}s", flush=True)
    began, whole = time.time(), sum(SHARES[x] for x in told.only)
    with gzip.open(told.out, "wt", encoding="utf-8", compresslevel=5) as out:
        until = began
        for language in told.only:
            until += told.seconds * SHARES[language] / whole
            writer.begin(tokenizer.encode(examples(language)).ids)
            name, tried, kept, shown = wording()[language]["name"], 0, 0, ""
            rows = chosen(english, random.Random(language))
            for group, starts in batches(tokenizer, rows, name, told.batch):
                if tried and time.time() > until:
                    break
                lines = writer.write(starts, ends, int(len(starts[0]) * 2.4) + 12)
                for row, text in zip(group, tokenizer.decode_batch(lines), strict=True):
                    tried += 1
                    pair = parsed(text, row["p"], row["h"], language)
                    if pair is not None:
                        kept += 1
                        shown = shown or f"{row['p']} | {row['h']} -> {pair}"
                        found = {
                            "p": pair[0],
                            "h": pair[1],
                            "y": row["y"],
                            "lang": language,
                            "en": [row["p"], row["h"]],
                        }
                        out.write(json.dumps(found, ensure_ascii=False, separators=(",", ":")) + "\n")
            print(language, tried, kept, f"{time.time() - began:.0f}s", shown, flush=True)


if __name__ == "__main__":
    main()
