"""Measure a period in a process of its own, so that a server goes on answering; the report is kept in the store."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, Literal

from proctor.config import Config, open_config
from proctor.core.codec import dumps, loads
from proctor.core.decode import decode
from proctor.core.digest import PeriodKind
from proctor.core.errors import InputError, MalformedError, ProctorError
from proctor.monitor.periods import last_period, parse_period
from proctor.store.lock import is_held, only_one
from proctor.store.masked_json import masked_line
from proctor.store.private_files import replace_private
from proctor.workflows.monitor.digest_settings import digest_settings
from proctor.workflows.monitor.kept_reports import MEASURED_FOLDER, keep_calibration, keep_digest, keep_drift

__all__ = ["MeasureProgress", "MeasureTask", "checked_task", "main", "measure", "measure_progress", "start_measure"]

_log = logging.getLogger(__name__)
_NICENESS: Final = 10  # receiving and answering go first
_LOCK: Final = "measure.lock"
_STATE: Final = "state.json"
_PROGRAM: Final = "import sys; from proctor.workflows.monitor.measure_process import main; main(sys.argv[1:])"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureTask:
    """What to measure: a digest of a period, the drift of a month, or calibration with some labels.

    Without ``labels`` those of the settings are taken.
    """

    what: Literal["digest", "drift", "calibration"]
    kind: PeriodKind = "monthly"
    period: str = ""
    labels: str = ""

    @property
    def words(self) -> str:
        """The task in words."""
        if self.what == "digest":
            return f"the {self.kind} digest of {self.period}"
        return f"the drift of {self.period}" if self.what == "drift" else f"calibration by {self.labels}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureProgress:
    """The last task: whether it still runs, and why it failed, if it did."""

    task: MeasureTask
    started: float
    finished: float | None = None
    failure: str = ""
    is_running: bool = False


def checked_task(config: Config, task: MeasureTask, now: datetime | None = None) -> MeasureTask:
    """Return the task with the name of its period: without one, the last that is over.

    Raises:
        InputError: the period has no such name, or there are no events.
    """
    from proctor.workflows.monitor.event_source import EventSource  # noqa: PLC0415 - a server starts without it

    EventSource.of(config)
    settings = digest_settings(config)
    zone = settings.time_zone
    task = replace(task, labels=task.labels or settings.calibration)
    if task.what == "calibration":
        return task
    kind: PeriodKind = task.kind if task.what == "digest" else "monthly"
    try:
        if not task.period:
            return replace(task, period=last_period(kind, now or datetime.now(UTC), zone).name)
        return replace(task, period=parse_period(kind, task.period, zone).name)
    except ValueError as error:
        raise InputError(str(error), field="period") from None


def start_measure(config: Config, task: MeasureTask) -> MeasureTask:
    """Start to measure in the background; one task at a time.

    Raises:
        InputError: another task runs, the period has no such name, or there are no events.
        StoreError: the store cannot be written.
    """
    task = checked_task(config, task)
    running = measure_progress(config)
    if running is not None and running.is_running:
        raise InputError(f"{running.task.words} is being measured", hint="wait until it is done")
    _note(config, MeasureProgress(task=task, started=time.time()))
    command = [sys.executable, "-c", _PROGRAM, str(config.path or ""), dumps(task).decode()]
    process = subprocess.Popen(  # noqa: S603 - our own program
        command,
        cwd=config.folder,
        env=dict(config.environment.values),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    threading.Thread(target=process.wait, daemon=True, name="measure").start()  # no zombie is left
    return task


def measure_progress(config: Config) -> MeasureProgress | None:
    """Return what was measured last in the background; ``None`` if nothing was."""
    folder = config.store / MEASURED_FOLDER
    try:
        known = decode(MeasureProgress, loads((folder / _STATE).read_bytes()))
    except (OSError, ValueError, MalformedError):
        return None
    if known.finished is not None:
        return known
    # The process needs a moment before it holds the lock.
    running = is_held(folder / _LOCK) is True or time.time() - known.started < 5.0
    failure = "" if running else "it was stopped before its end"
    return replace(known, is_running=running, failure=known.failure or failure)


async def measure(config: Config, task: MeasureTask) -> None:
    """Measure and keep the report.

    Raises:
        ProctorError: nothing can be measured; the message says why.
    """
    # Only the child loads what measures: a server that shows pages stays small.
    from proctor.workflows.monitor.confidence_pairs import PairQuestion  # noqa: PLC0415
    from proctor.workflows.monitor.digest import DigestJob, digest_of  # noqa: PLC0415
    from proctor.workflows.monitor.drift import DriftJob, drift_of  # noqa: PLC0415
    from proctor.workflows.monitor.kept_calibration import measure_kept_calibration  # noqa: PLC0415

    if task.what == "digest":
        keep_digest(config, await digest_of(config, DigestJob(kind=task.kind, name=task.period)))
    elif task.what == "drift":
        light = digest_settings(config).light
        pairs = PairQuestion(labels=task.labels or "audit")
        keep_drift(config, await drift_of(config, DriftJob(month=task.period, light=light, pairs=pairs)))
    else:
        keep_calibration(config, await measure_kept_calibration(config, task.labels or "audit"))


def main(words: list[str]) -> None:
    """Run as the child."""
    os.nice(_NICENESS)
    path, written = words
    config = open_config(path or None)
    task = decode(MeasureTask, loads(written))
    with only_one(config.store / MEASURED_FOLDER / _LOCK) as is_free:
        if not is_free:
            return
        begun = MeasureProgress(task=task, started=time.time())
        _note(config, begun)
        failure = ""
        try:
            asyncio.run(measure(config, task))
        except ProctorError as error:
            failure = f"{error.message} ({error.hint})" if error.hint else error.message
        except Exception as error:
            _log.exception("%s failed", task.words)
            failure = f"it failed: {type(error).__name__}"
        _note(config, replace(begun, finished=time.time(), failure=failure))


def _note(config: Config, progress: MeasureProgress) -> None:
    replace_private(config.store / MEASURED_FOLDER / _STATE, masked_line(loads(dumps(progress))))
