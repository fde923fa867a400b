"""Read a JSON shape that a prompt shows with types for values, which is seldom strict JSON, as a JSON schema."""

from __future__ import annotations

import re
from typing import Any, Final

__all__ = ["nested_keys", "schema_of"]

_TYPES: Final[tuple[tuple[str, str], ...]] = (
    ("boolean", r"bool(?:ean|éen|eano)?|true\s*(?:\||/|or|oder|ou|o)\s*false"),
    ("integer", r"int(?:eger)?|ganzzahl|entier|entero|inteiro|intero|whole number|整数"),
    ("number", r"number|float|decimal|zahl|nombre|número|numero|数字|数値"),
    ("string", r"string|text|str|zeichenkette|chaîne|cadena|texto|testo|stringa|字符串|文字列"),
    ("array", r"array|list|liste|lista|数组|配列"),
    ("object", r"object|objekt|objet|objeto|oggetto|对象"),
)
_NULL: Final = re.compile(r"\bnull\b|\bnone\b|\bnil\b", re.IGNORECASE)
_KEY: Final = re.compile(r"\s*[\"'“]?(?P<key>[A-Za-z_À-ÿ一-鿿ぁ-ヿ][\w .$-]{0,60}?)[\"'”]?\s*:\s*")
_STRING: Final = re.compile(r"\s*\"((?:[^\"\\]|\\.)*)\"")
_OPEN: Final = re.compile(r"\s*(?:\.\.\.|…)\s*,?")
_MOST: Final = 20_000


def schema_of(body: str, *, nullable: bool = False) -> dict[str, Any] | None:
    """Return the schema of a shown object or array; None if its brackets or keys cannot be read.

    ``nullable`` is whether the prompt allows null for whatever is missing.
    """
    body = re.sub(r"(?m)(?<![:\"'])(?://|#)[^\n\"]*$", "", body[:_MOST])
    try:
        found, at = _value(body, 0)
    except ValueError:
        return None
    if body[at:].strip() or not (found.get("properties") or found.get("type") == "array"):
        return None
    return _with_null(found) if nullable else found


def _with_null(schema: dict[str, Any]) -> dict[str, Any]:
    inner = {name: _with_null(each) for name, each in schema.get("properties", {}).items()}
    for name, each in inner.items():
        kinds = each.get("type")
        if isinstance(kinds, str):
            inner[name] = {**each, "type": [kinds, "null"]}
        elif "enum" in each and None not in each["enum"]:
            inner[name] = {**each, "enum": [*each["enum"], None]}
    found = {**schema, **({"properties": inner} if inner else {})}
    return {**found, "items": _with_null(found["items"])} if "items" in found else found


def nested_keys(text: str) -> tuple[tuple[str, str], ...]:
    """Return the keys of objects inside a field of shown JSON, each with that field."""
    begin = text.find("{")
    found = schema_of(text[begin : text.rfind("}") + 1]) if begin >= 0 else None
    pairs = []
    for name, inner in (found or {}).get("properties", {}).items():
        held = inner.get("items", inner)
        pairs += [(key, name) for key in held.get("properties", {})]
    return tuple(pairs)


def _value(text: str, at: int) -> tuple[dict[str, Any], int]:
    at = _skip(text, at)
    if text[at : at + 1] == "{":
        return _object(text, at + 1)
    if text[at : at + 1] == "[":
        return _array(text, at + 1)
    return _scalar(text, at)


def _object(text: str, at: int) -> tuple[dict[str, Any], int]:
    properties: dict[str, Any] = {}
    while True:
        at = _skip(text, at)
        if ellipsis := _OPEN.match(text, at):
            at = ellipsis.end()
            continue
        if text[at : at + 1] == "}":
            break
        key = _KEY.match(text, at)
        if key is None:
            raise ValueError("no key")
        properties[key["key"]], at = _value(text, key.end())
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != "}":
            raise ValueError("no comma")
    found: dict[str, Any] = {"type": "object"}
    if properties:
        found |= {"required": list(properties), "properties": properties}
    return _nullable(found, text, at + 1)


