"""Parse a format that a prompt shows: fields with placeholders, JSON, a JSON schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from proctor.generate.extract.aspects import quoted
from proctor.generate.extract.shown_schema import schema_of
from proctor.generate.extract.statements import Statement

__all__ = ["described_line", "field_names", "json_keys", "shown_fields", "shown_json", "shown_values"]

_FIELD_LINE: Final = re.compile(
    r"\s*(?:[-*]\s+)?(?P<label>(?:\*\*)?[A-Za-z\u3040-\u30ff\u4e00-\u9fff][^:：<>\[\]{}\n]{0,40}?(?:\*\*"
    r")?\s*[:：](?:\*\*)?)\s*(?P<rest>.*)$"
)
_DESCRIBED_LINE: Final = re.compile(
    r"(?:[-*]\s+)?(?:\*\*)?(?P<label>[A-Z][A-Z0-9][A-Z0-9 /_-]{0,30}|"
    r"[A-Z][a-z]+(?: [A-Z]?[a-z]+){0,2})(?:\*\*)?\s*[:：](?:\*\*)?"
    r"\s+(?P<said>[^\n]{3,200})$"
)
_HOLDER: Final = re.compile(
    r"^(?:<[^<>\n]+>|\[[^\[\]\n]+\]|\{[^{}\n]+\}|-\|\|-|\.\.\.|…|\"?[a-z_]+_[a-z_]+\"?|)\s*[.,]?$"
)
_KEY: Final = re.compile(r"(?P<quote>[\"'“])(?P<key>[\w .$-]{1,60})[\"'”]\s*:")
_NAMED: Final = re.compile(r"^\W{0,4}(?P<key>[A-Za-z_][\w.-]{0,40})(?:`|\"|\*\*|')?\s*(?:[:：(（]|\s[-–—]\s|$)")
_VALUE: Final = re.compile(
    r"[\"'](?P<key>[\w.$-]{1,60})[\"']\s*:\s*(?:\"(?P<told>[^\"\n]{3,300})\"|"
    r"(?P<bare>(?:\d+(?:\.\d+)?\s*(?:-|–)\s*\d+(?:\.\d+)?|"
    r"true\s*(?:\||/|or)\s*false)))"
)
# A type in place of a value: ``"age": integer``.
_BARE_TYPE: Final = re.compile(r"[:\[]\s*(?:string|integer|int|number|boolean|bool|float|str)\b", re.IGNORECASE)
_MOST: Final = 100_000


def shown_fields(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the labels of lines such as ``Title: <title>``; empty unless every line has a placeholder."""
    labels: list[str] = []
    for line in lines:
        match = _FIELD_LINE.match(line)
        if match is None or not _HOLDER.match(match.group("rest").strip()):
            return ()
        label = match.group("label").replace("**", "").strip()
        if label.count("`") % 2 or label.count('"') % 2:
            return ()  # the colon is inside a quotation: ``a line that begins with `CODE:` ``
        labels.append(label)
    return tuple(labels) if len(labels) >= 2 and len(set(labels)) == len(labels) else ()


def described_line(text: str) -> tuple[str, str] | None:
    """Return the label and the description of a line such as ``REASON: at most 25 words``."""
    match = _DESCRIBED_LINE.match(text.strip())
    if match and not match["label"].isupper() and text.lstrip().startswith(("- ", "* ")):
        return None
    return (match["label"].strip(), match["said"].strip()) if match else None


def shown_json(text: str, *, nullable: bool = False) -> str | None:
    """Return a predicate for the JSON a prompt shows: its schema, or its top-level keys."""
    text = text[:_MOST]
    begin = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    if begin < 0 or text.startswith("{{", begin):
        return None
    body = _balanced(text, begin)
    if body is None:
        return None
    typed = _BARE_TYPE.search(body) is not None
    described = not typed and any(True for _ in shown_values(body))  # then each value is read as it is described
    schema = _schema(body) or (None if described else schema_of(body, nullable=nullable))
    if (
        schema is not None
        and schema.get("type") == "array"
        and (kind := schema.get("items", {}).get("type")) != "object"
    ):
        return f"is json array of {kind}s" if kind in ("string", "number", "boolean") else "is json array"
    if schema is not None:
        return f"json schema {json.dumps(schema, ensure_ascii=False)}"
    keys = json_keys(body)
    if body.startswith("["):
        return "is json array" if keys or '"' in body else None
    return f"is json object and json has {quoted(keys)}" if keys else None


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


def shown_values(text: str) -> Iterator[tuple[str, str]]:
    """Yield the top-level keys whose value describes what is required, with the description."""
    for match in _VALUE.finditer(text[:_MOST]):
        if match.group("key") in json_keys(text[text.find("{") : _MOST]):
            yield match.group("key"), (match.group("told") or match.group("bare")).strip()


def field_names(items: Sequence[Statement]) -> tuple[str, ...]:
    """Return the keys that a list of fields names, one per item."""
    names = [match.group("key") for item in items if (match := _NAMED.match(item.text))]
    return tuple(dict.fromkeys(names)) if len(names) == len(items) else ()
