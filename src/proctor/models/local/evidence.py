"""Select the sentences of a long passage that are relevant to a claim, so that the model runs only once."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from proctor.text.script_ranges import EAST_ASIAN, THAI

__all__ = ["select_evidence", "sentences"]

_END = re.compile(r"(?<=[.!?。！？…])[\s\"'”’)\]]+(?=\S)|(?<=[。！？])|\n+")
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile(f"[{EAST_ASIAN}{THAI}]")
COARSE = 50_000  # characters of a passage from which neighbouring sentences are scored together


def sentences(text: str, *, longest: int = 400) -> list[str]:
    """Split the text at sentence ends and line breaks; a piece without an end is cut by length."""
    found: list[str] = []
    for part in _END.split(text):
        rest, start = part.strip(), 0
        while len(rest) - start > longest:
            cut = rest.rfind(" ", start + longest // 2, start + longest)
            cut = cut if cut > 0 else start + longest
            found.append(rest[start:cut].strip())
            start = cut
            while rest[start].isspace():  # never runs past the end: the last character is not a space
                start += 1
        if start < len(rest):
            found.append(rest[start:])
    return found


def _coarse(parts: Sequence[str], least: int = 200) -> list[str]:
    """Join short sentences with their neighbours, so that a book of tiny sentences is not half a million parts."""
    found: list[str] = []
    group, held = list[str](), 0
    for part in parts:
        group.append(part)
        held += len(part) + 1
        if held > least:
            found.append(" ".join(group))
            group, held = [], 0
    return [*found, " ".join(group)] if group else found


def _terms(text: str) -> set[str]:
    terms: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if _CJK.search(word):
            terms.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            terms.add(word[:6])  # a crude stem: endings differ, the fact does not
    return terms


def select_evidence(passage: str, claim: str, *, budget: int = 800) -> str:
    """Return the sentences of the passage that share most with the claim, in order, at most ``budget`` characters."""
    if len(passage) <= budget:
        return passage
    parts = sentences(passage) if len(passage) <= COARSE else _coarse(sentences(passage))
    wanted = _terms(claim)
    terms = [((found := _terms(part)) & wanted, len(found)) for part in parts]
    spread = Counter(term for shared, _ in terms for term in shared)
    weight = {term: math.log(1 + len(parts) / n) for term, n in spread.items()}
    # summed in a fixed order: the order of a set differs between processes
    direct = [sum(weight[term] for term in sorted(shared)) / (4 + count) ** 0.5 for shared, count in terms]
    # the neighbour of a matching sentence often completes it
    score = [
        own + 0.25 * max(direct[max(0, i - 1)], direct[min(len(direct) - 1, i + 1)]) for i, own in enumerate(direct)
    ]
    chosen: list[int] = []
    used = 0
    for i in sorted(range(len(parts)), key=lambda i: -score[i]):
        if used + len(parts[i]) > budget and chosen:
            continue
        chosen.append(i)
        used += len(parts[i]) + 1
        if used >= budget:
            break
    return " ".join(parts[i] for i in sorted(chosen))
