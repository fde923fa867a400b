"""Shiori, the assistant of the manga shop Hondana: the target of this project.

Understands a message by rules, finds what the answer rests on in the shop's database, and words it: by rules too, or
on a model where the target names one. A fault can be switched on with the target's setting ``fault``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from .answers import Desk
from .faults import fault_of
from .memory import Memory
from .model_brain import worded
from .reading import read
from .shop import Shop, build

__all__ = ["Assistant"]

# The example has a date of its own, so that "within 15 days" means the same whenever it is run.
TODAY = date(2026, 11, 15)

build()  # the shop's database is also the catalogue that scorers ask: it is there before the first of them does


class Assistant:
    """One conversation with a customer, or several with the same one. It can change nothing in the shop."""

    shows = ("words", "tools")

    def __init__(self, history: Sequence[Mapping[str, Any]], settings: Mapping[str, Any], model: Any) -> None:
        self.fault = fault_of(settings.get("fault"))
        self.shop = Shop(today=TODAY)
        self.desk = Desk(shop=self.shop, fault=self.fault)
        self.memory = Memory(fault=self.fault)
        self.memory.recall(history, self.shop.products())
        self.model = model
        self.left: dict[str, str] = {}  # what earlier visits left, for a model to read

    async def say(self, text: str, page: Mapping[str, Any], history: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Answer one message."""
        reading = read(text, self.shop.products())
        draft = self.desk.answer(reading, self.memory, page)
        told: dict[str, Any] = {"answer": draft.text}
        if self.model is not None:
            reply = await worded(draft, history, text, self.model, self.fault, list(self.left.values()))
            told = {"answer": reply.text, "cost": reply.cost}
            if self.left:
                told["memory"] = [{"key": key, "value": note} for key, note in self.left.items()]
        return {
            **told,
            "intents": [{"name": draft.intent, "confidence": draft.confidence}],
            "sources": draft.sources,
            "tool_calls": draft.calls,
            "confidence": draft.confidence,
        }

    def plant(self, plants: Sequence[Mapping[str, str]]) -> None:
        """Put texts where the assistant reads them, for a test: ``TABLE/ROW/COLUMN``, or ``memory/NAME`` for a model.

        Raises:
            KeyError: there is no such table or column.
            ValueError: the address cannot be read, or nobody reads it.
        """
        for plant in plants:
            room, _, name = plant["at"].partition("/")
            if room != "memory":
                self.shop.plant(plant["at"], plant["text"])
            elif self.model is None:
                raise ValueError("the assistant without a model has no memory of earlier visits")
            else:
                self.left[name or room] = plant["text"]

    def new_session(self) -> None:
        """The customer comes again: the conversation is forgotten."""
        self.memory = Memory(fault=self.fault)

    def close(self) -> None:
        """Let go of the database."""
        self.shop.close()
