"""proctor calibrate: whether confidences are frequencies, and a mapping that makes them so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from proctor.cli.context import project
from proctor.cli.options import FILE, json_option, output_option, time_of
from proctor.cli.report_output import check_outputs, emit_report

__all__ = ["verb"]

_OPTIONS = (
    click.argument("files", metavar="[EVENTS]…", nargs=-1, type=FILE),
    click.option(
        "--labels",
        default="audit",
        show_default=True,
        help="What says whether an answer was right: audit, completion, outcome, or score/NAME.",
    ),
    click.option(
        "--pairs",
        type=FILE,
        help="File with `confidence` and `correct` on each line instead, .jsonl or .csv.",
    ),
    click.option("--correct", multiple=True, help="With --labels outcome: an outcome that is right. May be repeated."),
    click.option("--wrong", multiple=True, help="With --labels outcome: an outcome that is wrong. May be repeated."),
    click.option("--since", help="First time, e.g. 2026-10-01."),
    click.option("--until", help="Time before which a conversation begins, e.g. 2026-11-01."),
    click.option(
        "--threshold",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.05,
        show_default=True,
        help="Calibration error beyond chance above which to recalibrate.",
    ),
)


def _pair_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group(
    "calibrate", short_help="Check whether confidences are frequencies, and fit a mapping that an agent can load."
)
def verb() -> None:
    """Check whether confidences are frequencies, and fit a mapping that an agent can load.

    Of answers with a confidence of 0.85, 85 % should be right. A calibrated agent shows an error too when it is
    measured on few labels; that part is taken off.
    """


@verb.command("check")
@_pair_options
@click.option(
    "--mapping",
    type=FILE,
    help="Calibration file to apply first, to check the mapping that is in use.",
)
@click.option(
    "--keep", is_flag=True, help="Keep it in the store by month, where the dashboard shows it; only with --labels."
)
@output_option(".json .svg .md .html")
@json_option
@click.pass_context
def check(ctx: click.Context, /, mapping: Path | None, outputs: tuple[Path, ...], as_json: bool, **flags: Any) -> int:
    """Measure the calibration error with its interval, and say whether to recalibrate.

    EVENTS are event logs; without them the store's own log is read. Exit codes: 0 within the threshold, 1 recalibrate,
    3 too few labels to decide.
    """
    from proctor.monitor.calibrate import measure_calibration  # noqa: PLC0415 - verbs load what they use
    from proctor.report.calibration_sheet import CALIBRATION_REPORT  # noqa: PLC0415
    from proctor.workflows.monitor.confidence_pairs import labelled_pairs  # noqa: PLC0415
    from proctor.workflows.monitor.kept_calibration import read_mapping  # noqa: PLC0415

    check_outputs(CALIBRATION_REPORT, outputs)
    threshold, keep = flags.pop("threshold"), flags.pop("keep")
    if keep and any(flags[name] for name in ("files", "pairs", "correct", "wrong", "since", "until")):
        raise click.UsageError("--keep is for all labels of the project's own event log.")
    found = asyncio.run(labelled_pairs(project(ctx), _question(flags)))
    report = measure_calibration(
        found.pairs,
        labels=found.labels,
        threshold=threshold,
        mapping=None if mapping is None else read_mapping(mapping),
        unlabelled=found.unlabelled,
    )
    if report is None:
        return _nothing(found.unlabelled)
    if keep:
        from proctor.workflows.monitor.kept_calibration import calibration_of_pairs  # noqa: PLC0415
        from proctor.workflows.monitor.kept_reports import keep_calibration  # noqa: PLC0415

        keep_calibration(project(ctx), calibration_of_pairs(found))
    emit_report(CALIBRATION_REPORT, report, outputs, as_json=as_json)
    return {"pass": 0, "fail": 1, "unscored": 3}[report.state]


@verb.command("fit")
@_pair_options
@click.option(
    "--method",
    type=click.Choice(["temperature", "platt", "isotonic", "identity"]),
    help="Use this mapping.  [default: the best by cross-validation]",
)
@output_option(".json .svg .md .html", what="File to write; .json is the mapping that an agent loads")
@click.pass_context
def fit(ctx: click.Context, /, method: Any, outputs: tuple[Path, ...], **flags: Any) -> int:
    """Fit a mapping from confidence to how often it is right, and write it with `-o calibration.json`.

    An agent loads it with `from proctor.calibration import load`.
    """
    from proctor.monitor.calibrate import MIN_LABELS, fit_calibration  # noqa: PLC0415
    from proctor.report.calibration_sheet import FIT_REPORT  # noqa: PLC0415
    from proctor.workflows.monitor.confidence_pairs import labelled_pairs  # noqa: PLC0415

    check_outputs(FIT_REPORT, outputs)
    threshold = flags.pop("threshold")
    found = asyncio.run(labelled_pairs(project(ctx), _question(flags)))
    facts = {
        "labels": found.labels,
        "count": len(found.pairs),
        "fitted": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    made = fit_calibration(found.pairs, labels=found.labels, method=method, threshold=threshold, facts=facts)
    if made is None:
        if not found.pairs:
            return _nothing(found.unlabelled)
        click.echo(f"{len(found.pairs)} labels are too few for a mapping; {MIN_LABELS} are needed", err=True)
        return 3
    emit_report(FIT_REPORT, made, outputs)
    return 0


def _question(flags: dict[str, Any]) -> Any:
    from proctor.workflows.monitor.confidence_pairs import PairQuestion  # noqa: PLC0415

    return PairQuestion(
        labels=flags["labels"],
        files=flags["files"],
        pairs=flags["pairs"],
        correct=flags["correct"],
        wrong=flags["wrong"],
        since=time_of(flags["since"], "--since"),
        until=time_of(flags["until"], "--until"),
    )


def _nothing(unlabelled: int) -> int:
    more = f" ({unlabelled:,} conversations have no confidence or no label)" if unlabelled else ""
    click.echo(f"no conversation has both a confidence and a label{more}", err=True)
    return 3
