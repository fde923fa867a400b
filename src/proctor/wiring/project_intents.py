"""Pass the `intents:` of proctor.yaml to the scorers that use them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from proctor.config import IntentSettings
from proctor.core.case import Check

__all__ = ["with_project_intents"]


def with_project_intents(check: Check, kind: Any, intents: Mapping[str, IntentSettings]) -> Check:
    """Complete a check with the settings of proctor.yaml for each intent.

    A scorer takes part by a static method ``intent_settings(intents)`` that returns some of its settings. What the
    check sets for an intent replaces everything that proctor.yaml sets for it.
    """
    translate = getattr(kind, "intent_settings", None)
    if translate is None or not intents:
        return check
    given = translate({name: _stated(intent) for name, intent in intents.items()})
    if not given:
        return check
    # A suite may omit the name of the main setting: `- permissions: {faq: [search]}`.
    own = {(kind.primary or "") if name == "" else name: value for name, value in check.settings.items()}
    return dataclasses.replace(check, settings=_merged(given, own, frozenset(intents)))


def _stated(intent: IntentSettings) -> dict[str, Any]:
    """Return the settings of an intent that differ from their defaults."""
    stated = {field.name: getattr(intent, field.name) for field in dataclasses.fields(intent)}
    return {name: value for name, value in stated.items() if value not in (None, (), {})}


def _merged(project: Mapping[str, Any], own: Mapping[str, Any], intents: frozenset[str]) -> dict[str, Any]:
    merged = {**project, **own}
    for name in project.keys() & own.keys():
        if name not in intents and isinstance(project[name], Mapping) and isinstance(own[name], Mapping):
            merged[name] = _merged(project[name], own[name], intents)
    return merged
