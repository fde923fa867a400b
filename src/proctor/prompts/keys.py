"""The known top-level keys of prompt files, by format, and warnings about unsupported ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.core.decode import closest

__all__ = ["is_metric", "notes_on_keys"]

_PROMPTY = (  # its first and its second version
    "$schema name displayName description version authors author tags metadata kind id model template base sample "
    "inputs inputSchema outputs outputSchema tools"
)
_PROMPTPEX = (
    "source url instructions scenarios testSamples testSamplesCount testSamplesShuffle testExpansions imported "
    "promptPex promptpex"
)
_GITHUB_MODELS = "messages modelParameters responseFormat jsonSchema testData evaluators"
_OURS = "proctor files"
_KNOWN = dict.fromkeys(f"{_PROMPTY} {_PROMPTPEX} {_GITHUB_MODELS} {_OURS}".split())
_MAX_NAMED = 20
_NOT_DONE = {
    "base": "the prompt it stands on is not read: write its settings out",
    "tools": "not offered to the model by this file: give them in the settings of the target",
}


def notes_on_keys(front: Mapping[str, Any]) -> list[str]:
    """Return a warning for each unknown or unsupported key; the key itself is kept."""
    notes = [f"`{key}`: {why}" for key, why in _NOT_DONE.items() if front.get(key)]
    unknown = [key for key in front if key not in _KNOWN]
    for key in unknown[:_MAX_NAMED]:
        guess = closest(key, _KNOWN)
        notes.append(f"unknown key `{key}`" + (f": did you mean `{guess}`?" if guess else ": kept, but not used"))
    if len(unknown) > _MAX_NAMED:
        notes.append(f"and {len(unknown) - _MAX_NAMED} more unknown keys")
    return notes


def is_metric(file: str | None, front: Mapping[str, Any]) -> bool:
    """Return whether the prompt is a judge's: named ``….metric.prompty``, or tagged as one."""
    tags = front.get("tags")
    return (file or "").lower().endswith(".metric.prompty") or (isinstance(tags, list) and "scorer" in tags)
