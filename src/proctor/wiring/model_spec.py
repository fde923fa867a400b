"""The settings that decide a model's answers, as reported by its wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.core.sockets import Model

__all__ = ["spec_of"]


def spec_of(wire: Model) -> Mapping[str, Any]:
    """Return the settings that decide a model's answers; only its name if it reports none."""
    spec: Mapping[str, Any] = getattr(wire, "spec", {"name": wire.name})
    return spec
