"""The profiles of the guard: which gates stand at each point and how strict they are, by the kind of traffic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from proctor.core.step import Point

__all__ = ["PROFILES", "GuardProfile", "ProfileName", "with_profile"]

ProfileName = Literal["support", "general", "agent", "strict"]
# Thresholds that only make sense together: own ones replace both of a profile.
_PAIRS: Final = (("block", "escalate"), ("indirect_block", "indirect_escalate"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardProfile:
    """Changes to the default gates: gates left out or added at a point, and settings of gates at a point."""

    left_out: Mapping[Point, tuple[str, ...]] = field(default_factory=dict)
    added: Mapping[Point, tuple[str, ...]] = field(default_factory=dict)
    settings: Mapping[Point, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)

    def gates(self, point: Point, default: Sequence[str]) -> tuple[str, ...]:
        """Return the gates of a point, from those that stand there by default."""
        left_out = self.left_out.get(point, ())
        return (*(name for name in default if name not in left_out), *self.added.get(point, ()))


PROFILES: Final[Mapping[ProfileName, GuardProfile]] = {
    # A desk for customers: people are there for threats, and answers link to the company's own pages.
    "support": GuardProfile(settings={"output": {"links": {"unknown": "redact"}}}),
    # Any assistant: stories, code and role plays use strong words, so the classifier of dangers must be surer.
    "general": GuardProfile(settings={"input": {"danger": {"escalate": 0.7}}}),
    # An agent with tools that works for its own user: orders are normal from the user and suspicious in what tools
    # return. It needs real names and addresses, and makes no promises for a company.
    "agent": GuardProfile(
        left_out={"input": ("pii", "danger", "premises"), "output": ("pii", "commitments", "grounding")},
        added={"tool_call": ("rate",)},
        settings={
            "input": {"injection": {"block": 0.9, "escalate": 0.8}},
            "tool_result": {"injection": {"indirect_block": 0.5, "indirect_escalate": 0.5}},
        },
    ),
    # A mistake costs more than a delay: everything in doubt goes to a person.
    "strict": GuardProfile(
        added={"tool_call": ("rate",)},
        settings={
            "input": {"injection": {"block": 0.5, "escalate": 0.5}, "premises": {"action": "escalate"}},
            "tool_result": {
                "injection": {"indirect_block": 0.5, "indirect_escalate": 0.5, "documents": "block"},
            },
            "output": {
                "grounding": {"unsupported": "escalate", "no_sources": "escalate", "read": "all"},
                "links": {"unknown": "redact", "data": "escalate", "images": "hosts"},
            },
        },
    ),
}


def with_profile(profile: ProfileName, point: Point, gate: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a gate: those of the profile, and its own before them."""
    given = dict(PROFILES[profile].settings.get(point, {}).get(gate, {}))
    for pair in _PAIRS:
        if any(name in own for name in pair):
            for name in pair:
                given.pop(name, None)
    return {**given, **own}
