"""proctor compare: compare a run with its baseline."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE, output_option
from proctor.cli.report_output import check_outputs, emit_report

__all__ = ["verb"]


@click.command("compare", short_help="Compare a run with a baseline or another run, case by case.")
@click.argument("run", default="last")
@click.argument("baseline", required=False)
@click.option("-t", "--target", help="The target, when the run had several.")
@click.option(
    "--against", metavar="TARGET", help="Another target to compare with, such as the same prompt on another model."
)
@click.option(
    "--policy",
    type=FILE,
    help="File with the release policy, for the required significance of a change.  [default: gate.yaml]",
)
@click.option(
    "--rescore-baseline",
    "rescore",
    is_flag=True,
    help="If the scorers changed since the baseline, first score its recorded answers again with the current scorers.",
)
@output_option(".html .json .md")
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> None:
    """Compare RUN (an id, the beginning of one, or `last`) with BASELINE: a file, or another run.

    Without BASELINE it is the suite's own baseline, written by `proctor bless`; with --against it is that target of the
    same run, case by case. Nothing is decided: `proctor gate` does that.
    """
    from proctor.report.release_formats import DECISION_REPORT  # noqa: PLC0415 - verbs load what they use
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.release.gate import GateRequest, compare_run  # noqa: PLC0415

    outputs: tuple[Path, ...] = flags.pop("outputs")
    check_outputs(DECISION_REPORT, outputs)
    config = project(ctx)
    with RunStore(config.store) as store:
        view = asyncio.run(compare_run(config, store, GateRequest(**flags)))
    emit_report(DECISION_REPORT, view, outputs)
