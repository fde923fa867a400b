"""Settings of digests under ``monitor: {digest: …}`` in proctor.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from proctor.config import Config
from proctor.core.errors import Problem
from proctor.wiring.settings_section import placed_in, read_section

__all__ = ["DigestSettings", "digest_settings"]

_SECTION: Final = ("monitor", "digest")


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestSettings:
    """How digests are made.

    ``zone`` is the time zone in which days begin. ``sample`` is how many conversations of each period are checked for
    contradictions, ``seed`` the seed of that draw. ``light`` compares by rules and words only, without local models.
    ``calibration`` names the labels for calibration: audit, completion, or score/NAME. ``examples`` is the maximum
    number of examples of each kind. ``channels`` names the channels of ``alerts:`` that ``--send`` uses; without it,
    all of them.
    """

    zone: str = "UTC"
    sample: int = 100
    seed: int = 0
    light: bool = False
    calibration: str = "audit"
    examples: int = 5
    channels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.sample < 0:
            raise ValueError(f"sample must be 0 or more, not {self.sample}")
        if self.examples < 0:
            raise ValueError(f"examples must be 0 or more, not {self.examples}")

    @property
    def time_zone(self) -> tzinfo:
        """The zone of ``zone``."""
        try:
            return UTC if self.zone.upper() == "UTC" else ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f"there is no time zone {self.zone!r}") from None


def digest_settings(config: Config) -> DigestSettings:
    """Return the settings of the project.

    Raises:
        MalformedError: a setting is unknown or wrong.
    """
    settings = read_section(config, _SECTION, DigestSettings, config.settings.monitor.digest or {})
    try:
        settings.time_zone  # noqa: B018 - an unknown zone is rejected here, where the file is read
    except ValueError as error:
        hint = "write its name in the tz database, such as Europe/Berlin or Asia/Tokyo"
        raise placed_in(config.path, [Problem((*_SECTION, "zone"), str(error), hint)]) from None
    return settings
