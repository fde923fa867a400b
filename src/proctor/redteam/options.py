"""The ways in which a goal can be delivered: which technique, by which carrier, in which place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from proctor.core.attack import Channel, Goal, Scope
from proctor.core.sockets import Attack
from proctor.redteam.assemble import turns_in
from proctor.redteam.payload_site import carries_payload
from proctor.redteam.technique_registry import Family, family_of

__all__ = ["Option", "is_far", "options_for"]

Option = tuple[str, int, int | None]  # the delivering technique, the carrier's position, the place's position

# A direct injection is said by the user; an indirect one is planted, or left by an earlier session.
_FAMILIES: Final[Mapping[Scope, frozenset[Family]]] = {
    "direct_injection": frozenset({"message", "conversation"}),
    "indirect_injection": frozenset({"place"}),
    "cross_turn": frozenset({"message", "conversation"}),
}
_ANY: Final[frozenset[Family]] = frozenset({"message", "place", "conversation"})


def options_for(goal: Goal, attacks: Mapping[str, Attack], channels: Collection[Channel]) -> tuple[Option, ...]:
    """Return every delivery that fits the goal's scope and places, and the target's channels."""
    found: list[Option] = []
    for name, attack in attacks.items():
        if not attack.delivers:
            continue
        family, channel = family_of(attack), getattr(attack, "channel", "message")
        allowed = family in _FAMILIES.get(goal.scope, _ANY)
        if not (allowed or (goal.scope == "indirect_injection" and channel == "session")):
            continue
        if goal.scope == "direct_injection" and channel == "session":
            continue
        if channel != "message" and channel not in channels:
            continue
        for at, carrier in enumerate(goal.carriers):
            if family != "place":
                found.append((name, at, None))
                continue
            found += (
                (name, at, number)
                for number, site in enumerate(carrier.places)
                if site.channel == channel and carries_payload(site)
            )
    if goal.scope == "cross_turn":
        return tuple(each for each in found if is_far(goal, each, attacks))
    return tuple(found)


def is_far(goal: Goal, option: Option, attacks: Mapping[str, Attack]) -> bool:
    """Whether a delivery is indirect or takes several turns."""
    name, at, place = option
    several = len(turns_in(goal.carriers[at], "en")) > 1
    return place is not None or family_of(attacks[name]) == "conversation" or several
