"""proctor gate: ship or hold."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project
from proctor.config import Config

__all__ = ["decide_on", "verb"]


@click.command("gate", short_help="Decide on a run against its baseline: ship, hold, or not enough data.")
@click.argument("run", default="last")
@click.option("--baseline", help="Baseline file, or another run.  [default: baselines/SUITE.json]")
@click.option("-t", "--target", help="The target, when the run had several.")
@click.option(
    "--policy",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File with the rules of release.  [default: gate.yaml, or the rules that hold without one]",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Report file beside those kept with the run; the ending chooses: .html .json .md. May be repeated.",
)
@click.option(
    "--rescore-baseline",
    "rescore",
    is_flag=True,
    help="Where the scorers changed since the baseline, score its recorded answers again with today's scorers first.",
)
@click.option("-q", "--quiet", is_flag=True, help="Only the decision and its reasons.")
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> int:
    """Decide on RUN (an id, the beginning of one, or `last`) by the reviewed rules in gate.yaml.

    A case that passed a check by rules and now fails it holds the run, whatever the statistics say. When a run is held,
    the cases that got worse go to the review queue, and an alert is kept (and sent, where proctor.yaml names a webhook
    under `alerts:`).

    Exit codes: 0 ship, 1 hold, 2 usage or configuration, 3 not enough data, scorers that changed, or a rule that
    nothing answers to.
    """
    from proctor.report.release_formats import DECISION_REPORT  # noqa: PLC0415 - verbs load what they use

    for output in flags["outputs"]:
        DECISION_REPORT.check_name(output)
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
    """Decide on a run, tell the decision, and give the exit code."""
    from proctor.report.release_formats import DECISION_REPORT  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.release.gate import GateRequest, gate_run  # noqa: PLC0415

    asked = GateRequest(run=run, baseline=baseline, target=target, policy=policy, rescore=rescore)
    with RunStore(config.store) as store:
        found = asyncio.run(gate_run(config, store, asked))
    if quiet:
        click.echo(f"{found.view.word}: {found.view.headline}")
        for reason in found.view.reasons:
            click.echo(f"  {reason.text}")
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
