"""Alert rules from the settings: what each counts, over which window, who is told; wrong ones are errors at start."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal, get_args

from proctor.core.decode import closest, decode
from proctor.core.errors import MalformedError, Problem
from proctor.core.event import EventKind
from proctor.core.verdict import Severity
from proctor.text.spans import SPAN_HINT, span_seconds

__all__ = ["DEFAULT_RULES", "AlertRule", "Dimension", "RuleKind", "RuleSettings", "opportunity_of", "rules_of"]

RuleKind = Literal["rate", "p95", "in_a_row", "absence", "lag"]
Dimension = Literal["intent", "model", "version", "source"]
Measure = Literal["latency", "cost"]
_KINDS: Final[tuple[RuleKind, ...]] = get_args(RuleKind)
_EVENT_KINDS: Final[tuple[str, ...]] = get_args(EventKind)
_DAY: Final = 86_400.0
_FAMILIES: Final = ("error", "escalation", "gate", "finding", "score", "outcome", "csat")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSettings:
    """One rule under `alerts: {rules: …}`: exactly one of the first five says what it watches.

    ``rate``: signals whose share grows (``score/grounded``, ``gate/injection``). ``p95``: ``latency`` or ``cost``.
    ``in_a_row``: signals that come ``count`` times in a row. ``absence``: a kind of event, or a signal's events, that
    stop. ``lag``: how late events may arrive here. ``of`` are the kinds of events that the share is of, ``by`` gives
    every intent, model, version or source a chart of its own, ``where`` selects some events. ``window`` is the time in
    which a rate rule should find a spike, the window of a quantile, or how long nothing may come. ``limit`` is that of
    the quantile; without it, ``times`` the usual quantile. ``least`` is the smallest number of events to judge from.
    ``hold`` is how long it must last, ``remind`` after how long people are told again.
    """

    rate: str | tuple[str, ...] | None = None
    p95: Measure | None = None
    in_a_row: str | tuple[str, ...] | None = None
    absence: str | None = None
    lag: str | None = None
    tier: Severity = "high"
    of: tuple[EventKind, ...] = ()
    by: Dimension | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    window: str | None = None
    limit: str | float | None = None
    times: float | None = None
    count: int | None = None
    least: int | None = None
    hold: str | None = None
    remind: str | None = None
    runbook: str | None = None
    channels: tuple[str, ...] = ()


# Fields that only some kinds of rules use.
_USED_BY: Final[Mapping[str, tuple[RuleKind, ...]]] = {
    "of": ("rate", "in_a_row"),
    "by": ("rate", "in_a_row", "p95"),
    "window": ("rate", "p95", "absence", "lag"),
    "limit": ("p95",),
    "times": ("p95",),
    "count": ("in_a_row",),
    "least": ("p95", "absence", "lag"),
}
# Shortest and longest window, and the default, in seconds.
_WINDOWS: Final[Mapping[RuleKind, tuple[float, float, float]]] = {
    "rate": (60.0, _DAY, 300.0),
    "p95": (60.0, _DAY, 300.0),
    "in_a_row": (0.0, _DAY, 0.0),
    "absence": (60.0, 7 * _DAY, 600.0),
    "lag": (30.0, 3600.0, 120.0),
}
_LEAST: Final[Mapping[RuleKind, int]] = {"rate": 0, "p95": 100, "in_a_row": 0, "absence": 30, "lag": 20}


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRule:
    """One rule with all its values; times are in seconds. ``false_alarms`` is its share of a week's false pages."""

    name: str
    kind: RuleKind
    tier: Severity = "high"
    signals: tuple[str, ...] = ()
    measure: Measure = "latency"
    of: tuple[str, ...] = ()
    by: Dimension | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    window: float = 300.0
    limit: float | None = None
    times: float = 1.5
    count: int = 5
    least: int = 0
    hold: float = 0.0
    remind: float | None = None
    runbook: str = ""
    channels: tuple[str, ...] = ()
    false_alarms: float = 0.25


DEFAULT_RULES: Final[Mapping[str, Mapping[str, Any]]] = {
    "hallucination": {"rate": ["score/grounded", "gate/citations", "gate/grounding"], "tier": "critical"},
    "injection": {"rate": "gate/injection", "tier": "critical"},
    "escalation": {"rate": "escalation", "tier": "high"},
    "latency": {"p95": "latency", "tier": "critical"},
    "no_traffic": {"absence": "turn", "tier": "critical"},
    "ingest_lag": {"lag": "2 min", "tier": "critical"},
}
_REMIND: Final[Mapping[str, float | None]] = {"critical": 900.0, "high": _DAY, "medium": None, "low": None}


