"""The fields of a JSON answer as a prompt lists them, in any language: by lines and indentation, or in one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from proctor.generate.extract.aspects import Scope, checkable, quoted
from proctor.generate.extract.checked_marks import find_denied
from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.described_fields import bounded_count, item_keys, value_checks
from proctor.generate.extract.draft import Draft
from proctor.generate.extract.quantity_words import NEGATION
from proctor.generate.extract.statements import Statement
from proctor.text.lazy_pattern import Lazy
from proctor.text.predicates.language_guess import FUNCTION_WORDS

__all__ = ["JsonField", "JsonOutline", "outline_drafts", "outline_of"]

_ITEM: Final = re.compile(
    r"(?m)^(?P<indent>[ \t]*)(?:[-*•–·]|\d{1,2}[.)])?[ \t]*(?:[\"“`*]{1,3}(?P<quoted>[A-Za-z_][\w-]*)[\"”`*]{1,3}|"
    r"(?P<bare>[a-z][a-z0-9_]*))[ \t]*(?:[:：]|[(（]|[–—-](?=[ \t]))[ \t]*(?P<said>[^\n]+)$"
)
_INLINE: Final = re.compile(r"[\"“`](?P<name>[A-Za-z_]\w*)[\"”`]\s*[(（](?P<said>[^()（）\n]+)[)）]")
_NAME: Final = re.compile(r"[\"“`](?P<name>[A-Za-z_]\w*)[\"”`]")
_JSON: Final = Lazy(r"(?<![A-Za-z])JSON(?![A-Za-z])")
_ARRAY: Final = Lazy(
    r"\bJSON[- ](?:array|list\w*)|\b(?:array|tableau|lista|arreglo|elenco|liste|lijst) (?:de |di )?JSON\b|"
    r"JSON\s*(?:数组|配列|列表)",
    re.IGNORECASE,
)
_OBJECT: Final = Lazy(
    r"\bJSON[- ](?:object|objekt)\w*|\b(?:objet|objeto|oggetto|obiekt) JSON\b|JSON\s*(?:对象|オブジェクト)",
    re.IGNORECASE,
)
_SAME: Final = Lazy(
    r"同上|\bsame as (?:above|the)|\bditto\b|\bwie oben\b|\bidem\b|\bigual\b|\bcome sopra\b|同様", re.IGNORECASE
)
_OBJECT_VALUE: Final = Lazy(r"\b(?:object|objekt|objet|objeto|oggetto|obiekt)\b|对象|オブジェクト", re.IGNORECASE)
_IDENTIFIERS: Final = re.compile(
    r"[a-z_][a-z0-9_]*(?:\s*(?:[,、，]|\band\b|\bund\b|\bet\b|\by\b|\be\b|和|与|及)\s*[a-z_][a-z0-9_]*)+"
)
_FIELDS: Final = (
    r"(?:fields?|keys?|properties|felder\w*|schlüssel|champs?|clés?|campos?|claves?|chaves?|campi|chiavi|"
    r"velden|pól|pola|"
    r"字段|キー|項目|フィールド)"
)
_OTHERS: Final = Lazy(
    rf"{NEGATION}[^.;]{{0,30}}{_FIELDS}|\b(?:only|exactly|nur|genau|uniquement|exactement|solo|exactamente|apenas|"
    rf"exatamente|alleen)\b[^.;]{{0,25}}{_FIELDS}|{_FIELDS}[^.]{{0,40}}(?:\b(?:no|add|any) others?\b|"
    rf"\bkeine (?:weiteren|anderen)\b|"
    r"\baucun(?:e)? autre\b|\bningun[oa] más\b|\bnenhum(?:a)? (?:outr[oa]|a mais)\b|"
    r"\bnessun[oa]?['’ ]altr[oa]\b|\bgeen andere\b)",
    re.IGNORECASE,
)
_ONLY: Final = Lazy(
    r"\b(?:only|nothing else|nothing but|nur|ausschließlich|uniquement|seulement|rien d['’]autre|solo|sólo|"
    r"únicamente|apenas|"
    r"somente|soltanto|nient['’]altro|alleen|tylko|wyłącznie|sans texte|sin texto|sem texto|anything else|"
    r"any other text)\b|只|仅|のみ|だけ|除 ?JSON|以外",
    re.IGNORECASE,
)
_COMMENT: Final = Lazy(
    rf"{NEGATION}[^.;]{{0,30}}(?:comment\w*|kommentar\w*|explanation\w*|erklärung\w*|explication\w*|coment\w*|"
    rf"explica\w*|"
    r"spiegazion\w*|commenti?|toelichting|解释|说明|説明|text|texto?|testo)\b",
    re.IGNORECASE,
)
_LEAD_REACH: Final = 300  # characters
_SHORT_CLOSING: Final = 12  # words of a sentence that only closes the list of keys
_SHORT: Final = 8  # words of a sentence that is about an amount alone
_THINGS: Final = Lazy(
    r"\b(?:objects?|items?|entries|elements?|objekte\w*|einträge\w*|objets|éléments|objetos|elementos|oggetti|elementi|"
    r"objecten)\b|对象|条|项|件",
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
    many: bool = False  # it holds an array of objects


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonOutline:
    """The fields of the answer; ``array`` is whether it is an array of objects with these fields."""

    fields: tuple[JsonField, ...]
    array: bool
    inline: bool = False
    table: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The fields at the top."""
        return tuple(dict.fromkeys(each.name for each in self.fields if not each.parents))

    @property
    def is_nested(self) -> bool:
        """Whether some field is inside of another."""
        return any(each.parents or each.keys for each in self.fields)


