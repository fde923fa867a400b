"""proctor mutate: check whether a prompt's tests notice broken rules."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.options import output_option
from proctor.cli.report_output import check_outputs, emit_report

__all__ = ["verb"]

_OPERATORS = ("drop", "negate", "weaken", "swap")


@click.command("mutate", short_help="Break a prompt's rules one at a time and check whether its tests notice.")
@click.argument("prompt", type=click.Path(path_type=Path))
@click.option("-m", "--model", help="Model under test.  [default: `model:` in proctor.yaml]")
@click.option("--judge", "judges", multiple=True, help="Model that judges rules without a predicate. May be repeated.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder of the tests, if not next to the prompt."
)
@click.option(
    "--operator", "operators", multiple=True, type=click.Choice(_OPERATORS), help="Only these changes. May be repeated."
)
@click.option(
    "--most", type=click.IntRange(min=1), help="Maximum number of mutants, chosen evenly over rules and operators."
)
@click.option("--tests", type=click.IntRange(min=1), help="Maximum number of tests, chosen evenly.")
@click.option("-k", "--repeat", type=click.IntRange(1, 100), help="Samples per test.  [default: 1]")
@click.option("--every-test", is_flag=True, help="Run every test on every mutant, not only until one notices.")
@click.option(
    "--control/--no-control", default=True, help="Also run the unchanged prompt and equivalent rewordings of it."
)
@click.option(
    "--damage/--no-damage", default=True, help="Damage outputs that passed and check whether the verdict changes."
)
@click.option("--plan", "plan_only", is_flag=True, help="Show the mutants and the calls, without calling a model.")
@click.option("-j", "--concurrency", type=int, help="Concurrent calls.  [default: 50]")
@click.option("--budget", type=float, help="Maximum cost of models in dollars.")
@click.option("--rate", help="Rate limit of calls or tokens per model: 30/s, 500/min, '200k tokens/min'.")
@click.option("--seed", type=int, help="Seed of the choice.  [default: 0]")
@click.option("--at-least", type=click.FloatRange(0, 1), help="Required mutation score, else exit code 1.")
@output_option(".json .md .html")
@click.pass_context
def verb(ctx: click.Context, /, outputs: tuple[Path, ...], at_least: float | None, **flags: Any) -> int:
    """Break the rules of PROMPT one at a time and check whether its tests notice.

    Each enabled rule of PROMPT's tests folder is dropped, negated, weakened or required in another form. A mutant is
    noticed when a test that passes with the prompt fails with the mutant by the prompt's own rules. After an
    interruption, the same command continues without repeating a call.

    Exit codes: 0 done, 1 below --at-least, 2 usage or configuration, 3 nothing could be judged, or cut short.
    """
    from proctor.report.adequacy_sheet import MUTATION_REPORT  # noqa: PLC0415 - verbs load what they use
    from proctor.workflows.mutate.mutation import mutation_plan, run_mutation  # noqa: PLC0415

    check_outputs(MUTATION_REPORT, outputs)
    config = project(ctx)
    job = _job(config, flags)
    plan = mutation_plan(config, job)
    if flags["plan_only"]:
        _show(plan, job)
        return 0
    adequacy = asyncio.run(run_mutation(config, job, plan=plan, heard=_progress))
    emit_report(MUTATION_REPORT, adequacy, outputs)
    if not adequacy.complete:
        click.echo("cut short: the same command goes on from here, with a larger --budget", err=True)
        return 3
    if adequacy.score.value is None:
        return 3
    if at_least is not None and 2 * adequacy.judged < len(adequacy.mutants):
        click.echo(f"only {adequacy.judged} of {len(adequacy.mutants)} mutants were judged: name a --judge", err=True)
        return 1
    if at_least is not None and adequacy.score.value < at_least:
        click.echo(f"the mutation score {adequacy.score.value:.2f} is under {at_least:g}", err=True)
        return 1
    return 0


def _job(config: Any, flags: dict[str, Any]) -> Any:
    from proctor.workflows.mutate.mutation import MutationJob  # noqa: PLC0415

    names = ("repeat", "concurrency", "budget", "rate", "seed")
    run = replace(config.settings.run, **{name: flags[name] for name in names if flags[name] is not None})
    judges = flags["judges"] or ((config.settings.judge,) if config.settings.judge else ())
    chosen = ("prompt", "out", "model", "most", "tests", "every_test", "damage", "control")
    told = {name: flags[name] for name in chosen}
    return MutationJob(**told, run=run, judges=tuple(judges), operators=flags["operators"] or _OPERATORS)


def _show(plan: Any, job: Any) -> None:
    from proctor.cli.tables import print_table  # noqa: PLC0415

    texts = {rule.id: rule.text for rule in plan.rules}
    rows = [
        (each.id, each.operator, " / ".join(texts.get(rule, rule) for rule in each.rules), each.before, each.after)
        for each in plan.mutants
    ]
    print_table(("mutant", "operator", "rule", "said", "says now"), rows, empty="no mutant can be made")
    calls = f"{plan.calls['model']:,} calls of {plan.model}"
    if plan.calls["judge"]:
        calls += f" and {plan.calls['judge']:,} of judges"
    base = f"{len(plan.tests)} tests × {job.run.repeat} samples × {len(plan.mutants)} mutants"
    also = f", its control and {len(plan.shams)} rewordings" if job.control else ""
    click.echo(
        f"at most {calls} ({base}, the prompt itself{also})",
        err=True,
    )
    for note in plan.notes:
        click.echo(f"note: {note}", err=True)


def _progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\r{done} of {total} versions of the prompt", err=True, nl=done == total)
