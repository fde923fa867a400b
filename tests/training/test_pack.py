"""Packed files hold what they should: written rows go in, rows without a clear licence never do."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")

from training.data import read, written
from training.pairs import changed_claims

from training import pack

PARTS = ["injection", "nli", "silver", "distil", "grounding", "judge", "everyday", "intents", "more"]


@cache
def _rows(part: str) -> list[dict[str, Any]]:
    """The rows of a part, made once: the public data is the same for every test."""
    return pack.injection_rows(extra=400) if part == "injection_rows" else getattr(pack, part)()


def injection() -> list[dict[str, Any]]:
    return _rows("injection_rows")


def texts(rows: list[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


@pytest.mark.slow  # packs everything twice
def test_every_part_is_written_once_and_the_same_each_time(
    public: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for name in ("one", "two"):
        monkeypatch.setattr(sys, "argv", ["pack", str(tmp_path / name), "--extra", "200"])
        pack.main()
        made.append({part: read(tmp_path / name / f"{part}.jsonl.gz") for part in PARTS})
    assert made[0] == made[1]
    assert all(made[0][part] for part in PARTS)


@pytest.mark.parametrize("part", ["everyday", "intent_rows"])
def test_a_part_is_the_same_each_time(public: Path, part: str) -> None:
    assert getattr(pack, part)() == _rows(part)


@pytest.mark.parametrize("part", ["injection_rows", "nli_rows", "everyday", "intent_rows", "distil_rows"])
def test_rows_without_a_clear_licence_never_appear(public: Path, part: str) -> None:
    found = texts(_rows(part))
    assert "oklicence" in found.lower()
    assert "nclicence" not in found.lower()
    assert "unklicence" not in found.lower()


def test_changed_claims_come_from_cleared_passages_only(public: Path) -> None:
    found = texts(changed_claims())
    assert "oklicence" in found
    assert "nclicence" not in found
    assert "unklicence" not in found


def test_grounding_rows_say_whether_they_may_be_trained_on(public: Path) -> None:
    # those that may not are measured only, so they stay in the file
    found = _rows("grounding_rows")
    assert {r["ok"] for r in found} == {True, False}
    assert all(r["ok"] == ("oklicence" in r["h"]) for r in found)


def test_written_rows_go_in(public: Path) -> None:
    own = [r for r in injection() if r["src"] == "written"]
    assert [r["label"] for r in own] == [r["label"] for r in written("injection")]
    assert all((r["cat_id"] >= 0) == bool(r["label"]) and r["part"] == "train" for r in own)
    assert sum(r["src"] == "written" for r in _rows("nli_rows")) == sum(1 for _ in written("nli"))
    intents = [r for r in _rows("intent_rows") if r["src"] == "written"]
    assert sum(r["part"] == "train" for r in intents) == sum(1 for _ in written("intent_safety"))
    assert sum(r["part"] == "heldout" for r in intents) == sum(1 for _ in written("intent_safety", "heldout"))


def test_held_out_injections_are_not_trained_on(public: Path) -> None:
    held = {r["text"] for r in written("injection", "heldout")}
    assert not held & {r["text"] for r in injection()}


def test_what_the_test_sets_hold_is_left_out(public: Path) -> None:
    found = injection()
    assert not any(r["text"].lower() == "oklicence000 where is my new card" for r in found)
    assert any(r["text"] == "oklicence001 where is my new card" for r in found)
    assert not any(r["p"] == "oklicence train man 0 plays a guitar" and r["h"].startswith("Person 0 ")
                   for r in _rows("nli_rows"))  # fmt: skip


def test_everyday_messages_are_not_those_of_the_held_out_part(public: Path) -> None:
    held = {r["text"] for r in injection() if r["part"] == "dev" and r["src"] in pack.SUPPORT}
    assert held
    assert not held & {r["text"] for r in _rows("everyday")}
