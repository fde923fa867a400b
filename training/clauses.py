"""Measures whether clauses of a prompt can be read by a linear model: which predicate, of the whole answer or not.

``python -m training.clauses`` prints the figures in ``README.md``; nothing that ships is written. One ridge regression
over sentence vectors and hashed letter groups predicts the kinds of predicate, what a clause is about, and whether a
condition stands in it. Every row is judged by a model that has not seen it, or that has not seen its language.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from proctor.models.local.embed import LocalEmbedder
from proctor.models.local.ngrams import BITS, features
from training.data import written

__all__ = ["QUOTED", "SCOPES", "kinds_of", "masked", "parts_of"]

SCOPES = ("answer", "part", "input", "none")
PENALTY = 1.0
LEAST_ROWS = 5  # of a kind
SURE = (0.7, 0.8, 0.9)
FAMILIES = (
    ("en",),
    ("de", "nl"),
    ("es", "pt"),
    ("fr", "it", "ro"),
    ("sv", "da", "no"),
    ("pl", "cs"),
    ("ja", "zh", "ko"),
    ("ru", "uk"),
    ("ar", "hi"),
    ("tr", "id", "vi", "el", "fi", "hu"),
)
QUOTED = re.compile(
    r"„[^“”\"\n]+[“”\"]|“[^”\n]+”|\"[^\"\n]+\"|«[^»\n]+»|「[^」\n]+」|`[^`\n]+`|(?<!\w)'[^'\n]{2,}'(?!\w)"
)
_OF_PART = re.compile(r"each |first |last |json field |before |after ")
_KIND = re.compile(
    r"numbered items|json array length|json only has|json has|json schema|is json(?: array| object)?|one of|is \"|is /|"
    r"is [a-z]+|has [a-z]+|no [a-z]+|contains(?: none| all| any)?|starts|ends|language is|case is \w+|number|[a-z]+"
)


def masked(text: str) -> str:
    """The clause on one line; what it quotes says nothing of what it asks."""
    return " ".join(QUOTED.sub(' "…" ', text.replace("**", "")).split())


def parts_of(predicate: str) -> list[str]:
    """The predicates that ``and`` joins at the top, without brackets around them."""
    found, depth, quoted, begin, at = [], 0, False, 0, 0
    while at < len(predicate):
        sign = predicate[at]
        at += 1 + (sign == "\\")
        quoted ^= sign == '"'
        depth += 0 if quoted else (sign in "([{") - (sign in ")]}")
        whole = depth == 0 and not quoted and predicate.startswith(" and ", at)
        if whole and not re.search(r"between [\d.-]+$", predicate[begin:at]):
            found.append(predicate[begin:at])
            begin = at = at + len(" and ")
    return [re.sub(r"^\((.*)\)$", r"\1", each.strip()) for each in (*found, predicate[begin:])]


def kinds_of(predicate: str | None) -> set[str]:
    """What a predicate asks of the whole answer: a measure (``emoji = 0`` is ``no emoji``), a shape, a fixed text."""
    found = set()
    for each in parts_of(predicate) if predicate else ():
        bare = each.removeprefix("not ").strip("() ")
        if not _OF_PART.match(bare) and (match := _KIND.match(bare)):
            none = re.match(r"[a-z ]+ (?:=|<=) 0$", bare) is not None
            found.add(f"{'no ' if none or bare != each else ''}{match.group()}")
    return found


def kernel(texts: Sequence[str]) -> np.ndarray[Any, Any]:
    """The likeness of each pair of clauses, of their vectors and of their letter groups."""
    from scipy.sparse import csr_matrix

    vectors = np.array(LocalEmbedder().vectors(texts), np.float32)
    vectors -= vectors.mean(0)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    groups = [features(text) for text in texts]
    sizes = np.array([len(each) for each in groups])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    data = np.repeat(1 / np.sqrt(np.maximum(sizes, 1)), sizes).astype(np.float32)
    letters = csr_matrix((data, np.concatenate(groups), starts), shape=(len(texts), 2**BITS))
    return np.asarray(vectors @ vectors.T + (letters @ letters.T).toarray(), np.float32)


def without_own(likeness: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What a model of all other rows says of each row."""
    mean = wanted.mean(0)
    inverse = np.linalg.inv(likeness + PENALTY * np.eye(len(likeness), dtype=np.float32))
    weights = inverse @ (wanted - mean)
    return np.asarray(wanted - weights / np.diag(inverse)[:, None])


def without_language(
    likeness: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any], langs: Sequence[str]
) -> np.ndarray[Any, Any]:
    """What a model without the family of its language says of each row."""
    found = np.zeros_like(wanted)
    for family in FAMILIES:
        held = np.isin(langs, family)
        kept = ~held
        mean = wanted[kept].mean(0)
        square = likeness[np.ix_(kept, kept)] + PENALTY * np.eye(kept.sum(), dtype=np.float32)
        found[held] = likeness[np.ix_(held, kept)] @ np.linalg.solve(square, wanted[kept] - mean) + mean
    return found


def average_precision(right: np.ndarray[Any, Any], scores: np.ndarray[Any, Any]) -> float:
    """The mean of the precision at each right answer, the surest first."""
    order = right[np.argsort(-scores)].astype(bool)
    return float((np.cumsum(order) / np.arange(1, len(order) + 1))[order].mean())


def main() -> None:
    """Print the figures."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    rows = list(written("clauses"))
    asked = [kinds_of(row["predicate"]) for row in rows]
    kinds = [kind for kind, n in Counter(kind for each in asked for kind in each).most_common() if n >= LEAST_ROWS]
    whole = [row["scope"] == "answer" and not row["when"] and bool(each) for row, each in zip(rows, asked, strict=True)]
    scopes = np.array([SCOPES.index(row["scope"]) for row in rows])
    table = np.array([[kind in each for kind in kinds] for each in asked], np.float32)
    extra = np.array([whole, [row["when"] for row in rows]], np.float32).T
    wanted = np.hstack([table, extra, np.eye(len(SCOPES), dtype=np.float32)[scopes]])
    # of a clause about a part or the input, the rows do not say which kind it would be
    known = np.array([row["predicate"] is not None or row["scope"] in ("answer", "none") for row in rows])
    likeness = kernel([masked(row["text"]) for row in rows])
    langs = [row["lang"] for row in rows]
    n = len(kinds)
    for name, said in (
        ("rows left out", without_own(likeness, wanted)),
        ("languages left out", without_language(likeness, wanted, langs)),
    ):
        kind = average_precision(table[known].ravel(), said[known, :n].ravel())
        sure = average_precision(wanted[:, n], said[:, n])
        case = average_precision(wanted[:, n + 1], said[:, n + 1])
        scope = float((said[:, n + 2 :].argmax(1) == scopes).mean())
        print(
            f"{name}: {len(rows)} rows, {n} kinds; AP kinds {kind:.2f}, a predicate of the whole answer {sure:.2f},",
            end=" ",
        )
        print(f"condition {case:.2f}; scope right {scope:.2f}")
        order = np.argsort(-said[:, n])
        for least in SURE:
            right = np.cumsum(wanted[order, n]) / np.arange(1, len(order) + 1)
            most = int(np.nonzero(right >= least)[0].max(initial=-1)) + 1
            print(f"  {least:.0%} right: {wanted[order[:most], n].sum() / wanted[:, n].sum():.0%} of them found")


if __name__ == "__main__":
    main()
