"""Print and write the report of a campaign run, alone or beside another."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from proctor.config import Config
    from proctor.core.campaign import AttackFigures, CampaignSummary
    from proctor.report.report_kind import ReportKind
    from proctor.store.campaigns import CampaignRun
    from proctor.store.runs import RunStore

__all__ = ["print_report"]


def print_report(
    config: Config,
    store: RunStore,
    record: CampaignRun,
    before: CampaignRun | None,
    *,
    outputs: Sequence[Path],
    quiet: bool,
    as_json: bool,
) -> AttackFigures:
    """Write the report files, print the report, and return the figures of all attempts of the run.

    JUnit is always of the run itself: a finding is a failure, whatever it was before.
    """
    from proctor.report.redteam_campaign import CAMPAIGN_REPORT  # noqa: PLC0415 - verbs load what they use
    from proctor.report.redteam_retest import RETEST_REPORT  # noqa: PLC0415
    from proctor.workflows.redteam.campaign_report import campaign_summary, retest_summary  # noqa: PLC0415

    kind: ReportKind[Any]
    content: Any
    alone: CampaignSummary
    if before is None:
        content = alone = campaign_summary(config, store, record)
        kind = CAMPAIGN_REPORT
    else:
        content = retest_summary(config, store, before, record)
        kind, alone = RETEST_REPORT, content.after
    for path in outputs:  # before printing, since the reader of a pipe (head, less) may close it
        if path.suffix.lower() in kind.endings:
            kind.save(content, path)
        else:
            CAMPAIGN_REPORT.save(alone, path)
    if as_json:
        kind.write_json(content, sys.stdout)
    elif not quiet:
        kind.write(content)
    for path in outputs:
        click.echo(f"wrote {path}", err=True)
    return alone.total
