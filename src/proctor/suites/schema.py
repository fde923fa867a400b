"""The JSON Schema of suite files, for editors."""

from __future__ import annotations

import copy
from typing import Any

from proctor.core.case import Case
from proctor.core.schema import schema_of
from proctor.suites.source import Header

__all__ = ["suite_schema"]

_CHECK = {
    "description": "One scorer: its name, or its name with its settings.",
    "anyOf": [
        {"type": "string", "description": "The name of a scorer."},
        {
            "type": "object",
            "description": "A scorer's name with its main setting or all its settings: `contains: text`.",
            "minProperties": 1,
            "properties": {
                "name": {"type": "string", "description": "The name reports show it by."},
                "threshold": {"type": "number", "minimum": 0, "maximum": 1, "description": "The score that passes."},
                "weight": {"type": "number", "minimum": 0, "description": "How much it counts beside the others."},
                "scorer": {"type": "string", "description": "The name of a scorer."},
                "settings": {"type": "object", "description": "Its settings."},
            },
        },
    ],
}


def suite_schema() -> dict[str, Any]:
    """Return the JSON Schema of a suite file: a mapping with ``cases``, or a list of cases."""
    made = schema_of(Header)
    defs: dict[str, Any] = made["$defs"]
    defs.update(schema_of(Case)["$defs"])
    defs["Check"] = _CHECK
    defs["Case"] = _case(defs["Case"])
    case = {"$ref": "#/$defs/Case"}
    header = defs.pop("Header")
    header["properties"]["scorers"]["items"] = {"$ref": "#/$defs/Check"}
    header["properties"]["cases"]["items"] = case
    header["properties"]["defaults"] = {
        "description": header["properties"]["defaults"].get("description", ""),
        "type": "object",
        "properties": {name: part for name, part in defs["Case"]["anyOf"][1]["properties"].items() if name != "id"},
        "additionalProperties": False,
    }
    defs["Suite"] = header
    top = {
        "$schema": made["$schema"],
        "title": "Proctor suite",
        "anyOf": [{"$ref": "#/$defs/Suite"}, {"type": "array", "items": case}],
    }
    return {**top, "$defs": {name: defs[name] for name in sorted(_reached(top, defs))}}


def _reached(part: Any, defs: dict[str, Any]) -> set[str]:
    """Return the names of the definitions that are referred to."""
    found: set[str] = set()
    waiting = [part]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            name = str(item.get("$ref", "")).removeprefix("#/$defs/")
            if name and name not in found:
                found.add(name)
                waiting.append(defs[name])
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return found


def _case(case: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a case as users may write it: as text, without an id, or with a recorded answer as text."""
    written = copy.deepcopy(case)
    written.pop("required", None)
    properties = written["properties"]
    properties["id"] = {"type": ["string", "integer"], "description": "Its name; by default a hash of its content."}
    recorded = properties["recorded"]
    properties["recorded"] = {
        "description": recorded.get("description", ""),
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}},
            {"type": "object"},
        ],
    }
    description = written.pop("description")
    return {"description": description, "anyOf": [{"type": "string"}, written]}
