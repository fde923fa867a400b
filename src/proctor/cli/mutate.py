"""proctor mutate: do a prompt's tests notice when its rules are broken?"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project

__all__ = ["verb"]

_OPERATORS = ("drop", "negate", "weaken", "swap")


@click.command("mutate", short_help="Break a prompt's rules one at a time and see whether its tests notice.")
@click.argument("prompt", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@click.option("-m", "--model", help="Model under test.  [default: `model:` in proctor.yaml]")
@click.option("--judge", "judges", multiple=True, help="Model that judges rules without a predicate. May be repeated.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder of the tests, if not beside it.")
@click.option(
    "--operator", "operators", multiple=True, type=click.Choice(_OPERATORS), help="Only these changes. May be repeated."
)
@click.option("--most", type=click.IntRange(min=1), help="Most mutants, chosen evenly over rules and operators.")
@click.option("--tests", type=click.IntRange(min=1), help="Most tests to put, chosen evenly.")
@click.option("-k", "--repeat", type=click.IntRange(1, 100), help="Samples per test.  [default: 1]")
@click.option("--every-test", is_flag=True, help="Put every test to every mutant, not only until one notices.")
@click.option(
    "--control/--no-control", default=True, help="Put the unchanged prompt, and harmless rewordings of it, too."
)
@click.option(
    "--damage/--no-damage", default=True, help="Damage outputs that passed and see whether the verdict changes."
)
@click.option("--plan", "plan_only", is_flag=True, help="Show the mutants and the calls; spend nothing.")
@click.option("-j", "--concurrency", type=int, help="Calls in flight at once.  [default: 50]")
@click.option("--budget", type=float, help="Dollars this may spend on models.")
@click.option("--rate", help="Most calls or tokens per model: 30/s, 500/min, '200k tokens/min'.")
@click.option("--seed", type=int, help="Seed of the choice.  [default: 0]")
@click.option("--at-least", type=click.FloatRange(0, 1), help="Mutation score that must be reached, else exit code 1.")
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="File to write; the ending chooses: .json .md .html. May be repeated.",
)
@click.pass_context
def verb(ctx: click.Context, /, outputs: tuple[Path, ...], at_least: float | None, **flags: Any) -> int:
    """Break the rules of PROMPT one at a time and see whether its tests notice.

    Each enabled rule of PROMPT's tests folder is dropped, negated, weakened or asked for in another form. A mutant is
    noticed when a test that passes under the prompt fails under the mutant by the prompt's own rules. Stopped on the
    way, the same command goes on where it was: no call is repeated.

    Exit codes: 0 done, 1 under --at-least, 2 usage or configuration, 3 nothing could be judged, or cut short.
    """
    from proctor.report.adequacy_sheet import MUTATION_REPORT  # noqa: PLC0415 - verbs load what they use
    from proctor.workflows.mutate.mutation import mutation_plan, run_mutation  # noqa: PLC0415

    for output in outputs:
        MUTATION_REPORT.check_name(output)
    config = project(ctx)
    job = _job(config, flags)
    plan = mutation_plan(config, job)
    if flags["plan_only"]:
        _show(plan, job)
        return 0
    adequacy = asyncio.run(run_mutation(config, job, plan=plan, heard=_progress))
    for output in outputs:  # before the screen, whose reader (head, less) may go
        MUTATION_REPORT.save(adequacy, output)
    MUTATION_REPORT.write(adequacy)
    for output in outputs:
        click.echo(f"wrote {output}", err=True)
    if not adequacy.complete:
        click.echo("cut short: the same command goes on from here, with a larger --budget", err=True)
        return 3
    if adequacy.score.value is None:
        return 3
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
