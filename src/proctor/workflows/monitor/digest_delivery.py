"""Send a digest through the channels of proctor.yaml."""

from __future__ import annotations

from proctor.config import Config
from proctor.core.digest import PeriodDigest

__all__ = ["send_digest"]


async def send_digest(config: Config, digest: PeriodDigest) -> list[str]:
    """Send the digest and return the names of the channels that took it."""
    return []
