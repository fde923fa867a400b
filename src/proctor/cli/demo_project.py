"""The project of `proctor serve --demo`: what a user would have done in six weeks, done by the same commands."""

from __future__ import annotations

import asyncio
import contextlib
import io
import shlex
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from importlib.resources import as_file, files
from pathlib import Path
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
    guarded = asyncio.run(fill_guard(config, now, _questions(), days=min(days, 30)))
    tell(f"{guarded.decisions} decisions of the gates")
    count = fill_traffic(config, now, DemoTraffic(days=days), truth=truth, guarded=guarded)
    tell(f"{count:,} simulated events of the last {days} days")
    tell(f"{fill_audit(config, now, truth.conversations):,} ratings of two people")
    month = f"{now - _BEGUN:%Y-%m}"
    for written in commands:
        line = written.replace("MONTH", month)
        tell(f"proctor {line}")
        _called(config, shlex.split(line))
    (config.store / _DONE).touch(mode=0o600)


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
