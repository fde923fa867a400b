"""Measure task completion from event logs: what customers came for, and whether they got it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor.config import Config, settings_text
from proctor.core.codec import dumps
from proctor.core.errors import ConfigError, MalformedError, Problem
from proctor.core.task import Task, TaskCompletion
from proctor.monitor.completion import TaskWatch, in_utc
from proctor.monitor.completion_figures import CompletionFigures
from proctor.monitor.completion_rules import CompletionRules, read_rules
from proctor.report.formats import whole_or_nothing
from proctor.wiring.local_models import local_model
from proctor.wiring.settings_section import placed_in
from proctor.workflows.monitor.event_source import EventSource

__all__ = ["CompletionJob", "completion_of", "rules_of"]

_LATER = "left out, as dated later than now: {:,}; check the clock and the time zone of who sent them"
Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionJob:
    """The events to read and the options. ``tasks`` is an output file with one JSON line per task.

    The project's own log is read up to ``now`` (default: the clock) or ``until``, whichever is later.
    """

    events: EventSource
    rules: CompletionRules
    until: datetime | None = None
    light: bool = False
    tasks: Path | None = None
    now: datetime | None = None


async def completion_of(job: CompletionJob) -> TaskCompletion:
    """Read the events once in order of time, and count.

    Raises:
        InputError: a log cannot be read, or an event in it is wrong.
        StoreError: the file of tasks cannot be written.
    """
    watch = TaskWatch(job.rules, None if job.light else local_model("embedder"))
    figures = CompletionFigures(job.rules)
    end, later = job.events.end(job.now or datetime.now(UTC), job.until), 0
    with ExitStack() as stack:
        out = stack.enter_context(whole_or_nothing(job.tasks)) if job.tasks else None

        def keep(done: Sequence[Task]) -> None:
            figures.add(done)
            if out is not None:
                out.writelines(dumps(task).decode() + "\n" for task in done)

        for placed in job.events.read(late=job.rules.lateness):
            if end is not None and in_utc(placed.event.time) > end:
                later += 1
                continue
            try:
                done = await watch.add(placed.event)
            except ValueError as error:
                problem = Problem((), str(error), "see the event log in docs/operations.md", placed.line)
                raise MalformedError([problem], file=placed.file) from None
            keep(done)
        keep(watch.finish(job.until))
    table = figures.table(watch)
    return replace(table, notes=(*table.notes, _LATER.format(later))) if later else table


def rules_of(config: Config, named: Path | None) -> CompletionRules:
    """Return the rules of a file, or those under ``completion:`` and ``intents:`` of proctor.yaml.

    Raises:
        ConfigError: the file that was named is not there, or is no YAML.
        MalformedError: a rule is unknown or wrong; all of them are listed.
    """
    if named is not None:
        if not named.is_file():
            raise ConfigError("there is no such file", file=str(named), hint="check the path of the rules")
        data = _data_of(named)
        inside = ("completion",) if isinstance(data, Mapping) and set(data) == {"completion"} else ()
        return _read(data["completion"] if inside else data, named, lambda path: (*inside, *path))
    given = dict(config.settings.completion)
    listed = given.get("intents") or {}
    named_there = dict(listed) if isinstance(listed, Mapping) else {}  # other types are rejected by the decoder
    own = {name: intent.completion for name, intent in config.settings.intents.items() if intent.completion}
    if own and isinstance(listed, Mapping):
        given["intents"] = {**own, **named_there}

    def place(path: Place) -> Place:
        """Return where a rule is in the file: under its intent, or under ``completion:``."""
        if len(path) > 1 and path[0] == "intents" and path[1] in own and path[1] not in named_there:
            return ("intents", path[1], "completion", *path[2:])
        return ("completion", *path)

    return _read(given, config.path, place)


def _read(data: Any, path: Path | None, place: Callable[[Place], Place]) -> CompletionRules:
    try:
        return read_rules(data)
    except MalformedError as error:
        raise placed_in(path, [replace(each, path=place(each.path)) for each in error.problems]) from None


def _data_of(path: Path) -> Any:
    from proctor.prompts.yaml_text import read_yaml  # noqa: PLC0415 - costs 40 ms

    return read_yaml(settings_text(path), file=str(path), error=ConfigError)
