"""The sections under `monitor:` of proctor.yaml; what a section says is read by the part that uses it."""

from __future__ import annotations

from typing import Any

from proctor.core.record import dataclass

__all__ = ["MonitorSections"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorSections:
    """The sections under `monitor:`, each as it is written; ``None`` is one that is not. Another name is an error."""

    ingest: Any = None
    history: Any = None
    scoring: Any = None
    digest: Any = None
    floors: Any = None
    state: Any = None
