"""Pass the `tools:` of proctor.yaml to the scorers and gates that need to know what a tool does."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from proctor.core.case import Check
from proctor.core.tool_effect import StatedEffect, with_stated

__all__ = ["with_project_tools", "with_tool_effects"]

_SETTING = "tool_effects"


def with_project_tools(check: Check, kind: Any, tools: Mapping[str, StatedEffect]) -> Check:
    """Complete a check with the tool effects of proctor.yaml, if its scorer has the setting `tool_effects`."""
    settings = with_tool_effects(kind, check.settings, tools)
    return check if settings is check.settings else dataclasses.replace(check, settings=settings)


def with_tool_effects(kind: Any, settings: Mapping[str, Any], tools: Mapping[str, StatedEffect]) -> Mapping[str, Any]:
    """Complete the settings of a scorer or gate; its own settings win."""
    own = settings.get(_SETTING, {})
    if not tools or not isinstance(own, Mapping) or all(each.name != _SETTING for each in dataclasses.fields(kind)):
        return settings
    return {**settings, _SETTING: with_stated(own, tools)}
