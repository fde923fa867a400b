"""The entries of the schedule: the evaluation methodology as defaults, changed under ``schedule:`` in proctor.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from proctor.config import Config
from proctor.core.decode import closest, decode
from proctor.core.digest import PeriodKind
from proctor.core.errors import MalformedError, Problem
from proctor.text.spans import span_seconds
from proctor.wiring.settings_section import placed_in

__all__ = ["DEFAULT_ENTRIES", "ScheduleEntry", "entries_of"]

Needs = Literal["events", "gates", "campaigns", "suite", "alerts", "nothing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleEntry:
    """One evaluation that is repeated.

    ``measure`` names a built-in one; ``run`` is a command line of Proctor without its first word, for example ``run
    golden``. ``unit`` is what is evaluated, ``metric`` how. ``least`` and ``most`` limit the first figure: beyond them
    the exit code is 1. ``send`` sends a digest through the channels. ``timeout`` ends a command. An entry of a
    ``calendar`` is due once in each day, week or month; one without is due when ``every`` is over.
    """

    name: str
    every: str
    unit: str = ""
    metric: str = ""
    measure: str = ""
    run: str = ""
    needs: Needs = "nothing"
    asks: bool = False
    calendar: PeriodKind | None = None
    least: float | None = None
    most: float | None = None
    send: bool = False
    timeout: str = ""

    @property
    def seconds(self) -> float:
        """The length of ``every``."""
        return span_seconds(self.every)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """What proctor.yaml may say of an entry; ``on`` switches it."""

    SHORTHAND = "every"

    every: str | None = None
    on: bool = True
    run: str | None = None
    least: float | None = None
    most: float | None = None
    send: bool | None = None
    timeout: str | None = None

    def __post_init__(self) -> None:
        for name in ("every", "timeout"):
            text = getattr(self, name)
            if text is None:
                continue
            try:
                long = span_seconds(text)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
            if long <= 0:
                raise ValueError(f"{name} must be longer than nothing, not {text}")


# The methodology table of the specification document, then what the monitoring stack adds.
DEFAULT_ENTRIES: tuple[ScheduleEntry, ...] = (
    ScheduleEntry(
        name="generation_quality",
        every="1 h",
        unit="single turn, sampled",
        metric="entailment, similarity and other scores",
        measure="scores",
        needs="events",
    ),
    ScheduleEntry(
        name="retrieval",
        every="1 week",
        unit="single turn",
        metric="precision@k against labels",
        run="run retrieval",
        needs="suite",
        asks=True,
    ),
    ScheduleEntry(
        name="consistency",
        every="1 week",
        calendar="weekly",
        unit="trajectory, turn pairs, sampled",
        metric="entailment across turns",
        measure="consistency",
        needs="events",
    ),
    ScheduleEntry(
        name="completion",
        every="1 day",
        calendar="daily",
        unit="conversation",
        metric="24 h repeat contact rate",
        measure="completion",
        needs="events",
    ),
    ScheduleEntry(
        name="escalations",
        every="1 day",
        calendar="daily",
        unit="escalation",
        metric="breakdown by cause",
        measure="escalations",
        needs="events",
    ),
    ScheduleEntry(
        name="input_gate",
        every="1 h",
        unit="every turn",
        metric="injection block rate, F1 of PII detection",
        measure="input_gate",
        needs="gates",
    ),
    ScheduleEntry(
        name="output_gate",
        every="1 h",
        unit="every turn",
        metric="hallucination flag rate, policy violation rate",
        measure="output_gate",
        needs="gates",
    ),
    ScheduleEntry(
        name="red_team",
        every="13 weeks",
        unit="attack corpus",
        metric="success rate by severity",
        run="redteam run",
        needs="campaigns",
        asks=True,
    ),
    ScheduleEntry(
        name="audit",
        every="1 week",
        calendar="weekly",
        unit="100 random conversations",
        metric="correctness, completeness, tone, efficiency",
        measure="audit",
        needs="events",
    ),
    ScheduleEntry(
        name="calibration",
        every="1 week",
        calendar="weekly",
        unit="confidence buckets",
        metric="expected calibration error",
        measure="calibration",
        needs="events",
    ),
    ScheduleEntry(
        name="drift",
        every="30 days",
        calendar="monthly",
        unit="all conversations",
        metric="shift of intents, new topics, calibration drift",
        measure="drift",
        needs="events",
    ),
    ScheduleEntry(
        name="score_floors",
        every="1 h",
        unit="windows of scores",
        metric="a score under its floor for N windows",
        measure="score_floors",
        needs="events",
    ),
    ScheduleEntry(
        name="alert_queue",
        every="1 day",
        calendar="daily",
        unit="high alerts",
        metric="items for review",
        measure="alert_queue",
        needs="alerts",
    ),
    ScheduleEntry(
        name="daily_digest",
        every="1 day",
        calendar="daily",
        unit="a day",
        metric="digest",
        measure="daily",
        needs="events",
    ),
    ScheduleEntry(
        name="weekly_digest",
        every="1 week",
        calendar="weekly",
        unit="a week",
        metric="digest",
        measure="weekly",
        needs="events",
    ),
    ScheduleEntry(
        name="monthly_digest",
        every="30 days",
        calendar="monthly",
        unit="a month",
        metric="digest",
        measure="monthly",
        needs="events",
    ),
)


def entries_of(config: Config) -> dict[str, ScheduleEntry]:
    """Return the entries in force by name.

    Raises:
        MalformedError: an entry is unknown or wrong; all problems are listed.
    """
    found = {entry.name: entry for entry in DEFAULT_ENTRIES}
    problems: list[Problem] = []
    for name, written in config.settings.schedule.items():
        try:
            said = _decoded(written)
        except MalformedError as error:
            problems += [each.under("schedule", name) for each in error.problems]
            continue
        if not said.on:
            if found.pop(name, None) is None:
                problems.append(_unknown(name))
        elif name in found:
            found[name] = _changed(found[name], said)
        elif said.run and said.every:
            found[name] = _changed(ScheduleEntry(name=name, every=said.every, metric=said.run), said)
        else:
            problems.append(_unknown(name))
    if problems:
        raise placed_in(config.path, problems)
    return found


def _decoded(written: Any) -> _Written:
    if isinstance(written, bool):
        return _Written(on=written)
    if isinstance(written, str) and written.casefold() in ("on", "off"):
        return _Written(on=written.casefold() == "on")
    if not isinstance(written, str | Mapping):
        raise MalformedError([Problem((), f"expected a length of time, on, off or settings, found {written!r}", "")])
    return decode(_Written, written, strict=True)


def _changed(entry: ScheduleEntry, said: _Written) -> ScheduleEntry:
    given = {name: getattr(said, name) for name in ("every", "run", "least", "most", "send", "timeout")}
    entry = replace(entry, **{name: value for name, value in given.items() if value is not None}, asks=False)
    if said.every is not None:
        entry = replace(entry, calendar=None)
    # A command of the project's own replaces a built-in measurement, and needs nothing that the built-in one does.
    return replace(entry, measure="", needs="nothing") if said.run else entry


def _unknown(name: str) -> Problem:
    known = [entry.name for entry in DEFAULT_ENTRIES]
    guess = closest(name, known)
    hint = f"did you mean {guess!r}? " if guess else f"known: {', '.join(known)}; "
    return Problem(("schedule", name), "there is no such entry", f"{hint}or give it `every:` and `run:`")
