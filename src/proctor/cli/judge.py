"""proctor judge: measure a judge against labels by people."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE, output_option
from proctor.cli.report_output import check_outputs, emit_report

__all__ = ["verb"]


@click.group("judge", short_help="Measure a judge or any scorer against labels by people: a judge card.")
def verb() -> None:
    """Measure a judge or any scorer against labels by people: a judge card."""


@verb.command("check")
@click.argument("labels", type=FILE)
@click.option("--run", "run", help="Run whose answers were labelled (an id, the beginning of one, or `last`).")
@click.option("-s", "--scorer", help="The scorer: a name, a part of one (relevance.intent_relevance), or a check.")
@click.option("-t", "--target", help="The target, when the run had several.")
@click.option("-k", "--samples", type=click.IntRange(1, 100), help="Score every answer again, this many times.")
@click.option("--scale", type=float, nargs=2, help="Lowest and highest score on the people's scale, e.g. --scale 1 5.")
@click.option("--value", "values", multiple=True, help="Value of a label, e.g. --value helpful=1. May be repeated.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    help="Value from which the judge passes.  [default: the scorer's own]",
)
@click.option(
    "--people-threshold",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Value (0 to 1, after --scale) from which a person's label passes.",
)
@click.option("--judge", help="Model to judge with.")
@click.option("--at-least", type=click.FloatRange(-1, 1), help="Required kappa, else exit code 1.")
@output_option(".json .md")
@click.pass_context
def check(ctx: click.Context, /, labels: Path, run: str | None, outputs: tuple[Path, ...], **flags: Any) -> int:
    """Compare a judge's scores with LABELS, a file of JSON lines.

    A line is {"case": ID, "score": 0.8} or {"case": ID, "label": "pass"} about an answer of the run; several lines
    about one answer are several people. With `input` and `answer` in the line no run is needed.

    Exit codes: 0 measured, 1 below --at-least, 2 usage or configuration, 3 nothing could be measured.
    """
    from proctor.report.judge_card_sheet import JUDGE_CARD_REPORT  # noqa: PLC0415 - verbs load what they use
    from proctor.store.run_reader import RunReader  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.judge.check import JudgeQuestion, check_judge  # noqa: PLC0415

    check_outputs(JUDGE_CARD_REPORT, outputs)
    config = project(ctx)
    least = flags.pop("at_least")
    scale = flags.pop("scale") or None
    if scale and not scale[0] < scale[1]:
        raise click.UsageError("--scale takes the lowest score first")
    question = JudgeQuestion(labels=labels, scale=scale, values=_values(flags.pop("values")), **flags)
    if run is None:
        card = asyncio.run(check_judge(config, question))
    else:
        with RunStore(config.store) as store:
            card = asyncio.run(check_judge(config, question, RunReader(store, store.find(run))))
    emit_report(JUDGE_CARD_REPORT, card, outputs)
    if not card.cases:
        click.echo("no answer has both a label and a verdict", err=True)
        return 3
    if least is None:
        return 0
    kappa = card.agreement.kappa.value
    if kappa is None:
        click.echo("there is no kappa: people or the judge said the same of every answer", err=True)
        return 3
    if kappa < least:
        click.echo(f"kappa {kappa:.2f} is under {least:g}", err=True)
    return int(kappa < least)


def _values(written: tuple[str, ...]) -> dict[str, float]:
    found = {}
    for each in written:
        name, _, number = each.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            raise click.UsageError(f"--value takes a label and a number from 0 to 1, not {each!r}") from None
        if not name or not 0 <= found[name] <= 1:
            raise click.UsageError(f"--value takes a label and a number from 0 to 1, not {each!r}")
    return found
