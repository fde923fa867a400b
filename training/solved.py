"""Trains the estimate of whether a task was solved: boosted trees over the features of a transcript, kept as JSON.

``python -m training.solved OUT`` reads tau_bench and tau2_bench of $PROCTOR_DATA, says what held-out tasks and held-out
runs give, and writes the trees of all rows with their calibration and threshold.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.agent_rows import customer, family, newer, solved, tau_cases

from proctor.scorers.conversation.solved_features import MARKS, features
from training.calibrate import platt

__all__ = ["best_cut", "held_out", "judged", "kappa", "train", "trees"]

_BAG = 3
_TREES: dict[str, Any] = {
    "max_iter": 80,
    "learning_rate": 0.08,
    "max_leaf_nodes": 8,
    "l2_regularization": 5.0,
    "min_samples_leaf": 20,
    "max_features": 0.25,
}
_NEWER = 3.0  # weight of a row of tau2_bench, of which there are few and whose rewards were all checked


def train(matrix: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> list[Any]:
    """A few boosted models that differ in their seed."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    models = [HistGradientBoostingClassifier(**_TREES, random_state=seed) for seed in range(_BAG)]
    return [model.fit(matrix, labels, sample_weight=weights) for model in models]


def trees(models: Sequence[Any]) -> tuple[float, list[list[list[float]]]]:
    """The mean of the models as one list of trees: per node the feature (-1 in a leaf), cut, left, right and value."""
    start = float(np.mean([model._baseline_prediction.ravel()[0] for model in models]))
    found = []
    for model in models:
        for stage in model._predictors:
            nodes = stage[0].nodes
            found.append(
                [
                    [-1 if leaf else int(at) for leaf, at in zip(nodes["is_leaf"], nodes["feature_idx"], strict=True)],
                    [
                        0 if leaf else float(f"{cut:.5g}")
                        for leaf, cut in zip(nodes["is_leaf"], nodes["num_threshold"], strict=True)
                    ],
                    [int(at) for at in nodes["left"]],
                    [int(at) for at in nodes["right"]],
                    [round(float(value) / len(models), 5) for value in nodes["value"]],
                ]
            )
    return start, found


def logits(models: Sequence[Any], matrix: np.ndarray) -> np.ndarray:
    return np.asarray(np.mean([model.decision_function(matrix) for model in models], axis=0))


def held_out(
    matrix: np.ndarray, labels: np.ndarray, weights: np.ndarray, groups: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """For every row its logit by models that saw nothing of its group, and the fold it was in."""
    from sklearn.model_selection import GroupKFold

    names = {name: index for index, name in enumerate(sorted(set(groups)))}
    places = np.array([names[group] for group in groups])
    found, folds = np.zeros(len(labels)), np.zeros(len(labels), int)
    for index, (seen, unseen) in enumerate(GroupKFold(6).split(matrix, labels, places)):
        found[unseen] = logits(train(matrix[seen], labels[seen], weights[seen]), matrix[unseen])
        folds[unseen] = index
    return found, folds


def kappa(one: np.ndarray, other: np.ndarray) -> float:
    """Cohen's kappa of two rows of noughts and ones."""
    agreed, both = float(np.mean(one == other)), float(np.mean(one)) * float(np.mean(other))
    chance = both + (1 - float(np.mean(one))) * (1 - float(np.mean(other)))
    return (agreed - chance) / (1 - chance) if chance < 1 else float("nan")


def best_cut(scores: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> float:
    """The probability from which a task counts as solved: the mean cut of those that agree best with the rewards."""
    cuts = np.linspace(0.3, 0.8, 51)
    dice = np.random.default_rng(1)
    picked = []
    for _ in range(20):  # one draw of rows has its own best cut by chance
        some = dice.choice(len(labels), len(labels), p=weights / weights.sum())
        picked.append(cuts[int(np.argmax([kappa(labels[some], (scores[some] >= cut).astype(int)) for cut in cuts]))])
    return round(float(np.mean(picked)), 3)


def judged(
    found: np.ndarray, folds: np.ndarray, labels: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities and verdicts, each fold's calibration and cut taken from the other folds."""
    chance, verdict = np.zeros(len(labels)), np.zeros(len(labels), int)
    for fold in sorted(set(folds.tolist())):
        rest, here = folds != fold, folds == fold
        slope, offset = platt(found[rest], labels[rest], weights[rest])
        known = 1 / (1 + np.exp(-(slope * found[rest] + offset)))
        chance[here] = 1 / (1 + np.exp(-(slope * found[here] + offset)))
        verdict[here] = chance[here] >= best_cut(known, labels[rest], weights[rest])
    return chance, verdict


def main() -> None:
    """Say what is found on held-out rows, then train on all and write."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("out", type=Path)
    ask.add_argument("--predictions", type=Path, help="write the held-out verdict of every row here")
    ask.add_argument("--unmarked", action="store_true", help="without the end marks of simulated customers")
    told = ask.parse_args()
    cases = [case for case in tau_cases() if case.recorded is not None]
    read = [features(case.recorded, case.metadata["policy"]) for case in cases if case.recorded is not None]
    names = [name for name in read[0] if not (told.unmarked and name in MARKS)]
    matrix = np.array([[each[name] for name in names] for each in read])
    labels = np.array([int(solved(case)) for case in cases])
    weights = np.array([_NEWER if newer(case) else 1.0 for case in cases])
    kept: dict[str, Any] = {}
    for kind, groups in (("task", [customer(case) for case in cases]), ("run", [family(case) for case in cases])):
        found, folds = held_out(matrix, labels, weights, groups)
        chance, verdict = judged(found, folds, labels, weights)
        kept[kind] = {"probability": [round(float(p), 4) for p in chance], "verdict": verdict.tolist()}
        two = weights > 1
        print(
            f"held out by {kind}: kappa {kappa(labels, verdict):.3f}, tau2 {kappa(labels[two], verdict[two]):.3f}, "
            f"tau {kappa(labels[~two], verdict[~two]):.3f}",
            flush=True,
        )
        if kind == "task":
            slope, offset = platt(found, labels, weights)
            cut = best_cut(1 / (1 + np.exp(-(slope * found + offset))), labels, weights)
    if told.predictions:
        told.predictions.write_text(json.dumps(kept), encoding="utf-8")
    start, found_trees = trees(train(matrix, labels, weights))
    model = {
        "version": "1",
        "features": names,
        "start": round(start, 5),
        "slope": round(slope, 5),
        "offset": round(offset, 5),
        "threshold": cut,
        "trees": found_trees,
    }
    told.out.write_text(json.dumps(model, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(found_trees)} trees, {told.out.stat().st_size / 1000:.0f} kB, threshold {cut}")


if __name__ == "__main__":
    main()
