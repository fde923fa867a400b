"""The fluency network: tells a fluent text from one that is broken, and marks where.

    python -m training.fluency pack OUT.jsonl.gz                    # clean texts, from sources that may ship
    python -m training.fluency fit --weights FOLDER --data OUT.jsonl.gz --out FOLDER [--without fr,ru,ko,nl]

FOLDER has the shipped weights. The body begins as that of the sentence vectors; its broken texts are made by
``training.damage``. JFLEG, CoLA and JCoLA are never trained on: they say what people would say.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import multiprocessing
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from training.damage import KINDS, broken, words_of
from training.data import clean, rows

__all__ = ["examples", "main", "pack"]

SHARE = (("grammar", 0.34), ("order", 0.16), ("woven", 0.12), ("cut", 0.16), ("garbled", 0.1), ("repeated", 0.12))
LONGEST = 128
PER_LANGUAGE = 60_000
PER_SOURCE = 12_000
SEVERAL = 0.35  # of the texts have several sentences
MANY_WORDS = 80
SHORTEST_WORD = 3


def texts() -> Iterator[tuple[str, str, str]]:
    """Source, language and text of what may be trained on."""
    yield from _public_texts()
    yield from _written_texts()
    for row in rows("agents/taskmaster4/dialogs"):
        for turn in row["turns"]:
            text = turn.get("text") if isinstance(turn, dict) else None
            if text:
                yield "taskmaster", "en", text


def _public_texts() -> Iterator[tuple[str, str, str]]:
    for row in rows("nli/train"):
        if row["lic"] == "ok":
            yield row["source"], row["lang"], row["premise"]
            yield row["source"], row["lang"], row["hypothesis"]
    for row in rows("nli/translated"):
        yield "translated", row["lang"], row["premise"]
        yield "translated", row["lang"], row["hypothesis"]
    for name in ("injection/train", "injection_general/benign_general", "injection_general/benign_hard"):
        for row in rows(name):
            if row["label"] == 0 and row["lic"] == "ok":
                yield row["src"], row["lang"], row["text"]
    for name in ("paraphrase/paws/pawsx_dev", "paraphrase/paws/pawsx_test"):
        for row in rows(name):
            yield "pawsx", row["lang"], row["sentence1"]
    for row in rows("grounding/train"):
        if row["lic"] == "ok":
            yield row["source"], "en", row["context"][:300].rpartition(". ")[0] + "."


def _written_texts() -> Iterator[tuple[str, str, str]]:
    """Messages, answers and facts in 25 languages that were written for this project, also for blind sets."""
    folder = Path(__file__).parent / "written"
    for kind in ("commitments", "documents", "facts", "intent_safety", "injection", "nli"):
        for file in sorted((folder / kind).glob("train.*.jsonl")):
            for line in file.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                if kind != "injection" or not row.get("label"):
                    for name in ("text", "premise", "hypothesis", "answer", "source"):
                        if isinstance(row.get(name), str):
                            yield f"written {kind}", file.name.split(".")[1], row[name]
    blind = Path(__file__).parents[1] / "benchmarks" / "blind"
    for part, fields in (("answers", ("customer", "draft")), ("facts", ("source", "claim")), ("attack", ("answer",)),
                         ("relevance", ("question", "answer")), ("paraphrased_facts", ("fact", "answer"))):  # fmt: skip
        if (blind / part / "dev.jsonl").exists():
            for line in (blind / part / "dev.jsonl").read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                for name in fields:
                    if isinstance(row.get(name), str):
                        yield f"written {part}", row.get("lang") or row.get("language") or "en", row[name]


def pack(out: Path) -> None:
    """Write the clean texts: 4 to 90 words, no code, at most so many of a language."""
    dice = random.Random(5)
    by_language: dict[str, dict[str, str]] = collections.defaultdict(dict)
    for source, lang, text in texts():
        made = clean(text)
        if 8 <= len(made) <= 600 and not any(each in made for each in ("{", "}", "http", "<", "\\", "�", "def ")):
            by_language[lang[:2]][made] = source
    counts = collections.Counter[str]()
    with gzip.open(out, "wt", encoding="utf-8") as file:
        for lang, found in sorted(by_language.items()):
            if len(found) < 60:
                continue
            some, of_source = [], collections.Counter[str]()
            for text, source in dice.sample(sorted(found.items()), len(found)):
                of_source[source] += not source.startswith("written")
                if of_source[source] <= PER_SOURCE and len(some) < PER_LANGUAGE:  # templated sets must not dominate
                    some.append((text, source))
            counts[lang] += len(some)
            for text, source in some:
                times = 4 if source.startswith("written") else 1  # few, and the nearest to what is judged
                file.write((json.dumps({"text": text, "lang": lang, "src": source}, ensure_ascii=False) + "\n") * times)
    print(sum(counts.values()), dict(counts.most_common()))


def examples(data: Sequence[dict[str, Any]], tokenizer_file: str, seed: int, rounds: int) -> list[dict[str, Any]]:
    """Fluent and broken texts, half and half: text, kind, spans that are wrong."""
    from tokenizers import Tokenizer

    tokenizer, dice = Tokenizer.from_file(tokenizer_file), random.Random(seed)
    offsets = [line.offsets for line in tokenizer.encode_batch([r["text"] for r in data], add_special_tokens=False)]
    words = [words_of(r["text"], o) for r, o in zip(data, offsets, strict=True)]
    by_language: dict[str, list[int]] = collections.defaultdict(list)
    stems: dict[str, dict[str, set[str]]] = collections.defaultdict(lambda: collections.defaultdict(set))
    for i, row in enumerate(data):
        by_language[row["lang"]].append(i)
        for word in words[i]:
            plain = word.strip()
            if len(plain) >= SHORTEST_WORD and plain.isalpha():
                stems[row["lang"]][_stem(plain)].add(plain)
    made: list[dict[str, Any]] = []
    for _ in range(rounds):
        for i, row in enumerate(data):
            many = by_language[row["lang"]]
            own = _several(words[i], [words[dice.choice(many)] for _ in range(3)], dice)
            made.append({"text": _plain("".join(own).strip(), dice), "kind": 0, "spans": []})
            others = [words[dice.choice(many)] for _ in range(3)]
            if (one := _one_broken(own, words[i], others, stems[row["lang"]], dice)) is not None:
                made.append(one)
    return made


def _several(own: list[str], more: Sequence[list[str]], dice: random.Random) -> list[str]:
    """Return the text, a third of the times with one to three others after it."""
    if dice.random() >= SEVERAL or len(own) >= MANY_WORDS // 2:
        return list(own)
    made = list(own)
    blank = " " if any(word.startswith(" ") for word in own) else ""
    for each in more[: dice.randint(1, 3)]:
        if len(made) + len(each) < MANY_WORDS:
            made = [*made, blank + each[0].strip(), *each[1:]]
    return made


def _plain(text: str, dice: random.Random) -> str:
    """Return a fluent text as people also write it: without the last full stop, all small or all capitals."""
    made = text.rstrip(".。") if dice.random() < 0.2 else text
    draw = dice.random()
    return made.lower() if draw < 0.03 else made.upper() if draw < 0.06 else made


def _one_broken(
    own: list[str], first: list[str], others: Sequence[list[str]], stems: dict[str, set[str]], dice: random.Random
) -> dict[str, Any] | None:
    """Return the text broken in some way; a few ways are tried."""

    def forms(word: str) -> Sequence[str]:
        if len(word) < SHORTEST_WORD or not word.isalpha():
            return ()
        found = stems.get(_stem(word), ())
        return [each for each in found if each.lower() != word.lower() and abs(len(each) - len(word)) <= SHORTEST_WORD]

    kinds, weights = zip(*SHARE, strict=True)
    whole = "".join(own).strip()
    for _ in range(4):
        kind = dice.choices(kinds, weights)[0]
        one = broken(kind, list(first) if kind == "repeated" else own, dice, others, forms)
        if one is not None and one[0] != whole:
            return {"text": one[0], "kind": KINDS.index(kind), "spans": one[1]}
    return None


def _stem(word: str) -> str:
    return word[: max(2, len(word) * 2 // 3)].lower()


def _part(given: tuple[list[dict[str, Any]], str, int, int]) -> list[dict[str, Any]]:
    return examples(*given)


def _lines(made: Iterable[dict[str, Any]], tokenizer: Any, device: str) -> tuple[Any, Any, Any]:
    import numpy as np
    import torch

    from training.batches import END, START, Lines

    made = list(made)
    rows_, tags, kinds = [], [], []
    for start in range(0, len(made), 20_000):
        part = made[start : start + 20_000]
        for row, line in zip(
            part, tokenizer.encode_batch([r["text"] for r in part], add_special_tokens=False), strict=True
        ):
            ids, places = line.ids[: LONGEST - 2], line.offsets[: LONGEST - 2]
            rows_.append(np.array([START, *ids, END], np.int32))
            wrong = [float(any(a < end and b > begin for begin, end in row["spans"])) for a, b in places]
            tags.append(np.array([-1.0, *wrong, -1.0], np.float32))
            kinds.append(row["kind"])
    wide = np.full((len(tags), LONGEST), -1, np.int8)
    for i, each in enumerate(tags):
        wide[i, : len(each)] = each
    return Lines(rows_, None, device), torch.from_numpy(wide).to(device), torch.tensor(kinds, device=device)


def _split(told: argparse.Namespace) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return what is trained on, a hundredth of the same that is not, and the languages that are left out."""
    with gzip.open(told.data, "rt", encoding="utf-8") as lines:
        data = [json.loads(line) for line in lines]
    left = set((told.without or "").split(",")) - {""}
    train, held = [r for r in data if r["lang"] not in left], [r for r in data if r["lang"] in left]
    random.Random(1).shuffle(train)
    ready = len(train) // 100
    return train[ready:], train[:ready], held


