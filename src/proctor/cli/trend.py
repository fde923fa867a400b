"""proctor trend: show scores over time with floors and alarms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE, output_option
from proctor.cli.tables import print_table
from proctor.config import Config

__all__ = ["verb"]

_WIDTH = 20


@click.command("trend", short_help="Show scores over time, with floors and alarms.")
@click.option(
    "-d", "--dimension", help="A dimension (relevance), a part of one (relevance.intent_relevance), quality, pass_rate."
)
@click.option("-i", "--intent", help="Only this intent; default: over all intents.")
@click.option(
    "--suite", help="Only runs of this suite: its title, or what `run` takes.  [default: that of the newest run]"
)
@click.option("-t", "--target", help="Only results of this target.  [default: that of the newest run]")
@click.option("--trigger", help="Only runs of this trigger.")
@click.option("--partial", is_flag=True, help="Also runs of selected cases or checks.")
@click.option("--floor", type=click.FloatRange(0, 1), help="Minimum mean.  [default: the floor in gate.yaml]")
@click.option("--runs", type=click.IntRange(min=1), help="Consecutive runs below the floor that raise an alarm.")
@click.option("--policy", type=FILE, help="File with the release policy.")
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Maximum number of runs."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@output_option(".html .json .md")
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> int:
    """Show each run's mean in one dimension, oldest first; without --dimension, the newest of every line.

    With `-o trend.html` a page has a chart of every line, with its floor, its alarm, and what changed between runs.

    Exit code 1 when there is an alarm: the figure was below its floor in as many of the last runs as the policy sets.
    """
    from proctor.store.runs import RunStore  # noqa: PLC0415 - verbs load what they use
    from proctor.store.trends import TrendLine  # noqa: PLC0415
    from proctor.workflows.release.suite_titles import suite_title  # noqa: PLC0415

    if flags["outputs"]:
        from proctor.report.trend_formats import TREND_REPORT  # noqa: PLC0415

        for output in flags["outputs"]:
            TREND_REPORT.check_name(output)
    config = project(ctx)
    names = ("dimension", "intent", "suite", "target", "trigger", "partial")
    line = TrendLine(**{name: flags[name] for name in names})
    with RunStore(config.store) as store:
        line = replace(line, suite=suite_title(store, config, line.suite))
        code = _one(config, store, line, flags) if line.dimension else _every(config, store, line, flags)
        _save(config, store, line, flags)
    return code


def _one(config: Config, store: Any, line: Any, flags: dict[str, Any]) -> int:
    from proctor.release.floors import Floor  # noqa: PLC0415
    from proctor.store.trends import points  # noqa: PLC0415
    from proctor.workflows.release.floor_alarms import alarm_of, floor_of  # noqa: PLC0415
    from proctor.workflows.release.trend_lines import changed_before  # noqa: PLC0415

    newest = points(store, line, limit=1)
    if not newest:
        return _nothing(store, line)
    line = replace(line, suite=line.suite or newest[0].suite, target=line.target or newest[0].target)
    found = points(store, line, limit=flags["limit"])
    floor, needed = floor_of(config, line.dimension, line.intent, flags["policy"])
    floor = Floor(least=flags["floor"]) if flags["floor"] is not None else floor
    needed = flags["runs"] or needed
    if flags["as_json"]:
        _print_json(found, floor.least if floor else None)
    else:
        click.echo(f"{line.suite} · {line.target} · {line.dimension} · {line.intent or 'all intents'}", err=True)
        rows = [
            (
                f"{each.time.astimezone():%Y-%m-%d %H:%M}",
                each.run,
                _shown(each.mean),
                _bar(each.mean),
                each.cases,
                each.unscored or "",
                "" if floor is None or each.mean is None else "under" if each.mean < floor.least else "ok",
                ", ".join(changed_before(before, each)),
            )
            for before, each in zip([None, *found], found, strict=False)
        ]
        columns = ("started", "run", "mean", "0 to 1", "cases", "unscored", "floor", "changed before it")
        print_table(columns, rows, empty="no points")
    alarm = alarm_of(found, floor, needed) if floor else None
    if floor and not flags["as_json"]:
        click.echo(f"floor {floor.least:g}, alarm after {needed} run{'s' if needed > 1 else ''} under it", err=True)
    if alarm:
        click.secho(f"ALARM  {alarm.message}", fg="red", err=True)
    return 1 if alarm else 0


def _every(config: Config, store: Any, line: Any, flags: dict[str, Any]) -> int:
    """Print the newest point of every line of one suite and target, and its change; return the exit code."""
    from proctor.release.floors import Floors  # noqa: PLC0415
    from proctor.store.trends import history  # noqa: PLC0415
    from proctor.workflows.release.baseline import policy_of  # noqa: PLC0415
    from proctor.workflows.release.floor_alarms import alarm_of  # noqa: PLC0415

    newest = history(store, line, runs=1)
    if not newest:
        return _nothing(store, line)
    line = replace(line, suite=line.suite or newest[-1].suite, target=line.target or newest[-1].target)
    rules, _ = policy_of(config, flags["policy"])
    floors = Floors(by_intent=rules.floors)
    lines: dict[tuple[str, str], list[Any]] = {}
    for each in history(store, line, runs=max(2, flags["limit"])):
        lines.setdefault((each.dimension, each.intent or ""), []).append(each)
    rows, standing = [], []
    for (dimension, intent), found in sorted(lines.items()):
        floor = floors.of(intent or "all", dimension)
        alarm = alarm_of(found, floor, floor.consecutive or rules.consecutive) if floor else None
        standing += [alarm] if alarm else []
        before = found[-2].mean if len(found) > 1 else None
        state = "ALARM" if alarm else "" if floor is None else "under" if (found[-1].mean or 0) < floor.least else "ok"
        least = "" if floor is None else f"{floor.least:g}"
        rows.append((dimension, intent or "all", _shown(found[-1].mean), _shown(before), least, state, len(found)))
    if flags["as_json"]:
        _print_json([found[-1] for _, found in sorted(lines.items())], None)
    else:
        click.echo(f"{line.suite} · {line.target}", err=True)
        print_table(("dimension", "intent", "mean", "before", "floor", "state", "runs"), rows, empty="no points")
    for alarm in standing:
        click.secho(f"ALARM  {alarm.message}", fg="red", err=True)
    return 1 if standing else 0


def _save(config: Config, store: Any, line: Any, flags: dict[str, Any]) -> None:
    """Write the report files."""
    if not flags["outputs"]:
        return
    from proctor.report.trend_formats import TREND_REPORT  # noqa: PLC0415
    from proctor.workflows.release.baseline import policy_of  # noqa: PLC0415
    from proctor.workflows.release.trend_lines import trend_view  # noqa: PLC0415

    rules, _ = policy_of(config, flags["policy"])
    view = trend_view(store, line, rules, runs=flags["limit"])
    for output in flags["outputs"]:
        TREND_REPORT.save(view, output)
        click.echo(f"wrote {output}", err=True)


def _nothing(store: Any, line: Any) -> int:
    """Raise an error that names the known dimensions or intents."""
    from proctor.core.decode import closest  # noqa: PLC0415
    from proctor.core.errors import NotFoundError  # noqa: PLC0415
    from proctor.store.trends import known_lines  # noqa: PLC0415

    dimensions, intents = known_lines(store)
    if not dimensions:
        raise NotFoundError("no run has been scored yet", hint="`proctor run SUITE` makes the first point")
    for what, name, known in (("dimension", line.dimension, dimensions), ("intent", line.intent, intents)):
        if name and name not in known:
            guess = closest(name, known)
            listed = ", ".join(sorted(known)) or "none"
            hint = f"did you mean {guess!r}?" if guess else f"known: {listed}"
            raise NotFoundError(f"no run has a score for the {what} {name!r}", hint=hint)
    raise NotFoundError("no run answers to all of that", hint="leave a filter out, or add --partial")


def _print_json(found: Sequence[Any], floor: float | None) -> None:
    from proctor.core.codec import dumps, encode  # noqa: PLC0415

    for each in found:
        data = {key: value for key, value in encode(each).items() if key != "fingerprint"}
        click.echo(dumps({**data, "floor": floor}).decode())


def _shown(mean: float | None) -> str:
    return "–" if mean is None else f"{mean:.3f}"


def _bar(mean: float | None) -> str:
    return "" if mean is None else "█" * round(mean * _WIDTH)
