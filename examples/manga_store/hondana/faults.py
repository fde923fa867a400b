"""The four faults that can be switched on: each is a mistake that a real release could bring."""

from __future__ import annotations

from typing import Literal, get_args

from .shop import Row

__all__ = ["FAULTS", "Fault", "fault_of", "retrieved", "summarised"]

Fault = Literal["none", "off_topic_opening", "stale_policy", "lost_reference", "romanised_only"]
FAULTS: tuple[Fault, ...] = get_args(Fault)


def fault_of(name: str | None) -> Fault:
    """The fault that a setting names.

    Raises:
        ValueError: there is no such fault.
    """
    chosen = next((fault for fault in FAULTS if fault == (name or "none")), None)
    if chosen is None:
        raise ValueError(f"no fault is called {name!r}; known: {', '.join(FAULTS)}")
    return chosen


def retrieved(versions: list[Row], fault: Fault) -> list[Row]:
    """The versions of a policy that retrieval finds, the one to answer from first.

    With ``stale_policy`` the index was not cleaned after the policy changed: the old chunk is still there, and first.
    """
    if fault == "stale_policy":
        return versions[::-1]
    return versions[:1]


def summarised(listed: list[str], discussed: str | None, fault: Fault) -> list[str]:
    """The list that "the second one" is counted in after a turn about one of its items.

    With ``lost_reference`` the summary of older turns leaves out what was talked about already, and so the order.
    """
    if fault == "lost_reference" and discussed in listed and len(listed) > 1:
        return [key for key in listed if key != discussed]
    return listed
