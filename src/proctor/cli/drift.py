"""proctor drift: a month against those before it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE, json_option, output_option
from proctor.cli.report_output import check_outputs, emit_report

__all__ = ["verb"]


@click.command("drift", short_help="Compare a month with those before: intents, calibration, new topics.")
@click.argument("files", metavar="[EVENTS]…", nargs=-1, type=FILE)
@click.option("--month", help="The month, e.g. 2026-10.  [default: the last one that is over]")
@click.option(
    "--before", type=click.IntRange(1, 60), default=3, show_default=True, help="How many months before to compare with."
)
@click.option(
    "--effect",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.1,
    show_default=True,
    help="Cramér's V from which a shift of intents matters.",
)
@click.option(
    "--labels",
    default="audit",
    show_default=True,
    help="Labels for calibration: audit, completion, outcome, or score/NAME.",
)
@click.option("--correct", multiple=True, help="With --labels outcome: an outcome that is right. May be repeated.")
@click.option("--wrong", multiple=True, help="With --labels outcome: an outcome that is wrong. May be repeated.")
@click.option(
    "--questions",
    type=click.IntRange(0, 20_000),
    default=600,
    show_default=True,
    help="Questions of each time to group into topics; 0 for none.",
)
@click.option("--keep", is_flag=True, help="Keep it in the store, where the dashboard shows it; not with EVENTS.")
@click.option("--light", is_flag=True, help="Group topics by words only, without the embedded encoder.")
@output_option(".json .csv .md .html")
@json_option
@click.pass_context
def verb(ctx: click.Context, /, outputs: tuple[Path, ...], as_json: bool, **flags: Any) -> int:
    """Compare the intents, the calibration and the topics of a month with those of the months before.

    EVENTS are event logs; without them the store's own log is read. Every figure comes with what chance alone shows,
    and with the smallest difference that the numbers could show. Exit codes: 0 no shift that matters, 1 shifted, 3 too
    little data to see one.
    """
    from proctor.report.drift_sheet import DRIFT_REPORT  # noqa: PLC0415 - verbs load what they use
    from proctor.workflows.monitor.confidence_pairs import PairQuestion  # noqa: PLC0415
    from proctor.workflows.monitor.drift import DriftJob, drift_of  # noqa: PLC0415

    keep = flags.pop("keep")
    if keep and flags["files"]:
        raise click.UsageError("--keep is for the project's own event log.")
    check_outputs(DRIFT_REPORT, outputs)
    pairs = PairQuestion(**{name: flags.pop(name) for name in ("labels", "correct", "wrong")})
    flags["month"] = flags["month"] or (datetime.now(UTC).replace(day=1) - timedelta(days=1)).strftime("%Y-%m")
    report = asyncio.run(drift_of(project(ctx), DriftJob(pairs=pairs, **flags)))
    emit_report(DRIFT_REPORT, report, outputs, as_json=as_json)
    if keep:
        from proctor.workflows.monitor.kept_reports import keep_drift  # noqa: PLC0415

        keep_drift(project(ctx), report)
    return {"pass": 0, "fail": 1, "unscored": 3}[report.state]
