"""Values of declared types: common ones, and those at the allowed boundaries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from proctor.generate.spec import InputSpec

__all__ = ["fits", "is_text", "values_of"]

_FORMATS: Mapping[str, tuple[str, ...]] = {
    "date": ("2026-03-14", "2024-02-29", "1999-12-31", "2000-01-01"),
    "date-time": ("2026-03-14T09:30:00Z", "2024-02-29T23:59:59+02:00"),
    "time": ("09:30", "23:59", "00:00"),
    "email": ("mira.lindqvist@example.org", "o'hara+news@example.co.uk"),
    "uri": ("https://www.example.org/guides/repair?lang=en", "https://example.com/"),
    "uuid": ("3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e5f",),
}
_NAMED: tuple[tuple[tuple[str, ...], tuple[Any, ...]], ...] = (
    (("locale",), ("en-US", "en-GB", "fr-FR", "de-DE", "ja-JP", "pt-BR")),
    (("language", "lang", "target_language", "source_language"), ("English", "French", "German", "Japanese", "Arabic")),
    (("date", "day", "deadline"), ("2026-03-14", "2024-02-29", "next Friday", "31/12/1999")),
    (("tone", "style", "mood"), ("friendly", "formal", "playful", "matter-of-fact", "urgent")),
    (("email",), ("mira.lindqvist@example.org", "o'hara+news@example.co.uk")),
    (("audience",), ("ten-year-olds", "experts", "new customers", "people who read English as a second language")),
    (("role", "persona"), ("a patient teacher", "a strict editor", "a travel agent")),
    (("number", "count", "age", "year", "score", "amount", "limit", "n"), ("3", "1", "0", "42", "1000")),
    (("currency",), ("EUR", "USD", "JPY")),
    (("company", "organisation", "organization"), ("Halden Logistics", "O'Neil & Sons", "株式会社霧島")),
)
# Names of numbers that count something: they are whole and positive.
_COUNTED = re.compile(
    r"(?:^|_)(?:count|number|num|n|quantity|age|words?|sentences?|lines?|items?|limit|max|min|"
    r"length|size|top|pages?|days?|rows?|questions?|"
    r"points?|people|persons?|guests?|copies|year)(?:_|$)",
    re.IGNORECASE,
)


def is_text(spec: InputSpec) -> bool:
    """Whether a value is free text."""
    return spec.type == "string" and not spec.values and not named(spec) and "format" not in spec.schema


def named(spec: InputSpec) -> tuple[Any, ...]:
    """Return values that an input of that name usually has."""
    name = spec.name.lower()
    return next((values for names, values in _NAMED if name in names), ())


def values_of(spec: InputSpec, default: Any = None) -> list[Any]:
    """Return values of an input that is not free text: default and examples first, then boundary values."""
    found: list[Any] = [] if default is None else [default]
    found += [value for value in spec.examples if fits(spec, value) == ""]
    found += list(spec.values) or _by_type(spec)
    unique: list[Any] = []
    for value in found:
        same = any(value == each and type(value) is type(each) for each in unique)
        if not same and fits(spec, value) == "":
            unique.append(value)
    return unique


def _by_type(spec: InputSpec) -> list[Any]:
    schema = spec.schema
    if spec.type == "boolean":
        return [True, False]
    if spec.type in ("integer", "number"):
        return _numbers(spec)
    if spec.type == "array":
        item = _item(schema)
        some = values_of(item) or ["moss", "rust", "slate"]
        least = int(schema.get("minItems", 0))
        return [some[:2], some[:1], some[:3], some * 4, [] if least == 0 else some[:least]]
    if spec.type == "object":
        parts = {name: values_of(_part(name, each)) for name, each in (schema.get("properties") or {}).items()}
        return [{name: values[turn % len(values)] for name, values in parts.items() if values} for turn in range(4)]
    return list(_FORMATS.get(str(schema.get("format")), ()) or named(spec) or ("a quiet street in March", "42"))


def _numbers(spec: InputSpec) -> list[Any]:
    schema = spec.schema
    low, high = schema.get("minimum"), schema.get("maximum")
    step: Any = 1 if spec.type == "integer" else 0.5
    found: list[Any] = []
    if low is not None and high is not None:
        middle = (low + high) / 2
        found.append(int(middle) if spec.type == "integer" else middle)
    found += [each for bound in (low, high) if bound is not None for each in (bound, bound + step, bound - step)]
    if _COUNTED.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", spec.name)) and low is None:
        return [*(each for each in found if each > 0), 3, 1, 2, 5, 10]
    found += [7, 0, 1, -1, 1_000_000] if spec.type == "integer" else [7.25, 0.0, -1.5, 1e9, 0.001]
    return found


def _item(schema: Mapping[str, Any]) -> InputSpec:
    items = schema.get("items")
    return _part("item", items if isinstance(items, Mapping) else {"type": "string"})


def _part(name: str, schema: Mapping[str, Any]) -> InputSpec:
    kind = schema.get("type")
    enum = schema.get("enum")
    return InputSpec(
        name=name,
        type=kind if isinstance(kind, str) else "string",
        values=tuple(enum) if isinstance(enum, Sequence) and not isinstance(enum, str) else (),
        schema=schema,
    )


_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (Mapping,),
}


def fits(spec: InputSpec, value: Any) -> str:
    """Return why a value is invalid for this input; empty if it is valid."""
    if spec.values:
        return "" if value in spec.values else f"{value!r} is none of the values declared"
    types = _TYPES.get(spec.type)
    if types and (not isinstance(value, types) or (isinstance(value, bool) and spec.type != "boolean")):
        return f"it is not of the type {spec.type}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _outside(spec.schema, value)
    if isinstance(value, (str, list, tuple)):
        return _too_long(spec.schema, value)
    return ""


def _outside(schema: Mapping[str, Any], value: float) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and value < low:
        return f"{value:g} is under the minimum of {low:g}"
    if high is not None and value > high:
        return f"{value:g} is over the maximum of {high:g}"
    return ""


def _too_long(schema: Mapping[str, Any], value: Sequence[Any]) -> str:
    short, long = ("minLength", "maxLength") if isinstance(value, str) else ("minItems", "maxItems")
    if len(value) < schema.get(short, 0):
        return f"it is shorter than {schema[short]}"
    if schema.get(long) is not None and len(value) > schema[long]:
        return f"it is longer than {schema[long]}"
    return ""