def _array(text: str, at: int) -> tuple[dict[str, Any], int]:
    items: list[dict[str, Any]] = []
    while True:
        at = _skip(text, at)
        if ellipsis := _OPEN.match(text, at):
            at = ellipsis.end()
            continue
        if text[at : at + 1] == "]":
            break
        if at >= len(text):
            raise ValueError("no end")
        item, at = _value(text, at)
        items.append(item)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != "]":
            raise ValueError("no comma")
    found: dict[str, Any] = {"type": "array"}
    if items and items[0] and all(item.get("type") == items[0].get("type") for item in items):
        same = {key: value for key, value in items[0].items() if key != "enum"}
        found["items"] = items[0] if len(items) == 1 else same if items[0].get("type") != "object" else items[0]
    return _nullable(found, text, at + 1)


def _nullable(found: dict[str, Any], text: str, at: int) -> tuple[dict[str, Any], int]:
    """Return the value after what follows its bracket: ``{…} or null``."""
    after = re.match(r"\s*(?:or|oder|ou|o|\|)\s*null", text[at:], re.IGNORECASE)
    if after is None:
        return found, at
    return {**found, "type": [found["type"], "null"]}, at + after.end()


def _scalar(text: str, at: int) -> tuple[dict[str, Any], int]:
    stop = at
    while stop < len(text) and text[stop] not in ",}]\n":
        if string := _STRING.match(text, stop):
            stop = string.end()
        else:
            stop += 1
    said = text[at:stop].strip()
    shown = _STRING.fullmatch(said)
    return (_described(shown[1]) if shown else _typed(said)), stop


def _described(told: str) -> dict[str, Any]:
    """Return what a value in quotes says: a type, values divided by bars, or a description of a text."""
    pieces = [piece.strip() for piece in told.split("|")]
    if len(pieces) > 1 and all(0 < len(piece) <= 30 and len(piece.split()) <= 3 for piece in pieces):
        kinds = [kind for piece in pieces if (kind := _type(piece)) or piece == "null"]
        if len(kinds) < len(pieces):
            values: list[Any] = [None if piece == "null" else piece for piece in pieces]
            return {"enum": values}
        return _typed(told)
    found = _type(told.strip(" <>"))
    if found:
        return {"type": found}
    return (
        {}
        if re.search(r"\d|true|false|null|number|integer|zahl|list|array", told, re.IGNORECASE)
        else {"type": "string"}
    )


def _typed(said: str) -> dict[str, Any]:
    """Return the schema of a value that is written as its type: ``integer or null``, ``"a" | "b"``."""
    values = [match[1] for match in _STRING.finditer(said)]
    if len(values) >= 2 and not re.sub(r"\"[^\"]*\"|\bor\b|\boder\b|\bou\b|\bo\b|null|[|/,\s]", "", said):
        return {"enum": [*values, *([None] if _NULL.search(said) else [])]}
    if values:
        return {}
    kinds = [kind for piece in re.split(r"\s*(?:\||/|\bor\b|\boder\b|\bou\b|\bo\b)\s*", said) if (kind := _type(piece))]
    boolean = _type(said)
    kinds = [boolean] if boolean == "boolean" else list(dict.fromkeys(kinds))
    if not kinds:
        return _example(said)
    kinds += ["null"] if _NULL.search(said) else []
    return {"type": kinds[0] if len(kinds) == 1 else kinds}


def _example(said: str) -> dict[str, Any]:
    """Return the type of a value that is an example, not a type."""
    if re.fullmatch(r"-?\d+(?:\.\d+)?", said):
        return {"type": "number"}
    return {"type": "boolean"} if said in ("true", "false") else {}


def _type(piece: str) -> str:
    piece = piece.strip().strip("<>").strip()
    return next(
        (kind for kind, pattern in _TYPES if re.fullmatch(rf"(?:an? |eine? )?(?:{pattern})", piece, re.IGNORECASE)), ""
    )


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
