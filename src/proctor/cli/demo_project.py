"""The project of `proctor serve --demo`: what a user would have done in six weeks, done by the same commands."""

from __future__ import annotations

import asyncio
import contextlib
import io
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.resources import as_file, files
from pathlib import Path
from time import monotonic
from typing import Final

from proctor.config import Config, open_config
from proctor.core.errors import ProctorError, StoreError

__all__ = ["DEMO_COMMANDS", "fill_demo", "is_demo", "write_demo"]

_BEGUN: Final = timedelta(days=3)
_DONE: Final = "demo-is-filled"  # in the store; a demo that was interrupted is not used again

# Each is called with the demo's project. Failing runs are a part of it: the exit codes do not count. MONTH is the last
# one that has begun some days ago.
DEMO_COMMANDS: Final = (
    "run golden -t v1_0 -q",
    "bless last",
    "run golden -t v1_1 -q --trigger prompt_change",
    "gate last -q",
    "run golden -t v1_0 -q --trigger schedule",
    "gate last -q",
    "run ticket-tags.prompty -m rule:tagger.py:tag --light -q",
    "redteam run desk -q",
    "redteam retest desk --guarded --after 'gates before and after the model' -q",
    "calibrate fit --labels score/grounded -o calibration.json",
    "calibrate check --labels score/grounded --keep",
    "digest weekly --light --keep",
    "drift --month MONTH --labels score/grounded --questions 200 --light --keep",
)


# Seconds of each step and of a call of each verb on two cores. Only their proportions count: what is left is
# estimated from how long the steps before took on this machine.
_GUARD_SECONDS, _TRAFFIC_SECONDS, _AUDIT_SECONDS = 6.0, 8.0, 1.8
_VERB_SECONDS: Final[Mapping[str, float]] = {
    "run": 0.6,
    "bless": 0.1,
    "gate": 0.1,
    "redteam": 2.6,
    "calibrate": 1.8,
    "digest": 4.5,
    "drift": 2.3,
}


def is_demo(folder: Path) -> bool:
    """Return whether a folder has the project of a demo that was filled to the end."""
    return (folder / ".proctor" / _DONE).exists()


def write_demo(folder: Path) -> Config:
    """Write the files of the project into a new folder; return its settings.

    Raises:
        StoreError: the folder cannot be written.
    """
    try:
        with as_file(files("proctor.cli") / "template" / "demo_month") as template:
            shutil.copytree(template, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    except OSError as error:
        raise StoreError(f"cannot be written: {error.strerror}", file=str(error.filename or folder)) from error
    return open_config(folder)


def fill_demo(
    config: Config, *, days: int = 45, commands: tuple[str, ...] = DEMO_COMMANDS, tell: Callable[[str], None] = print
) -> None:
    """Fill the store of the demo: traffic, alerts, decisions of the gates, audits, then runs and a campaign.

    Raises:
        StoreError: the store cannot be written.
    """
    from proctor.monitor.simulation.traffic_truth import TrafficTruth  # noqa: PLC0415 - verbs load what they use
    from proctor.workflows.demo.demo_audit import fill_audit  # noqa: PLC0415
    from proctor.workflows.demo.demo_guard import fill_guard  # noqa: PLC0415
    from proctor.workflows.demo.demo_traffic import DemoTraffic, fill_traffic  # noqa: PLC0415

    now = datetime.now(UTC)
    truth = TrafficTruth()
    seconds = [_VERB_SECONDS.get(line.partition(" ")[0], 1.0) for line in commands]
    steps = _Steps([_GUARD_SECONDS, _TRAFFIC_SECONDS, _AUDIT_SECONDS, *seconds], tell)
    guarded = asyncio.run(fill_guard(config, now, _questions(), days=min(days, 30)))
    steps.done(f"{guarded.decisions} decisions of the gates")
    count = fill_traffic(config, now, DemoTraffic(days=days), truth=truth, guarded=guarded)
    steps.done(f"{count:,} simulated events of the last {days} days")
    steps.done(f"{fill_audit(config, now, truth.conversations):,} ratings of two people")
    month = f"{now - _BEGUN:%Y-%m}"
    for written in commands:
        line = written.replace("MONTH", month)
        _called(config, shlex.split(line))
        steps.done(f"proctor {line}")
    (config.store / _DONE).touch(mode=0o600)


@dataclass(slots=True)
class _Steps:
    """Reports each step that is done, and how long the others will take at the pace of those before."""

    seconds: Sequence[float]  # of each step on two cores
    tell: Callable[[str], None]
    begun: float = field(default_factory=monotonic)
    count: int = 0

    def done(self, what: str) -> None:
        self.count += 1
        spent, left = sum(self.seconds[: self.count]), sum(self.seconds[self.count :])
        pace = (monotonic() - self.begun) / spent
        estimate = f", about {max(1, round(left * pace))} s left" if left else f", {monotonic() - self.begun:.0f} s"
        self.tell(f"{self.count:>2} of {len(self.seconds)}  {what}{estimate}")


def _questions() -> list[str]:
    from proctor.monitor.simulation.travel_desk import travel_desk  # noqa: PLC0415

    return [
        text.replace("{item}", topic.items[0]).replace("{number}", "LT-1004")
        for intent in travel_desk().intents
        for topic in intent.topics
        for several in topic.asks.values()
        for text in several
    ]


def _called(config: Config, words: list[str]) -> None:
    """Call a command as a user would, without its output."""
    from proctor.cli.main import cli  # noqa: PLC0415 - it is loaded already

    with contextlib.chdir(config.folder), _quiet():
        try:
            cli.main(
                args=["-c", str(config.path), *words], prog_name="proctor", standalone_mode=False,
                obj=config.environment,
            )  # fmt: skip
        except ProctorError as error:
            raise StoreError(f"`proctor {' '.join(words)}` of the demo failed: {error.message}") from error


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield
