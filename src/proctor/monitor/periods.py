"""Days, weeks and months as periods of a digest, in a time zone."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

from proctor.core.digest import Period, PeriodKind

__all__ = ["last_period", "parse_period", "period_before", "period_with", "slots_of"]

_WEEK = re.compile(r"(\d{4})-?W(\d{1,2})", re.IGNORECASE)
_MONTH = re.compile(r"(\d{4})-(\d{1,2})")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_EXAMPLES: dict[PeriodKind, str] = {
    "daily": "a date such as 2026-11-15",
    "weekly": "a week such as 2026-W46, or a date in it",
    "monthly": "a month such as 2026-10, or a date in it",
}


def period_with(kind: PeriodKind, day: date, zone: tzinfo = UTC) -> Period:
    """Return the period that has this day; weeks begin on Monday."""
    if kind == "daily":
        first, name = day, day.isoformat()
        after = first + timedelta(days=1)
    elif kind == "weekly":
        first = day - timedelta(days=day.weekday())
        after, (year, week, _) = first + timedelta(days=7), first.isocalendar()
        name = f"{year}-W{week:02d}"
    else:
        first, name = day.replace(day=1), f"{day:%Y-%m}"
        after = (first + timedelta(days=32)).replace(day=1)
    return Period(kind=kind, name=name, begin=_midnight(first, zone), end=_midnight(after, zone))


def last_period(kind: PeriodKind, now: datetime, zone: tzinfo = UTC) -> Period:
    """Return the last period that is over."""
    return period_before(period_with(kind, now.astimezone(zone).date(), zone), zone)


def period_before(period: Period, zone: tzinfo = UTC) -> Period:
    """Return the period before this one."""
    return period_with(period.kind, period.begin.astimezone(zone).date() - timedelta(days=1), zone)


def parse_period(kind: PeriodKind, text: str, zone: tzinfo = UTC) -> Period:
    """Return the period that a person names.

    Raises:
        ValueError: it is no such period; the message has the format.
    """
    try:
        if kind == "weekly" and (week := _WEEK.fullmatch(text)):
            return period_with(kind, date.fromisocalendar(int(week[1]), int(week[2]), 1), zone)
        if kind == "monthly" and (month := _MONTH.fullmatch(text)):
            return period_with(kind, date(int(month[1]), int(month[2]), 1), zone)
        if _DAY.fullmatch(text):
            return period_with(kind, date.fromisoformat(text), zone)
    except (ValueError, OverflowError):  # a day or month that does not exist
        pass
    raise ValueError(f"expected {_EXAMPLES[kind]}, found {text!r}")


def slots_of(period: Period, zone: tzinfo = UTC) -> list[datetime]:
    """Return the beginnings of its slots: the hours of a day, the days of a longer period."""
    if period.kind == "daily":
        hours = round((period.end - period.begin).total_seconds() / 3600)
        return [period.begin + timedelta(hours=hour) for hour in range(hours)]
    first, found = period.begin.astimezone(zone).date(), []
    while (begin := _midnight(first, zone)) < period.end:
        found.append(begin)
        first += timedelta(days=1)
    return found


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)
