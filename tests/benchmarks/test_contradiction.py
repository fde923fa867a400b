from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import contradiction


def _write(path: Path, rows: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(f"{path}.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    pairs = [
        {"premise": f"I love {thing}.", "hypothesis": f"I hate {thing}.", "label": "contradiction"}
        for thing in ("tea", "rain", "trains", "chess", "dogs", "opera", "snow", "golf", "cats", "jazz", "bread", "tax")
    ]
    _write(tmp_path / "contradiction/decode_pairs", pairs)
    _write(tmp_path / "quality/topicalchat_usr/topical_chat", [{"source": "I like tea \n me too \n I drink it daily"}])
    turns = [{"role": "SYSTEM", "text": text} for text in ("Have you seen the film?", "It is a very good one")]
    _write(tmp_path / "satisfaction/uss/redial", [{"turns": turns}])
    return tmp_path


def test_all_four_lines_are_printed_for_the_held_out_half(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["contradiction", "--data", str(data), "--count", "6"])
    assert contradiction.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert len([line for line in lines if line.startswith(("| embedded NLI", "| ours"))]) == 4
    assert "pairs held out of 12" in lines[0]


def test_pairs_with_one_later_turn_are_in_one_half() -> None:
    def row(one: str) -> contradiction.Row:
        return contradiction.Row(one=one, two="I hate tea.", kind="DECODE", nli=0.1, argmax=False, ours=0.2)

    assert row("I love tea.").tuning == row("Tea is my favourite.").tuning
