"""More rows for the guard's networks: general harmless texts, the channel of each text, trigger words, codes and ids.

To the packed injection rows it adds ``injection_general`` and composed trigger-word texts, and gives every row its
channel: ``user``, or ``document`` for what a tool or a page says. To the reader's rows it adds general messages without
danger, and codes and short words without names.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training.augment import CATEGORIES, window
from training.data import clean, read, rows, shippable

__all__ = ["channel_of", "codes", "general", "triggers"]

PAGES = frozenset(
    ("composed_twin", "security101", "kubernetes_docs", "prompt_guide", "ai_agents_course", "piarena_ctx",
     "promptfoo_docs", "toolbench_obs", "bfcl_tools", "constructed", "constructed_twin", "xquad_ctx", "piarena",
     "composed_indirect", "bipia_train", "apibank_json")
)  # fmt: skip
LEFT = frozenset(
    ("piarena", "piarena_ctx", "kubernetes_docs", "coconot_contrast", "h5bp_questions", "arena_hard", "exercism")
)
LEFT_TONGUES = frozenset(("ko", "tr", "vi"))


def channel_of(row: dict[str, Any]) -> str:
    """Where a text came from."""
    name = row["src"]
    if name == "apibank":
        return "document" if row["text"].lstrip().startswith(("{", "[")) else "user"
    return "document" if name in PAGES else "user"


def triggers(most: int, seed: int = 71) -> Iterator[dict[str, Any]]:
    """Harmless requests with the words that attacks use, and attacks with the same words."""
    dice = random.Random(seed)
    kept = json.loads((Path(__file__).parent / "wording" / "triggers.json").read_text(encoding="utf-8"))
    tongues = list(kept)
    seen: set[str] = set()
    for _ in range(most * 4):
        tongue = "en" if dice.random() < 0.3 else dice.choice(tongues)
        words = kept[tongue]
        bad = dice.random() < 0.3
        text = dice.choice(words["attack" if bad else "harmless"])
        for slot in ("obj", "who", "do", "do2"):
            value = dice.choice(words[slot])
            text = text.replace("{" + slot + "}", value).replace(
                "{Do}", value[:1].upper() + value[1:] if slot == "do" else "{Do}"
            )
        if not bad and dice.random() < 0.25:
            text += ("" if tongue in ("ja", "zh") else " ") + dice.choice(words["harmless"]).replace(
                "{obj}", dice.choice(words["obj"])
            ).replace("{who}", dice.choice(words["who"]))
        if text in seen:
            continue
        seen.add(text)
        yield {
            "text": text,
            "label": int(bad),
            "cat_id": 0 if bad else -1,
            "src": "triggers",
            "lang": tongue,
            "part": "train",
            "w": 0.6,
            "ch": "user",
        }
        if len(seen) >= most:
            return


def general(seed: int = 72) -> Iterator[dict[str, Any]]:
    """The rows of ``injection_general`` that may ship, composed ones at half weight."""
    dice = random.Random(seed)
    for name in ("benign_general", "benign_hard", "indirect"):
        for row in rows(f"injection_general/{name}"):
            if not shippable(row):
                continue
            text = clean(window(row["text"], dice))
            kind = CATEGORIES.index("indirect" if row["src"] != "chatgpt_shortcut_jb" else "jailbreak")
            yield {
                "text": text, "label": row["label"], "cat_id": kind if row["label"] else -1, "src": row["src"],
                "lang": row["lang"], "part": "train", "w": 0.5 if row["src"].startswith("composed") else 1.0,
                "ch": channel_of(row),
            }  # fmt: skip


def with_channels(found: Iterator[dict[str, Any]], seed: int = 73) -> Iterator[dict[str, Any]]:
    """Every row in its channel; open attacks and pasted pages in the other one as well."""
    dice = random.Random(seed)
    for each in found:
        row = each | {"ch": each.get("ch") or channel_of(each)}
        yield row
        if row["label"] and row["ch"] == "user" and dice.random() < 0.2:
            yield row | {"ch": "document"}
        if (
            row["ch"] == "document"
            and row["src"] != "composed_indirect"
            and row["src"] != "piarena"
            and dice.random() < 0.3
        ):
            yield row | {"ch": "user"}
        if (
            not row["label"]
            and row["src"] in ("statement", "clinc150", "cucom_ecom", "common_voice", "tldr")
            and dice.random() < 0.3
        ):
            yield row | {"ch": "document"}  # what people wrote stands in tickets and mails too


def codes(most: int, seed: int = 74) -> Iterator[dict[str, Any]]:
    """Texts that hold an id, a code, an article of a law or a bare yes or no, and no name."""
    dice = random.Random(seed)

    def some(letters: str, low: int, high: int) -> str:
        return "".join(dice.choice(letters) for _ in range(dice.randint(low, high)))

    def code() -> str:
        upper, digits = string.ascii_uppercase, string.digits
        return dice.choice([
            some(upper + digits, 6, 6), f"{some(upper, 2, 3)}-{some(digits, 4, 8)}", some(digits, 5, 12),
            f"#{some(digits, 4, 7)}", f"{some(digits, 2, 2)}-{some(digits, 5, 5)}-{some(upper, 1, 1)}",
            f"{some(upper, 1, 2)}{some(digits, 3, 4)}", f"1Z{some(upper + digits, 8, 12)}",
            f"{some(string.hexdigits.lower(), 8, 8)}-{some(string.hexdigits.lower(), 4, 4)}",
        ])  # fmt: skip

    kept = json.loads((Path(__file__).parent / "wording" / "codes.json").read_text(encoding="utf-8"))
    law, frames, words = kept["law"], kept["frames"], kept["words"]
    seen: set[str] = set()
    while len(seen) < most:
        pick = dice.random()
        if pick < 0.5:
            text = dice.choice(frames).replace("{c}", code())
        elif pick < 0.75:
            reason = dice.choice(kept["reasons"])
            text = (
                reason.replace("{l}", dice.choice(law))
                .replace("{n}", str(dice.randint(1, 900)))
                .replace("{k}", str(dice.randint(1, 4)))
            )
        else:
            text = " ".join(dice.sample(words, dice.choice([1, 1, 1, 2])))
        if text not in seen:
            seen.add(text)
            yield {"text": text, "spans": [], "lang": "xx", "src": "codes"}


def _write(path: Path, found: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> None:
    count = 0
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for row in found:
            out.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")
            count += 1
    print(path.name, count, path.stat().st_size)


def main() -> None:
    """Write ``guard.jsonl.gz`` (injection), ``guard-intents.jsonl.gz`` and ``guard-entities.jsonl.gz``."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("data", type=Path)
    told = ask.parse_args()
    dice = random.Random(75)
    packed = read(told.data / "injection.jsonl.gz")
    found = [*packed, *general(), *triggers(6000)]
    _write(told.data / "guard.jsonl.gz", with_channels(iter(found)))
    intents = read(told.data / "intents.jsonl.gz")
    plain = [r for r in general() if not r["label"] and r["ch"] == "user" and len(r["text"]) < 700]
    plain += [r for r in triggers(3000, 76) if not r["label"]]
    more = [
        {
            "text": r["text"][:400],
            "label": "none",
            "lang": r["lang"],
            "part": "train",
            "w": 0.7,
            "src": f"general/{r['src']}",
        }
        for r in plain
    ]
    more += [r | {"label": "none", "part": "train", "w": 0.5} for r in codes(2500, 77)]
    dice.shuffle(more)
    _write(told.data / "guard-intents.jsonl.gz", [*intents, *more])
    _write(told.data / "guard-entities.jsonl.gz", [*read(told.data / "entities.jsonl.gz"), *codes(6000)])


if __name__ == "__main__":
    main()
