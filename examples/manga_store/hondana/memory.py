"""What the assistant remembers of a conversation: the last list, what it is about, what it waits for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .faults import Fault, summarised
from .reading import ORDER, Reading, titles_in
from .shop import Row

__all__ = ["Memory"]

ITEM = re.compile(r"^\s*\d+[.)、．]\s*")


@dataclass(slots=True)
class Memory:
    """The state of one conversation."""

    fault: Fault = "none"
    listed: list[str] = field(default_factory=list)
    focus: str | None = None
    genre: str | None = None
    order: str | None = None
    waits_for: str | None = None
    shown: list[str] = field(default_factory=list)

    def recall(self, history: Sequence[Mapping[str, Any]], products: Sequence[Row]) -> None:
        """Take in what was said before this conversation came to us."""
        for message in history:
            text = str(message.get("content") or "")
            if number := ORDER.search(text):
                self.order = f"H-{number.group(1)}"
            if message.get("role") != "assistant":
                continue
            items = [titles_in(line, products)[:1] for line in text.splitlines() if ITEM.match(line)]
            if keys := [key for item in items for key in item]:
                self.keep_list(keys)
            elif named := titles_in(text, products):
                self.discuss(named[0])

    def keep_list(self, keys: Sequence[str]) -> None:
        """The list that "the second one" will be counted in."""
        self.listed, self.focus = list(keys), keys[0] if len(keys) == 1 else None
        self.shown += [key for key in keys if key not in self.shown]

    def discuss(self, key: str) -> None:
        """A turn was about this product."""
        self.listed = summarised(self.listed, key, self.fault)
        self.focus = key

    def meant(self, reading: Reading, page: Mapping[str, Any]) -> str | None:
        """The product that a message is about: named, counted, or pointed at."""
        if reading.products:
            return reading.products[0]
        if reading.ordinal is not None and self.listed:
            return self.listed[min(reading.ordinal, len(self.listed) - 1)]
        looking_at = page.get("product")
        if looking_at and (reading.points or reading.aspects) and not self.focus:
            return str(looking_at)
        return self.focus
