"""proctor thresholds: propose floors from runs."""

from __future__ import annotations

from typing import Any

import click

from proctor.cli.context import project

__all__ = ["verb"]

_MAX_FALSE_HOLDS = 0.05
_RATE = 0.025  # half of 5 %: the tests for drops may use the other half


@click.group("thresholds", short_help="Propose floors for gate.yaml from good runs.")
def verb() -> None:
    """Propose floors for gate.yaml from good runs."""


@verb.command("suggest")
@click.argument("runs", nargs=-1)
@click.option(
    "--suite", help="Suite whose runs are used: its title, or what `run` takes.  [default: that of the newest run]"
)
@click.option("-t", "--target", help="The target, when the runs had several.")
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Maximum number of runs."
)
@click.option(
    "--rate",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Lower the floors until at most this share of good runs breaks one.",
)
@click.pass_context
def suggest_floors(
    ctx: click.Context, runs: tuple[str, ...], suite: str | None, target: str | None, limit: int, rate: float | None
) -> None:
    """Propose a floor for each dimension of each intent from RUNS, as YAML for gate.yaml.

    Without RUNS the newest finished runs of the suite are used, except those that were held. Runs narrowed to some
    cases, intents or checks are left out. The proposal is the best mean so far minus one standard deviation of the
    cases. It is lowered only with --rate, or if reviews show that the gate held more than 5 % of its decisions without
    a reason: then to a rate in proportion.
    """
    from proctor.release.thresholds import suggest  # noqa: PLC0415 - verbs load what they use
    from proctor.store.decisions import false_holds  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.release.good_runs import good_runs  # noqa: PLC0415
    from proctor.workflows.release.suite_titles import suite_title  # noqa: PLC0415

    config = project(ctx)
    with RunStore(config.store) as store:
        figures = good_runs(store, runs, suite=suite_title(store, config, suite), target=target, limit=limit)
        failed = [each.run for each in figures if store.find(each.run).decision == "failed"]
        false, known = false_holds(store)
    share = false / known if known else None
    used = (rate or _RATE) * _MAX_FALSE_HOLDS / share if share and share > _MAX_FALSE_HOLDS else rate
    found = suggest(figures, rate=used)
    names = ", ".join(each.run for each in figures)
    click.echo(f"# from {found.runs} run{'s' if found.runs > 1 else ''} of {figures[-1].suite} ({names})")
    if len(figures) < len(runs):
        click.echo(f"# {len(runs) - len(figures)} of the runs named were narrowed to a part of the suite, and left out")
    if failed:
        click.echo(f"# these runs failed: {', '.join(failed)}")
        click.echo("# what they have wrong lowers the floors: name runs of a system that you would ship")
    if found.rate is None:
        click.echo("# the best mean minus one standard deviation of the cases")
        click.echo(f"# of runs drawn from these scores {found.false_positives:.1%} would break one; --rate lowers them")
    else:
        click.echo(f"# floors at one standard deviation would hold {found.start:.1%} of good runs;")
        click.echo(f"# these hold {found.false_positives:.1%}, and may hold {found.rate:.1%}")
    if found.over == "cases":
        click.echo("# drawn over cases: with three runs or more, the rate would be measured from run to run")
    _print_reviews(share, false, known)
    _print_floors(found)


def _print_reviews(share: float | None, false: int, known: int) -> None:
    if share is None:
        click.echo("# no decision of the gate has been reviewed yet")
        return
    click.echo(f"# decisions that shipped or were reviewed: {known}; false holds: {false} ({share:.1%})")
    if share > _MAX_FALSE_HOLDS:
        click.echo(f"# that is more than {_MAX_FALSE_HOLDS:.0%}: the floors were lowered, to a rate in proportion")


def _print_floors(found: Any) -> None:
    by_intent: dict[str, list[Any]] = {}
    for each in found.proposals:
        by_intent.setdefault(each.intent, []).append(each)
    click.echo("floors:" if any(each.floor > 0 for each in found.proposals) else "# floors:")
    for intent, proposals in by_intent.items():
        # A key without a value would be no mapping.
        click.echo(f"  {'' if any(each.floor > 0 for each in proposals) else '# '}{_key(intent)}:")
        for each in proposals:
            about = f"best {each.best:.3f}, spread {each.spread:.3f}, {each.cases} case{'' if each.cases == 1 else 's'}"
            if each.floor > 0:
                click.echo(f"    {_key(each.dimension)}: {each.floor:g}  # {about}")
            else:
                click.echo(f"    # {_key(each.dimension)}: no floor, these cases allow none ({about})")


def _key(name: str) -> str:
    """Return a name as a YAML key, quoted like JSON if it has unusual characters."""
    import json  # noqa: PLC0415

    plain = name.isascii() and name.replace("_", "a").replace(".", "a").replace("-", "a").isalnum()
    return name if plain and name[0].isalpha() else json.dumps(name, ensure_ascii=False)