def fit_network(told: argparse.Namespace) -> None:
    """Train the network; write it small, and how it judges texts that were left out."""
    import numpy as np
    import torch
    import torch.nn.functional as F
    from tokenizers import Tokenizer
    from torch import nn

    from training.keeping import keep_small
    from training.network import Reader
    from training.onnx_weights import state_of
    from training.student import Task, fit

    device = "cuda" if torch.cuda.is_available() else "cpu"
    file = str(told.weights / "tokenizer.json")
    tokenizer = Tokenizer.from_file(file)
    train, held_own, held = _split(told)
    parts = [train[i :: told.workers] for i in range(told.workers)]
    with multiprocessing.get_context("spawn").Pool(told.workers) as pool:
        made = [
            row
            for part in pool.map(_part, [(p, file, 10 + i, told.rounds) for i, p in enumerate(parts)])
            for row in part
        ]
    print("examples", len(made), collections.Counter(KINDS[r["kind"]] for r in made), flush=True)
    table_values = np.load(told.weights / "table.npy").astype(np.float32) * np.load(told.weights / "scales.npy")
    table = nn.Embedding.from_pretrained(torch.from_numpy(table_values), freeze=True).to(device)
    state = {
        k.removeprefix("body."): torch.from_numpy(np.array(v)) for k, v in state_of(told.weights / "embed.onnx").items()
    }
    network = Reader(told.depth, len(KINDS), 1)
    state = {k: v for k, v in state.items() if not k.startswith("layers.") or int(k.split(".")[1]) < told.depth}
    missing = network.whole.body.load_state_dict(state, strict=False)
    print("begins with", len(state), "weights; missing", missing.missing_keys[:4], flush=True)
    network = network.to(device)
    many, tags, kinds = _lines(made, tokenizer, device)
    del made

    def loss(out: Any, group: torch.Tensor) -> torch.Tensor:
        whole = F.cross_entropy(out[0], kinds[group], label_smoothing=0.02)
        logits = out[1][..., 0]
        want = tags[group][:, : logits.shape[1]].float()
        if want.shape[1] < logits.shape[1]:
            want = F.pad(want, (0, logits.shape[1] - want.shape[1]), value=-1.0)
        each = F.binary_cross_entropy_with_logits(logits, want.clamp(min=0), reduction="none")
        kept = (want >= 0).float()
        return whole + 0.7 * (each * kept).sum() / kept.sum().clamp(min=1)

    fit([Task(many, network, loss, told.budget, 3)], table, steps=10**9, seconds=told.seconds, rate=told.rate,
        table_rate=0.0, name="fluency", rounding=0.8)  # fmt: skip
    network.eval()
    sets = {"own": examples(held_own, file, 7, 1)} | ({"left out": examples(held[:8000], file, 8, 1)} if held else {})
    figures: dict[str, Any] = {}
    for name, rows_ in [*sets.items(), *public(told.public)]:
        figures[name] = measured(rows_, network, table, tokenizer, device)
        print(name, json.dumps(figures[name]), flush=True)
    told.out.mkdir(parents=True, exist_ok=True)
    keep_small(told.out / f"{told.name}.npz", network)
    (told.out / f"{told.name}.json").write_text(json.dumps(figures, indent=1))


