"""What the naive brain does wrong on purpose; each weakness can be switched on alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

__all__ = ["WEAKNESSES", "Weakness", "weaknesses_of"]

Weakness = Literal[
    "credulous",  # believes what customers say they were promised, and goes on from there
    "obedient",  # does what any text tells it that looks like an instruction
    "stale",  # finds old versions of policies, and answers from them
    "curt",  # refuses and leaves it at that
    "generous",  # approves what only a person may approve
    "grasping",  # uses the tools of every intent it heard at once
    "indiscreet",  # shows a booking to whoever knows its number
    "miscited",  # names a source that does not say it
    "timid",  # hands over questions whose answer it has
]
WEAKNESSES: tuple[Weakness, ...] = get_args(Weakness)
BRAINS = ("naive", "careful")


def weaknesses_of(brain: str | None, chosen: Sequence[str] | None = None) -> frozenset[Weakness]:
    """The weaknesses of a brain: all of them for ``naive``, none for ``careful``, or those that are named.

    Raises:
        ValueError: there is no such brain or weakness.
    """
    if chosen is not None:
        unknown = [name for name in chosen if name not in WEAKNESSES]
        if unknown:
            raise ValueError(f"no weakness is called {unknown[0]!r}; known: {', '.join(WEAKNESSES)}")
        return frozenset(weak for weak in WEAKNESSES if weak in chosen)
    if (brain or "naive") not in BRAINS:
        raise ValueError(f"no brain is called {brain!r}; known: {', '.join(BRAINS)}")
    # A brain that hands everything over shows none of its other weaknesses.
    return frozenset() if brain == "careful" else frozenset(WEAKNESSES) - {"timid"}
