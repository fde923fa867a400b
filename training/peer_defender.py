"""Measures stackone-defender on the same test rows; run it in an environment that has the package."""

from __future__ import annotations

import argparse
import collections
import random
import time

from training.data import rows

__all__ = ["main"]

SUPPORT = ("banking77", "bitext", "clinc150", "xsid")


def main() -> None:
    """Print the share flagged by source: at its own threshold, and at 1 % of support traffic."""
    ask = argparse.ArgumentParser()
    ask.add_argument("--each", type=int, default=200)
    told = ask.parse_args()
    from stackone_defender.classifiers.tier2_classifier import create_tier2_classifier

    model = create_tier2_classifier()
    model.warmup()
    by: dict[tuple[str, int], list[str]] = collections.defaultdict(list)
    for row in rows("injection/test"):
        by[row["src"], row["label"]].append(row["text"])
    scores: dict[tuple[str, int], list[float]] = {}
    taken: list[float] = []
    for key, texts in sorted(by.items()):
        some = random.Random(1).sample(texts, min(told.each, len(texts)))
        scores[key] = []
        for text in some:
            began = time.process_time()
            scores[key].append(float(model.classify_by_chunks(text).get("score") or 0.0))
            if key[0] in SUPPORT:
                taken.append((time.process_time() - began) * 1e3)
    support = sorted(s for (source, _), found in scores.items() if source in SUPPORT for s in found)
    cut = support[int(len(support) * 0.99)]
    own = float(model.get_config().get("high_risk_threshold", 0.52) or 0.52)
    print(
        "thresholds",
        own,
        cut,
        "support CPU ms p50 p95",
        sorted(taken)[len(taken) // 2],
        sorted(taken)[int(len(taken) * 0.95)],
    )
    for (source, label), found in sorted(scores.items(), key=lambda x: (-x[0][1], x[0][0])):
        flagged = [sum(s > c for s in found) / len(found) for c in (0.52, cut)]
        print(f"| {source} | {'attack' if label else 'benign'} | {len(found)} | {flagged[0]:.3f} | {flagged[1]:.3f} |")


if __name__ == "__main__":
    main()
