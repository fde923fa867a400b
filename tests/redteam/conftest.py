"""A local server that speaks the OpenAI protocol, for the writer."""

from __future__ import annotations

from tests.models.conftest import kit_of, pool, served

__all__ = ["kit_of", "pool", "served"]
