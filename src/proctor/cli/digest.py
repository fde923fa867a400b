"""proctor digest: production over a day, a week or a month, compared with the period before."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE, events_option, json_option, output_option
from proctor.cli.report_output import check_outputs, emit_report

__all__ = ["verb"]


@click.command(
    "digest", short_help="Summarise a day, a week or a month of production, and compare it with the one before."
)
@click.argument("kind", type=click.Choice(["daily", "weekly", "monthly"]))
@click.argument("period", required=False)
@events_option
@click.option(
    "--rules",
    type=FILE,
    help="File with signals and windows.  [default: `completion:` in proctor.yaml]",
)
@click.option("--sample", type=click.IntRange(min=0), help="Conversations to check for contradictions.  [default: 100]")
@click.option("--light", is_flag=True, default=None, help="By rules and words only, without local models.")
@click.option("--keep", is_flag=True, help="Keep it in the store, where the dashboard shows it; not with --events.")
@click.option("--send", is_flag=True, help="Send it through the channels under `alerts:` in proctor.yaml.")
@output_option(".html .md .json")
@json_option
@click.pass_context
def verb(ctx: click.Context, /, **flags: Any) -> int:
    """Summarise production: completion by intent, escalations, consistency, satisfaction, alerts, gates and spend.

    PERIOD is a date (2026-11-15), a week (2026-W46) or a month (2026-10); default: the last one that is over, or that
    of the last event if files are given. Each figure has its number of observations, an interval (95 %), and its change
    since the period before. A task counts in the period in which its last window ended, so that a figure never changes
    later. Exit code 3 when nothing was measured.
    """
    from proctor.report.digest_report import DIGEST_REPORT  # noqa: PLC0415 - verbs load what they use
    from proctor.workflows.monitor.digest import DigestJob, digest_of  # noqa: PLC0415

    if flags["keep"] and flags["events"]:
        raise click.UsageError("--keep is for the project's own event log.")
    check_outputs(DIGEST_REPORT, flags["outputs"])
    config = project(ctx)
    job = DigestJob(
        kind=flags["kind"],
        name=flags["period"],
        events=flags["events"],
        rules=flags["rules"],
        light=flags["light"],
        sample=flags["sample"],
    )
    digest = asyncio.run(digest_of(config, job))
    emit_report(DIGEST_REPORT, digest, flags["outputs"], as_json=flags["as_json"])
    if flags["keep"]:
        from proctor.workflows.monitor.kept_reports import keep_digest  # noqa: PLC0415

        keep_digest(config, digest)
    if flags["send"]:
        from proctor.workflows.monitor.digest_delivery import send_digest  # noqa: PLC0415

        for sent in asyncio.run(send_digest(config, digest)):
            told = "sent" if sent.delivered else f"not sent yet, tried again later: {sent.failure}"
            click.echo(f"{sent.channel}: {told}", err=True)
    return 0 if digest.headline else 3
