"""Claims of earlier promises, and ordinary messages beside them: the examples of the lexicon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from proctor.lexicon.files import read_shipped

__all__ = ["CLAIMS", "ORDINARY"]

CLAIMS: Final[Mapping[str, tuple[str, ...]]] = read_shipped("promise_claim").examples
ORDINARY: Final[Mapping[str, tuple[str, ...]]] = read_shipped("promise_claim").counterexamples
