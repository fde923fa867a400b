"""proctor alerts: open alerts, what people say about them, and what each rule can see."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project
from proctor.cli.options import json_option, person_option
from proctor.cli.tables import print_table

if TYPE_CHECKING:
    from proctor.store.alert_state import AlertState

__all__ = ["verb"]

_LINE = "List, acknowledge, silence and resolve alerts; test channels; show what rules can see."


@click.group("alerts", short_help=_LINE)
def verb() -> None:
    """List, acknowledge, silence and resolve alerts; test channels; show what rules can see.

    `proctor serve` and `proctor watch` raise alerts by the rules under `alerts:` in proctor.yaml. ID is the number of
    an alert, the name of a rule (its newest alert), or the beginning of a fingerprint.
    """


@verb.command("list")
@click.option("--all", "everything", is_flag=True, help="Also alerts that have ended.")
@json_option
@click.pass_context
def list_alerts(ctx: click.Context, everything: bool, as_json: bool) -> None:
    """List the open alerts."""
    with _state(ctx) as state:
        now = time.time()
        found = state.alerts(open_only=not everything)
        silences = state.silences(now)
        if as_json:
            _print_json([{**_encoded(each), "shown": each.shown_state(silences, now)} for each in found])
            return
        rows = [
            (
                each.number,
                each.shown_state(silences, now),
                each.tier,
                each.rule,
                _pairs(each.slice),
                _clock(each.fired),
                each.message,
            )
            for each in found
        ]
    columns = ("id", "state", "tier", "rule", "slice", "since", "about")
    print_table(columns, rows, empty="no alerts yet" if everything else "no open alerts")
    _tell_dead(ctx)


@verb.command("show")
@click.argument("name", metavar="ID")
@json_option
@click.pass_context
def show(ctx: click.Context, name: str, as_json: bool) -> None:
    """Show one alert: its window, numbers, the slices that moved, and example conversations."""
    with _state(ctx) as state:
        found = state.find(name)
        shown = found.shown_state(state.silences(time.time()), time.time())
    if as_json:
        _print_json({**_encoded(found), "shown": shown})
        return
    facts: list[tuple[str, object]] = [
        ("state", shown),
        ("tier", found.tier),
        ("message", found.message),
        ("window", f"{_clock(found.window_start)} to {_clock(found.window_end)}"),
        ("fired", _clock(found.fired) + (f", {found.times} times" if found.times > 1 else "")),
        ("counts", f"{found.bad} of {found.events}" if found.events else None),
        ("value", found.value),
        ("baseline", found.baseline),
        ("statistic", found.statistic),
        ("threshold", found.threshold),
        ("acknowledged", f"{_clock(found.acked)} by {found.acked_by}" if found.acked else None),
        ("resolved", _clock(found.resolved) if found.resolved else None),
        ("note", found.note or None),
        ("fingerprint", found.fingerprint),
    ]
    click.echo(f"alert {found.number}: {found.rule}")
    for name_, value in facts:
        if value is not None:
            click.echo(f"  {name_ + ':':13} {value:.4g}" if isinstance(value, float) else f"  {name_ + ':':13} {value}")
    for each in found.moved:
        counts = f"{each.bad} of {each.events}, expected {each.expected:.3g}"
        click.echo(f"  moved:        {each.dimension} {each.value}: {counts}")
    for session in found.examples:
        click.echo(f"  example:      {session}")


@verb.command("ack")
@click.argument("name", metavar="ID")
@click.option("--note", default="", help="What is known or done.")
@person_option()
@click.option("--new-normal", is_flag=True, help="The present level is the normal one from now on; the alert ends.")
@click.pass_context
def acknowledge(ctx: click.Context, name: str, note: str, person: str, new_normal: bool) -> None:
    """Take an alert over: no more reminders until it ends."""
    with _state(ctx) as state:
        found = state.find(name)
        done = state.acknowledge(found.number, by=person, now=time.time(), note=note, new_normal=new_normal)
    more = "; its level becomes the new normal at the next tick of `proctor serve`" if new_normal else ""
    click.echo(f"alert {done.number} ({done.rule}): acknowledged by {done.acked_by}{more}")


@verb.command("silence")
@click.argument("match", metavar="[NAME=VALUE]…", nargs=-1)
@click.option("--for", "span", default="2 h", show_default=True, help="For how long: 30 min, 2 h, 3 days.")
@click.option("--note", default="", help="The reason.")
@person_option()
@click.option("--end", type=int, metavar="NUMBER", help="End this silence now.")
@click.pass_context
def silence(ctx: click.Context, match: tuple[str, ...], span: str, note: str, person: str, end: int | None) -> None:
    """Tell nobody of some alerts for a while; without NAME=VALUE, list the silences in force.

    NAME is rule, tier, intent, model, version or source; a value alone is the name of a rule. Alerts are recorded all
    the same, and people are told when the silence is over and the problem is not.
    """
    from proctor.workflows.silence_alerts import silence_alerts, silence_match  # noqa: PLC0415 - verbs load what they use

    now = time.time()
    if end is not None:
        with _state(ctx) as state:
            state.end_silence(end, now)
        click.echo(f"silence {end} has ended")
        return
    if not match:
        with _state(ctx) as state:
            rows = [
                (each.number, _pairs(each.match), _clock(each.until), each.by, each.note)
                for each in state.silences(now)
            ]
        print_table(("id", "match", "until", "by", "about"), rows, empty="no silence is in force")
        return
    wanted = silence_match(project(ctx), match)
    with _state(ctx) as state:
        made = silence_alerts(state, wanted, span, by=person, now=now, note=note)
    click.echo(f"silence {made.number}: no messages about {_pairs(wanted)} until {_clock(made.until)}")


@verb.command("resolve")
@click.argument("name", metavar="ID")
@click.option("--note", default="", help="What was done.")
@person_option()
@click.pass_context
def resolve(ctx: click.Context, name: str, note: str, person: str) -> None:
    """End an alert; its rule counts from zero again, and fires again if the problem is still there."""
    with _state(ctx) as state:
        found = state.find(name)
        if not found.is_open:
            click.echo(f"alert {found.number} ({found.rule}) ended already, at {_clock(found.resolved)}")
            return
        state.resolve(found.number, by=person, now=time.time(), note=note)
    click.echo(f"alert {found.number} ({found.rule}): resolved")


@verb.command("test")
@click.argument("names", metavar="[CHANNEL]…", nargs=-1)
@click.pass_context
def test(ctx: click.Context, names: tuple[str, ...]) -> int:
    """Send a test message to each CHANNEL (default: all) and wait for the answer. Exit code 3 if one failed."""
    import asyncio  # noqa: PLC0415

    from proctor.workflows.alert_test import send_tests  # noqa: PLC0415

    results = asyncio.run(send_tests(project(ctx), names))
    for each in results:
        click.echo(f"{each.channel}: {'delivered' if each.delivered else each.failure}")
    return 0 if all(each.delivered for each in results) else 3


@verb.command("rules")
def prometheus_rules() -> None:
    """Print rules for Prometheus: they page when Proctor itself cannot, and keep the ratios that dashboards draw."""
    from proctor.report.exposition import rules_file  # noqa: PLC0415

    click.echo(rules_file(), nl=False)


@verb.command("limits")
@json_option
@click.option(
    "--per-minute", type=click.FloatRange(min=0, min_open=True), help="Calculate for so many events a minute."
)
@click.option(
    "--rate", type=click.FloatRange(0, 1, min_open=True, max_open=True), help="… of which this share is normally bad."
)
@click.pass_context
def limits(ctx: click.Context, as_json: bool, per_minute: float | None, rate: float | None) -> None:
    """Show for each rule the smallest spike that it can see at the current traffic.

    With --per-minute and --rate, calculate it for that traffic instead.
    """
    from proctor.wiring.alert_settings import alert_settings_of  # noqa: PLC0415

    if (per_minute is None) != (rate is None):
        raise click.UsageError("--per-minute and --rate go together.")
    rules = alert_settings_of(project(ctx)).rules
    if per_minute is not None and rate is not None:
        _print_calculated(rules, per_minute, rate, as_json)
        return
    with _state(ctx) as state:
        statuses = {(each.rule, tuple(sorted(each.slice.items()))): each for each in state.status()}
    if as_json:
        _print_json([_encoded(each) for each in statuses.values()])
        return
    rows: list[tuple[object, ...]] = []
    for rule in rules:
        own = [each for each in statuses.values() if each.rule == rule.name]
        for each in own:
            rows.append(
                (rule.name, rule.kind, _pairs(each.slice), each.state, each.limit.text if each.limit else each.detail)
            )
        if not own:
            rows.append((rule.name, rule.kind, "", "unknown", "nothing has been watched yet: start `proctor serve`"))
    print_table(("rule", "kind", "slice", "state", "about"), rows, empty="no rules")


def _print_calculated(rules: Any, per_minute: float, rate: float, as_json: bool) -> None:
    from proctor.stats.bernoulli_cusum import detection_probability, smallest_spike, thresholds  # noqa: PLC0415

    rows: list[dict[str, Any]] = []
    for rule in rules:
        if rule.kind != "rate":
            continue
        levels = thresholds([(per_minute * 60, rate)] * 168, rule.false_alarms)
        bad, minutes = per_minute * rate, rule.window / 60
        found = smallest_spike(bad, minutes, levels)
        seen = found if found is not None and found * rate < 1 else None
        shares = {f"{times}x": round(detection_probability(bad, times, minutes, levels), 4) for times in (2, 3, 4)}
        rows.append({"rule": rule.name, "bad_per_minute": bad, "within": rule.window, "smallest": seen, **shares})
    if as_json:
        _print_json(rows)
        return
    shown = [
        (
            row["rule"],
            f"{row['bad_per_minute']:.3g}",
            f"{row['within'] / 60:g} min",
            "none" if row["smallest"] is None else f"{row['smallest']:.2f} times",
            *(f"{row[name]:.0%}" for name in ("2x", "3x", "4x")),
        )
        for row in rows
    ]
    print_table(
        ("rule", "bad a minute", "within", "smallest spike seen with 99 %", "2 times", "3 times", "4 times"),
        shown,
        empty="no rules of rates",
    )


def _state(ctx: click.Context) -> AlertState:
    from proctor.wiring.monitor_state import open_alert_state  # noqa: PLC0415

    return open_alert_state(project(ctx))


def _tell_dead(ctx: click.Context) -> None:
    from proctor.store.alert_spool import AlertSpool  # noqa: PLC0415

    spool = AlertSpool(project(ctx).store)
    waiting, dead = spool.waiting(), spool.dead()
    late = [each for each in waiting if each.attempts]
    if late:
        click.echo(f"{len(late)} messages wait for a channel: {late[0].channel}: {late[0].failure}", err=True)
    if dead:
        last = dead[-1]
        click.echo(f"{len(dead)} messages were not delivered; the last to {last.channel}: {last.failure}", err=True)


def _pairs(values: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in values.items())


def _encoded(value: object) -> dict[str, Any]:
    from proctor.core.codec import encode  # noqa: PLC0415

    made: dict[str, Any] = encode(value)
    return made


def _print_json(value: object) -> None:
    import json  # noqa: PLC0415

    json.dump(value, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


def _clock(seconds: float | None) -> str:
    from datetime import datetime  # noqa: PLC0415

    return "" if seconds is None else f"{datetime.fromtimestamp(seconds).astimezone():%Y-%m-%d %H:%M:%S}"