def outline_of(text: str, statements: Sequence[Statement]) -> JsonOutline | None:
    """Return the fields that a prompt about JSON lists; None if it lists fewer than two."""
    told = [each for each in statements if not each.code and each.section not in ("example", "tools", "input")]
    if not any(_JSON.search(each.text) or _JSON.search(each.lead) for each in told):
        return None
    array = any(_ARRAY.search(each.text) and not each.item for each in told) and not any(
        _OBJECT.search(each.text) for each in told
    )
    covered = [(each.start, each.end) for each in told]
    listed = [
        match for match in _ITEM.finditer(text) if any(low <= match.start("said") < high for low, high in covered)
    ]
    fields = tuple(_nested(_runs(listed, text)))
    if len(rows := tuple(table_fields(text, covered))) > len(fields):
        return JsonOutline(fields=rows, array=array, table=True)
    if len(fields) >= 2:
        return JsonOutline(fields=fields, array=array)
    for each in told:
        found = [match for match in _INLINE.finditer(each.text) if not is_conditional(each.text[: match.start()])]
        if len(found) >= 2:
            bare = _INLINE.sub(lambda match: f'"{match["name"]}"', each.text)
            names = [match["name"] for match in _NAME.finditer(bare)]
            saids = {match["name"]: match for match in found}
            return JsonOutline(
                fields=tuple(
                    JsonField(
                        name=name,
                        said=saids[name]["said"] if name in saids else "",
                        start=each.start,
                        end=each.end,
                    )
                    for name in dict.fromkeys(names)
                ),
                array=array,
                inline=True,
            )
    return None


def _runs(found: Sequence[re.Match[str]], text: str) -> list[re.Match[str]]:
    """Return the longest run of lines that describe fields, with at most one other line between two of them."""
    best: list[re.Match[str]] = []
    run: list[re.Match[str]] = []
    for match in found:
        if run and text[run[-1].end() : match.start()].count("\n") > 2:
            run = []
        run.append(match)
        best = run if len(run) > len(best) else best
    return list(best)


def _nested(found: Sequence[re.Match[str]]) -> Iterator[JsonField]:
    above: list[tuple[int, str]] = []
    before: JsonField | None = None
    for match in found:
        indent = len(match["indent"].expandtabs(4))
        while above and above[-1][0] >= indent:
            above.pop()
        said = match["said"].strip().rstrip(")）") if "(" not in match["said"] else match["said"].strip()
        name = match["quoted"] or match["bare"]
        parents = tuple(each for _, each in above)
        keys = item_keys(said) if re.search(r"array|list|tableau|数组|列表", said, re.IGNORECASE) else _keys(said)
        if before is not None and _SAME.search(said):
            keys = before.keys
        start = match.start("quoted") - 1 if match["quoted"] else match.start("bare")
        before = JsonField(name=name, said=said, start=start, end=match.end(), parents=parents, keys=keys)
        yield before
        above.append((indent, name))


