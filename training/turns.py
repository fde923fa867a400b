"""What a turn of a conversation does, from the shipped networks: ``python -m training.turns``. No model of it ships.

Each written row is a turn with its ``acts`` and the turn before it. Features are the last state and the mean state of
the multilingual network over both texts, and the sentence vector of each; a logistic regression per act is fitted with
each family of languages left out in turn. The table says how well the acts of the languages left out are told apart.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proctor.models.local.embed import LocalEmbedder
from proctor.models.local.multilingual import multilingual_network
from training.data import written

__all__ = ["ACTS", "FAMILIES", "fitted", "held_out", "main"]

ACTS = {
    "agent": (
        "done", "will_do", "proposes", "asks", "informs", "refuses", "way_forward", "hands_over", "deflects_person",
        "closes", "empty",
    ),
    "customer": (
        "wants_person", "agrees", "declines", "asks", "asks_again", "corrects", "gives", "thanks", "still_open",
    ),
}  # fmt: skip
FAMILIES = (
    ("de", "nl", "sv", "da", "no"),
    ("fr", "es", "it", "pt", "ro"),
    ("ru", "uk", "pl", "cs"),
    ("ja", "zh", "ko", "th", "vi", "id"),
    ("tr", "fi", "hu", "hi", "ar", "he", "el"),
    ("en",),
)
STRENGTH = 0.003  # inverse of the penalty; 0.01 is 0.003 of AUROC worse
VECTORS = 1.5  # weight of the sentence vectors beside the states
FRAMES = {"agent": ("Customer: ", "\nAgent: ", "\nGrants:"), "customer": ("Agent: ", "\nCustomer: ", "\nJudge:")}
BEFORE, TEXT = 80, 120  # tokens

Array = np.ndarray[Any, Any]


def states(rows: Sequence[dict[str, Any]]) -> Array:
    """The last and the mean state of the multilingual network for each turn after the one before it."""
    network = multilingual_network()
    found = []
    for row in rows:
        first, second, last = (network.frames.numbers(each) for each in FRAMES[row["role"]])
        text, before = (
            network.frames.numbers(row["text"])[:TEXT],
            network.frames.numbers(row["before"])[-BEFORE:] if row["before"] else (),
        )
        ids = np.array([(*first, *before, *second, *text, *last)])
        pieces = network._table[ids].astype(np.float32) * network._scales[ids][:, :, None]
        found.append(network._session.run(["state"], {"pieces": pieces})[0][0])
    return np.stack(found)


def features(rows: Sequence[dict[str, Any]]) -> Array:
    """The states and the sentence vectors, each feature with a mean of 0 and a deviation of 1."""
    texts = sorted({row[name] for row in rows for name in ("text", "before")})
    vectors = dict(zip(texts, np.array(LocalEmbedder().vectors(texts), np.float32), strict=True))
    both = np.stack([np.concatenate([vectors[row["text"]], vectors[row["before"]]]) for row in rows])
    return np.hstack([_even(states(rows)), _even(both) * VECTORS])


def _even(values: Array) -> Array:
    even: Array = (values - values.mean(0)) / (values.std(0) + 1e-3)
    return even


def fitted(x: Array, y: Array) -> Any:
    """A logistic regression for one act."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=STRENGTH, max_iter=200).fit(x, y)


def held_out(x: Array, y: Array, langs: Sequence[str]) -> Array:
    """The logit of an act for each turn, of a model that has not seen its family of languages."""
    logits = np.zeros(len(y))
    for family in FAMILIES:
        out = np.isin(langs, family)
        if out.any() and y[~out].any():
            logits[out] = fitted(x[~out], y[~out]).decision_function(x[out])
    return logits


def main() -> None:
    """Print the table."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--features", type=Path, help="a file that keeps what the networks computed")
    told = ask.parse_args()
    rows = list(written("turns"))
    if told.features is not None and told.features.exists():
        x = np.load(told.features)
    else:
        x = features(rows)
        if told.features is not None:
            np.save(told.features, x)
    print("| role | act | rows | AUROC | average precision |\n|---|---|---|---|---|")
    for role, acts in ACTS.items():
        some = np.array([row["role"] == role for row in rows])
        langs = [row["lang"] for row in rows if row["role"] == role]
        for act in acts:
            y = np.array([act in row["acts"] for row in rows])[some]
            logits = held_out(x[some], y, langs)
            auroc, precision = roc_auc_score(y, logits), average_precision_score(y, logits)
            print(f"| {role} | {act} | {y.sum()} | {auroc:.3f} | {precision:.2f} |")


if __name__ == "__main__":
    main()
