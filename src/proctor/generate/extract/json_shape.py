"""The shape of a JSON answer, in any language: shown, listed by lines, in a table, or named in one sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from proctor.generate.extract.conditions import is_conditional
from proctor.generate.extract.described_fields import bounded_count, item_keys
from proctor.generate.extract.json_fields import ARRAY_VALUE, FIELDS, ITEM, JSON, JsonField, JsonShape
from proctor.generate.extract.shown_schema import nested_keys, schema_of
from proctor.generate.extract.statements import ASIDE_SECTIONS, Statement
from proctor.text.lazy_pattern import Lazy

__all__ = ["json_keys", "shape_of"]

# ``- vendor`` among lines that describe fields
_BARE_ITEM: Final = re.compile(
    r"(?m)^(?P<indent>[ \t]*)[-*•][ \t]+(?:[\"“`*]{1,3}(?P<quoted>[A-Za-z_][\w-]*)[\"”`*]{1,3}|"
    r"(?P<bare>[a-z][a-z0-9_]*))(?P<said>)[ \t]*$"
)
_LEAST_DESCRIBED: Final = 2
_CODE_LINE: Final = re.compile(r"[ \t]+(?P<code>[A-Z][A-Z0-9_]+)[ \t]+\S[^\n]*")
_QUOTED_KEY: Final = r"[\"“`'][A-Za-z_][\w.-]*[\"”`']"
_KEY_LIST: Final = (
    r"(?:{key})(?:\s*[(（][^()（）\n]{{1,300}}[)）])?(?:\s*(?:[,、，;]|\band\b|\bund\b|\bet\b|\by\b|\be\b|\ben\b|"
    r"\bi\b|和|与|及|と)(?:\s*(?:and|und|et|y|e|en))?\s*(?:{key})(?:\s*[(（][^()（）\n]{{1,300}}[)）])?)*"
)
_QUOTED_LIST: Final = Lazy(_KEY_LIST.format(key=_QUOTED_KEY))
_BARE_LIST: Final = Lazy(
    rf"{FIELDS}(?:\s+(?:called|named|are|is|sind|sont|son|são|"
    rf"sono))?\s*[:：]?\s+(?P<list>{_KEY_LIST.format(key='[A-Za-z_][A-Za-z0-9_]*')})"
    r"(?=\s*(?:[.;:)]|$|[–—]|,\s*(?:where|each|with|no|nothing|in)\b|\s+(?:only|and (?:nothing|no))\b))",
    re.IGNORECASE,
)
_PART: Final = re.compile(r"[\"“`']?(?P<name>[A-Za-z_][\w.-]*)[\"”`']?\s*(?:[(（](?P<said>[^()（）\n]{1,300})[)）])?")
_ARRAY: Final = Lazy(
    r"\bJSON[- ](?:array|list\w*)|\b(?:array|tableau|lista|arreglo|elenco|liste|lijst) (?:de |di )?JSON\b|"
    r"JSON\s*(?:数组|配列|列表)",
    re.IGNORECASE,
)
_ITEMS_OBJECTS: Final = Lazy(r"\b(?:array|list) of (?:JSON )?objects?\b", re.IGNORECASE)
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
_SHOWN_VALUE: Final = re.compile(
    r"[\"'](?P<key>[\w.$-]{1,60})[\"']\s*:\s*(?:\"(?P<told>[^\"\n]{3,300})\"|(?P<bare>(?:\d+(?:\.\d+)?\s*(?:-|"
    r"–)\s*\d+(?:\.\d+)?|true\s*(?:\||/|or)\s*false)))"
)
_BARE_TYPE: Final = re.compile(r"[:\[]\s*(?:string|integer|int|number|boolean|bool|float|str)\b", re.IGNORECASE)
_TYPES: Final = re.compile(
    r"(?:string|number|integer|boolean|null|none|array|object|float|Y{2,4}-M{1,2}-D{1,2}|\.\.\.|…)", re.IGNORECASE
)
_NUMBERS: Final = re.compile(r"\W*(?P<low>\d+(?:\.\d+)?)\s*(?:-|–|to)\s*(?P<high>\d+(?:\.\d+)?)\W*")
_KEY: Final = re.compile(r"(?P<quote>[\"'“])(?P<key>[\w .$-]{1,60})[\"'”]\s*:")
_MOST: Final = 100_000
_LEAST_CODES: Final = 3


def shape_of(text: str, statements: Sequence[Statement]) -> JsonShape | None:
    """Return the fields that a prompt about JSON shows, lists or names; None if there are none."""
    told = [each for each in statements if each.section not in ASIDE_SECTIONS]
    spoken = any(JSON.search(each.text) or JSON.search(each.lead) for each in told if not each.code)
    shown = _shown(told)
    if not spoken and (shown is None or not shown[0].code):
        return None
    words = [each for each in told if not each.code]
    array = any(_ARRAY.search(each.text) and not each.item for each in words) and not any(
        _OBJECT.search(each.text) for each in words
    )
    loose = any(ARRAY_VALUE.search(each.text) and is_conditional(each.text) and not each.item for each in words)
    covered = [(each.start, each.end) for each in words]
    lines = [match for match in ITEM.finditer(text) if any(low <= match.start("said") < high for low, high in covered)]
    if len(lines) >= _LEAST_DESCRIBED:
        lines = sorted([*lines, *_BARE_ITEM.finditer(text)], key=lambda match: match.start())
    listed = tuple(_nested(_runs(lines, text), text))
    rows = tuple(_table_fields(text, covered))
    listed = rows if len(rows) > len(listed) else listed
    if shown is not None:
        return _of_shown(shown[0], shown[1], listed, array=array, loose=loose)
    if len(listed) >= 2:
        return JsonShape(
            fields=listed, array=array, start=listed[0].start, end=max(each.end for each in listed), loose=loose
        )
    for each in words:
        if fields := tuple(_of_sentence(each)):
            many = array or _ITEMS_OBJECTS.search(each.text) is not None
            return JsonShape(fields=fields, array=many, start=each.start, end=each.end, loose=loose, named=True)
    return None


def _shown(statements: Sequence[Statement]) -> tuple[Statement, str] | None:
    """Return the first JSON that a prompt shows as the shape of its answer, with its statement."""
    for each in statements:
        begin = min((at for at in (each.text.find("{"), each.text.find("[")) if at >= 0), default=-1)
        if (
            begin < 0
            or each.text.startswith(("{{", "[["), begin)
            or (not each.code and is_conditional(each.text[:begin]))
        ):
            continue
        body = _balanced(each.text[:_MOST], begin)
        inner = body[body.find("{") :] if body else ""
        if body and len(json_keys(inner)) >= (1 if each.code else 2):
            return each, body
    return None


def _of_shown(where: Statement, body: str, listed: Sequence[JsonField], *, array: bool, loose: bool) -> JsonShape:
    keys = json_keys(body[body.find("{") :])
    inner = dict.fromkeys(nested_keys(body))
    told = {match["key"]: (match["told"] or match["bare"]).strip() for match in _SHOWN_VALUE.finditer(body)}
    typed = _BARE_TYPE.search(body) is not None
    schema = _schema(body) or (schema_of(body) if typed else None)
    described = {each.name: each for each in listed if each.name in keys or each.name in {key for key, _ in inner}}
    fields = [
        described.get(key)
        or JsonField(name=key, said=_shown_value(told.get(key, "")), start=where.start, end=where.end, shown=True)
        for key in keys
    ]
    fields += [
        replace(described[key], parents=(parent,))
        if key in described
        else JsonField(name=key, said="", start=where.start, end=where.end, parents=(parent,), shown=True)
        for key, parent in inner
        if key not in keys
    ]
    return JsonShape(
        fields=tuple(fields),
        array=array or body.startswith("["),
        start=where.start,
        end=where.end,
        schema=f"json schema {json.dumps(schema, ensure_ascii=False)}" if schema else "",
        loose=loose,
    )


def _shown_value(told: str) -> str:
    """Return what a value in shown JSON describes; nothing where it is an example."""
    if _NUMBERS.fullmatch(told):
        return f"number {told}"
    pieces = [piece.strip() for piece in told.split("|")]
    if len(pieces) > 1:
        return "" if any(map(_TYPES.fullmatch, pieces)) else "one of " + ", ".join(f'"{piece}"' for piece in pieces)
    bounded = bounded_count(told) or re.search(r"\bone of\b|true\s*(?:/|or)\s*false|YYYY-MM-DD", told)
    return told if bounded else ""


def _of_sentence(statement: Statement) -> Iterator[JsonField]:
    """Yield the keys that a sentence about JSON names, with what it says of each in brackets."""
    said = statement.text
    if not (JSON.search(said) or _OBJECT_VALUE.search(said) or re.search(FIELDS, said, re.IGNORECASE)):
        return
    named = re.search(
        rf"(?:{FIELDS}|\b(?:with|containing|contain|mit|avec|con|com|met|conter|contener|contenere|z)\b|JSON)",
        said,
        re.IGNORECASE,
    )
    quoted_list = _QUOTED_LIST.search(said, named.end()) if named else None
    found = quoted_list.group() if quoted_list else ""
    if not found and (bare := _BARE_LIST.search(said)):
        found = bare["list"]
    parts = [match for match in _PART.finditer(found) if match["name"] not in ("and", "und", "et", "y", "e", "en", "i")]
    if is_conditional(said[: said.find(found)]) or (
        len(parts) < 2 and not (parts and quoted_list and JSON.search(said))
    ):
        return
    for match in parts:
        yield JsonField(
            name=match["name"], said=match["said"] or "", start=statement.start, end=statement.end, shown=True
        )


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


def _nested(found: Sequence[re.Match[str]], text: str) -> Iterator[JsonField]:
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
        codes = _codes_below(text, match.end()) if said.endswith((":", "：")) else ()
        for one in re.split(r",\s*", name):
            before = JsonField(
                name=one, said=said, start=start, end=match.end(), parents=parents, keys=keys, values=codes
            )
            yield before
        above.append((indent, name))


def _codes_below(text: str, at: int) -> tuple[str, ...]:
    """Return the codes in capitals that the lines below a place list, each with its meaning."""
    found: list[str] = []
    for line in text[at:].split("\n")[1:]:
        code = _CODE_LINE.fullmatch(line)
        if code is None:
            break
        found.append(code["code"])
    return tuple(found) if len(found) >= _LEAST_CODES else ()


_ROW: Final = re.compile(
    r"(?m)^[ \t]*\|[ \t]*[`\"*]{0,3}(?P<name>[A-Za-z_][A-Za-z0-9_]*)[`\"*]{0,3}[ \t]*\|(?P<said>[^\n]+?)\|?[ \t]*$"
)
_RULED: Final = re.compile(r"[ \t]*\|[\s:|-]*-[\s:|-]*\|?[ \t]*")


def _table_fields(text: str, covered: Sequence[tuple[int, int]]) -> Iterator[JsonField]:
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


def _schema(body: str) -> dict[str, Any] | None:
    if '"properties"' not in body or '"type"' not in body:
        return None
    for tried in (body, re.sub(r",(\s*[}\]])", r"\1", body)):
        try:
            found = json.loads(tried)
        except ValueError:
            continue
        return found if isinstance(found, dict) and "properties" in found else None
    return None


def _balanced(text: str, begin: int) -> str | None:
    """Return the text from an opening bracket to its closing one."""
    depth, inside = 0, False
    for at in range(begin, len(text)):
        character = text[at]
        if character == '"' and text[at - 1 : at] != "\\":
            inside = not inside
        elif not inside and character in "{[":
            depth += 1
        elif not inside and character in "}]":
            depth -= 1
            if depth == 0:
                return text[begin : at + 1]
    return None


def json_keys(body: str) -> tuple[str, ...]:
    """Return the top-level keys of a shown object, which need not be strict JSON."""
    keys, depth, at = [], 0, 0
    while at < len(body):
        character = body[at]
        if character in "{[":
            depth += 1
        elif character in "}]":
            depth -= 1
        elif depth == 1 and (match := _KEY.match(body, at)):
            keys.append(match.group("key"))
            at = match.end()
            continue
        elif character == '"':
            closing = body.find('"', at + 1)
            at = closing if closing > 0 else at
        at += 1
    return tuple(dict.fromkeys(keys))