_ROW: Final = re.compile(
    r"(?m)^[ \t]*\|[ \t]*[`\"*]{0,3}(?P<name>[A-Za-z_][A-Za-z0-9_]*)[`\"*]{0,3}[ \t]*\|(?P<said>[^\n]+?)\|?[ \t]*$"
)
_RULED: Final = re.compile(r"[ \t]*\|[\s:|-]*-[\s:|-]*\|?[ \t]*")


def table_fields(text: str, covered: Sequence[tuple[int, int]]) -> Iterator[JsonField]:
    """Yield the fields of a Markdown table whose first column is their names; the head of the table is none."""
    rows = [row for row in _ROW.finditer(text) if any(low <= row.start("said") < high for low, high in covered)]
    for row in rows:
        below = text[row.end() + 1 :].split("\n", 1)[0]
        if not _RULED.fullmatch(below):
            said = ", ".join(cell.strip() for cell in row["said"].split("|") if cell.strip())
            yield JsonField(name=row["name"], said=said, start=row.start(), end=row.end())


def _keys(said: str) -> tuple[str, ...]:
    """Return the keys that a description names for the object in its field."""
    value = _OBJECT_VALUE.search(said)
    listed = _IDENTIFIERS.search(said, value.end()) if value else None
    return tuple(re.findall(r"[a-z_][a-z0-9_]{2,}", listed.group())) if listed else ()


def outline_drafts(
    outline: JsonOutline, statements: Sequence[Statement], text: str, scope: Scope
) -> Iterator[tuple[Draft, Statement | None]]:
    """Yield the rules of the outline; with the statement, if one is a rule as a whole and is read nowhere else."""
    names = outline.names
    inner = [each for each in outline.fields if not each.parents]
    closed = any(_OTHERS.search(each.text) for each in statements if not each.code and not is_conditional(each.text))
    lead = max(
        (
            each.start
            for each in statements
            if each.end <= inner[0].start
            and (each.text.rstrip().endswith((":", "：")) or (outline.table and _OTHERS.search(each.text)))
        ),
        default=-1,
    )
    kind = "array of objects" if outline.array else "object"
    has = f"json has {quoted(names)}" + (f" and json only has {quoted(names)}" if closed else "")
    yield (
        _draft(
            f"The output is a JSON {kind} with the keys {', '.join(names)}.",
            lead if lead >= 0 and inner[0].start - lead < _LEAD_REACH else inner[0].start,
            inner[-1].end,
            f"is json array and (json array length = 0 or {has})" if outline.array else f"is json object and {has}",
        ),
        None,
    )
    scope = replace(scope, blank=tuple(dict.fromkeys((*scope.blank, *_null(text)))))
    many = _many(outline)
    for each in outline.fields:
        checks = list(_checks(each, outline, many, scope))
        predicate = " and ".join(f"({check})" for check in checks) if len(checks) > 1 else "".join(checks)
        if outline.inline:
            said = f'"{each.name}" ({each.said})' if each.said else ""
        else:
            said = f"{each.name}: {each.said}" if outline.table else re.sub(r"\s+", " ", text[each.start : each.end])
        if said:
            yield _draft(f"{said.rstrip(' .:;：；。')}.", each.start, each.end, predicate), None
    rests = list(_rests(outline, statements, text))
    for one in (*statements, *rests):
        found = "" if one.code else _of_case(one, outline) or _of_statement(one, outline, many, scope)
        if found or one in rests:
            said = re.sub(r"\s+", " ", one.text).rstrip(" .:;：；。")
            yield _draft(f"{said}.", one.start, one.end, found), one


def _rests(outline: JsonOutline, statements: Sequence[Statement], text: str) -> Iterator[Statement]:
    """Yield the lines of an item below the line of its field, which are sentences of their own."""
    ends = {each.end for each in outline.fields}
    for each in () if outline.inline or outline.table else statements:
        inside = [end for end in ends if each.start < end < each.end]
        for line in re.finditer(r"[^\n]+", text[max(inside) : each.end]) if inside else ():
            said = line.group().strip()
            if len(said) > 2 and not _ITEM.match(line.group()):
                start = text.find(said, max(inside))
                yield replace(each, start=start, end=start + len(said), text=said, item=False, section="plain")


def _many(outline: JsonOutline) -> frozenset[str]:
    """Return the fields that hold arrays."""
    return frozenset(
        each.name
        for each in outline.fields
        if re.search(
            r"\b(?:array|list|liste|tableau|lista|arreglo|elenco|lijst)\b|数组|列表|配列", each.said, re.IGNORECASE
        )
    )


