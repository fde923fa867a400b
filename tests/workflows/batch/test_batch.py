"""Batches on a local pool, with real processes that are really killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config, load_config, read_environment
from proctor.core.errors import InputError
from proctor.suites.conversations.shards import plan_shards
from proctor.workflows.batch.batch import BatchOutcome, BatchProgress, BatchRequest, read_batch, score_batch
from proctor.workflows.batch.batch_job import BatchJob, ShardTask
from proctor.workflows.batch.score_shard import run_shard
from tests.tables import table
from tests.workflows.batch.logs import children, scores_in, until, write_logs

PROGRAM = [sys.executable, "-c", "from proctor.cli.main import main; main()", "batch", "score"]


def batch(folder: Path, out: str = "out", *, files: str = "in/*", told: list[str] | None = None, **more: Any) -> Any:
    job = {name: more.pop(name) for name in ("scorers", "light", "suite") if name in more}
    made = BatchJob(out=str(folder / out), folder=str(folder), **{"scorers": ("pii_shown",), **job})
    request = BatchRequest(patterns=(files,), job=made, **{"workers": 2, **more})
    progress = BatchProgress(warned=(told if told is not None else []).append)
    config: Config = load_config(None, read_environment(folder), start=folder)
    outcome: BatchOutcome = score_batch(config, request, progress)
    return outcome


def test_a_batch_goes_on_where_it_stopped_and_names_what_it_cannot_read(tmp_path: Path) -> None:
    write_logs(tmp_path / "in", 3, 4)
    (tmp_path / "in" / "torn.jsonl").write_text('{"id": "a", "messages": [}\n')
    (tmp_path / "in" / "empty.jsonl").touch()
    told: list[str] = []
    first = batch(tmp_path, told=told)
    assert (first.shards, first.finished, first.tally.counts.total) == (5, 3, 12)
    assert [each.shard for each in first.broken] == ["empty.jsonl", "torn.jsonl"]
    assert "torn.jsonl:1" in first.broken[1].reason
    assert any("empty.jsonl" in line for line in told)
    assert first.decision == "unjudged"  # what was not scored has not passed
    assert first.tally.intents["order_status"].passed == 12
    assert read_batch(tmp_path / "out") == first

    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out/scores").iterdir()}
    (tmp_path / "in" / "torn.jsonl").write_text((tmp_path / "in" / "log0.jsonl").read_text())
    (tmp_path / "in" / "empty.jsonl").unlink()
    write_logs(tmp_path / "more", 1, 2)
    (tmp_path / "in" / "log1.jsonl").write_text((tmp_path / "more" / "log0.jsonl").read_text())  # has changed
    second = batch(tmp_path)
    assert (second.finished, second.broken, second.decision) == (4, (), "passed")
    after = {path: path.stat().st_mtime_ns for path in before}
    assert {path.name for path in before if before[path] != after[path]} == {"log1.jsonl.scores.jsonl"}
    assert second.tally.counts.total == 4 + 2 + 4 + 4
    assert not list((tmp_path / "out").rglob("*.part"))


def test_scores_of_an_older_input_never_count_as_those_of_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_logs(tmp_path / "in", 1, 4)
    batch(tmp_path, workers=1)
    write_logs(tmp_path / "in", 1, 2)
    (shard,) = plan_shards([tmp_path / "in/log0.jsonl"], root=tmp_path / "in").shards
    job = BatchJob(out=str(tmp_path / "out"), folder=str(tmp_path), scorers=("pii_shown",))
    replace = Path.replace

    def full(path: Path, goal: Path) -> Path:
        if goal.name.endswith(".scores.jsonl"):
            raise OSError(28, "No space left on device")
        return replace(path, goal)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        assert run_shard(job, ShardTask(shard=shard)).kind == "broken"
    again = batch(tmp_path, workers=1)
    assert again.tally.counts.total == 2
    assert len(scores_in(tmp_path / "out")["scores/log0.jsonl.scores.jsonl"].splitlines()) == 2


def test_each_line_has_the_id_the_outcome_and_the_scores(tmp_path: Path) -> None:
    write_logs(tmp_path / "in", 1, 2)
    batch(tmp_path, workers=1)
    (file,) = (tmp_path / "out/scores").iterdir()
    assert file.stat().st_mode & 0o077 == 0
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["c0-0", "c0-1"]
    assert rows[0]["outcome"] == "pass"
    assert rows[0]["scores"][0]["name"] == "pii_shown"
    assert not {"started", "duration", "trajectory"} & set(rows[0])  # what differs between runs, or is the input


def test_a_folder_is_of_one_set_of_scorers(tmp_path: Path) -> None:
    write_logs(tmp_path / "in", 1, 1)
    batch(tmp_path, workers=1)
    with pytest.raises(InputError, match="other scorers"):
        batch(tmp_path, scorers=("commitments",))


@table(
    ("more", "wrong"),
    [
        ({"files": "in/*.parquet"}, "no file fits"),
        ({"files": "nothing.jsonl"}, "no such file"),
        ({"scorers": ("pii_show",)}, "pii_shown"),
        ({"scorers": ("judge",)}, "judge"),
    ],
)
def test_wrong_input_is_told_before_anything_is_scored(tmp_path: Path, more: dict[str, Any], wrong: str) -> None:
    write_logs(tmp_path / "in", 1, 1)
    with pytest.raises(InputError) as error:
        batch(tmp_path, **more)
    assert wrong in str(error.value)
    assert not (tmp_path / "out" / "scores").exists()


def test_the_range_of_a_large_file_gives_the_same_rows(tmp_path: Path) -> None:
    write_logs(tmp_path / "in", 1, 40)
    batch(tmp_path, "whole", workers=1)
    split = batch(tmp_path, "split", shard_bytes=3000)
    assert split.shards > 2
    assert b"".join(scores_in(tmp_path / "split").values()) == b"".join(scores_in(tmp_path / "whole").values())


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of logs that take seconds, and what a batch without an accident makes of them."""
    folder = tmp_path_factory.mktemp("batch")
    write_logs(folder / "in", 4, 12)
    batch(folder, workers=1, scorers=("conversation",), light=True)
    return folder


