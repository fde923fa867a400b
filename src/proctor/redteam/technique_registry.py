"""The registered techniques of attack, by family."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, Literal, get_args

from proctor import registry
from proctor.core.errors import NotFoundError
from proctor.core.sockets import Attack

__all__ = ["FAMILIES", "Family", "choose_attacks", "family_of", "load_attacks"]

# What a technique does: frames, encodes or hides the payload; or delivers it in one message, in a place that the agent
# reads, or over a conversation.
Family = Literal["framing", "encoding", "hiding", "message", "place", "conversation"]
FAMILIES: Final[tuple[Family, ...]] = get_args(Family)


def load_attacks(names: Collection[str] = ()) -> dict[str, Attack]:
    """Return the registered techniques by name, restricted by ``choose_attacks``.

    Raises:
        NotFoundError: a name is neither a technique nor a family.
        ConfigError: a technique cannot be imported.
    """
    attacks: dict[str, Attack] = {name: registry.load("attacks", name)() for name in registry.names("attacks")}
    return choose_attacks(attacks, names)


def choose_attacks(attacks: Mapping[str, Attack], names: Collection[str] = ()) -> dict[str, Attack]:
    """Return the techniques of these names or families.

    Those that deliver and those that change the payload are chosen separately: if no name is of one kind, that kind is
    not restricted.

    Raises:
        NotFoundError: a name is neither a technique nor a family.
    """
    for name in names:
        if name not in attacks and name not in FAMILIES:
            known = ", ".join((*FAMILIES, *sorted(attacks)))
            raise NotFoundError(f"no attack is called {name!r}", hint=f"known: {known}")
    named = {name for name, attack in attacks.items() if name in names or family_of(attack) in names}
    chosen: dict[str, Attack] = {}
    for delivers in (False, True):
        kind = {name: attack for name, attack in attacks.items() if attack.delivers is delivers}
        chosen |= {name: attack for name, attack in kind.items() if name in named or named.isdisjoint(kind)}
    return dict(sorted(chosen.items()))


def family_of(attack: Attack) -> Family:
    """Return the family of a technique; a third-party one without ``family`` is a framing or a message delivery."""
    family = getattr(attack, "family", None)
    return family if family in FAMILIES else "message" if attack.delivers else "framing"
