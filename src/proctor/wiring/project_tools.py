"""The `tools:` of proctor.yaml as a setting of the scorers and gates that ask what a tool does."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from proctor.core.case import Check
from proctor.core.tool_effect import StatedEffect, with_stated

__all__ = ["with_project_tools", "with_tool_effects"]

_SETTING = "tool_effects"


def with_project_tools(check: Check, kind: Any, tools: Mapping[str, StatedEffect]) -> Check:
    """Complete a check by what proctor.yaml states about tools, if its scorer has the setting `tool_effects`."""
    settings = with_tool_effects(kind, check.settings, tools)
    return check if settings is check.settings else dataclasses.replace(check, settings=settings)


def with_tool_effects(kind: Any, settings: Mapping[str, Any], tools: Mapping[str, StatedEffect]) -> Mapping[str, Any]:
    """Complete the settings of a scorer or a gate; what they state themselves wins."""
    own = settings.get(_SETTING, {})
    if not tools or not isinstance(own, Mapping) or all(each.name != _SETTING for each in dataclasses.fields(kind)):
        return settings
    return {**settings, _SETTING: with_stated(own, tools)}
