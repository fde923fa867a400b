"""An answer in the making: its words, the passages it rests on, the tools that were used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .reading import Language
from .shop import Row
from .wording import Voice

__all__ = ["Draft"]


@dataclass(slots=True)
class Draft:
    """What will be said, and why."""

    intent: str
    language: Language
    paragraphs: list[str] = field(default_factory=list)
    sources: list[Mapping[str, Any]] = field(default_factory=list)
    calls: list[Mapping[str, Any]] = field(default_factory=list)
    confidence: float = 0.9

    @property
    def text(self) -> str:
        """The answer as the customer reads it."""
        return "\n\n".join(part for part in self.paragraphs if part)

    def say(self, *sentences: str) -> None:
        """One paragraph; Japanese sentences stand side by side without a space."""
        self.paragraphs.append((" " if self.language == "en" else "").join(each for each in sentences if each))

    def rest_on_product(self, product: Row, voice: Voice, today: str) -> None:
        """The product's whole record is what the answer knows of it."""
        self._source(str(product["id"]), voice.record(product), today, title=str(product["title_en"]))
        self.calls.append({"name": "get_product", "arguments": {"id": product["id"]}, "result": dict(product)})

    def rest_on_policy(self, policy: Row) -> None:
        """A version of a rule, dated by the day it came into force."""
        self._source(str(policy["id"]), str(policy[f"text_{self.language}"]), str(policy["valid_from"]))

    def rest_on_promotion(self, promotion: Row, today: str) -> None:
        """An offer that runs today: it is known as of today, whenever it began."""
        self._source(str(promotion["id"]), str(promotion[f"text_{self.language}"]), today)

    def rest_on_order(self, order: Row, text: str, today: str) -> None:
        """An order as it stands today."""
        self._source(str(order["number"]), text, today)
        self.calls.append({"name": "find_order", "arguments": {"number": order["number"]}, "result": dict(order)})

    def _source(self, key: str, text: str, date: str, title: str | None = None) -> None:
        if all(source["id"] != key for source in self.sources):
            self.sources.append({"id": key, "text": text, "date": date, **({"title": title} if title else {})})
