"""proctor watch: what is going on in production right now."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from proctor.cli.context import project
from proctor.cli.masked_output import has_reader

if TYPE_CHECKING:
    from proctor.workflows.monitor.demo_day import DemoMoment, DemoOutcome

__all__ = ["verb"]

_DEMO_FILES = {
    "proctor.yaml": "demo/proctor.yaml",
    "agent.py": "demo_month/agent.py",
    "suites/golden.yaml": "demo/golden.yaml",
}

_CLEAR = "\x1b[H\x1b[2J"


@click.command("watch", short_help="Show production live: rates beside what is normal, alerts, what each rule can see.")
@click.option("--demo", is_flag=True, help="A simulated day with an incident instead: needs no project and no key.")
@click.option("--once", is_flag=True, help="Look once and exit; 1 if an alert is open.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each update.")
@click.option(
    "--every", type=click.FloatRange(min=0.2), default=5.0, show_default=True, help="Seconds between two looks."
)
@click.option(
    "--window", type=click.IntRange(1, 1440), default=5, show_default=True, help="Minutes that the figures are of."
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="With --demo: folder for its project; must be new or empty.  [default: a temporary folder, which stays]",
)
@click.option("--seed", type=int, default=7, show_default=True, help="With --demo: another seed, another day.")
@click.pass_context
def verb(
    ctx: click.Context,
    /,
    demo: bool,
    once: bool,
    as_json: bool,
    every: float,
    window: int,
    keep: Path | None,
    seed: int,
) -> int:
    """Show what is going on in production, until interrupted.

    Reads the store of this project, to which `proctor serve` writes: turns a minute, the share of failed scores,
    hand-offs and stopped messages beside the same hour of the weeks before, open alerts with their window, slice and
    examples, and the smallest spike that each rule can see at this traffic.

    Exit codes: 0; with --once 1 if an alert is open; 130 interrupted.
    """
    if demo:
        return _demo(keep, seed, as_json=as_json)
    if keep is not None:
        raise click.UsageError("--keep goes with --demo.")
    from proctor.core.codec import dumps  # noqa: PLC0415 - verbs load what they use
    from proctor.report.watch_lines import watch_lines  # noqa: PLC0415
    from proctor.workflows.monitor.watch import watch_figures  # noqa: PLC0415

    config = project(ctx)
    while True:
        seen = watch_figures(config, time.time(), window=window * 60.0)
        if as_json:
            click.echo(dumps(seen).decode())
        else:
            screen = sys.stdout.isatty() and not once
            click.echo((_CLEAR if screen else "") + "\n".join(watch_lines(seen)) + ("" if once or screen else "\n"))
        if once:
            return 1 if seen.alerts else 0
        if not has_reader():
            return 0
        time.sleep(every)


def _demo(keep: Path | None, seed: int, *, as_json: bool) -> int:
    from proctor.core.codec import dumps  # noqa: PLC0415
    from proctor.core.errors import InputError  # noqa: PLC0415
    from proctor.workflows.monitor.demo_day import run_demo  # noqa: PLC0415

    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise InputError("the folder is not empty", file=str(keep), hint="name a new folder after --keep")
    folder = _demo_project(keep)
    if as_json:
        outcome = run_demo(folder / ".proctor", lambda moment: None, seed=seed)
        click.echo(dumps({"folder": str(folder), **_encoded(outcome)}).decode())
        return 0 if outcome.alert else 3
    click.echo(f"a simulated day of a manga shop, through the real intake and alert engine; in {folder}\n")
    outcome = run_demo(folder / ".proctor", _show, seed=seed)
    _show_outcome(outcome, folder)
    return 0 if outcome.alert else 3


def _demo_project(keep: Path | None) -> Path:
    """Write the project of the demo: its agent in two versions, and the suite that it was released with."""
    import tempfile  # noqa: PLC0415
    from importlib.resources import files  # noqa: PLC0415

    from proctor.core.errors import StoreError  # noqa: PLC0415

    template = files("proctor.cli") / "template"
    try:
        folder = keep or Path(tempfile.mkdtemp(prefix="proctor-demo-"))
        for name, source in _DEMO_FILES.items():
            goal = folder / name
            goal.parent.mkdir(parents=True, exist_ok=True)
            goal.write_text((template / source).read_text(encoding="utf-8"), encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"cannot be written: {error.strerror}", file=str(error.filename or keep), hint="choose another with --keep"
        ) from error
    return folder


def _show(moment: DemoMoment) -> None:
    from proctor.report.watch_lines import row_words  # noqa: PLC0415

    clock = f"{moment.time:%H:%M}"
    if moment.note:
        click.echo(f"{clock}  {moment.note}" if moment.rows else f"       {moment.note}")
    if moment.rows and (moment.time.minute in (0, 30) or moment.changes) and not moment.time.second:
        named = {row.name: row for row in moment.rows}
        shown = [named[name] for name in ("turns a minute", "score/grounded failed", "escalation") if name in named]
        click.echo(f"{clock}  " + "   ".join(row_words(row) for row in shown))
    for change in moment.changes:
        word = click.style(change.alert.tier.upper(), fg="red", bold=True) if change.kind == "fired" else change.kind
        click.echo(f"{moment.time:%H:%M:%S}  {word}  {change.alert.rule}: {change.alert.message}")


def _show_outcome(outcome: DemoOutcome, folder: Path) -> None:
    from proctor.report.watch_lines import alert_lines, conversation_lines, limit_lines  # noqa: PLC0415

    click.echo("")
    if outcome.alert is None or outcome.delay is None:
        click.echo("no alert: at this traffic the incident was too small to be told from chance")
        return
    for line in alert_lines(outcome.alert):
        click.echo(line)
    click.echo(f"    {outcome.example}")
    for line in conversation_lines(outcome.turns[:1]):
        click.echo(line)
    click.echo(
        f"  truth     version 1.1 was released at {outcome.release:%H:%M}; the alert came {outcome.delay / 60:.1f} min"
        f" later, and {outcome.wrong} answers were wrong until the end"
    )
    click.echo("\nwhat each rule can see at this traffic")
    for line in limit_lines(outcome.limits):
        click.echo(line)
    click.echo("\nmake it a test, and see the gate hold the version that caused it")
    for line in (
        f"cd {folder}",
        "proctor run golden -t v1_0 && proctor bless last",
        f"proctor promote --alert {outcome.alert.number} --to suites/golden.yaml",
        "proctor run golden -t v1_1 ; proctor gate last",
    ):
        click.echo(f"  {line}")


def _encoded(outcome: DemoOutcome) -> dict[str, object]:
    from proctor.core.codec import encode  # noqa: PLC0415

    return dict(encode(outcome))
