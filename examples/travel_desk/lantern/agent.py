"""The desk agent of Lantern Trails: the target of this project.

It answers by rules, naive or careful (setting ``brain``, or single ``weaknesses``), or on a tool-calling model where
the target names one. Each conversation works on a copy of the database of its own, unless ``database`` names a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from proctor.core.sockets import Model
from proctor.core.trajectory import Turn

from .memory import Memory
from .model_brain import ModelBrain
from .office import NOW, Office
from .rule_brain import RuleBrain
from .weaknesses import weaknesses_of

__all__ = ["Agent"]


class Agent:
    """One conversation with a customer."""

    def __init__(
        self,
        history: Sequence[Mapping[str, Any]],
        page: Mapping[str, Any],
        settings: Mapping[str, Any],
        model: Model | None,
    ) -> None:
        weak = weaknesses_of(settings.get("brain"), settings.get("weaknesses"))
        place = settings.get("database")
        now = datetime.fromisoformat(settings["now"]) if settings.get("now") else NOW
        self.office = Office(Path(place) if place else None, now=now)
        memory = Memory(customer=page.get("customer"))
        memory.recall(history, self.office.products())
        self.rules = RuleBrain(self.office, memory, weak)
        self.model = None if model is None else ModelBrain(self.office, memory, model)

    async def say(self, text: str, history: Sequence[Mapping[str, Any]]) -> Turn | dict[str, Any]:
        """Answer one message."""
        if self.model is not None:
            return await self.model.answer(text, history)
        return {**self.rules.answer(text).told(), "brain": self.rules.name}

    def close(self) -> None:
        """Let go of the database."""
        self.office.close()
