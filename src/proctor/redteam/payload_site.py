"""The mark in the text of a place that a payload replaces."""

from __future__ import annotations

from typing import Final

from proctor.core.attack import Plant, PlantSite

__all__ = ["MARK", "carries_payload", "plant"]

MARK: Final = "{payload}"


def carries_payload(site: PlantSite) -> bool:
    """Whether a payload can be planted there; other places hold fixed rows, e.g. a canary."""
    return MARK in site.text


def plant(site: PlantSite, payload: str) -> Plant:
    """Return the plant of a place with this payload; an empty one gives the harmless text of the twin."""
    return Plant(channel=site.channel, at=site.at, text=site.text.replace(MARK, payload), payload=payload)
