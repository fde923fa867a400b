"""Measure calibration over all labels and month by month, and read the mapping that is in use."""

from __future__ import annotations

import time
from pathlib import Path

from proctor.calibration import CalibrationMap, load
from proctor.config import Config
from proctor.core.calibration_report import ConfidencePair
from proctor.core.errors import InputError, NotFoundError
from proctor.monitor.calibrate import fit_calibration, measure_calibration
from proctor.monitor.month_drift import month_of
from proctor.workflows.monitor.confidence_pairs import LabelledPairs, PairQuestion, labelled_pairs
from proctor.workflows.monitor.kept_reports import CalibrationMonth, KeptCalibration

__all__ = ["calibration_of_pairs", "measure_kept_calibration", "read_mapping"]


async def measure_kept_calibration(config: Config, labels: str = "audit") -> KeptCalibration:
    """Return the calibration of all labelled confidences, before and after a mapping, and of each month.

    Raises:
        InputError: there are no such labels.
    """
    found = await labelled_pairs(config, PairQuestion(labels=labels))
    if not found.pairs:
        hint = "rate conversations with `proctor audit`, or choose other labels"
        raise InputError(f"no conversation has both a confidence and a label ({found.labels})", hint=hint)
    return calibration_of_pairs(found)


def calibration_of_pairs(found: LabelledPairs) -> KeptCalibration:
    """Return the calibration of some labelled confidences, and of each of their months."""
    months: dict[str, list[ConfidencePair]] = {}
    for pair in found.pairs:
        if pair.time is not None:
            months.setdefault(month_of(pair.time), []).append(pair)
    return KeptCalibration(
        labels=found.labels,
        measured=time.time(),
        whole=measure_calibration(found.pairs, labels=found.labels, unlabelled=found.unlabelled),
        fit=fit_calibration(found.pairs, labels=found.labels),
        months=tuple(
            CalibrationMonth(month=month, report=measure_calibration(pairs, labels=found.labels))
            for month, pairs in sorted(months.items())
        ),
        unlabelled=found.unlabelled,
    )


def read_mapping(path: Path) -> CalibrationMap:
    """Return the mapping of a file.

    Raises:
        NotFoundError: there is no such file.
        InputError: it is not a calibration file.
    """
    try:
        return load(path)
    except FileNotFoundError:
        raise NotFoundError("there is no such file", file=str(path), hint="check the path after --mapping") from None
    except (OSError, ValueError) as error:
        raise InputError(str(error), hint="`proctor calibrate fit -o calibration.json` writes one") from None
