"""Which networks a blind set is measured with: those that ship, or the optional large one too."""

from __future__ import annotations

from pathlib import Path

from proctor.config import cache_folder, read_environment
from proctor.core.network_choice import BUNDLED, NetworkChoice, networks_in_force, use_networks

__all__ = ["networks_line", "use_large"]


def use_large() -> None:
    """Measure with the large network from now on."""
    use_networks(NetworkChoice(large=cache_folder(read_environment(Path.cwd())) / "models"))


def networks_line() -> str:
    """Return the line of proctor.yaml that keeps this choice."""
    return "" if networks_in_force() == BUNDLED else "networks: large\n"
