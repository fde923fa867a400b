"""Raise an alert when a score of production stays under its floor for several windows in a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from proctor.config import Config
from proctor.core.event_row import EventRow
from proctor.core.verdict import Severity
from proctor.monitor.period_figures import ScoreCounts
from proctor.release.floors import Floor, Floors
from proctor.release.measures import ALL
from proctor.release.trend import Alarm, TrendPoint, alarms
from proctor.stats.two_samples import Moments
from proctor.text.spans import span_seconds
from proctor.wiring.settings_section import read_section
from proctor.workflows.release.baseline import policy_of

__all__ = [
    "FloorSettings",
    "FloorState",
    "floor_notes",
    "floor_settings",
    "floors_of",
    "history_begin",
    "score_alarms",
    "score_windows",
]

_MAX_CELLS = 100_000  # figures of windows in memory
_MAX_EXAMPLES = 3
_HISTORY = 12  # windows that are read to find how long a figure has been under its floor


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorSettings:
    """Floors of production scores under ``monitor: {floors: …}``.

    ``by_intent`` are floors by intent and score, as under ``floors:`` of gate.yaml, which apply where nothing is
    written here; ``all`` is over all intents, ``default`` every intent that is not named. ``window`` is the length of
    one window, ``consecutive`` how many in a row must be under the floor, ``fewest`` how many scores a window needs to
    count, ``tier`` that of the alert.
    """

    by_intent: Mapping[str, Mapping[str, Floor]] = field(default_factory=dict)
    window: str = "1 day"
    consecutive: int | None = None
    fewest: int = 10
    tier: Severity = "high"

    def __post_init__(self) -> None:
        if self.seconds < 60:
            raise ValueError(f"window must be at least 1 min, not {self.window}")
        if self.consecutive is not None and self.consecutive < 1:
            raise ValueError(f"consecutive must be at least 1, not {self.consecutive}")
        if self.fewest < 1:
            raise ValueError(f"fewest must be at least 1, not {self.fewest}")

    @property
    def seconds(self) -> float:
        """The length of a window."""
        return span_seconds(self.window)


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorState:
    """The windows that were read, the figures in them, and the alarms.

    ``thin`` counts figures of windows with too few scores. ``fresh`` are intent and score of the figures that were
    measured in the last windows: only these can be good again. ``worst`` are the conversations with the lowest
    scores, by window, intent and score.
    """

    points: tuple[TrendPoint, ...]
    alarms: tuple[Alarm, ...]
    floors: Floors
    scores: int = 0
    thin: int = 0
    fresh: frozenset[tuple[str, str]] = frozenset()
    worst: Mapping[tuple[str, str, str], tuple[str, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class _Window:
    """The scores of one window: their moments, and the conversations with the lowest."""

    values: Moments = field(default_factory=Moments)
    worst: list[tuple[float, str]] = field(default_factory=list)

    def add(self, row: EventRow) -> None:
        assert row.value is not None
        self.values.add(row.value)
        if row.session:
            self.worst = sorted([*self.worst, (row.value, row.session)])[:_MAX_EXAMPLES]


def floor_settings(config: Config) -> FloorSettings:
    """Return the settings of the project.

    Raises:
        MalformedError: a setting is unknown or wrong.
    """
    return read_section(config, ("monitor", "floors"), FloorSettings, config.settings.monitor.floors or {})


def floors_of(config: Config, settings: FloorSettings | None = None) -> tuple[Floors, int]:
    """Return the floors of production, and how many windows in a row must be under one by default.

    Raises:
        InputError: the release policy or a setting is invalid.
    """
    settings = settings or floor_settings(config)
    policy, _ = policy_of(config, None)
    names = dict.fromkeys((*policy.floors, *settings.by_intent))
    merged = {name: {**policy.floors.get(name, {}), **settings.by_intent.get(name, {})} for name in names}
    return Floors(by_intent=merged), settings.consecutive or policy.consecutive


def score_windows(rows: Iterable[EventRow], settings: FloorSettings, now: datetime) -> FloorState:
    """Return the mean of each score in each whole window, by intent and over all; without alarms.

    Windows are aligned to the clock. The one that is not over yet is left out.
    """
    length = settings.seconds
    end = now.timestamp() // length * length
    cells: dict[tuple[float, str, str], _Window] = {}
    count = 0
    for row in rows:
        if row.kind != "score" or not row.name or row.value is None or not 0.0 <= row.value <= 1.0 or row.time >= end:
            continue
        count += 1
        window = row.time // length * length
        for intent in (ALL, row.intent) if row.intent else (ALL,):
            key = (window, intent, row.name)
            if key in cells or len(cells) < _MAX_CELLS:
                cells.setdefault(key, _Window()).add(row)
    found = {
        key: TrendPoint(
            run=_window_name(key[0], length),
            created=datetime.fromtimestamp(key[0], UTC),
            suite="production",
            intent=key[1],
            dimension=key[2],
            value=window.values.mean,
            cases=window.values.count,
        )
        for key, window in sorted(cells.items())
    }
    kept = {key: point for key, point in found.items() if point.cases >= settings.fewest}
    worst = {
        (point.run, point.intent, point.dimension): tuple(dict.fromkeys(session for _, session in cells[key].worst))
        for key, point in kept.items()
    }
    return FloorState(
        points=tuple(kept.values()),
        alarms=(),
        floors=Floors(by_intent={}),
        scores=count,
        thin=len(found) - len(kept),
        worst=worst,
    )


def score_alarms(config: Config, rows: Iterable[EventRow], now: datetime) -> FloorState:
    """Return the figures that were under their floor in enough windows in a row, up to the last whole window.

    Raises:
        InputError: the release policy or a setting is invalid.
    """
    settings = floor_settings(config)
    floors, consecutive = floors_of(config, settings)
    found = score_windows(rows, settings, now)
    standing = alarms(found.points, floors, consecutive=consecutive)
    recent = now - timedelta(seconds=settings.seconds * 2)
    # A figure without scores in the last windows is silent, not bad: that is for a rule of absence.
    fresh = frozenset(
        (point.intent, point.dimension) for point in found.points if point.created and point.created >= recent
    )
    kept = tuple(alarm for alarm in standing if (alarm.intent, alarm.dimension) in fresh)
    return replace(found, alarms=kept, floors=floors, fresh=fresh)


def history_begin(settings: FloorSettings, floors: Floors, consecutive: int, now: datetime) -> datetime:
    """Return the time from which scores are read: enough windows for the longest streak that a floor asks for."""
    longest = max(
        [floor.consecutive or consecutive for each in floors.by_intent.values() for floor in each.values()] or [1]
    )
    return now - timedelta(seconds=settings.seconds * (longest + _HISTORY))


def floor_notes(config: Config, scores: Mapping[str, ScoreCounts]) -> Iterator[str]:
    """Yield each score whose mean over the period is under its floor over all intents."""
    if not scores:
        return
    floors, _ = floors_of(config)
    for name, counts in sorted(scores.items()):
        floor = floors.of(ALL, name)
        if floor is not None and counts.values.count and counts.values.mean < floor.least:
            yield f"{name} is under its floor of {floor.least:g}: {counts.values.mean:.3f}"


def _window_name(begin: float, length: float) -> str:
    time = datetime.fromtimestamp(begin, UTC)
    return f"{time:%Y-%m-%d}" if length >= 86_400 else f"{time:%Y-%m-%d %H:%M}"
