"""Run gates with `isolate: true` in their own process."""

from __future__ import annotations

from typing import cast

from proctor.core.errors import MalformedError, Problem
from proctor.core.sockets import Gate
from proctor.guard.isolated_gate import IsolatedGate
from proctor.guard.step import Step

__all__ = ["isolated"]


def isolated(name: str, gate: Gate[Step], seconds: float) -> Gate[Step]:
    """Return a proxy for the gate, which runs in its own process; ``seconds`` is its timeout.

    Raises:
        MalformedError: it is one of Proctor's own gates, or cannot be pickled.
    """
    if type(gate).__module__.startswith("proctor."):
        told = f"{name} is a gate of Proctor's own, whose time is bounded without a process"
        raise MalformedError([Problem((name, "isolate"), told, "leave `isolate` out")])
    try:
        return cast("Gate[Step]", IsolatedGate(gate, seconds=seconds))  # has the gate's name and version
    except ValueError as error:
        hint = "leave `isolate` out, or give the gate settings of plain data only; models cannot go along"
        raise MalformedError([Problem((name, "isolate"), str(error), hint)]) from None
