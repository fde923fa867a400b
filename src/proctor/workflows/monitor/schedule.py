"""Run the due entries of the schedule, one after the other, and record what came of each."""

from __future__ import annotations

import asyncio
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from proctor.config import Config
from proctor.core.codec import content_id
from proctor.core.errors import ProctorError
from proctor.core.schedule_record import EntryResult, ScheduleRecord
from proctor.monitor.periods import period_with
from proctor.report.safe_text import one_line
from proctor.store.lock import locked_file
from proctor.store.schedule_state import ScheduleState
from proctor.text.spans import span_seconds
from proctor.workflows.monitor.digest_settings import digest_settings
from proctor.workflows.monitor.schedule_entries import ScheduleEntry
from proctor.workflows.monitor.scheduled_measures import MEASURES, MeasureContext, limited, needs_met

__all__ = ["EntryState", "entry_states", "run_entry"]

_SLACK = timedelta(minutes=10)  # tolerance for cron's start times
_RETRY_PART = 10  # a failed entry is due again after this part of its period
_SUMMARY_CHARS = 300
_GRACE_SECONDS = 30
_MAIN = "from proctor.cli.main import main; main()"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryState:
    """One entry, its newest execution, and when it is due: ``wait`` is none if it is, ``missing`` why it cannot run."""

    entry: ScheduleEntry
    last: ScheduleRecord | None = None
    done: ScheduleRecord | None = None
    wait: timedelta | None = None
    missing: str = ""

    @property
    def is_due(self) -> bool:
        """Whether it is to run now."""
        return self.wait is None and not self.missing


def entry_states(
    config: Config, state: ScheduleState, entries: Sequence[ScheduleEntry], now: datetime
) -> Iterator[EntryState]:
    """Yield the state of each entry, read when it is asked for: an entry may need what the one before it has made.

    One that was killed is due again at once; one that failed, after a tenth of its period.
    """
    zone = digest_settings(config).time_zone
    for entry in entries:
        last, done = state.last(entry.name), state.last(entry.name, finished=True)
        is_killed = last is not None and last.finished is None
        yield EntryState(
            entry=entry,
            last=last,
            done=done,
            wait=None if is_killed else _wait(entry, done, now, zone),
            missing=needs_met(config, entry),
        )


def run_entry(
    context: MeasureContext, state: ScheduleState, entry: ScheduleEntry, clock: Callable[[], datetime]
) -> EntryResult:
    """Execute one entry and record its result; a failure is a result too.

    Raises:
        KeyboardInterrupt: it was interrupted; it stays without an end, and so is due again.
        StoreError: the state cannot be written.
    """
    number = state.begin(entry.name, clock())
    try:
        result = _command(context.config, entry) if entry.run else asyncio.run(_measured(context, entry))
    except ProctorError as error:
        result = EntryResult(code=error.exit_code or 2, summary=one_line(str(error), _SUMMARY_CHARS))
    except (OSError, ValueError, RuntimeError, ArithmeticError, LookupError, TypeError) as error:
        # A defect in one entry must not stop the others; it is a failure with its type named.
        result = EntryResult(code=2, summary=one_line(f"{type(error).__name__}: {error}", _SUMMARY_CHARS))
    state.finish(number, clock(), result)
    return result


async def _measured(context: MeasureContext, entry: ScheduleEntry) -> EntryResult:
    return limited(entry, await MEASURES[entry.measure](context, entry))


def _command(config: Config, entry: ScheduleEntry) -> EntryResult:
    """Run a command of Proctor in a process of its own; its error or its last line is the summary.

    The process holds a lock, so that one which outlives a killed schedule is not started a second time beside itself.
    """
    with locked_file(config.store / "locks" / f"schedule-{content_id(entry.name, length=10)}.lock") as lock:
        if lock is None:
            return EntryResult(code=2, summary=f"`proctor {entry.run}` of an earlier schedule is still at work")
        return _ended(config, entry, lock)


def _ended(config: Config, entry: ScheduleEntry, lock: int) -> EntryResult:
    chosen = ["--config", str(config.path)] if config.path else []
    with subprocess.Popen(  # noqa: S603 - the words are the project's own, and the program is this one
        [sys.executable, "-c", _MAIN, *chosen, *shlex.split(entry.run)],
        cwd=config.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        pass_fds=(lock,),
    ) as child:
        try:
            told, _ = child.communicate(timeout=span_seconds(entry.timeout) if entry.timeout else None)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGINT)  # a run stops cleanly, and can be resumed
            try:
                child.communicate(timeout=_GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
            return EntryResult(code=2, summary=f"`proctor {entry.run}` took longer than {entry.timeout}")
        except BaseException:
            child.terminate()
            raise
    lines = [line.strip() for line in told.splitlines() if line.strip()]
    code = child.returncode if child.returncode in (0, 1, 2, 3, 130) else 2
    return EntryResult(code=code, summary=one_line(_summary(lines), _SUMMARY_CHARS) or f"`proctor {entry.run}`")


def _summary(lines: Sequence[str]) -> str:
    """Return the error with all that follows it, so that its reason is not lost behind its hint; else the last line."""
    begin = next((place for place, line in enumerate(lines) if line.lower().startswith("error: ")), -1)
    return " ".join(lines[begin:])


def _wait(entry: ScheduleEntry, done: ScheduleRecord | None, now: datetime, zone: tzinfo) -> timedelta | None:
    """Return the time until an entry is due; none if it is due."""
    if done is None or done.started > now + _SLACK:  # started by a clock that was wrong
        return None
    every = timedelta(seconds=entry.seconds)
    if done.result.code in (2, 130):
        every /= _RETRY_PART
    elif entry.calendar is not None:
        current = period_with(entry.calendar, now.astimezone(zone).date(), zone)
        return None if done.started < current.begin else current.end - now
    left = done.started + every - now.astimezone(UTC)
    return left if left > min(_SLACK, every / 10) else None
