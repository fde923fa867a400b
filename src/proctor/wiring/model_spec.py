"""The settings that decide a model's answers, as reported by its wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.core.codec import content_id
from proctor.core.sockets import Model
from proctor.text.known_secrets import hide_secrets_in_data

__all__ = ["identity_of", "spec_of"]


def spec_of(wire: Model) -> Mapping[str, Any]:
    """Return the settings that decide a model's answers; only its name if it reports none."""
    spec: Mapping[str, Any] = getattr(wire, "spec", {"name": wire.name})
    return spec


def identity_of(wire: Model, provider: str, settings: Mapping[str, Any]) -> str:
    """Return a hash of the settings that decide a model's answers; all of its settings if its wire reports none."""
    if hasattr(wire, "spec"):
        return content_id(dict(spec_of(wire)))
    return content_id({"name": wire.name, "provider": provider, "settings": hide_secrets_in_data(settings)})
