"""JSON that predicates ask for: of a schema, with some keys, an array of some length."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from benchmarks.obedient.from_pattern import matching
from benchmarks.obedient.prose import Size, prose
from benchmarks.obedient.wishes import Room, Wishes
from proctor.text.predicates.term import Term
from proctor.text.predicates.values import Bound

__all__ = ["Write", "instance_of", "json_seeds"]

Write = Callable[[Sequence[Term]], str]

_DEEPEST = 12
# What stands in a field of which nothing is said: whatever a rule about it would forbid, then less of it.
_FREE = (
    f"{prose(Size(words=60, sentences=5, paragraphs=1))} someone@example.com +46 8 555 123 45 https://example.com 🙂",
    prose(Size(words=60, sentences=5, paragraphs=1)),
    prose(Size(words=8, sentences=1, paragraphs=1, language="en")),
    "text",
)
_FORMATS = {
    "date": "2024-05-17",
    "date-time": "2024-05-17T09:30:00Z",
    "email": "someone@example.com",
    "uri": "https://example.com/page",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
}


def json_seeds(wishes: Wishes, source: str, write: Write) -> Iterator[str]:
    """JSON texts that may keep the wishes; none when nothing asks for JSON."""
    if not any("json" in form for form, _ in wishes.said) and not any("json" in unit for unit in wishes.rooms):
        return
    for values in wishes.find("json schema JSON"):
        yield from (_text(instance_of(value)) for value in values if isinstance(value, Mapping))
    keys = wishes.texts("json has TEXTS", "json only has TEXTS")
    yield from _objects(wishes, keys, write)
    yield from _arrays(wishes, write)
    if keys:
        yield _text(dict.fromkeys(keys, "text"))
        yield _text([dict.fromkeys(keys, "text")])
    count = max(_length(wishes).edge(2), 0)
    words = re.findall(r"\w+", source) or ["alpha"]
    # Which of the words it must be (a fixed answer, say) is for the other predicates to decide.
    for item in (*wishes.texts("one of TEXTS", "contains TEXT", "contains all TEXTS"), "NA"):
        yield _text([item])
    yield _text([words[at % len(words)] for at in range(count)])
    yield _text([f"item {at}" for at in range(1, count + 1)])
    yield _text({"answer": "text"})
    yield _text(list(range(count)))
    yield _text([{"name": "text"} for _ in range(count)])
    yield _text([True] * count)


def _objects(wishes: Wishes, keys: list[str], write: Write) -> Iterator[str]:
    """Objects whose fields keep what is asked of each; every liberty that is left first, then fewer of them."""
    asked: dict[str, list[Term]] = {}
    for form, values in wishes.said:
        if form.startswith("json field"):
            asked.setdefault(str(values[0]), []).extend(value for value in values[1:] if isinstance(value, Term))
    names = list(dict.fromkeys((*keys, *asked)))
    if not names or any("." in name for name in names):
        return
    written = {name: _value(write(terms)) for name, terms in asked.items()}
    for free in _FREE:
        plain = {name: written.get(name, free) for name in names}
        yield _text({**plain, "remark": free})
        yield _text(plain)
        yield _text([plain])


def _arrays(wishes: Wishes, write: Write) -> Iterator[str]:
    for form, values in wishes.said:
        if form.startswith("each json item"):
            part = _value(write([value for value in values if isinstance(value, Term)]))
            yield _text([part] * min(max(_length(wishes).edge(4), 1), 500))


def _value(text: str) -> Any:
    """A text as the JSON value it reads as: a number, a truth value, a list; else itself."""
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(found, str) else found


def instance_of(schema: Any, depth: int = 0) -> Any:
    """A value that a plain JSON schema allows: required properties only, the first of what may be chosen."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return "text"
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    for key in ("enum", "examples"):
        if schema.get(key):
            return schema[key][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return instance_of({**schema[key][0]}, depth + 1)
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    return _of_kind(str(kind), schema, depth)


def _of_kind(kind: str, schema: Mapping[str, Any], depth: int) -> Any:
    if kind == "object":
        properties = schema.get("properties") or {}
        wanted = schema.get("required") or list(properties)
        return {name: instance_of(properties.get(name, {}), depth + 1) for name in wanted}
    if kind == "array":
        count = min(int(schema.get("minItems", 1)), 100)
        return [instance_of(schema.get("items", {}), depth + 1) for _ in range(count)]
    if kind in ("integer", "number"):
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + ("exclusiveMinimum" in schema))
        return min(low if "minimum" in schema or "exclusiveMinimum" in schema else 1, schema.get("maximum", low + 1))
    if kind == "boolean":
        return True
    if kind == "null":
        return None
    if pattern := schema.get("pattern"):
        return matching(str(pattern))
    text = _FORMATS.get(str(schema.get("format")), "text")
    return (text * (1 + int(schema.get("minLength", 0)) // len(text)))[: schema.get("maxLength", 10_000)]


def _length(wishes: Wishes) -> Room:
    room = wishes.room("json array length")
    for values in wishes.find("json array length BOUND"):
        for value in values:
            room = room.within(value) if isinstance(value, Bound) else room
    return room


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
