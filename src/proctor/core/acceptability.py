"""What a model says about how a text is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Acceptability"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptability:
    """Probabilities that a text is fluent or broken in some way, and the words that look wrong.

    ``kinds`` has ``fluent`` and the faults ``order``, ``grammar``, ``woven``, ``cut``, ``garbled``, ``repeated``.
    """

    kinds: Mapping[str, float]
    wrong: tuple[str, ...] = ()
