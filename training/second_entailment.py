"""Weighs the entailment network against the multilingual one, and measures each source with weights of the others.

``python -m training.second_entailment --readings FILE`` prints the tables and the weights of ``nli.mixture`` and
``nli.support.mixture`` in ``manifest.json``. Entailment is weighed on public test and dev rows, support on the two
public sources that no network was trained on. The blind sets for development are only measured.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.data import LABELS, rows
from training.figures import auroc

__all__ = ["family", "fitted", "left_out", "softmax"]

XNLI = ("ar", "de", "en", "es", "fr", "ko", "ru", "tr", "zh")
UNSEEN = ("fib", "climatefever")  # no network was trained on these
TRAINED = ("q2", "summedits/news", "summedits/podcast")  # the small network was, for what it ships; the other was not
BLIND = Path(__file__).resolve().parents[1] / "benchmarks" / "blind"
MEANT = {"entailed": 0, "stated": 0, "neutral": 1, "absent": 1, "contradicted": 2}
EACH, EACH_XNLI, EACH_SOURCE = 350, 200, 240  # rows of a set

Pair = tuple[str, str, int]
Readings = Mapping[str, tuple[np.ndarray, np.ndarray, np.ndarray]]  # first, second (four logits each), label


def family(name: str) -> str:
    """What is left out at once: all languages of one set."""
    return name.partition("|")[0]


def entailment_sets() -> dict[str, list[Pair]]:
    """Samples of the public sets, labels as places in ``LABELS``."""
    by: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for row in (row for part in ("nli/test", "nli/dev") for row in rows(part)):
        source = row["source"]
        name = source.split("/")[-1] if "heldout" in source else source.split("/")[0]
        if "xnli" in name:
            name = f"xnli|{row['lang']}" if row["lang"] in XNLI else ""
        if name and row["label"] in LABELS and "americas" not in name and "breaking" not in name:
            by[name].append(row)
    return {
        name: [
            (row["premise"], row["hypothesis"], LABELS.index(row["label"]))
            for row in random.Random(7).sample(many, min(len(many), EACH_XNLI if "|" in name else EACH))
        ]
        for name, many in sorted(by.items())
    }


def blind_sets() -> dict[str, list[Pair]]:
    """The blind facts for development: never fitted to."""
    told = _lines(BLIND / "facts" / "dev.jsonl"), _lines(BLIND / "paraphrased_facts" / "dev.jsonl")
    return {
        "facts": [(row["source"], row["claim"], MEANT[row["label"]]) for row in told[0]],
        "paraphrased_facts": [(row["answer"], row["fact"], MEANT[row["label"]]) for row in told[1]],
    }


def support_sets() -> dict[str, list[Pair]]:
    """As many supported responses as others of each source, with their evidence; 1 is supported."""
    from proctor.models.local.evidence import select_evidence
    from proctor.models.local.grounding import WHOLE

    by: dict[tuple[str, int], list[dict[str, Any]]] = collections.defaultdict(list)
    for row in rows("grounding/train"):
        source = row["source"] if row["source"].startswith("summedits") else row["source"].split("/")[0]
        by[source, int(row["label"])].append(row)
    found = {}
    for name in (*UNSEEN, *TRAINED):
        dice = random.Random(9)
        some = [r for y in (1, 0) for r in dice.sample(by[name, y], min(EACH_SOURCE // 2, len(by[name, y])))]
        found[name] = [
            (select_evidence(r["context"], r["response"], budget=WHOLE), r["response"], int(r["label"])) for r in some
        ]
    return found


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def read_both(sets: Mapping[str, Sequence[Pair]], cache: Path) -> Readings:
    """The four logits of both networks for each pair; what was read before is taken from the cache."""
    from proctor.models.local.model_registry import pieces_of
    from proctor.models.local.multilingual import multilingual_network
    from proctor.models.local.pairs import flat, line
    from proctor.models.local.run_entailment import judge_of

    known: dict[str, list[float]] = json.loads(cache.read_text("utf-8")) if cache.exists() else {}
    found = {}
    for name, pairs in sets.items():
        for premise, hypothesis, _ in pairs:
            key = f"{premise}\0{hypothesis}"
            if key in known:
                continue
            one, two = flat(premise), flat(hypothesis)
            a, b = pieces_of(None).numbers([one, two])
            first = judge_of(None).logits([line(a, b, 288)])[0].tolist()
            known[key] = [*first, *multilingual_network().compare([(one, two)])[0].outputs[:4]]
        cache.write_text(json.dumps(known), "utf-8")
        both = np.array([known[f"{premise}\0{hypothesis}"] for premise, hypothesis, _ in pairs])
        found[name] = (both[:, :4], both[:, 4:], np.array([label for *_, label in pairs]))
    return found


def softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities by row."""
    found = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(found / found.sum(-1, keepdims=True))


