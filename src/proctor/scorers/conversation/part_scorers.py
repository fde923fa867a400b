"""Build the scorers that judge a conversation from settings, and pass on their models."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Final

from proctor import registry
from proctor.core.case import Case
from proctor.core.decode import decode
from proctor.core.errors import ConfigError, MalformedError, NotFoundError
from proctor.core.score import Score
from proctor.core.sockets import Scorer, is_optional, is_socket
from proctor.core.tool_effect import with_stated
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import quoted

__all__ = ["GATES", "handed_on", "make_parts", "part_names", "run_one"]

# The estimate is a separate score (`solved`), not a gate. A conversation shows what the agent's words rest on.
_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "completion": {"estimate": False},
    "commitments": {"unfounded": 0.6},
}
_BY_NETWORK: Final[Mapping[str, str]] = {"turn_faults": "faults"}  # part -> the socket without which it is left out
GATES: Final = (
    "permissions",
    "injection_followed",
    "argument_origin",
    "pii_shown",
    "commitments",
    "citations",
    "turn_facts",
    "turn_faults",
    "cross_turn",
    "premises",
    "person_requests",
    "loops",
    "completion",
    "trace_rules",
)


def part_names() -> list[str]:
    """Return the names of all installed scorers that can judge a conversation, without the composite itself."""
    return [name for name in registry.names("scorers") if name != "conversation"]


def make_parts(
    names: Iterable[str], settings: Mapping[str, Mapping[str, Any]], owner: Any
) -> Mapping[str, Scorer | str]:
    """Build the parts of a scorer, with its models; a part that only an optional network can judge needs that network.

    Raises:
        ValueError: the settings of a part are wrong.
    """
    live = handed_on(owner)
    present = [each for each in names if each not in _BY_NETWORK or live.get(_BY_NETWORK[each]) is not None]
    return {name: _make(name, settings.get(name, {}), live, light=owner.light) for name in present}


def _make(name: str, settings: Mapping[str, Any], sockets: Mapping[str, Any], *, light: bool) -> Scorer | str:
    """Build the scorer of this name; return a message if it is missing.

    Raises:
        ValueError: its settings are wrong.
    """
    try:
        kind = registry.load("scorers", name)
    except (ConfigError, NotFoundError) as error:
        return f"{name} is missing: {error.message}"
    fields = {field.name: field for field in dataclasses.fields(kind)}
    given = {**_SETTINGS.get(name, {}), **settings}
    for field in fields.values():
        if is_socket(field):
            if field.name in given:
                raise ValueError(f"{name}.{field.name} is handed on by the conversation; name the model there")
            live = sockets.get(field.name)
            if live is None and not is_optional(field) and field.name not in sockets:
                return f"{name} needs {field.name}, which the conversation cannot hand on"
            given[field.name] = live
    if "tool_effects" in fields and (stated := sockets.get("tool_effects")):
        given["tool_effects"] = with_stated(given.get("tool_effects"), stated)
    if light and "light" in fields:
        given["light"] = True
    try:
        scorer: Scorer = decode(kind, given, strict=True)
    except MalformedError as error:
        told = "; ".join(f"{'.'.join(map(str, (name, *each.path)))}: {each.message}" for each in error.problems)
        raise ValueError(f"the settings of {told}") from error
    return scorer


async def run_one(name: str, scorer: Scorer | str, case: Case, run: Trajectory) -> Score:
    """Return the scorer's score with its own threshold; a failure is an error score and affects no other scorer."""
    if isinstance(scorer, str):
        return Score(name=name, status="error", reason=scorer)
    try:
        score = await scorer.score(case, run)
        threshold = score.threshold if score.threshold is not None else scorer.threshold
    except Exception as error:  # a broken scorer gives a missing part, not an invented score
        reason = f"{name} broke: {type(error).__name__}: {error}"
        return Score(name=name, status="error", reason=quoted(reason, 300), version=str(getattr(scorer, "version", "")))
    if score.reason.startswith("an estimate"):
        threshold = None
    return dataclasses.replace(score, name=name, threshold=threshold)


def handed_on(owner: Any) -> Mapping[str, Any]:
    """Return the socket objects of a scorer and its `tool_effects`, for the scorers it builds."""
    live = {field.name: getattr(owner, field.name) for field in dataclasses.fields(owner) if is_socket(field)}
    judge = live.get("judge")
    judges = None if judge is None else (judge,)
    return {**live, "judges": judges, "tool_effects": getattr(owner, "tool_effects", None)}
