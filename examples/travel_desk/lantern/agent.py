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
from .world import World

__all__ = ["Agent"]


class Agent:
    """One conversation with a customer, or several sessions with the same one."""

    shows = ("words", "tools", "state")

    def __init__(
        self,
        history: Sequence[Mapping[str, Any]],
        page: Mapping[str, Any],
        settings: Mapping[str, Any],
        model: Model | None,
    ) -> None:
        self._weak = weaknesses_of(settings.get("brain"), settings.get("weaknesses"))
        self._model, self._customer = model, page.get("customer")
        self._settings = settings
        place = settings.get("database")
        now = datetime.fromisoformat(settings["now"]) if settings.get("now") else NOW
        self.office = Office(Path(place) if place else None, now=now)
        self.world = World(self.office)
        self._begin(history)

    def _begin(self, history: Sequence[Mapping[str, Any]]) -> None:
        memory = Memory(customer=self._customer)
        memory.recall(history, self.office.products())
        described = self.world.described
        self.memory, self._first = memory, True
        self.rules = RuleBrain(self.office, memory, self._weak, described)
        self.model = None
        if self._model is not None:
            self.model = ModelBrain(self.office, memory, self._model, described, self._settings)

    async def say(self, text: str, history: Sequence[Mapping[str, Any]]) -> Turn | dict[str, Any]:
        """Answer one message; what earlier sessions left is read with the first of them."""
        recalled = []
        if self._first:
            self.memory.notes = self.office.remembered(self._customer)
            recalled = [{"key": key, "value": value} for key, value in self.memory.notes.items()]
        self._first = False
        if self.model is not None:
            return await self.model.answer(text, history)
        told = {**self.rules.answer(text).told(), "brain": self.rules.name}
        used = {call["name"] for call in told["tool_calls"]}
        read = {name: words for name, words in self.world.described.items() if name in used}
        return {**told, **({"memory": recalled} if recalled else {}), **({"tools": read} if read else {})}

    def plant(self, plants: Sequence[Mapping[str, str]]) -> None:
        """Put texts where the agent reads them, for a test: see ``world.py``."""
        self.world.plant(plants)

    def snapshot(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The part of the database that the agent can change, for a test."""
        return self.world.snapshot()

    def new_session(self) -> None:
        """The same customer comes again: the database is the same, the conversation is not."""
        self._begin([])

    def close(self) -> None:
        """Let go of the database."""
        self.office.close()
