"""proctor redteam run and retest: attack a target, with progress, resume and exit codes as in `proctor run`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from proctor.cli.context import project
from proctor.cli.options import output_option
from proctor.cli.report_output import check_outputs
from proctor.core.attack import SCOPES
from proctor.runner.decide import INTERRUPTED

if TYPE_CHECKING:
    from proctor.config import RunSettings
    from proctor.store.campaigns import CampaignRun
    from proctor.workflows.redteam.attack_target import AttackProgress, AttackRun
    from proctor.workflows.redteam.campaign import Campaign
    from proctor.workflows.redteam.retest import RetestFindings

__all__ = ["retest", "run"]


def _limits(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that `run` and `retest` share."""
    options: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
        click.option("-j", "--concurrency", type=int, help="Concurrent attempts.  [default: `run:` in proctor.yaml]"),
        click.option(
            "--budget", type=float, help="Maximum cost of models in dollars, all rounds and resumes together."
        ),
        click.option("--timeout", type=float, help="Timeout of one attempt with its twin in seconds.  [default: 600]"),
        click.option("--rate", help="Rate limit of calls or tokens per model: 30/s, 500/min, '200k tokens/min'."),
        output_option(".html .md .json .csv .xml (JUnit)", what="Report file"),
        click.option("-q", "--quiet", is_flag=True, help="Only the decision."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command("run", short_help="Run a campaign, or go on with an unfinished one.")
@click.argument("name", metavar="[CAMPAIGN]", required=False)
@click.option("-t", "--target", help="Target to attack.  [default: as configured]")
@click.option("--guarded", is_flag=True, help="Put the target behind the project's guard, as `guard: true` does.")
@click.option("--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="Only this scope. May be repeated.")
@click.option(
    "--goal", "only", multiple=True, help="Only goals with this id; `refund-*` matches several. May be repeated."
)
@click.option("--attempts", type=click.IntRange(min=1), help="Attempts per scope.  [default: 200]")
@click.option("--adaptive", is_flag=True, help="Search on from what came nearest, in rounds, until the tries are used.")
@click.option("--tries", type=click.IntRange(min=1), help="With --adaptive: tries per goal.  [default: 100]")
@click.option("--seed", type=int, help="Seed of everything random.  [default: 0]")
@click.option("--resume", is_flag=True, help="Go on with the newest unfinished run, whatever the goal files say now.")
@click.option("--new", "afresh", is_flag=True, help="Begin again, even if a run is unfinished.")
@_limits
@click.pass_context
def run(ctx: click.Context, /, name: str | None, **flags: Any) -> int:
    """Run CAMPAIGN: 200 attempts a scope, each with its benign twin.

    The same command again goes on with an unfinished run: no attempt is lost or made twice. Critical and high findings
    raise an alert at once.

    Exit codes: 0 no open finding was executed, 1 one was, 2 usage or configuration, 3 could not be judged or the budget
    is spent, 130 interrupted.
    """
    from proctor.workflows.redteam.campaign import guard_target, open_campaign  # noqa: PLC0415 - verbs load what they use
    from proctor.workflows.redteam.start_campaign import resumed_campaign, start_attack  # noqa: PLC0415

    if flags["tries"] and not flags["adaptive"]:
        raise click.UsageError("--tries goes with --adaptive.")
    if flags["resume"] and flags["afresh"]:
        raise click.UsageError("--resume and --new exclude each other.")
    _check_outputs(flags)
    given = {key: flags[key] for key in ("target", "scopes", "only", "attempts", "seed")}
    campaign = open_campaign(project(ctx), name, **given)
    if flags["resume"]:
        campaign, record = resumed_campaign(campaign)
    else:
        campaign = guard_target(campaign) if flags["guarded"] else campaign
        tries = (flags["tries"] or campaign.settings.tries) if flags["adaptive"] else None
        record, notes = start_attack(campaign, tries=tries, afresh=flags["afresh"])
        for note in notes if not flags["quiet"] else ():
            click.echo(f"note: {note}", err=True)
    return _attack(campaign, record, flags)


@click.command("retest", short_help="Run the same attempts again after a mitigation.")
@click.argument("name", metavar="CAMPAIGN")
@click.option("--after", "mitigation", required=True, metavar="TEXT", help="What was changed since.")
@click.option("-t", "--target", help="Target to attack now.  [default: that of the run before]")
@click.option("--guarded", is_flag=True, help="Put the target behind the project's guard, as `guard: true` does.")
@click.option("--run", "number", type=int, help="Run of the campaign to repeat.  [default: the newest complete one]")
@_limits
@click.pass_context
def retest(ctx: click.Context, /, name: str, mitigation: str, **flags: Any) -> int:
    """Run the attempts of CAMPAIGN again and show both runs side by side with a paired test.

    Each finding gets the result: fixed, still executed, or unknown. The figure to report is that of the held-out goals.

    Exit codes: 0 no open finding was executed, 1 one was, 2 usage or configuration, 3 could not be judged or the budget
    is spent, 130 interrupted.
    """
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.redteam.campaign import guard_target, open_campaign  # noqa: PLC0415
    from proctor.workflows.redteam.campaign_report import choose_run  # noqa: PLC0415
    from proctor.workflows.redteam.start_campaign import last_attack, start_retest, with_target_of  # noqa: PLC0415

    _check_outputs(flags)
    campaign = open_campaign(project(ctx), name)
    with RunStore(campaign.config.store) as store:
        number = flags["number"]
        before = choose_run(store, campaign.name, number=number) if number else last_attack(campaign, store)
    if flags["target"]:
        campaign = open_campaign(campaign.config, name, target=flags["target"])
    else:
        campaign = with_target_of(campaign, before)
    if flags["guarded"] and not campaign.guarded:
        campaign = guard_target(campaign)
    return _attack(campaign, start_retest(campaign, before, mitigation=mitigation), flags)


def _check_outputs(flags: dict[str, Any]) -> None:
    """Reject an unknown extension or rate before any cost."""
    from proctor.report.redteam_campaign import CAMPAIGN_REPORT  # noqa: PLC0415

    check_outputs(CAMPAIGN_REPORT, flags["outputs"])
    if flags["rate"]:
        from proctor.models.wrap.rate_budget import parse_rate  # noqa: PLC0415

        parse_rate(flags["rate"])


def _attack(campaign: Campaign, record: CampaignRun, flags: dict[str, Any]) -> int:
    from proctor.cli.redteam_progress import CampaignProgress  # noqa: PLC0415
    from proctor.cli.run import run_until_interrupted  # noqa: PLC0415
    from proctor.workflows.redteam.attack_target import AttackProgress  # noqa: PLC0415

    progress = CampaignProgress(shown=not flags["quiet"])
    watching = AttackProgress(warned=lambda text: click.echo(f"warning: {text}", err=True), result=progress.heard)

    def begun(run: Any, number: int, total: int, done: int) -> None:
        progress.begin(number, total, done)
        progress.spend = watching.spend
        if not flags["quiet"]:
            before = f", {done} done before" if done else ""
            place = f" round {number}" if number else ""
            click.echo(f"{record.campaign}{place}: run {run.id}: {total - done} attempts to do{before}", err=True)

    watching.begun = begun
    settings = _settings(campaign, flags)
    try:
        ended: AttackRun = run_until_interrupted(_work(campaign, record, settings, watching), watching)
    finally:
        progress.clear()
    for note in ended.notes:
        click.echo(f"warning: {note}", err=True)
    if ended.refused:
        click.echo(f"the budget refused {ended.refused} calls; repeat the command with a larger --budget", err=True)
    return _report(campaign, ended, flags)


async def _work(campaign: Campaign, record: CampaignRun, settings: RunSettings, watching: AttackProgress) -> AttackRun:
    """Run the campaign, if no other process does."""
    from proctor.workflows.redteam.start_campaign import sole_attacker  # noqa: PLC0415

    with sole_attacker(campaign.config.store, record):  # before the writer: its calls cost money too
        return await _run_rounds(campaign, record, settings, watching)


async def _run_rounds(
    campaign: Campaign, record: CampaignRun, settings: RunSettings, watching: AttackProgress
) -> AttackRun:
    """Run the campaign; an adaptive one searches on, with the wordings of the writer if there is one."""
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.redteam.attack_target import attack_target  # noqa: PLC0415
    from proctor.workflows.redteam.campaign_report import choose_run  # noqa: PLC0415

    search = None
    if record.tries is not None:
        from proctor.workflows.redteam.search_rounds import SearchRounds  # noqa: PLC0415
        from proctor.workflows.redteam.writer_variants import writer_variants  # noqa: PLC0415

        written = await writer_variants(campaign, settings)
        if campaign.settings.writer and watching.warned:
            watching.warned(written.note)
        if settings.budget is not None:
            settings = replace(settings, budget=max(0.0, settings.budget - written.cost))
        search = SearchRounds(campaign, tries=record.tries, variants=written.variants)
    before = None
    if record.repeats is not None:
        with RunStore(campaign.config.store) as store:
            before = choose_run(store, record.campaign, number=record.repeats)
    return await attack_target(campaign.config, record, settings, watching, next_round=search, before=before)


def _settings(campaign: Campaign, flags: dict[str, Any]) -> RunSettings:
    names = ("concurrency", "budget", "timeout", "rate")
    given = {name: flags[name] for name in names if flags[name] is not None}
    try:
        return replace(campaign.config.settings.run, seed=campaign.settings.seed, **given)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _report(campaign: Campaign, ended: AttackRun, flags: dict[str, Any]) -> int:
    """Print and write the report, and return the exit code."""
    from proctor.cli.redteam_report import print_report  # noqa: PLC0415
    from proctor.store.runs import RunStore  # noqa: PLC0415
    from proctor.workflows.redteam.campaign_report import choose_run, decide_campaign  # noqa: PLC0415

    record = ended.record
    with RunStore(campaign.config.store) as store:
        before = choose_run(store, record.campaign, number=record.repeats) if record.repeats else None
        total = print_report(
            campaign.config, store, record, before, outputs=flags["outputs"], quiet=flags["quiet"], as_json=False
        )
        if not ended.done:
            click.echo("interrupted; the same command goes on", err=True)
            return INTERRUPTED
        code, decision = decide_campaign(
            store,
            record,
            total,
            target=before.target if before else record.target,
            allowed=campaign.config.settings.run.unscored,
            refused=ended.refused,
        )
    if ended.retested is not None and not flags["quiet"]:
        _print_retest(ended.retested)
    click.echo(decision)
    return code


def _print_retest(found: RetestFindings) -> None:
    for word, several in (
        ("fixed", found.fixed),
        ("still executed", found.remaining),
        ("could not be judged", found.unknown),
        ("found only now", found.new),
    ):
        if several:
            click.echo(f"findings {word}: {', '.join(each.id for each in several)}", err=True)