def _path(field: JsonField, outline: JsonOutline, many: frozenset[str]) -> str:
    path = "each json item: " if outline.array else ""
    for parent in field.parents:
        path += f"json field {quoted([parent])} " + ("each json item: " if parent in many else "")
    return f"{path}json field {quoted([field.name])}"


def _checks(field: JsonField, outline: JsonOutline, many: frozenset[str], scope: Scope) -> Iterator[str]:
    path = _path(field, outline, many)
    for predicate in value_checks(field.said, scope):
        if checkable(f"{path} {predicate}"):
            yield f"{path} {predicate}"
    if field.keys and field.name not in many:
        yield f"{path} json has {quoted(field.keys)}"
    inner = [each.name for each in outline.fields if each.parents and each.parents[-1] == field.name]
    if inner:
        yield f'{path} (json has {quoted(inner)} or is "[]")'


def _of_case(statement: Statement, outline: JsonOutline) -> str:
    """Return the predicate of a sentence that ties the value of one field to that of another."""
    said = statement.text
    cut = re.search(r"[,，]", said)
    if cut is None or outline.array or not is_conditional(said[: cut.start()]):
        return ""
    pairs = [_pairs(piece, outline) for piece in (said[: cut.start()], said[cut.start() :])]
    asked = [f"json field {quoted([name])} is {quoted([value])}" for name, value in pairs[1]]
    if len(pairs[0]) != 1 or not asked or re.search(NEGATION, said, re.IGNORECASE):
        return ""
    name, value = pairs[0][0]
    left = [
        word
        for word in re.findall(
            r"[^\W\d_]+", said[: cut.start()].lower().replace(name.lower(), " ").replace(value.lower(), " ")
        )
        if word not in FUNCTION_WORDS
    ]
    return "" if left else f"when json field {quoted([name])} is {quoted([value])}: {' and '.join(asked)}"


def _pairs(said: str, outline: JsonOutline) -> list[tuple[str, str]]:
    """Return the fields that a clause names, each with the quoted value right after it."""
    names = "|".join(re.escape(name) for name in outline.names)
    found = re.finditer(
        rf"[\"“`]?\b(?P<name>{names})\b[\"”`]?\s+(?:[^\W\d_]+\s+){{0,3}}[\"“](?P<value>[^\"”]+)[\"”]", said
    )
    return [(match["name"], match["value"]) for match in found]


def _named(said: str, many: frozenset[str]) -> str:
    named = [name for name in many if re.search(rf"\b{re.escape(name)}\b", said, re.IGNORECASE)]
    return named[0] if len(named) == 1 and len(said.split()) <= _SHORT else ""


def _of_statement(statement: Statement, outline: JsonOutline, many: frozenset[str], scope: Scope) -> str:
    """Return the predicate of a sentence about the JSON as a whole: its kind, its size, its keys."""
    said = statement.text
    if is_conditional(said) or statement.section in ("example", "tools", "input") or _ITEM.match(statement.text):
        return ""
    if _OTHERS.search(said) and len(said.split()) <= _SHORT_CLOSING and not _JSON.search(said):
        only = f"json only has {quoted(outline.names)}"
        return f"json array length = 0 or {only}" if outline.array else only
    if count := bounded_count(said):
        if name := _named(said, many):
            return f"json field {quoted([name])} json array length {count}"
        if outline.array and _THINGS.search(said) and len(said.split()) <= _SHORT:
            return f"json array length {count}"
    if not _JSON.search(said):
        return ""
    shape = "is json array" if outline.array else "is json object" if _OBJECT.search(said) else "is json"
    more = [predicate for predicate, _, _ in find_denied(said) if predicate == "not (has code block)"]
    alone = _ONLY.search(said) or _COMMENT.search(said)
    return " and ".join([shape, *(["no extra text"] if alone else []), *more])


def _null(text: str) -> tuple[str, ...]:
    return ("null",) if re.search(r"(?<![A-Za-z])null(?![A-Za-z])", text) else ()


def _draft(text: str, start: int, end: int, predicate: str) -> Draft:
    return Draft(
        text=text,
        start=start,
        end=end,
        kind="format",
        priority=2,
        predicate=checkable(predicate) if predicate else None,
    )
