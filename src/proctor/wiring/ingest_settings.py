"""The settings under `monitor: {ingest: …}` of proctor.yaml: who may send, how much, and when a trace is complete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from proctor.config import Config
from proctor.wiring.settings_section import read_section

__all__ = ["IngestSettings", "read_ingest"]

_MIN_TOKEN_CHARS: Final = 8
_PLACE: Final = ("monitor", "ingest")


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestSettings:
    """How `proctor serve` receives.

    ``tokens`` maps a source's name to its token, which is best written as ``${VARIABLE}``; every event carries the name
    of its source. ``read_token`` is for the reading API and `/metrics`. ``max_bytes`` limits a request, unpacked;
    ``max_waiting_bytes`` limits what waits to be written, beyond which senders are asked to wait. ``rate`` limits the
    events or spans per second of each source. A trace is complete ``settle`` seconds after its last span if its root
    span has arrived, else after ``patience`` seconds; for ``late`` more seconds its spans are kept for late ones.
    ``hosts`` and ``origins`` are the host names and web origins that requests may use.
    """

    tokens: Mapping[str, str] = field(default_factory=dict)
    read_token: str | None = None
    max_bytes: int = 16_000_000
    max_waiting_bytes: int = 64_000_000
    rate: float | None = None
    settle: float = 2.0
    patience: float = 60.0
    late: float = 60.0
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, token in self.tokens.items():
            if len(token.strip()) < _MIN_TOKEN_CHARS:  # the token itself is never shown
                raise ValueError(f"the token of {name!r} must have at least {_MIN_TOKEN_CHARS} characters")
        if len(set(self.tokens.values())) < len(self.tokens):
            raise ValueError("two sources have the same token")
        if self.read_token is not None and len(self.read_token.strip()) < _MIN_TOKEN_CHARS:
            raise ValueError(f"read_token must have at least {_MIN_TOKEN_CHARS} characters")
        for limit in ("max_bytes", "max_waiting_bytes"):
            if getattr(self, limit) < 1:
                raise ValueError(f"{limit} must be at least 1, not {getattr(self, limit)}")
        if self.rate is not None and not self.rate > 0:
            raise ValueError(f"rate must be more than 0 per second, not {self.rate:g}")
        for span in ("settle", "patience", "late"):
            if not 0 <= getattr(self, span) <= 86_400:
                raise ValueError(f"{span} must be between 0 and 86400 seconds, not {getattr(self, span):g}")


def read_ingest(config: Config) -> IngestSettings:
    """Return the settings under `monitor: {ingest: …}`.

    Raises:
        MalformedError: a setting is wrong, or needs a variable that is not set; names the file and the field.
    """
    written = config.settings.monitor.ingest
    return IngestSettings() if written is None else read_section(config, _PLACE, IngestSettings, written, expanded=True)
