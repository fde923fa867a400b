from __future__ import annotations

from tests.postgres_server import postgres

__all__ = ["postgres"]
