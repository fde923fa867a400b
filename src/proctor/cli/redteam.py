"""proctor redteam: attack a target, triage what was found, and check whether it was fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project
from proctor.cli.options import json_option, output_option
from proctor.cli.redteam_findings import import_findings, promote, triage
from proctor.cli.redteam_run import retest, run
from proctor.cli.report_output import check_outputs
from proctor.core.attack import SCOPES

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.workflows.redteam.plan_campaign import CampaignPlan

__all__ = ["verb"]

_TECHNIQUES_SHOWN = 12


@click.group("redteam", short_help="Attack a target, triage what was found, and check whether it was fixed.")
def verb() -> None:
    """Attack a target, triage what was found, and check whether it was fixed.

    An attack counts as executed if its effect is seen on the target and not in a benign twin of the same conversation.
    Campaigns are configured under `redteam:` in proctor.yaml. Nothing is sent but to the target and its models.
    """


@verb.command("plan", short_help="Show what a campaign would do; nothing is sent.")
@click.argument("campaign", required=False)
@click.option("-t", "--target", help="Target to attack.  [default: as configured]")
@click.option("--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="Only this scope. May be repeated.")
@click.option(
    "--goal", "only", multiple=True, help="Only goals with this id; `refund-*` matches several. May be repeated."
)
@click.option("--attempts", type=click.IntRange(min=1), help="Attempts per scope.  [default: 200]")
@json_option
@click.pass_context
def plan(ctx: click.Context, /, campaign: str | None, as_json: bool, **flags: Any) -> None:
    """Show the scopes, goals, techniques, attempts and messages of CAMPAIGN. Nothing is sent.

    Without CAMPAIGN: the only one of proctor.yaml, or the goals in redteam/*.yaml.
    """
    from proctor.workflows.redteam.campaign import open_campaign  # noqa: PLC0415 - verbs load what they use
    from proctor.workflows.redteam.plan_campaign import estimate_plan, plan_campaign  # noqa: PLC0415

    chosen = open_campaign(project(ctx), campaign, **flags)
    planned = plan_campaign(chosen)
    notes = [*planned.plan.notes, *estimate_plan(chosen, planned)]
    if as_json:
        import json  # noqa: PLC0415

        click.echo(json.dumps({**_as_data(planned), "notes": notes}, ensure_ascii=False, indent=1))
        return
    _print_plan(planned)
    for note in notes:
        click.echo(f"note: {note}", err=True)


def _as_data(planned: CampaignPlan) -> dict[str, Any]:
    from proctor.core.codec import encode  # noqa: PLC0415

    return {
        "campaign": planned.campaign,
        "target": planned.target,
        "goals": len(planned.goals),
        "attempts": len(planned.plan.attempts),
        "messages": planned.messages,
        "twin_messages": planned.twin_messages,
        "tokens": planned.tokens,
        "scopes": [encode(each) for each in planned.plan.scopes],
        **{name: dict(counts) for name, counts in planned.margins.items()},
    }


def _print_plan(planned: CampaignPlan) -> None:
    from proctor.cli.tables import print_table  # noqa: PLC0415

    columns = ("scope", "goals", "held out", "attempts", "indirect", "multi-turn")
    rows = [
        (each.scope, each.goals, each.held_out, each.attempts, each.indirect, each.multi_turn)
        for each in planned.plan.scopes
    ]
    print_table(columns, rows, empty="no scope has a goal")
    for name, counts in planned.margins.items():
        shown = list(counts.items())[:_TECHNIQUES_SHOWN]
        more = f" and {len(counts) - len(shown)} more" if len(counts) > len(shown) else ""
        click.echo(f"{name}: " + ", ".join(f"{key} {count}" for key, count in shown) + more)
    click.echo(
        f"{len(planned.plan.attempts):,} attempts on {planned.target}: {planned.messages:,} messages, and"
        f" {planned.twin_messages:,} of their benign twins; about {planned.tokens:,} tokens are sent, besides what the"
        " target adds"
    )


verb.add_command(run)


@verb.command("show", short_help="Show the figures and findings of a campaign.")
@click.argument("campaign", required=False)
@click.option("--run", "number", type=int, help="Run of the campaign, by its number.  [default: the newest]")
@click.option("-t", "--target", help="Only runs against this target.")
@click.option("--against", type=int, help="Show the change since this run of the campaign, paired by attempt.")
@output_option(".html .md .json .csv .xml (JUnit)")
@json_option
@click.pass_context
def show(ctx: click.Context, /, campaign: str | None, **flags: Any) -> None:
    """Show CAMPAIGN: rates by scope with intervals, benign twins, findings. Without CAMPAIGN, list the campaign runs.

    A retest is shown beside the run that it repeats. Held-out goals are shown as hashes, without their texts.
    """
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.redteam.campaign_report import choose_run  # noqa: PLC0415
    from proctor.workflows.redteam.triage import check_campaign  # noqa: PLC0415

    config = project(ctx)
    if campaign is None:
        _list_runs(config)
        return
    from proctor.cli.redteam_report import print_report  # noqa: PLC0415
    from proctor.report.redteam_campaign import CAMPAIGN_REPORT  # noqa: PLC0415

    check_outputs(CAMPAIGN_REPORT, flags["outputs"])
    with RunStore(config.store) as store:
        check_campaign(store, campaign)
        chosen = choose_run(store, campaign, number=flags["number"], target=flags["target"])
        against = flags["against"] if flags["against"] is not None else chosen.repeats
        before = None if against is None else choose_run(store, campaign, number=against)
        outputs = flags["outputs"]
        print_report(config, store, chosen, before, outputs=outputs, quiet=False, as_json=flags["as_json"])


def _list_runs(config: Config) -> None:
    from proctor.cli.tables import print_table  # noqa: PLC0415
    from proctor.store import campaigns  # noqa: PLC0415
    from proctor.store.findings import findings  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415

    columns = ("campaign", "run", "kind", "target", "started", "state", "after", "open findings")
    with RunStore(config.store) as store:
        rows: list[tuple[object, ...]] = []
        for name in campaigns.campaigns(store):
            waiting = [each for each in findings(store, name) if not each.is_closed]
            rows += [
                (
                    name,
                    each.n,
                    each.kind,
                    each.target,
                    f"{each.started.astimezone():%Y-%m-%d %H:%M}" if each.started else "",
                    "finished" if each.finished else "unfinished",
                    each.mitigation,
                    sum(finding.target == each.target for finding in waiting),
                )
                for each in campaigns.find(store, name)
            ]
    print_table(columns, rows, empty="no campaign was run yet; `proctor redteam run CAMPAIGN` runs one")


verb.add_command(triage)
verb.add_command(retest)
verb.add_command(promote)
verb.add_command(import_findings)