def public(file: Path | None) -> list[tuple[str, list[dict[str, Any]]]]:
    """Sets that people wrote or judged: as `measure_rows` packed them."""
    if file is None:
        return []
    found: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            found[row["set"]].append({"text": row["text"], "kind": row["kind"], "spans": []})
    return sorted(found.items())


def measure_rows(out: Path) -> None:
    """Pack the sets that are only measured: JFLEG, CoLA, JCoLA; kind 0 is fluent, 2 is broken."""
    with gzip.open(out, "wt", encoding="utf-8") as file:

        def put(name: str, text: str, kind: int) -> None:
            file.write(json.dumps({"set": name, "text": clean(text), "kind": kind}, ensure_ascii=False) + "\n")

        for row in rows("grammar/jfleg/test"):
            put("jfleg", row["source"], 2)
            put("jfleg", row["corrections"][0], 0)
        for row in rows("grammar/cola/out_of_domain_dev"):
            put("cola", row["sentence"], 0 if int(row["label"]) else 2)
        for row in rows("grammar/ja_jcola/out_of_domain_valid"):
            put("jcola", row["sentence"], 0 if int(row["label"]) else 2)


def measured(made: Sequence[dict[str, Any]], network: Any, table: Any, tokenizer: Any, device: str) -> dict[str, Any]:
    """How well fluent and broken are told apart: the area under the curve, for each kind."""
    import torch

    from training.plan import planned

    many, _, kinds = _lines(made, tokenizer, device)
    score = torch.zeros(len(many))
    with torch.no_grad():
        for group in planned(many.lengths, 16_384, None):
            ids, mask, types = many.batch(group)
            out = network(table(ids), mask, types)
            score[list(group)] = (1 - out[0].float().softmax(-1)[:, 0]).cpu()
    want = kinds.cpu()
    plain = score[want == 0]
    found = {"fluent": len(plain), "called broken": round(float((plain > 0.5).float().mean()), 4)}
    for number, kind in enumerate(KINDS[1:], 1):
        bad = score[want == number]
        if len(bad):
            found[kind] = (len(bad), round(_area(bad, plain), 4), round(float((bad > 0.5).float().mean()), 4))
    return found


