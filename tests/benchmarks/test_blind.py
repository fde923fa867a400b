"""The sealed halves are the files that were sealed, and the table counts what came out right."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from benchmarks.blind.__main__ import table
from benchmarks.blind.judged import PARTS

BLIND = Path(__file__).parents[2] / "benchmarks" / "blind"


def _text(row: dict[str, Any]) -> object:
    if "source" in row:
        return row["source"], row["claim"]
    if "steps" in row:
        return json.dumps(row["steps"])
    return row.get("text") or row.get("answer") or json.dumps({**row, "id": "", "twin": ""}, sort_keys=True)


@pytest.mark.parametrize("part", sorted(PARTS))
def test_the_sealed_half_is_as_it_was_sealed_and_shares_nothing_with_the_other(part: str) -> None:
    sealed = BLIND / part / "sealed.jsonl"
    others = sorted((BLIND / part).glob("dev*.jsonl"), key=str)
    if not sealed.exists():  # opened too often: it is a half for development now
        sealed = others.pop(0)
    assert hashlib.sha256(sealed.read_bytes()).hexdigest() in (BLIND / part / "SEAL.md").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in sealed.read_text(encoding="utf-8").splitlines()]
    ids = {row["id"] for row in rows}
    assert len(ids) == len(rows)
    assert all(row["twin"] in ids for row in rows if row.get("twin")), "a twin is in the same half"
    texts = {_text(row) for row in rows}
    assert others
    for line in (line for other in others for line in other.read_text(encoding="utf-8").splitlines()):
        text = _text(json.loads(line))
        assert len(str(text)) <= 12 or text not in texts  # "ja" is everybody's word


def test_the_table_counts_by_kind_and_language_and_shows_the_baseline() -> None:
    items = [
        {"id": "a", "kind": "takeover", "lang": "de", "label": "attack"},
        {"id": "b", "kind": "general", "lang": "de", "label": "harmless"},
        {"id": "c", "kind": "general", "lang": "fr", "label": "harmless"},
    ]
    judged = [("attack", "harmless"), ("attack", "harmless"), ("harmless", "harmless")]
    lines = table("injection", items, judged).splitlines()
    assert "| all attack | 1 | 1.00 | 0.21–1.00 | 0.00 |" in lines
    assert "| harmless: general | 2 | 0.50 | 0.09–0.91 | 1.00 |" in lines
    assert "| harmless in fr | 1 | 1.00 | 0.21–1.00 | 1.00 |" in lines
    assert lines[-1].endswith("attack → attack 1, harmless → attack 1, harmless → harmless 1")


def test_every_kind_of_danger_counts_as_dangerous() -> None:
    items = [{"id": "a", "kind": "legal", "lang": "de", "label": "legal"}]
    assert "| all dangerous | 1 | 1.00 |" in table("danger", items, [("dangerous", "harmless")])
