"""Trains the estimate of whether a task was solved: boosted trees over the features of a transcript, kept as JSON.

``python -m training.solved OUT`` reads tau_bench and tau2_bench of $PROCTOR_DATA, says what held-out tasks, runs
and domains give, and writes the trees with their calibration. Only rows whose state was really compared are
read: of the others the reward says what was said, not what was done. The calibrated probability decides at one half,
so that the word and the number say the same.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.agent_rows import customer, family, newer, solved, sound, tau_cases

from proctor.core.case import Case
from proctor.scorers.conversation.solved_features import features
from training.calibrate import platt

__all__ = ["held_out", "judged", "kappa", "train", "trees"]

_BAG = 3
_TREES: dict[str, Any] = {
    "max_iter": 80,
    "learning_rate": 0.08,
    "max_leaf_nodes": 8,
    "l2_regularization": 5.0,
    "min_samples_leaf": 20,
    "max_features": 0.25,
}
_NEWER = 1.5  # weight of a row of tau2_bench: few, newer agents, a third domain
_CUT = 0.5


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
    for index, (seen, unseen) in enumerate(GroupKFold(min(6, len(names))).split(matrix, labels, places)):
        found[unseen] = logits(train(matrix[seen], labels[seen], weights[seen]), matrix[unseen])
        folds[unseen] = index
    return found, folds


def kappa(one: np.ndarray, other: np.ndarray) -> float:
    """Cohen's kappa of two rows of noughts and ones."""
    agreed, both = float(np.mean(one == other)), float(np.mean(one)) * float(np.mean(other))
    chance = both + (1 - float(np.mean(one))) * (1 - float(np.mean(other)))
    return (agreed - chance) / (1 - chance) if chance < 1 else float("nan")


def judged(
    found: np.ndarray, folds: np.ndarray, labels: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities and verdicts, each fold's calibration taken from the other folds."""
    chance, verdict = np.zeros(len(labels)), np.zeros(len(labels), int)
    for fold in sorted(set(folds.tolist())):
        rest, here = folds != fold, folds == fold
        slope, offset = platt(found[rest], labels[rest], weights[rest])
        chance[here] = 1 / (1 + np.exp(-(slope * found[here] + offset)))
        verdict[here] = chance[here] >= _CUT
    return chance, verdict


def domain_of(case: Case) -> str:
    """The domain of a task; rows without one are those of other shops."""
    return str(case.metadata.get("domain") or "other")


def main() -> None:
    """Say what is found on held-out rows, then train on all and write."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("out", type=Path)
    ask.add_argument("--predictions", type=Path, help="write the held-out verdict of every row here")
    told = ask.parse_args()
    every = list(tau_cases())
    cases = [case for case, good in zip(every, sound(every), strict=True) if good and case.recorded is not None]
    read = [features(case.recorded, case.metadata["policy"]) for case in cases if case.recorded is not None]
    names = list(read[0])
    matrix = np.array([[each[name] for name in names] for each in read])
    labels = np.array([int(solved(case)) for case in cases])
    weights = np.array([_NEWER if newer(case) else 1.0 for case in cases])
    kept: dict[str, Any] = {}
    domains = [domain_of(case) for case in cases]
    by = {"task": [customer(case) for case in cases], "run": [family(case) for case in cases], "domain": domains}
    for kind, groups in by.items():
        found, folds = held_out(matrix, labels, weights, groups)
        chance, verdict = judged(found, folds, labels, weights)
        kept[kind] = {"probability": [round(float(p), 4) for p in chance], "verdict": verdict.tolist()}
        two = np.array([newer(case) for case in cases])
        print(
            f"held out by {kind}: kappa {kappa(labels, verdict):.3f}, tau2 {kappa(labels[two], verdict[two]):.3f}, "
            f"tau {kappa(labels[~two], verdict[~two]):.3f}",
            flush=True,
        )
        for name in sorted(set(domains)):
            here = np.array([each == name for each in domains])
            print(f"  {name}: {here.sum()} rows, kappa {kappa(labels[here], verdict[here]):.3f}", flush=True)
        if kind == "task":
            slope, offset = platt(found, labels, weights)
    if told.predictions:
        told.predictions.write_text(json.dumps(kept), encoding="utf-8")
    start, found_trees = trees(train(matrix, labels, weights))
    model = {
        "version": "2",
        "features": names,
        "start": round(start, 5),
        "slope": round(slope, 5),
        "offset": round(offset, 5),
        "threshold": _CUT,
        "trees": found_trees,
    }
    told.out.write_text(json.dumps(model, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{len(found_trees)} trees, {told.out.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
