from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor.config import Config, open_config
from proctor.core.errors import InputError, NotFoundError
from proctor.store.comparisons import ComparisonStore
from proctor.store.runs import RunStore
from proctor.workflows.release.gate import GateRequest, compare_run
from proctor.workflows.release.side_by_side import is_quick, keep_pair, kept_pair, main, open_pair, view_of_pair
from tests.store.recorded_runs import add_run, result


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "proctor.yaml").write_text("{}\n", encoding="utf-8")
    return open_config(tmp_path)


@pytest.fixture
def store(config: Config) -> Iterator[RunStore]:
    names = [f"c{number:02}" for number in range(20)]
    with RunStore(config.store) as made:
        add_run(made, "old", [result(name) for name in names])
        add_run(made, "new", [result(name, "fail" if name < "c08" else "pass") for name in names])
        both = [result(name, target=target) for name in names[:3] for target in ("left", "right")]
        add_run(made, "both", both)
        add_run(made, "open", [result("c00")], is_finished=False)
        yield made


def test_the_kept_figures_are_those_of_the_command(config: Config, store: RunStore) -> None:
    pair = open_pair(config, store, "old", "new")
    assert is_quick(pair)
    assert kept_pair(config, pair) is None
    keep_pair(config, store, pair)
    kept = kept_pair(config, pair)
    assert kept is not None
    assert kept.kinds == {"newly failing": 8}
    command = asyncio.run(compare_run(config, store, GateRequest(run="new", baseline="old")))
    assert view_of_pair(kept).changes == command.changes
    with ComparisonStore(config.store) as kept_ones:
        first = kept_ones.changes(kept)[0]
    assert (first.case_id, first.was_outcome, first.outcome, first.was, first.now) == ("c00", "pass", "fail", 1.0, 0.2)
    assert (first.was_key, first.key, first.reason) == (1, 1, "fail: factual_accuracy of c00")


def test_a_child_process_keeps_the_same(
    config: Config, store: RunStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("os.nice", lambda _: 0)
    main([str(tmp_path / "proctor.yaml"), "old", "new", "assistant", "assistant"])
    kept = kept_pair(config, open_pair(config, store, "old", "new"))
    assert kept is not None
    assert kept.kinds == {"newly failing": 8}
    main([str(tmp_path / "proctor.yaml"), "old", "gone", "", ""])  # tells the log, and ends


def test_two_targets_of_one_run_are_a_pair_and_a_run_is_not_compared_with_itself(
    config: Config, store: RunStore
) -> None:
    pair = open_pair(config, store, "both", "both")
    assert (pair.was_target, pair.target) == ("right", "left")
    keep_pair(config, store, pair)
    assert kept_pair(config, pair) is not None
    with pytest.raises(InputError, match="same as itself"):
        open_pair(config, store, "old", "old")
    with pytest.raises(NotFoundError, match="no target"):
        open_pair(config, store, "old", "new", target="nobody")
    with pytest.raises(InputError, match="is running"):
        open_pair(config, store, "open", "new")


def test_a_failure_is_kept_with_its_reason(config: Config, store: RunStore, tmp_path: Path) -> None:
    pair = open_pair(config, store, "old", "new")
    (tmp_path / "gate.yaml").write_text("alpha: 7\n", encoding="utf-8")
    keep_pair(config, store, pair)
    kept = kept_pair(config, pair)
    assert kept is not None
    assert kept.problem
