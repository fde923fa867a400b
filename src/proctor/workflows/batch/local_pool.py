"""Worker processes on this machine. One that dies is replaced, and its shard is known."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from proctor.workflows.batch.batch_job import BatchJob, ShardEnd, ShardTask

__all__ = ["LocalPool"]


class _Worker:
    """A process with a pipe, and the shard it works on."""

    def __init__(self, context: Any, job: BatchJob) -> None:
        ours, theirs = context.Pipe()
        self.pipe: Connection = ours
        self.process: BaseProcess = context.Process(target=_work, args=(theirs, job), daemon=True)
        self.process.start()
        theirs.close()
        self.task: ShardTask | None = None

    def stop(self) -> None:
        self.pipe.close()
        self.process.terminate()
        self.process.join(5)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class LocalPool:
    """Runs shards in ``workers`` processes. Each is started when there is work for it."""

    def __init__(self, job: BatchJob, workers: int) -> None:
        self._job = job
        self._most = workers
        self._context = multiprocessing.get_context("spawn")  # models run threads, which a fork would not copy
        self._workers: list[_Worker] = []
        self._ended: deque[ShardEnd] = deque()

    @property
    def slots(self) -> int:
        """How many shards may be under way at once."""
        return self._most

    def submit(self, task: ShardTask) -> None:
        """Give a shard to an idle worker; the caller keeps to ``slots``."""
        idle = next((each for each in self._workers if each.task is None), None)
        if idle is None:
            idle = _Worker(self._context, self._job)
            self._workers.append(idle)
        idle.task = task
        try:
            idle.pipe.send(task)
        except OSError:  # it died while idle
            self._bury(idle)

    def wait(self, seconds: float) -> list[ShardEnd]:
        """Return the shards that have ended, waiting this long for one."""
        busy = {each.pipe: each for each in self._workers if each.task is not None}
        if not self._ended:
            # A dead process closes its end of the pipe, which wakes the wait as a message does.
            for ready in wait(list(busy), timeout=seconds):
                worker = busy[ready]  # type: ignore[index]
                try:
                    self._ended.append(worker.pipe.recv())
                    worker.task = None
                except (EOFError, OSError):
                    self._bury(worker)
        found = list(self._ended)
        self._ended.clear()
        return found

    def close(self) -> None:
        """End the workers; shards under way are dropped."""
        for worker in self._workers:
            worker.stop()
        self._workers.clear()

    def _bury(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.process.join(5)
        code = worker.process.exitcode
        told = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
        if worker.task is not None:
            reason = f"the worker process died ({told})"
            self._ended.append(ShardEnd(task=worker.task, kind="died", reason=reason))
        worker.stop()


def _work(pipe: Connection, job: BatchJob) -> None:
    """Score shards until the pipe is closed; end at once if the parent process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from proctor.workflows.batch.score_shard import run_shard  # noqa: PLC0415 - loads scorers

    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(run_shard(job, task))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
