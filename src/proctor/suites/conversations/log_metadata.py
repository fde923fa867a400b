"""Map the metadata in an agent's log to our names: intents, sources, confidence, hand-offs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proctor.core.chat import Message
from proctor.core.trajectory import Escalation, Intent, Source
from proctor.suites.conversations.usage_fields import number

__all__ = ["metadata_fields", "sources_of"]


def metadata_fields(messages: Sequence[Message]) -> dict[str, Any]:
    """Return the turn fields found in its messages; values that cannot be parsed stay only in the messages."""
    intents: dict[str, Intent] = {}
    sources: dict[str, Source] = {}
    made: dict[str, Any] = {}
    for message in messages:
        extra = message.extra
        if not extra:
            continue
        for intent in _intents(extra.get("intents", extra.get("intent"))):
            intents[intent.name] = intent
        for source in sources_of(extra.get("sources")):
            sources.setdefault(source.id, source)
        if (confidence := number(extra.get("confidence"))) is not None:
            made["confidence"] = confidence
        if (latency := number(extra.get("latency"))) is not None:
            made["latency"] = made.get("latency", 0.0) + latency
        if (escalation := _escalation(extra.get("escalation"))) is not None:
            made["escalation"] = escalation
    if intents:
        made["intents"] = tuple(intents.values())
    if sources:
        made["sources"] = tuple(sources.values())
    return made


def _intents(given: Any) -> list[Intent]:
    if isinstance(given, str):
        return [Intent(name=given)]
    if isinstance(given, Mapping):
        if isinstance(name := given.get("name"), str):
            return [Intent(name=name, confidence=number(given.get("confidence")))]
        return [Intent(name=str(name), confidence=number(sure)) for name, sure in given.items()]
    return [intent for each in given for intent in _intents(each)] if isinstance(given, list) else []


def _escalation(given: Any) -> Escalation | None:
    if given is True:
        return Escalation()
    if isinstance(given, str) and given:
        return Escalation(reason=given)
    if isinstance(given, Mapping):
        text = {key: given[key] for key in ("reason", "category", "to") if isinstance(given.get(key), str)}
        rest = {key: value for key, value in given.items() if key not in text}
        return Escalation(**text, extra=rest)
    return None


def sources_of(documents: Any) -> tuple[Source, ...]:
    """Return retrieved passages from any tool's list format."""
    if isinstance(documents, Mapping):
        listed = next((documents[key] for key in ("documents", "output", "results") if key in documents), None)
        documents = listed if listed is not None else [documents]
    return tuple(_source(each, at) for at, each in enumerate(documents if isinstance(documents, list) else ()))


def _source(document: Any, at: int) -> Source:
    if not isinstance(document, Mapping):
        return Source(id=f"source-{at + 1}", text=str(document))
    within = document.get("document")
    inside: Mapping[str, Any] = within if isinstance(within, Mapping) else document
    beside = inside.get("metadata")
    about: Mapping[str, Any] = beside if isinstance(beside, Mapping) else {}
    name = inside.get("id") or about.get("id") or about.get("source") or inside.get("uri") or f"source-{at + 1}"
    text = next((inside[key] for key in ("page_content", "content", "text") if isinstance(inside.get(key), str)), "")
    title = inside.get("title", about.get("title"))
    uri = inside.get("uri", inside.get("url", about.get("url")))
    dated = (place[key] for place in (inside, about) for key in ("date", "updated", "last_updated") if place.get(key))
    return Source(
        id=str(name),
        text=text,
        score=number(document.get("score", about.get("score"))),
        title=title if isinstance(title, str) else None,
        uri=uri if isinstance(uri, str) else None,
        date=next((str(each) for each in dated), None),
        extra={"metadata": dict(about)} if about else {},
    )
