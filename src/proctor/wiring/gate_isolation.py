"""Puts a gate that the settings say `isolate: true` of into a process of its own."""

from __future__ import annotations

from typing import cast

from proctor.core.errors import MalformedError, Problem
from proctor.core.sockets import Gate
from proctor.guard.isolated_gate import IsolatedGate
from proctor.guard.step import Step

__all__ = ["isolated"]


def isolated(name: str, gate: Gate[Step], seconds: float) -> Gate[Step]:
    """Return the gate in a process of its own; ``seconds`` is its timeout.

    Raises:
        MalformedError: it is one of Proctor's own, or cannot be sent to another process.
    """
    if type(gate).__module__.startswith("proctor."):
        told = f"{name} is a gate of Proctor's own, whose time is bounded without a process"
        raise MalformedError([Problem((name, "isolate"), told, "leave `isolate` out")])
    try:
        return cast("Gate[Step]", IsolatedGate(gate, seconds=seconds))  # its name and version are those of the gate
    except ValueError as error:
        hint = "leave `isolate` out, or give the gate settings of plain data only; models cannot go along"
        raise MalformedError([Problem((name, "isolate"), str(error), hint)]) from None
