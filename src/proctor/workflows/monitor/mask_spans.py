"""Mask the texts of spans before they are written, by patterns; their ids and times stay what they are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from proctor.core.event import Event
from proctor.store.mask_decisions import Masker
from proctor.suites.conversations.trace_spans import parsed

__all__ = ["SpanMasker"]

# Where content is, in spans and log events of OpenTelemetry, runs of LangSmith, observations of Langfuse, scores.
_CONTENT: Final = ("inputs", "outputs", "input", "output", "error", "body", "langfuse_score", "langsmith_feedback")
_IDS: Final = frozenset(
    {"id", "traceId", "spanId", "observationId", "sessionId", "run_id", "trace_id", "created_at", "timestamp", "value"}
)
_PLAIN_ENDINGS: Final = (".id", "_id", ".model", ".name", ".version", ".kind", ".type", ".model_name", "_tokens")
_MAX_HELD: Final = 5_000  # masked texts in memory: system prompts repeat
_LONGEST: Final = 100_000


class SpanMasker:
    """Masks what patterns find: e-mail addresses, numbers, keys. Names are masked when the turn is built."""

    def __init__(self) -> None:
        self._masker = self._new()

    def masked(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record with its texts masked. Call from one thread at a time."""
        if self._masker.held > _MAX_HELD:
            self._masker = self._new()
        made = dict(record)
        if isinstance(attributes := made.get("attributes"), dict):
            made["attributes"] = self._attributes(attributes)
        if events := made.get("events"):
            made["events"] = [self._event(each) if isinstance(each, dict) else each for each in events]
        for name in _CONTENT:
            if (value := made.get(name)) is not None:
                made[name] = self._content(value)
        return made

    def _event(self, event: dict[str, Any]) -> dict[str, Any]:
        attributes = event.get("attributes")
        return {**event, "attributes": self._attributes(attributes)} if isinstance(attributes, dict) else event

    def _attributes(self, attributes: dict[str, Any]) -> dict[str, Any]:
        return {
            name: value if type(value) is not str or name.endswith(_PLAIN_ENDINGS) else self._content(value)
            for name, value in attributes.items()
        }

    def _content(self, value: Any) -> Any:
        """Mask a text, or the data that is written as text."""
        value = parsed(value)
        if isinstance(value, dict) and not _IDS.isdisjoint(value):
            ids = {name: item for name, item in value.items() if name in _IDS}
            rest = {name: item for name, item in value.items() if name not in _IDS}
            return {**self._masker.data(rest), **ids}
        return self._masker.text(value) if isinstance(value, str) else self._masker.data(value)

    def _new(self) -> Masker:
        return Masker(Event(kind="note", time=datetime.fromtimestamp(0, UTC)), longest=_LONGEST)