def rules_of(
    written: Mapping[str, Any],
    *,
    known: Collection[str] = (),
    false_pages: float = 1.0,
    file: str | None = None,
    channels: Collection[str] | None = None,
) -> tuple[AlertRule, ...]:
    """Return the default rules, changed and completed by those of the settings; `NAME: off` removes one.

    ``known`` are the signals that can come here; with none, every well-formed name is accepted. ``false_pages`` is how
    many pages a week without a cause all rules together may give.

    Raises:
        MalformedError: a rule is wrong: every one is named with its field.
    """
    problems: list[Problem] = []
    if not (math.isfinite(false_pages) and 0 < false_pages <= 1000):
        problems.append(Problem(("alerts", "false_pages"), f"must be more than 0 a week, not {false_pages:g}"))
    made: list[AlertRule] = []
    for name, value in {**DEFAULT_RULES, **written}.items():
        path = ("alerts", "rules", name)
        if value is False or value == "off":
            if name not in DEFAULT_RULES:
                problems.append(Problem(path, "there is no such rule to switch off", _meant(name)))
            continue
        try:
            merged = _merged(name, value)
            settings = decode(RuleSettings, merged, strict=True)
        except MalformedError as error:
            problems += [each.under(*path) for each in error.problems]
            continue
        wrong = [*_wrong(name, settings, known, channels)]
        problems += [Problem((*path, place), message, hint) for place, message, hint in wrong]
        if not wrong:
            made.append(_rule(name, settings))
    if problems:
        raise MalformedError(problems, file=file)
    sharing = sum(rule.kind in ("rate", "p95") for rule in made)
    return tuple(replace(rule, false_alarms=false_pages / max(1, sharing)) for rule in made)


def opportunity_of(signal: str, of: tuple[str, ...] = ()) -> tuple[frozenset[str], str | None]:
    """Return the kinds of events that a signal can come with, and the name they must have, if any.

    A failed score can come with every score of that name; a stop by a gate with every turn and gate decision; an
    outcome with every outcome.
    """
    family, _, name = signal.partition("/")
    if of:
        return frozenset(of), name if of == ("score",) and name else None
    if family == "score":
        return frozenset({"score"}), name
    if family in ("gate", "finding"):
        return frozenset({"turn", "gate"}), None
    return frozenset({family if family in ("csat", "outcome") else "turn"}), None


def _merged(name: str, value: Any) -> Any:
    """Complete a default rule that is written in part: `latency: {limit: 8 s}`."""
    default = DEFAULT_RULES.get(name)
    if default is None or not isinstance(value, Mapping) or any(kind in value for kind in _KINDS):
        return value
    return {**default, **value}


def _meant(name: str) -> str:
    guess = closest(name, DEFAULT_RULES)
    return f"did you mean `{guess}`?" if guess else f"the default rules are {', '.join(DEFAULT_RULES)}"


def _wrong(
    rule: str, settings: RuleSettings, known: Collection[str], channels: Collection[str] | None
) -> Iterator[tuple[str, str, str | None]]:
    kinds = [kind for kind in _KINDS if getattr(settings, kind) is not None]
    if len(kinds) != 1:
        found = f"found {' and '.join(kinds)}" if kinds else "found none"
        # Only a default rule may be written in part.
        yield "rate", f"a rule has exactly one of {', '.join(_KINDS)}; {found}", None if kinds else _meant(rule)
        return
    kind = kinds[0]
    default = {each.name: each.default for each in fields(RuleSettings)}
    for name, users in _USED_BY.items():
        if kind not in users and getattr(settings, name) not in (default[name], ()):
            yield name, f"means nothing in a rule with `{kind}`", f"only with {', '.join(users)}"
    for signal in _signals(settings, kind):
        yield from _wrong_signal(kind, signal, known)
    if kind == "absence":
        yield from _wrong_source(settings.absence or "", known)
    yield from _wrong_spans(settings, kind)
    yield from _wrong_numbers(settings, kind)
    for name in settings.where:
        if name not in get_args(Dimension):
            yield "where", f"cannot select by {name!r}", f"one of {', '.join(get_args(Dimension))}"
    for name in settings.channels:
        if channels is not None and name not in channels:
            guess = closest(name, channels)
            yield "channels", f"there is no channel {name!r}", f"did you mean {guess!r}?" if guess else None


def _signals(settings: RuleSettings, kind: RuleKind) -> tuple[str, ...]:
    value = getattr(settings, kind) if kind in ("rate", "in_a_row") else ()
    return (value,) if isinstance(value, str) else tuple(value)


