"""Shards as tasks of a Ray cluster: the one at an address, or one that is started on this machine."""

from __future__ import annotations

import os
from typing import Any

from proctor.core.errors import ConfigError
from proctor.workflows.batch.batch_job import BatchJob, ShardEnd, ShardTask

__all__ = ["RayCluster"]

_OBJECT_STORE_BYTES = 80_000_000  # the smallest that Ray takes: tasks pass a few hundred bytes
_QUEUED_PER_CPU = 2  # tasks waiting for a processor tell an autoscaler to add nodes


class RayCluster:
    """Runs shards as Ray tasks, one processor each.

    Ray's own retries are off: a dead worker is reported, and the batch decides. The output folder must be the same
    shared folder on every node.
    """

    def __init__(self, job: BatchJob, *, address: str | None = None, workers: int | None = None) -> None:
        try:
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # noqa: TID251 - Ray reads it when it is imported
            import ray  # noqa: PLC0415 - an extra, and more than a second
        except ImportError:
            hint = "install it: pip install 'proctor[ray]', or leave `--on ray` out"
            raise ConfigError("Ray is not installed", hint=hint) from None
        self._ray: Any = ray
        self._started = not ray.is_initialized()
        if self._started:
            _connect(ray, address, workers)
        self._workers = workers if address else None
        self._job = ray.put(job)
        self._run = ray.remote(num_cpus=1, max_retries=0)(_run_shard)
        self._tasks: dict[Any, ShardTask] = {}

    @property
    def slots(self) -> int:
        """How many shards may be under way or queued at once."""
        found = int(self._ray.cluster_resources().get("CPU", 1))
        return self._workers or max(1, found * _QUEUED_PER_CPU)

    def submit(self, task: ShardTask) -> None:
        """Queue a shard."""
        self._tasks[self._run.remote(self._job, task)] = task

    def wait(self, seconds: float) -> list[ShardEnd]:
        """Return the shards that have ended, waiting this long for one."""
        if not self._tasks:
            return []
        done, _ = self._ray.wait(list(self._tasks), num_returns=1, timeout=seconds)
        return [self._ended(each) for each in done]

    def close(self) -> None:
        """Drop the shards under way; stop the cluster if this process started it, else disconnect."""
        for each in self._tasks:
            self._ray.cancel(each, force=True)
        self._tasks.clear()
        if self._started:
            self._ray.shutdown()

    def _ended(self, reference: Any) -> ShardEnd:
        task = self._tasks.pop(reference)
        try:
            end: ShardEnd = self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            told = str(error).strip().splitlines()
            reason = f"the worker died: {type(error).__name__}: {told[0] if told else ''}"[:300]
            return ShardEnd(task=task, kind="died", reason=reason)
        return end


def _connect(ray: Any, address: str | None, workers: int | None) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    try:
        if address:
            ray.init(address=address, **quiet)
        else:
            ray.init(
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                object_store_memory=_OBJECT_STORE_BYTES,
                **quiet,
            )
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        where = f"at {address}" if address else "on this machine"
        told = str(error).strip().splitlines()
        hint = (
            "check the address of the cluster" if address else "run without `--on ray`; `ray start --head` tells more"
        )
        raise ConfigError(f"Ray could not be reached {where}: {told[0] if told else error}", hint=hint) from error


def _run_shard(job: BatchJob, task: ShardTask) -> ShardEnd:
    from proctor.workflows.batch.score_shard import run_shard  # noqa: PLC0415 - imported by the worker

    return run_shard(job, task)
