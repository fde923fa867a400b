"""The way back from placeholders to what they stand for, in the hands of the caller alone."""

from __future__ import annotations

from collections.abc import Mapping

from proctor.text.pii.placeholders import unmask

__all__ = ["Vault"]


class Vault:
    """What the placeholders of one session stand for. Whoever holds it can restore a text; nobody else can.

    A session fills the vault it is given on creation with what the customer and the tools said, never with what was
    masked in an answer. The values are not shown by ``repr`` and are not on record.
    """

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Vault({len(self)} values)"

    def restore(self, text: str) -> str:
        """The text with the values in place of their placeholders; those of others stay as they are."""
        return unmask(text, self._values)

    def fill(self, values: Mapping[str, str]) -> None:
        """Take in what the placeholders of a session stand for now."""
        self._values = dict(values)
