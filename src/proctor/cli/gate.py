"""proctor gate: ship or hold."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE
from proctor.cli.report_output import check_outputs
from proctor.config import Config

__all__ = ["decide_on", "verb"]


@click.command("gate", short_help="Decide on a run against its baseline: ship, hold, or not enough data.")
@click.argument("run", default="last")
@click.option("--baseline", help="Baseline file, or another run.  [default: baselines/SUITE.json]")
@click.option("-t", "--target", help="The target, when the run had several.")
@click.option(
    "--policy",
    type=FILE,
    help="File with the release policy.  [default: gate.yaml, or the default policy]",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Additional report file; the extension sets the format: .html .json .md. May be repeated.",
)
@click.option(
    "--rescore-baseline",
    "rescore",
    is_flag=True,
    help="If the scorers changed since the baseline, first score its recorded answers again with the current scorers.",
)
@click.option("-q", "--quiet", is_flag=True, help="Only the decision and its reasons.")
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> int:
    """Decide on RUN (an id, the beginning of one, or `last`) by the reviewed rules in gate.yaml.

    A case that passed a rule-based check and now fails it holds the run, whatever the statistics. When a run is held,
    the cases that got worse go to the review queue, and an alert is stored (and sent, if proctor.yaml has a webhook
    under `alerts:`).

    Exit codes: 0 ship, 1 hold, 2 usage or configuration, 3 not enough data, changed scorers, or a rule that matches
    nothing.
    """
    from proctor.report.release_formats import DECISION_REPORT  # noqa: PLC0415 - verbs load what they use

    check_outputs(DECISION_REPORT, flags["outputs"])
    return decide_on(project(ctx), **flags)


def decide_on(
    config: Config,
    *,
    run: str,
    baseline: str | None = None,
    target: str | None = None,
    policy: Path | None = None,
    rescore: bool = False,
    outputs: tuple[Path, ...] = (),
    quiet: bool = False,
) -> int:
    """Decide on a run, print the decision, and return the exit code."""
    from proctor.report.release_formats import DECISION_REPORT  # noqa: PLC0415
    from proctor.report.release_view import cause_line  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.release.gate import GateRequest, gate_run  # noqa: PLC0415

    asked = GateRequest(run=run, baseline=baseline, target=target, policy=policy, rescore=rescore)
    with RunStore(config.store) as store:
        found = asyncio.run(gate_run(config, store, asked))
    if quiet:
        click.echo(f"{found.view.word}: {found.view.headline}")
        for cause in found.view.told:
            click.echo(f"  {cause_line(cause)}")
            if cause.also:
                click.echo(f"    so also: {'; '.join(cause.also)}")
    else:
        DECISION_REPORT.write(found.view)
    for output in outputs:
        DECISION_REPORT.save(found.view, output)
    for path in (*outputs, *found.files):
        click.echo(f"wrote {path}", err=True)
    if found.queued:
        left = f" (the worst of {found.to_look_at})" if found.to_look_at > found.queued else ""
        cases = "case waits" if found.queued == 1 else "cases wait"
        click.echo(f"{found.queued} {cases} for review{left}: `proctor review list`", err=True)
    if found.told:
        failed = f"; {found.told.failure}" if found.told.failure else ""
        sent = ", sent to the webhook" if found.told.delivered else ""
        click.echo(f"alert {found.told.path}{sent}{failed}", err=True)
    return found.decision.exit_code
