"""The settings of an attack campaign, as written under `redteam:` in proctor.yaml."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.core.attack import Scope

__all__ = ["CampaignSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignSettings:
    """An attack campaign under `redteam:`: the target, the files of its goals, and how many attempts are made.

    ``only`` are ids of goals or patterns such as ``refund-*``. ``note`` is shown beside every rate. ``attempts`` are
    per scope. ``held_out`` is the share of the goals that is never shown in clear; ``rotation`` is any
    text, and another text holds out other goals. ``tries`` is the limit per goal of an adaptive run. ``writer`` is a
    model that words instructions in other ways for an adaptive run.
    """

    goals: str | tuple[str, ...] = "redteam/*.yaml"
    target: str | None = None
    note: str = ""
    only: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    attempts: int = 200
    languages: tuple[str, ...] = ()
    techniques: tuple[str, ...] = ()
    seed: int = 0
    held_out: float = 0.2
    rotation: str = ""
    tries: int = 100
    writer: str | None = None

    def __post_init__(self) -> None:
        for name, high in (("attempts", 100_000), ("tries", 10_000)):
            if not 1 <= getattr(self, name) <= high:
                raise ValueError(f"{name} must be between 1 and {high}, not {getattr(self, name)}")
        if not 0 <= self.held_out <= 0.9:
            raise ValueError(f"held_out must be between 0 and 0.9, not {self.held_out:g}")