def _wrong_signal(kind: str, signal: str, known: Collection[str]) -> Iterator[tuple[str, str, str | None]]:
    family, _, name = signal.partition("/")
    if family not in _FAMILIES:
        guess = closest(signal, [*known, *_FAMILIES])
        hint = f"did you mean {guess!r}?" if guess else f"a signal begins with one of {', '.join(_FAMILIES)}"
        yield kind, f"unknown signal {signal!r}", hint
    elif known and signal not in known and family not in ("finding", "outcome"):
        guess = closest(signal, known)
        hint = f"did you mean {guess!r}? " if guess else ""
        what = {"score": "score", "gate": "gate"}.get(family, "signal")
        yield (
            kind,
            f"unknown {what} {name or signal!r}",
            f"{hint}if a sender uses it: `alerts: {{signals: [{signal}]}}`",
        )
    elif family in ("score", "gate", "finding", "outcome", "csat") and not name:
        yield kind, f"{family!r} needs a name", f"write {family}/NAME"


def _wrong_source(source: str, known: Collection[str]) -> Iterator[tuple[str, str, str | None]]:
    if source not in _EVENT_KINDS and "/" not in source:
        guess = closest(source, _EVENT_KINDS)
        hint = f"did you mean {guess!r}?" if guess else f"one of {', '.join(_EVENT_KINDS)}, or a score: score/NAME"
        yield "absence", f"there is no kind of event {source!r}", hint
    elif "/" in source:
        yield from _wrong_signal("absence", source, known)


def _wrong_spans(settings: RuleSettings, kind: RuleKind) -> Iterator[tuple[str, str, str | None]]:
    for name in ("window", "hold", "remind", "lag"):
        value = getattr(settings, name)
        if value is None:
            continue
        seconds = _seconds(value)
        if seconds is None:
            yield name, f"expected {SPAN_HINT}, found {value!r}", None
        elif name == "window":
            low, high, _ = _WINDOWS[kind]
            if not low <= seconds <= high:
                yield (
                    name,
                    f"a window of {value} cannot work: a rule with `{kind}` needs {low:g} s to {high:g} s",
                    "events are counted by the minute" if seconds < low else "use a digest or `drift` for longer times",
                )
        elif name == "lag" and not 1 <= seconds <= _DAY:
            yield name, f"a lag of {value} cannot be watched", "from 1 s to 1 day"
        elif name == "remind" and seconds < 60:
            yield name, "reminders are at least a minute apart", None
    if kind == "p95" and settings.limit is not None and not (_number(settings) or 0) > 0:
        hint = "such as 8 s" if settings.p95 == "latency" else "an amount in dollars"
        yield "limit", f"{settings.limit!r} is no limit", hint


def _wrong_numbers(settings: RuleSettings, kind: RuleKind) -> Iterator[tuple[str, str, str | None]]:
    if kind == "in_a_row" and settings.count is not None and not 2 <= settings.count <= 10_000:
        yield (
            "count",
            f"must be from 2 to 10,000, not {settings.count}",
            "for every single one, use a webhook of the guard",
        )
    if kind == "p95" and settings.least is not None and settings.least < 20:
        yield "least", f"a P95 cannot be judged from {settings.least} values", "at least 20; 100 is the default"
    if settings.least is not None and settings.least < 1:
        yield "least", f"must be at least 1, not {settings.least}", None
    if settings.times is not None and settings.times <= 1:
        yield "times", f"must be more than 1, not {settings.times:g}", None
    if settings.times is not None and settings.limit is not None:
        yield "times", "a rule has a fixed `limit` or `times` the usual, not both", None


def _rule(name: str, settings: RuleSettings) -> AlertRule:
    kind = next(each for each in _KINDS if getattr(settings, each) is not None)
    return AlertRule(
        name=name,
        kind=kind,
        tier=settings.tier,
        signals=_signals(settings, kind) or ((settings.absence,) if settings.absence else ()),
        measure=settings.p95 or "latency",
        of=settings.of,
        by=settings.by,
        where=dict(settings.where),
        window=_seconds(settings.window) or _WINDOWS[kind][2],
        limit=_seconds(settings.lag) if kind == "lag" else _number(settings),
        times=settings.times or 1.5,
        count=settings.count or 5,
        least=settings.least or _LEAST[kind],
        hold=_seconds(settings.hold) or (30.0 if kind == "p95" else 0.0),
        remind=_seconds(settings.remind) or _REMIND[settings.tier],
        runbook=settings.runbook or "",
        channels=settings.channels,
    )


def _seconds(text: str | None) -> float | None:
    try:
        return None if text is None else span_seconds(text)
    except ValueError:
        return None


def _number(settings: RuleSettings) -> float | None:
    if isinstance(settings.limit, (int, float)):
        return float(settings.limit)
    return _seconds(settings.limit)