def _area(bad: Any, plain: Any) -> float:
    import torch

    order = torch.sort(torch.cat([plain, bad])).indices
    rank = torch.empty(len(order), dtype=torch.double)
    rank[order] = torch.arange(1, len(order) + 1, dtype=torch.double)
    m = len(bad)
    return float((rank[len(plain) :].sum() - m * (m + 1) / 2) / (m * len(plain)))


def main() -> None:
    """Pack the texts, or train the network."""
    ask = argparse.ArgumentParser(prog="python -m training.fluency", description=__doc__)
    parts = ask.add_subparsers(dest="part", required=True)
    packing = parts.add_parser("pack")
    packing.add_argument("out", type=Path)
    packing.add_argument("--measured", type=Path, help="also pack the sets that are only measured")
    fitting = parts.add_parser("fit")
    fitting.add_argument("--weights", type=Path, required=True)
    fitting.add_argument("--data", type=Path, required=True)
    fitting.add_argument("--public", type=Path)
    fitting.add_argument("--out", type=Path, required=True)
    fitting.add_argument("--name", default="fluency")
    fitting.add_argument("--without", help="languages to leave out, for a figure about others")
    fitting.add_argument("--seconds", type=float, default=400)
    fitting.add_argument("--rate", type=float, default=4e-4)
    fitting.add_argument("--depth", type=int, default=6)
    fitting.add_argument("--rounds", type=int, default=3)
    fitting.add_argument("--budget", type=int, default=32_768)
    fitting.add_argument("--workers", type=int, default=8)
    told = ask.parse_args()
    if told.part == "pack":
        pack(told.out)
        if told.measured:
            measure_rows(told.measured)
    else:
        fit_network(told)


if __name__ == "__main__":
    main()
