"""proctor guard tune: propose thresholds of the gates from real traffic."""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project
from proctor.cli.options import json_option

if TYPE_CHECKING:
    from proctor.stats.interval import Interval
    from proctor.workflows.guard.tune import GateTuning, Tuning

__all__ = ["tune"]

_FEW = 1000  # with fewer messages a rate of a few per thousand is uncertain


@click.command("tune", short_help="Propose thresholds from your own traffic.")
@click.argument("log", type=click.Path(path_type=Path))
@click.option("--attacks", type=click.Path(path_type=Path), help="File with attacks that should be stopped.")
@click.option(
    "--point",
    type=click.Choice(["input", "tool_result"]),
    default="input",
    show_default=True,
    help="What the texts are: customers' messages, or results of tools and documents.",
)
@click.option("--jsonl", "field", metavar="FIELD", help="The files are JSON Lines; use this field.  [default: text]")
@click.option(
    "--most",
    type=click.FloatRange(min=0),
    default=5.0,
    show_default=True,
    help="Harmless texts of a thousand that a gate may stop.",
)
@json_option
@click.pass_context
def tune(ctx: click.Context, /, **flags: Any) -> int:
    """Propose thresholds from LOG, a file of harmless messages, or a folder of the guard's own log.

    LOG is JSON Lines with a field `text` or decisions of the guard, or has one message per line. Each gate with a
    threshold scores the messages. For each threshold the table has the expected stops per thousand harmless messages
    and, with --attacks, the share of attacks that is found, both with 95 % intervals. The YAML for proctor.yaml
    follows. Nothing is recorded or changed. Exit code 0; 1 when no threshold of a gate stops few enough; 2 when a file
    cannot be read or the settings are invalid.
    """
    from proctor.workflows.guard.tune import TuneRequest, tune_guard  # noqa: PLC0415 - onnxruntime takes a while

    found = asyncio.run(tune_guard(project(ctx), TuneRequest(**{k: v for k, v in flags.items() if k != "as_json"})))
    if flags["as_json"]:
        click.echo(json.dumps(asdict(found), ensure_ascii=False, indent=1))
    else:
        _show(found, flags["most"])
    return 0 if all(each.settings for each in found.gates) else 1


def _show(found: Tuning, most: float) -> None:
    attacks = f", {found.attacks} attacks" if found.attacks else ""
    click.echo(f"{found.texts} harmless texts{attacks}; intervals are 95 %")
    if found.texts < _FEW:
        click.echo(f"with fewer than {_FEW} texts the intervals are wide; use more before you rely on them", err=True)
    for gate in found.gates:
        _show_gate(gate, most)
    click.echo(f"\n{found.yaml}", nl=False)


def _show_gate(gate: GateTuning, most: float) -> None:
    from proctor.cli.tables import print_table  # noqa: PLC0415

    click.echo(f"\n{gate.gate}")
    has_recall = any(each.recall is not None for each in gate.rates)
    columns = ("threshold", "stops per 1000", "interval", *(("found", "interval") if has_recall else ()), "proposed")
    rows = [
        (
            f"{each.threshold:g}",
            f"{1000 * each.share:.1f}",
            _range(each.interval, 1000),
            *((f"{each.recall or 0:.1%}", _range(each.recall_interval, 100)) if has_recall else ()),
            ", ".join(name for name, value in gate.settings.items() if value == each.threshold),
        )
        for each in gate.rates
    ]
    print_table(columns, rows, empty="")
    if gate.by_rules:
        click.echo(f"rules stop {1000 * gate.by_rules:.1f} per 1000 at any threshold")
    if not gate.settings:
        click.echo(f"no threshold stops at most {most:g} per 1000: see the texts below, or allow more with --most")
    if gate.highest:
        click.echo(f"highest scores: {', '.join(gate.highest)}; if they are attacks, move them to --attacks")


def _range(interval: Interval | None, scale: float) -> str:
    return f"{scale * interval.low:.1f}–{scale * interval.high:.1f}" if interval else ""