def start(folder: Path, out: str, *more: str) -> subprocess.Popen[bytes]:
    words = ["in/*.jsonl", "--scorers", "conversation", "--light", "-o", out, "--workers", "2", "-q", *more]
    return subprocess.Popen([*PROGRAM, *words], cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.PIPE)


def drafts(folder: Path, out: str) -> list[Path]:
    return list((folder / out / "scores").glob(".*.part"))


def test_a_killed_worker_loses_and_doubles_nothing(undisturbed: Path) -> None:
    with start(undisturbed, "worker") as running:
        until(lambda: drafts(undisturbed, "worker"))
        os.kill(children(running.pid, "spawn_main")[0], signal.SIGKILL)
        _, told = running.communicate(timeout=300)
        assert running.returncode in (0, 1)
    assert b"the worker process died (signal SIGKILL); it is scored again" in told
    assert scores_in(undisturbed / "worker") == scores_in(undisturbed / "out")
    assert read_batch(undisturbed / "worker").retried == 1


def test_a_killed_batch_ends_its_workers_and_is_resumed(undisturbed: Path) -> None:
    with start(undisturbed, "killed") as running:
        until(lambda: list((undisturbed / "killed" / "scores").glob("log*")))
        workers = children(running.pid, "spawn_main")
        running.kill()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    done = {path: path.stat().st_mtime_ns for path in (undisturbed / "killed" / "scores").glob("log*")}
    batch(undisturbed, "killed", workers=1, scorers=("conversation",), light=True)
    assert all(path.stat().st_mtime_ns == before for path, before in done.items())
    assert scores_in(undisturbed / "killed") == scores_in(undisturbed / "out")
    assert not drafts(undisturbed, "killed")


def test_one_interrupt_finishes_the_shards_under_way(undisturbed: Path) -> None:
    with start(undisturbed, "stopped", "--workers", "1") as running:
        until(lambda: drafts(undisturbed, "stopped"))
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=300)
        assert running.returncode == 130
    assert b"run the same command to go on" in told
    assert 1 <= len(scores_in(undisturbed / "stopped")) < 4


def test_two_batches_do_not_write_one_folder(undisturbed: Path) -> None:
    with start(undisturbed, "twice", "--workers", "1") as running:
        until(lambda: drafts(undisturbed, "twice"))
        with pytest.raises(InputError, match="still running"):
            batch(undisturbed, "twice", scorers=("conversation",), light=True)
        running.kill()


@pytest.mark.slow
def test_ray_writes_the_same_bytes_also_when_a_worker_is_killed(undisturbed: Path) -> None:
    pytest.importorskip("ray")
    with start(undisturbed, "ray", "--on", "ray") as running:
        until(lambda: drafts(undisturbed, "ray"))
        found = children(running.pid, "ray::_run_shard")
        os.kill(found[0], signal.SIGKILL)
        _, told = running.communicate(timeout=300)
        assert running.returncode in (0, 1), told
    assert b"it is scored again" in told
    assert scores_in(undisturbed / "ray") == scores_in(undisturbed / "out")


def test_ray_is_imported_only_when_asked_for(tmp_path: Path) -> None:
    code = "import sys, proctor.cli.batch, proctor.workflows.batch.batch; sys.exit('ray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False).returncode == 0


def test_without_ray_the_hint_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    write_logs(tmp_path / "in", 1, 1)
    with pytest.raises(InputError, match="Ray is not installed") as error:
        batch(tmp_path, on="ray")
    assert "proctor[ray]" in str(error.value)
