"""The mapping from placeholders back to their values, held only by the caller."""

from __future__ import annotations

from collections.abc import Mapping

from proctor.text.pii.placeholders import unmask

__all__ = ["Vault"]


class Vault:
    """The values of one session's placeholders. Only its holder can restore a text.

    A session fills the vault it is given on creation with values from the customer and the tools, never with what was
    masked in an answer. The values are neither shown by ``repr`` nor recorded.
    """

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Vault({len(self)} values)"

    def restore(self, text: str) -> str:
        """Return the text with its placeholders replaced by their values; unknown ones stay."""
        return unmask(text, self._values)

    def fill(self, values: Mapping[str, str]) -> None:
        """Replace the values by those of a session's current placeholders."""
        self._values = dict(values)
