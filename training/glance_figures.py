"""Says what the reader's first look lets pass, and what of the reader's finds is lost with it: tables in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from training.figures import share

__all__ = ["figures"]

KINDS = {"private": "person or address", "other": "place or organisation", "danger": "dangerous intent"}
SUPPORT = ("banking77", "bitext", "clinc150")


def figures(held: Sequence[dict[str, Any]], passed: np.ndarray) -> list[str]:
    """Two tables: what passes by source, and what is lost by kind, language and source."""
    out = [
        "",
        "| source (test rows) | n | hold something, says the reader | pass the first look |",
        "|---|---|---|---|",
    ]
    sources = sorted({row["src"] for row in held if row["part"] == "test"})
    for name in sorted(sources, key=lambda s: (s not in SUPPORT, s)):
        mine = _where(held, lambda r, name=name: r["src"] == name and r["part"] == "test")  # type: ignore[misc]
        something = np.mean([held[i]["something"] for i in mine])
        out.append(f"| {name} | {len(mine)} | {something:.3f} | {passed[mine].mean():.3f} |")
    out += ["", "| found by the reader, held out | source | language | n | lost |", "|---|---|---|---|---|"]
    for kind, words in KINDS.items():
        out.append(_line(f"**{words}**", "all", "all", held, passed, lambda r, k=kind: r[k]))  # type: ignore[misc]
        groups = sorted({(row["src"], row["lang"].split("-")[0]) for row in held if row[kind]})
        for src, lang in groups:
            line = _line(words, src, lang, held, passed, _is(kind, src, lang))
            if int(line.split("|")[4]) >= 20:
                out.append(line)
    return out


def _is(kind: str, src: str, lang: str) -> Callable[[dict[str, Any]], bool]:
    return lambda row: bool(row[kind]) and row["src"] == src and row["lang"].split("-")[0] == lang


def _line(
    what: str,
    src: str,
    lang: str,
    held: Sequence[dict[str, Any]],
    passed: np.ndarray,
    wanted: Callable[[dict[str, Any]], bool],
) -> str:
    mine = _where(held, wanted)
    return f"| {what} | {src} | {lang} | {len(mine)} | {share(int(passed[mine].sum()), len(mine))} |"


def _where(held: Sequence[dict[str, Any]], wanted: Callable[[dict[str, Any]], bool]) -> np.ndarray:
    return np.array([i for i, row in enumerate(held) if wanted(row)], int)
