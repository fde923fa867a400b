"""proctor bless: make a run the baseline."""

from __future__ import annotations

from pathlib import Path

import click

from proctor.cli.context import project
from proctor.cli.options import FILE

__all__ = ["verb"]


@click.command("bless", short_help="Make a run the baseline that later runs are compared with.")
@click.argument("run", default="last")
@click.option("-t", "--target", help="The target, when the run had several.")
@click.option(
    "-o",
    "--output",
    type=FILE,
    help="File to write.  [default: baselines/SUITE.json]",
)
@click.option("--force", is_flag=True, help="Accept a run that did not pass, or of which much could not be judged.")
@click.option(
    "--answers/--no-answers",
    default=True,
    show_default=True,
    help="Keep the answers next to the baseline, so that it can be scored again when the scorers change.",
)
@click.pass_context
def verb(ctx: click.Context, run: str, target: str | None, output: Path | None, force: bool, answers: bool) -> None:
    """Make RUN (an id, the beginning of one, or `last`) the baseline of its suite.

    The baseline is one file with a case on each line: commit it, and a pull request shows what changed in it. The
    answers are next to it in SUITE.answers.jsonl: commit them too, so that `proctor gate --rescore-baseline` works on
    every checkout.
    """
    from proctor.store.run_reader import RunReader  # noqa: PLC0415 - verbs load what they use
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.release.baseline import bless_run  # noqa: PLC0415

    config = project(ctx)
    with RunStore(config.store) as store:
        reader = RunReader(store, store.find(run))
        blessed = bless_run(config, reader, target=target, output=output, force=force, answers=answers)
    figures, unscored = blessed.figures, blessed.unscored
    failed = sum(case.outcome == "fail" for case in figures.cases)
    rest = f", {failed} of them failing" if failed else ""
    rest += f", {unscored} unscored" if unscored else ""
    count = len(figures.cases)
    cases = f"{count} case{'' if count == 1 else 's'} of {figures.suite}{rest}"
    click.echo(f"blessed run {reader.run.id}: {cases} in {blessed.path}")
