"""Reports that were measured and kept in the store: digests, drift by month, calibration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar, get_args

from proctor.config import Config
from proctor.core.calibration_report import CalibrationFit, CalibrationReport
from proctor.core.codec import dumps, loads
from proctor.core.decode import decode
from proctor.core.digest import PeriodDigest, PeriodKind
from proctor.core.drift_report import DriftReport
from proctor.core.errors import MalformedError, StoreError
from proctor.store.private_files import private_folder, replace_private

__all__ = [
    "DIGEST_FOLDER",
    "MEASURED_FOLDER",
    "CalibrationMonth",
    "KeptCalibration",
    "keep_calibration",
    "keep_digest",
    "keep_drift",
    "kept_calibration",
    "kept_digests",
    "kept_drift",
    "kept_months",
    "newest_digest",
    "read_digest",
]

DIGEST_FOLDER: Final = "digests"
MEASURED_FOLDER: Final = "measured"
_NAME: Final = re.compile(r"(daily|weekly|monthly)-([\w-]{4,12})")
_MONTH: Final = re.compile(r"drift-(\d{4}-\d{2})")
_KINDS: Final[Mapping[str, PeriodKind]] = {kind: kind for kind in get_args(PeriodKind)}
Noun = TypeVar("Noun")


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationMonth:
    """The calibration of one month; without a report there were no labels."""

    month: str
    report: CalibrationReport | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCalibration:
    """Calibration over all labels and month by month, and the mapping that would correct it."""

    labels: str
    measured: float
    whole: CalibrationReport | None = None
    fit: CalibrationFit | None = None
    months: tuple[CalibrationMonth, ...] = ()
    unlabelled: int = 0


def keep_digest(config: Config, digest: PeriodDigest) -> Path:
    """Write a digest as a page and as JSON; return the folder.

    Raises:
        StoreError: a file cannot be written.
    """
    from proctor.report.digest_report import DIGEST_REPORT  # noqa: PLC0415 - only where one is written

    folder = config.store / DIGEST_FOLDER
    private_folder(folder)
    for ending in (".html", ".json"):
        DIGEST_REPORT.save(digest, folder / f"{digest.period.kind}-{digest.period.name}{ending}")
    return folder


def kept_digests(config: Config) -> list[tuple[PeriodKind, str]]:
    """Return kind and name of every digest that was kept, by kind, the newest first."""
    found = []
    for path in sorted((config.store / DIGEST_FOLDER).glob("*.json"), reverse=True):
        if match := _NAME.fullmatch(path.stem):
            found.append((_KINDS[match[1]], match[2]))
    return sorted(found, key=lambda each: list(_KINDS).index(each[0]))


def read_digest(config: Config, kind: PeriodKind, name: str) -> PeriodDigest | None:
    """Return a digest that was kept; ``None`` if there is none.

    Raises:
        StoreError: the file cannot be read.
    """
    if (kind, name) not in kept_digests(config):
        return None
    return _read(PeriodDigest, config.store / DIGEST_FOLDER / f"{kind}-{name}.json")


def newest_digest(config: Config) -> PeriodDigest | None:
    """Return the digest whose period ended last; of several the shortest period.

    Raises:
        StoreError: the file cannot be read.
    """
    newest: dict[PeriodKind, str] = {}
    for kind, name in kept_digests(config):
        newest.setdefault(kind, name)
    found = [read_digest(config, kind, name) for kind, name in newest.items()]
    known = [each for each in found if each is not None]
    return max(known, key=lambda each: (each.period.end, each.period.begin), default=None)


def keep_drift(config: Config, report: DriftReport) -> None:
    """Keep the drift of a month.

    Raises:
        StoreError: the file cannot be written.
    """
    _write(config, f"drift-{report.month}", report)


def kept_months(config: Config) -> list[str]:
    """Return the months whose drift was kept, the newest first."""
    found = [_MONTH.fullmatch(path.stem) for path in (config.store / MEASURED_FOLDER).glob("drift-*.json")]
    return sorted((match[1] for match in found if match), reverse=True)


def kept_drift(config: Config, month: str) -> DriftReport | None:
    """Return the drift of a month; ``None`` if it was not kept.

    Raises:
        StoreError: the file cannot be read.
    """
    if month not in kept_months(config):
        return None
    return _read(DriftReport, config.store / MEASURED_FOLDER / f"drift-{month}.json")


def keep_calibration(config: Config, report: KeptCalibration) -> None:
    """Keep the calibration; it replaces the one before.

    Raises:
        StoreError: the file cannot be written.
    """
    _write(config, "calibration", report)


def kept_calibration(config: Config) -> KeptCalibration | None:
    """Return the calibration that was kept; ``None`` if there is none.

    Raises:
        StoreError: the file cannot be read.
    """
    path = config.store / MEASURED_FOLDER / "calibration.json"
    return _read(KeptCalibration, path) if path.is_file() else None


def _write(config: Config, name: str, report: object) -> None:
    path = config.store / MEASURED_FOLDER / f"{name}.json"
    try:
        replace_private(path, dumps(report))
    except OSError as error:
        hint = "make the folder writable, or name another under `store:`"
        raise StoreError(f"cannot be written: {error.strerror}", file=str(path), hint=hint) from error


def _read(kind: type[Noun], path: Path) -> Noun | None:
    try:
        return decode(kind, loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, MalformedError) as error:
        hint = "remove the file and measure again"
        raise StoreError(f"cannot be read: {error}", file=str(path), hint=hint) from error
