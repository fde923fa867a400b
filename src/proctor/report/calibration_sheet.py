"""The reports of a calibration and of a fitted mapping: terminal, Markdown, HTML with the diagram, SVG, JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TextIO

from proctor.core.calibration_report import CalibrationFit, CalibrationReport
from proctor.report.number_format import p_text, percent, share_text, signed_text
from proctor.report.reliability_diagram import reliability_diagram
from proctor.report.report_kind import FileWriter, ReportKind, write_json
from proctor.report.report_table import ReportTable, TableCell, columns, figures
from proctor.report.sheet import Sheet, write_html, write_markdown, write_terminal

__all__ = ["CALIBRATION_REPORT", "FIT_REPORT", "calibration_sheet", "fit_sheet"]

_MOST_DIGITS = 6
_WORDS = {
    "pass": "calibrated within the threshold",
    "fail": "recalibrate: the error is above the threshold",
    "unscored": "not decided",
}


def calibration_sheet(report: CalibrationReport) -> Sheet:
    """Return the calibration as a sheet."""
    notes = list(report.notes)
    if report.state == "unscored":
        able = "nothing" if report.minimum is None else f"an overconfidence of {percent(report.minimum)} or more"
        notes.insert(0, f"{report.count:,} labels are too few to decide: they show {able} four times of five")
    return Sheet(
        title="Calibration",
        headline=f"{_WORDS[report.state]}: error beyond chance {share_text(report.debiased, 1)}, threshold "
        f"{percent(report.threshold)}",
        state=report.state,
        facts=_facts(report),
        tables=[_bins(report)],
        notes=notes,
        drawings=[reliability_diagram(report, is_inline=True)],
    )


def fit_sheet(fit: CalibrationFit) -> Sheet:
    """Return a fitted mapping as a sheet: the methods, and the error before and after."""
    rows = [
        (
            TableCell(each.method, "strong" if each.is_chosen else ""),
            f"{each.brier:.4f}",
            f"{each.log_loss:.4f}",
            "–" if each.method == "identity" else signed_text(each.gain, 4),
            "chosen" if each.is_chosen else "",
        )
        for each in fit.trials
    ]
    trials = ReportTable(
        title="Mappings by cross-validation",
        columns=(*columns("mapping"), *figures("squared error", "log loss", "gain"), *columns("")),
        rows=rows,
        hint="on conversations that the fit has not seen; the gain is in squared error, with its 95 % interval",
    )
    after = fit.after
    return Sheet(
        title="Calibration mapping",
        headline=f"{fit.method}: error beyond chance {share_text(fit.before.debiased, 1)} before, "
        f"{share_text(after.debiased, 1) if after else '–'} after",
        state=after.state if after else "unscored",
        facts=_facts(fit.before),
        tables=[trials, _bins(fit.before), *([_bins(after, "After the mapping")] if after else [])],
        notes=[*fit.notes, *fit.before.notes],
        drawings=[reliability_diagram(each, is_inline=True) for each in (fit.before, after) if each is not None],
    )


def _facts(report: CalibrationReport) -> Sequence[tuple[str, str]]:
    over = "over" if report.gap > 0 else "under"
    return [
        ("labels", f"{report.count:,} ({report.labels})"),
        ("raw error", percent(report.ece)),
        ("by chance", percent(report.chance)),
        ("p", p_text(report.p)),
        ("mean", f"{abs(report.gap) * 100:.1f} points {over}confident"),
        ("smallest to be seen", "–" if report.minimum is None else percent(report.minimum)),
        ("squared error", f"{report.brier:.4f}"),
        *([("mapping", report.mapping)] if report.mapping else []),
        *([("without label", f"{report.unlabelled:,}")] if report.unlabelled else []),
    ]


def _bins(report: CalibrationReport, title: str = "By confidence") -> ReportTable:
    digits = _digits(report)
    rows = [
        (
            f"{each.low:.{digits}f}–{each.high:.{digits}f}",
            f"{each.count:,}",
            f"{each.confidence:.{digits + 1}f}",
            share_text(each.accuracy, 1),
            f"{each.usual_low * 100:.0f}–{each.usual_high * 100:.0f} %",
            TableCell("", "")
            if each.usual_low <= (each.accuracy.value or 0.0) <= each.usual_high
            else TableCell("outside", "fail"),
        )
        for each in report.bins
    ]
    return ReportTable(
        title=title,
        columns=(*columns("confidence"), *figures("labels", "mean", "right", "usual if calibrated"), *columns("")),
        rows=rows,
        hint="bins of equal weight; of twenty bins of a calibrated agent one is outside",
    )


def _digits(report: CalibrationReport) -> int:
    """Return with how many digits every bin has a name of its own, and is seen to have a width if it has one."""
    for digits in range(2, _MOST_DIGITS):
        shown = {(f"{each.low:.{digits}f}", f"{each.high:.{digits}f}") for each in report.bins}
        wide = sum(low != high for low, high in shown)
        if len(shown) == len(report.bins) and wide == sum(each.low != each.high for each in report.bins):
            return digits
    return _MOST_DIGITS


def _data(report: CalibrationReport) -> dict[str, object]:
    return {"state": report.state, **dataclasses.asdict(report)}


def _write_svg(report: CalibrationReport, out: TextIO) -> None:
    out.write(reliability_diagram(report))


_CALIBRATION: dict[str, FileWriter[CalibrationReport]] = {
    ".json": lambda report, out: write_json(_data(report), out),
    ".svg": _write_svg,
    ".md": lambda report, out: write_markdown(calibration_sheet(report), out),
    ".html": lambda report, out: write_html(calibration_sheet(report), out),
}
CALIBRATION_REPORT: ReportKind[CalibrationReport] = ReportKind(
    name="calibration", show=lambda report, out: write_terminal(calibration_sheet(report), out), writers=_CALIBRATION
)

_FIT: dict[str, FileWriter[CalibrationFit]] = {
    ".json": lambda fit, out: write_json(fit.mapping, out),
    ".svg": lambda fit, out: _write_svg(fit.after or fit.before, out),
    ".md": lambda fit, out: write_markdown(fit_sheet(fit), out),
    ".html": lambda fit, out: write_html(fit_sheet(fit), out),
}
FIT_REPORT: ReportKind[CalibrationFit] = ReportKind(
    name="mapping", show=lambda fit, out: write_terminal(fit_sheet(fit), out), writers=_FIT
)
