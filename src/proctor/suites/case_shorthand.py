"""Convert what a user wrote to a Case: shorthands, defaults, and rules that types cannot express."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.core.case import Case, Check
from proctor.core.codec import content_id
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, Problem
from proctor.core.recorded_shorthand import recorded_answer

__all__ = ["id_of", "make_case", "make_checks", "make_defaults", "merged", "raw_checks"]

PRIMARY = ""  # holds the value of `- contains: text` until wiring knows the scorer's primary setting
_BESIDE = ("name", "threshold", "weight")
_MERGED = ("expect", "inputs", "metadata", "page")
_ADDED = ("tags", "checks")
_LONGEST_ID = 500


def id_of(data: Any) -> str:
    """Return the id of a case, or a hash of its content."""
    if isinstance(data, Case):
        return data.id
    given = data.get("id") if isinstance(data, Mapping) else None
    if given is None:
        return "c-" + content_id(data, length=12)
    return str(given)


def make_case(data: Any, defaults: Mapping[str, Any], *, strict: bool = True) -> Case:
    """Build a case from written data, with the defaults merged in. A Case object is returned as it is.

    Raises:
        MalformedError: lists everything that is wrong with it.
    """
    if isinstance(data, Case):
        return data
    written: Any = {"input": data} if isinstance(data, str) else data
    if not isinstance(written, Mapping):
        raise MalformedError([Problem((), "expected a case: a mapping, or the text of its input")])
    problems: list[Problem] = []
    raw = dict(written)
    if "checks" in raw:
        raw["checks"] = raw_checks(raw["checks"], ("checks",), problems)
    if isinstance(raw.get("turns"), (list, tuple)):
        raw["turns"] = [_ask(turn, index, problems) for index, turn in enumerate(raw["turns"])]
    raw = merged(raw, defaults)
    if type(raw.get("id")) is int:
        raw["id"] = str(raw["id"])
    if "id" not in raw or raw["id"] is None:
        raw["id"] = id_of(data)
    problems += _unkept(raw)
    if raw.get("recorded") is not None:
        raw["recorded"] = recorded_answer(raw, problems)
    try:
        case = decode(Case, raw, strict=strict)
    except MalformedError as error:
        raise MalformedError([*problems, *error.problems]) from None
    if problems:
        raise MalformedError(problems)
    return case


def make_checks(data: Any, path: tuple[str | int, ...]) -> tuple[Check, ...]:
    """Build checks from a suite's ``scorers``.

    Raises:
        MalformedError: lists everything that is wrong with them.
    """
    problems: list[Problem] = []
    checks = []
    for index, raw in enumerate(raw_checks(data, path, problems)):
        try:
            checks.append(decode(Check, raw, strict=True))
        except MalformedError as error:
            problems += [each.under(*path, index) for each in error.problems]
    if problems:
        raise MalformedError(problems)
    return tuple(checks)


def _ask(turn: Any, index: int, problems: list[Problem]) -> Any:
    """Return a user's message with its checks expanded."""
    if not isinstance(turn, Mapping) or "checks" not in turn:
        return turn
    return {**turn, "checks": raw_checks(turn["checks"], ("turns", index, "checks"), problems)}


def raw_checks(data: Any, path: tuple[str | int, ...], problems: list[Problem]) -> list[Any]:
    """Convert every notation of a check to the one that is decoded."""
    if not isinstance(data, (list, tuple)):
        problems.append(Problem(path, "expected a list of checks", "write `- contains: text`"))
        return []
    return [_raw_check(item, (*path, index), problems) for index, item in enumerate(data)]


def _raw_check(item: Any, path: tuple[str | int, ...], problems: list[Problem]) -> Any:
    if isinstance(item, str):
        return {"scorer": item}
    if not isinstance(item, Mapping):
        problems.append(Problem(path, "expected a scorer's name or a mapping", "write `- contains: text`"))
        return {"scorer": ""}
    if "scorer" in item:
        return item
    names = [key for key in item if key not in _BESIDE]
    if len(names) != 1:
        what = "names no scorer" if not names else f"names {len(names)} scorers: {', '.join(map(str, names))}"
        hint = "write `- contains: text`, and settings as `- contains: {value: text, ignore_case: true}`"
        problems.append(Problem(path, what, hint))
        return {"scorer": ""}
    value = item[names[0]]
    settings = value if isinstance(value, Mapping) else {} if value is None else {PRIMARY: value}
    beside = {key: item[key] for key in _BESIDE if key in item}
    return {"scorer": names[0], "settings": settings, **beside}


def merged(own: Mapping[str, Any], under: Mapping[str, Any]) -> dict[str, Any]:
    """Return the written data completed by defaults: mappings are merged, tags and checks are concatenated."""
    raw = dict(own)
    for name, value in under.items():
        given = raw.get(name)
        if given is None:
            raw[name] = value
        elif name in _MERGED and isinstance(given, Mapping):
            raw[name] = {**value, **given}
        elif name in _ADDED and isinstance(given, (list, tuple)):
            raw[name] = [*value, *(item for item in given if name == "checks" or item not in value)]
    return raw


def make_defaults(data: Mapping[str, Any]) -> dict[str, Any]:
    """Validate defaults and expand their checks.

    Raises:
        MalformedError: lists everything that is wrong with them.
    """
    problems: list[Problem] = []
    made = dict(data)
    if "id" in made:
        problems.append(Problem(("id",), "an id cannot be a default", "give each case its own"))
    if "checks" in made:
        made["checks"] = raw_checks(made["checks"], ("checks",), problems)
    try:
        decode(Case, {**made, "id": "defaults"}, strict=True)
    except MalformedError as error:
        problems += error.problems
    if problems:
        raise MalformedError([Problem(("defaults", *each.path), each.message, each.hint) for each in problems])
    return made


def _unkept(raw: Mapping[str, Any]) -> list[Problem]:
    """Return the problems of a case whose parts are valid on their own."""
    problems = []
    if not any(raw.get(name) not in (None, [], {}) for name in ("input", "turns", "inputs", "recorded")):
        hint = "add `input:` (one message), `turns:` (several), `inputs:` (a prompt's variables) or `recorded:`"
        problems.append(Problem((), "the case asks nothing", hint))
    if raw.get("input") is not None and raw.get("turns"):
        problems.append(Problem(("turns",), "the case has both `input` and `turns`", "make `input` the first turn"))
    given = raw.get("id")
    if isinstance(given, str) and not given.strip():
        problems.append(Problem(("id",), "the id is empty", "leave `id` out, or give it a name"))
    elif isinstance(given, str) and (len(given) > _LONGEST_ID or not given.isprintable()):
        hint = f"use at most {_LONGEST_ID} printable characters"
        problems.append(Problem(("id",), "the id is too long or holds control characters", hint))
    return problems
