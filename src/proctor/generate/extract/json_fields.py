"""The fields of a JSON answer and its shape, and the patterns by which both are read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from proctor.text.lazy_pattern import Lazy

__all__ = ["AND_NOTHING", "ARRAY_VALUE", "FIELDS", "ITEM", "JSON", "JsonField", "JsonShape"]

_NAME: Final = (
    r"[\"“`*]{1,3}(?P<quoted>[A-Za-z_][\w-]*)[\"”`*]{1,3}|(?P<bare>[a-z][A-Za-z0-9_]*(?:, ?[a-z][a-z0-9_]*)*)"
)
ITEM: Final = re.compile(
    rf"(?m)^(?P<indent>[ \t]*)(?:[-*•–·]|\d{{1,2}}[.)])?[ \t]*(?:{_NAME})[ \t]*(?:[:：=→]|[(（]|[–—-](?=[ \t]))[ \t]*"
    r"(?P<said>[^\n]+)$"
)
FIELDS: Final = (
    r"(?:fields?|keys?|properties|attributes|felder\w*|schlüssel\w*|champs?|clés?|campos?|claves?|chaves?|campi|chiavi|"
    r"velden|sleutels?|pól|pola|kluc\w+|ключ\w*|пол[яе]\w*|nycklar|alanlar\w*|字段|キー|項目|フィールド|필드|키)"
)
JSON: Final = Lazy(r"(?<![A-Za-z])JSON(?![A-Za-z])", re.IGNORECASE)
ARRAY_VALUE: Final = Lazy(
    r"\b(?:array|list|liste|tableau|lista|arreglo|matriz|elenco|lijst|tablica|массив\w*|pole|dizi)\b|"
    r"数组|列表|配列|배열",
    re.IGNORECASE,
)

# ``these elements and nothing else``
AND_NOTHING: Final = Lazy(
    r"\b(?:nothing else|no other \w+|sonst nichts|rien d['’]autre|nada más|nada mais|nient['’]altro|niets anders)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonField:
    """A field, what is said about it, where, and the fields that it is inside of, outermost first."""

    name: str
    said: str
    start: int
    end: int
    parents: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()  # of the object that it holds
    values: tuple[str, ...] = ()  # that are listed below it
    shown: bool = False  # only as a key of shown JSON, or in one sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonShape:
    """The fields of the answer; ``array`` is whether it is an array of objects with these fields."""

    fields: tuple[JsonField, ...]
    array: bool
    start: int
    end: int
    schema: str = ""  # the predicate of JSON that is shown with types
    loose: bool = False  # in some case it is an array
    named: bool = False  # in one sentence, which is a rule as a whole

    @property
    def names(self) -> tuple[str, ...]:
        """The fields at the top."""
        return tuple(dict.fromkeys(each.name for each in self.fields if not each.parents))

    @property
    def nested(self) -> tuple[tuple[str, str], ...]:
        """The keys of objects in a field, each with that field."""
        inner = [(each.name, each.parents[-1]) for each in self.fields if each.parents]
        return tuple(dict.fromkeys([*inner, *((key, each.name) for each in self.fields for key in each.keys)]))
