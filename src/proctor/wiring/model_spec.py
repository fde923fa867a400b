"""What decides a model's answers, as its wire reports it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.core.sockets import Model

__all__ = ["spec_of"]


def spec_of(wire: Model) -> Mapping[str, Any]:
    """Return what decides a model's answers; its name where it does not say."""
    spec: Mapping[str, Any] = getattr(wire, "spec", {"name": wire.name})
    return spec
