"""Sections of a digest that other verbs have measured: alerts, the human audit, calibration and drift."""

from __future__ import annotations

from proctor.config import Config
from proctor.core.digest import DigestSection, Period

__all__ = ["alert_section", "audit_section", "calibration_section", "drift_section"]


def alert_section(config: Config, period: Period, before: Period) -> DigestSection:
    """Return the alerts of the period by tier, and those that are still open."""
    return DigestSection(name="alerts", title="Alerts", missing="no alert rule has been watched here")


def audit_section(config: Config, period: Period) -> DigestSection:
    """Return the agreement of the raters of the newest audit."""
    return DigestSection(name="audit", title="Human audit", missing="`proctor audit` has no ratings")


def calibration_section(config: Config, period: Period) -> DigestSection:
    """Return the newest calibration error."""
    return DigestSection(name="calibration", title="Calibration", missing="`proctor calibrate check` has not been run")


def drift_section(config: Config, period: Period) -> DigestSection:
    """Return the newest shift of intents."""
    return DigestSection(name="drift", title="Drift", missing="`proctor drift` has not been run")