def three(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """What entailment is weighed from: the logits of both networks for each label."""
    return np.stack([first[:, :3], second[:, :3]], -1)


def two(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """What support is weighed from: the logit of both networks and an offset, against zero."""
    told = np.stack([first[:, 3], second[:, 3], np.ones(len(first))], -1)
    return np.stack([np.zeros_like(told), told], 1)


def fitted(sets: Sequence[tuple[np.ndarray, np.ndarray]], steps: int = 30) -> np.ndarray:
    """The weights with the least mean loss, each set worth the same; features are rows x labels x weights."""
    size = sets[0][0].shape[-1]
    found = np.full(size, 0.3)
    for _ in range(steps):
        slope, bend = np.zeros(size), 1e-6 * np.eye(size)
        for features, labels in sets:
            p = softmax(features @ found)
            mean = (p[:, :, None] * features).sum(1)
            slope += (mean - features[np.arange(len(labels)), labels]).mean(0)
            apart = features - mean[:, None]
            bend += np.einsum("nc,nci,ncj->ij", p, apart, apart) / len(labels)
        move = np.linalg.solve(bend, slope)
        found = found - move * min(1.0, 1.0 / max(1e-9, float(np.abs(move).max())))
    return found


def left_out(name: str, names: Iterable[str]) -> list[str]:
    """The sets to weigh by where one is measured: no other language of it either."""
    return [each for each in names if family(each) != family(name)]


def _loss(p: np.ndarray, labels: np.ndarray) -> float:
    return float(-np.log(np.maximum(p[np.arange(len(labels)), labels], 1e-9)).mean())


def entailment_table(read: Readings, blind: Readings) -> np.ndarray:
    """Print accuracy, loss and AUROC of entailment: the first network, the second, both; return the weights of all."""
    print("\n| set | n | accuracy: first / second / both | loss | AUROC of entailment |\n|---|---|---|---|---|")
    features = {name: (three(*each[:2]), each[2]) for name, each in (read | blind).items()}
    total = []
    for name, (all_, labels) in features.items():
        rest = [features[each] for each in left_out(name, read)]
        shown = []
        for columns in ([0], [1], [0, 1]):
            weights = fitted([(each[..., columns], y) for each, y in rest])
            p = softmax(all_[..., columns] @ weights)
            shown.append(((p.argmax(1) == labels).mean(), _loss(p, labels), auroc(labels == 0, p[:, 0])))
        total.append(shown)
        cells = [" / ".join(f"{each[place]:.3f}" for each in shown) for place in range(3)]
        print(f"| {name} | {len(labels)} | {' | '.join(cells)} |")
    mean = np.mean(total, 0)
    print("| mean | | " + " | ".join(" / ".join(f"{x:.3f}" for x in mean[:, place]) for place in range(3)) + " |")
    return fitted([features[name] for name in read])


def support_table(read: Readings, blind: Readings) -> np.ndarray:
    """Print AUROC and loss of support: the first network, the second, both; return the weights of both."""
    print("\n| source | n | AUROC: first / second / both | loss: first / both |\n|---|---|---|---|")
    as_two = {name: (two(*each[:2]), each[2]) for name, each in read.items()}
    as_two |= {name: (two(*each[:2]), (each[2] == 0).astype(int)) for name, each in blind.items()}
    for name, (all_, labels) in as_two.items():
        rest = [as_two[each] for each in left_out(name, UNSEEN)]
        weights, alone = fitted(rest), fitted([(each[..., [0, 2]], y) for each, y in rest])
        p, one = softmax(all_ @ weights), softmax(all_[..., [0, 2]] @ alone)
        areas = [auroc(labels, each) for each in (all_[:, 1, 0], all_[:, 1, 1], p[:, 1])]
        losses = f"{_loss(one, labels):.3f} / {_loss(p, labels):.3f}"
        print(f"| {name} | {len(labels)} | {' / '.join(f'{x:.3f}' for x in areas)} | {losses} |")
    return fitted([as_two[name] for name in UNSEEN])


def main() -> None:
    """Read, weigh, measure."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--readings", type=Path, required=True, help="a JSON file in which readings are kept")
    told = ask.parse_args()
    blind = read_both(blind_sets(), told.readings)
    first, second = entailment_table(read_both(entailment_sets(), told.readings), blind)
    print(f"\nmixture: first {first:.2f}, second {second:.2f}")
    one, other, offset = support_table(read_both(support_sets(), told.readings), blind)
    print(f"\nsupport: first {one:.2f}, second {other:.2f}, offset {offset:.2f}")


if __name__ == "__main__":
    main()
