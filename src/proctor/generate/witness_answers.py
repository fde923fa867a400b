"""Answers made by code to try predicates on: texts of many lengths, JSON with the named keys, labels, fixed texts."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

__all__ = ["witnesses"]

_QUOTED: Final = r'"((?:[^"\\]|\\.)*)"'
_SENTENCES: Final = {
    "en": "The new lamp is small and it stands on the desk of the office",
    "de": "Die neue Lampe ist klein und sie steht auf dem Tisch im Büro",
    "fr": "La nouvelle lampe est petite et elle est sur la table du bureau",
    "es": "La nueva lámpara es pequeña y está sobre la mesa de la oficina",
    "pt": "A nova lâmpada é pequena e está sobre a mesa do escritório",
    "it": "La nuova lampada è piccola e si trova sul tavolo della stanza",
    "ja": "新しいランプは小さくて机の上にあります",
    "zh": "新的台灯很小它放在办公室的桌子上面",
}
_MOST: Final = 3_000


def witnesses(predicates: Sequence[str]) -> tuple[str, ...]:
    """Return answers of which each predicate that can be kept at all is kept by some, as far as code can tell."""
    joined = "\n".join(predicates)
    found = dict.fromkeys(itertools.chain(_fixed(joined), _objects(joined), _texts(joined)))
    return tuple(itertools.islice(found, _MOST))


def _fixed(joined: str) -> Iterator[str]:
    for listed in re.findall(rf"\b(?:one of|is)\s+((?:{_QUOTED},?\s*)+)", joined):
        yield from (_plain(text) for text in re.findall(_QUOTED, listed[0]))
    if re.search(r"\b(?:number|integer|digits|numbers)\b", joined):
        yield from ("0", "1", "3", "7", "50", "0.5", "100")
    if re.search(r"\bis (?:yes|iso|date)|case is (?:camel|pascal|snake|kebab)", joined):
        yield from ("Yes", "No", "2025-01-31", "getLamp", "GetLamp", "get_lamp", "get-lamp")


def _objects(joined: str) -> Iterator[str]:
    """Yield JSON objects with all keys that are named, and arrays of strings and of such objects."""
    if "json" not in joined:
        return
    keys = [
        _plain(key)
        for listed in re.findall(rf"\bjson (?:only )?has ((?:{_QUOTED},?\s*)+)", joined)
        for key in re.findall(_QUOTED, listed[0])
    ]
    keys += [_plain(key) for key in re.findall(rf"\bjson field {_QUOTED}", joined)]
    inner = {
        key
        for parent in re.findall(rf"json field {_QUOTED} json has ((?:{_QUOTED},?\s*)+)", joined)
        for key in re.findall(_QUOTED, parent[1])
    }
    values: dict[str, Any] = {
        key: _value(key, joined) for key in dict.fromkeys(keys) if key not in inner or f'json has "{key}"' in joined
    }
    yield json.dumps(values, ensure_ascii=False)
    held = [_plain(text) for text in re.findall(rf"\bcontains (?:all |any )?{_QUOTED}", joined)]
    for key, value in values.items():
        if held and isinstance(value, str) and not re.search(rf'json field "{re.escape(key)}"', joined):
            yield json.dumps({**values, key: " ".join(held)}, ensure_ascii=False)
    closed = [
        re.findall(_QUOTED, listed[0]) for listed in re.findall(rf"\bjson only has ((?:{_QUOTED},?\s*)+)", joined)
    ]
    for names in closed:
        yield json.dumps({_plain(name): _value(_plain(name), joined) for name in names}, ensure_ascii=False)
    yield json.dumps([values], ensure_ascii=False)
    for count in range(8):
        yield json.dumps([f"lamp {number}" for number in range(count)])


def _value(key: str, joined: str) -> Any:
    """Return a value that a field's own predicates allow."""
    own = [rest for name, rest in re.findall(rf"json field {_QUOTED} ([^\n]*)", joined) if _plain(name) == key]
    said = " ".join(own)
    if labels := re.search(rf"one of {_QUOTED}", said):
        label = _plain(labels[1])
        return label == "true" if label in ("true", "false") else label
    if within := re.search(r"number between (-?[\d.]+)", said):
        return float(within[1]) if "." in within[1] else int(within[1])
    if inner := re.search(rf"^json has ((?:{_QUOTED},?\s*)+)", said):
        return [{_plain(name): "lamp" for name in re.findall(_QUOTED, inner[1])}]
    if re.search(r"\bis (?:number|integer)\b", said):
        return 1
    if "iso date" in said:
        return "2025-01-31"
    if "json array" in said:
        return ["lamp"]
    code = next(iter(re.findall(r"language is (\w\w)", said) or re.findall(r"language is (\w\w)", joined)), "en")
    count = next((int(low) for low in re.findall(r"sentences (?:between|=|>=) (\d+)", said)), 1)
    words = next((int(low) for low in re.findall(r"words (?:<=|=|<|between) (\d+)", said)), 4)
    return " ".join(_sentence(code, max(1, words // max(1, count)) if words < 12 else 6) for _ in range(count))


def _texts(joined: str) -> Iterator[str]:
    """Yield texts of many lengths and layouts, with the required beginnings, endings and words."""
    codes = [code for code in dict.fromkeys([*re.findall(r"language is (\w\w)", joined), "en"]) if code in _SENTENCES]
    begin = _first(rf"starts with {_QUOTED}", joined)
    end = _first(rf"ends with {_QUOTED}", joined) or _shown(joined)
    held = [_plain(text) for text in re.findall(rf"\bcontains (?:all |any )?{_QUOTED}", joined)]
    fields = [
        _plain(text)
        for listed in re.findall(rf"fields in order ((?:{_QUOTED},?\s*)+)", joined)
        for text in re.findall(_QUOTED, listed[0])
    ]
    if fields:
        for words in (1, 4, 12):
            yield "\n".join(f"{field} {_label(field, joined) or _sentence(codes[0], words)}" for field in fields)
    counts = sorted(
        {
            1,
            2,
            3,
            4,
            5,
            6,
            8,
            12,
            *(
                int(number)
                for number in re.findall(r"(?:sentences|lines|paragraphs|items|bullets) (?:=|between|>=) (\d+)", joined)
                if int(number) < 60
            ),
        }
    )
    for code, count, words, layout in itertools.product(
        codes,
        counts,
        (2, 3, 5, 8, 14, 24, *_wide(joined, counts)),
        ("text", "lines", "paragraphs", "bullets", "numbers", "both"),
    ):
        if layout != "text" and words in (2, 14):
            continue
        pieces = [_sentence(code, words) for _ in range(count)]
        body = _laid_out(pieces, layout)
        text = f"{begin}{body}{' ' + ' '.join(held) if held else ''}{' ' + end if end else ''}".strip()
        yield text
        if "case is upper" in joined or "case is lower" in joined:
            yield text.upper()
            yield text.lower()
    for code in codes:
        yield _sentence(code, 3).rstrip(".")


def _wide(joined: str, counts: Sequence[int]) -> tuple[int, ...]:
    """Return how long the sentences must be for a text to have the words that are asked for."""
    asked = [int(number) for number in re.findall(r"\bwords (?:=|between|>=|>) (\d+)", joined)]
    return tuple(
        sorted({-(-number // count) + 1 for number in asked for count in counts if count and number // count > 24})
    )[:6]


def _laid_out(pieces: Sequence[str], layout: str) -> str:
    if layout == "text":
        return " ".join(pieces)
    if layout == "paragraphs":
        return "\n\n".join(pieces)
    if layout == "both":
        return _laid_out(pieces, "bullets") + "\n\n" + _laid_out(pieces, "numbers")
    marks = {"lines": "", "bullets": "- ", "numbers": "{at}. "}
    return "\n".join(marks[layout].format(at=at) + piece for at, piece in enumerate(pieces, 1))


def _sentence(code: str, words: int) -> str:
    text = _SENTENCES[code if code in _SENTENCES else "en"]
    if code in ("ja", "zh"):
        return text[: max(4, words * 2)] + "。"
    base = text.split()
    return " ".join((base * (1 + words // len(base)))[:words]) + "."


def _label(field: str, joined: str) -> str:
    name = re.escape(re.escape(field.rstrip(":")))
    found = re.search(rf"{name}[^\n]*?one of {_QUOTED}", joined)
    return _plain(found[1]) if found else ""


def _first(pattern: str, joined: str) -> str:
    found = re.search(pattern, joined)
    return _plain(found[1]) if found else ""


def _shown(joined: str) -> str:
    """Return a text that a pattern at the end matches, if it is made of words and digits only."""
    found = re.search(r"matches /((?:[^/\\]|\\.)+?)\\W\*\$/", joined)
    if not found:
        return ""
    text = re.sub(r"\\d\{(\d+)\}", lambda digits: "1" * int(digits[1]), found[1])
    return re.sub(r"\\(.)", r"\1", text)


def _plain(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
