"""Which networks judge: those that ship, or the large one in the second place.

One choice is in force in a process, that of the proctor.yaml which was read last.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["BUNDLED", "NetworkChoice", "networks_in_force", "use_networks"]


@dataclass(frozen=True, slots=True)
class NetworkChoice:
    """``large`` is the folder of fetched models that has the large network; None where it is not used."""

    large: Path | None = None

    @property
    def name(self) -> str:
        """The name of the choice, as ``networks:`` in proctor.yaml has it."""
        return "bundled" if self.large is None else "large"


BUNDLED: Final = NetworkChoice()
_in_force: list[NetworkChoice] = [BUNDLED]


def networks_in_force() -> NetworkChoice:
    """Return the choice, as local models are made now."""
    return _in_force[0]


def use_networks(choice: NetworkChoice) -> None:
    """Make local models with these networks from now on."""
    _in_force[0] = choice
