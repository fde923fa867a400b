"""Predicates on JSON: validity, kind, fields, schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from proctor.text.json_schemas import SchemaCheck, SchemaLimitError
from proctor.text.loose_json import NotJsonError, read_json
from proctor.text.predicates.answer_framing import unfenced
from proctor.text.predicates.term import (
    Check,
    Checked,
    Form,
    OutputView,
    no,
    plural,
    short,
    skipped,
    unknown,
    verdict,
    yes,
)
from proctor.text.predicates.values import Bound

__all__ = ["FORMS", "NOTHING", "read", "said", "whole"]

NOTHING: Final = object()
_KINDS: Final[dict[type, str]] = {
    dict: "an object", list: "an array", str: "a string", bool: "true or false", int: "a number", float: "a number",
    type(None): "null",
}  # fmt: skip


@lru_cache(maxsize=64)
def _strict(text: str) -> Any:
    """Parse the whole text as JSON, without a code block around it."""
    try:
        return json.loads(unfenced(text), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return NOTHING


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


@lru_cache(maxsize=64)
def _loose(text: str) -> Any:
    try:
        return read_json(text, close=False)
    except NotJsonError:
        return NOTHING


def read(text: str) -> Any:
    """Return the JSON value in the text, also one inside it; NOTHING if there is none."""
    value = _strict(text)
    return _loose(text) if value is NOTHING else value


def whole(text: str) -> bool:
    """Whether the whole text is a JSON object or array, not a bare word or number."""
    return isinstance(_strict(text), dict | list)


Shape = Callable[[Any], str]  # returns what is wrong with a value; empty if nothing is


def _is(problem: Shape, said: str) -> Callable[[], Check]:
    def make() -> Check:
        def run(view: OutputView) -> Checked:
            value = _strict(view.text)
            if value is NOTHING:
                return no("it is not JSON as a whole", view.text)
            wrong = problem(value)
            return no(wrong, view.text) if wrong else yes(f"it is {said}")

        return run

    return make


def _kind(wanted: type, said: str) -> Shape:
    return lambda value: "" if isinstance(value, wanted) else f"it is JSON, but {_name(value)}, not {said}"


def _name(value: Any) -> str:
    return _KINDS.get(type(value), type(value).__name__)


def _array_of(kinds: tuple[type, ...], said: str) -> Shape:
    def problem(value: Any) -> str:
        if not isinstance(value, list):
            return f"it is {_name(value)}, not an array"
        odd = next((item for item in value if not isinstance(item, kinds) or _is_odd(item, kinds)), NOTHING)
        return "" if odd is NOTHING else f"an item is {_name(odd)}, not {said}"

    return problem


def _is_odd(item: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(item, bool) and bool not in kinds  # in Python, True is a number


def _on_value(about: Callable[[Any], Checked]) -> Check:
    def run(view: OutputView) -> Checked:
        value = read(view.text)
        return no("there is no JSON in it", view.text) if value is NOTHING else about(value)

    return run


def _objects(value: Any) -> list[Any] | None:
    """Return the objects whose fields are meant: the value itself, or each item of an array."""
    if isinstance(value, dict):
        return [value]
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return value
    return None


def _has(names: Sequence[str]) -> Check:
    def about(value: Any) -> Checked:
        objects = _objects(value)
        if objects is None:
            return no(f"it is {_name(value)} without fields")
        missing = next((name for each in objects for name in names if _at(each, name) is NOTHING), None)
        return yes("it has the fields") if missing is None else no(f"the field {missing!r} is missing")

    return _on_value(about)


def _only_has(names: Sequence[str]) -> Check:
    def about(value: Any) -> Checked:
        objects = _objects(value)
        if objects is None:
            return no(f"it is {_name(value)} without fields")
        extra = next((key for each in objects for key in each if key not in names), None)
        return yes("it has no other fields") if extra is None else no(f"the field {extra!r} was not asked for", extra)

    return _on_value(about)


def _at(value: Any, path: str) -> Any:
    """Return the value at a field, or at a dotted path."""
    if isinstance(value, dict) and path in value:
        return value[path]
    for step in path.split("."):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and len(step) < 7 and int(step) < len(value):
            value = value[int(step)]
        else:
            return NOTHING
    return value


def said(value: Any) -> str:
    """Return a JSON value as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _field(path: str, inner: Check) -> Check:
    def run(view: OutputView) -> Checked:
        value = read(view.text)
        found = NOTHING if value is NOTHING else _at(value, path)
        if found is NOTHING:
            return no("there is no JSON in it" if value is NOTHING else f"the field {path!r} is missing")
        checked = inner(view.of(said(found)))
        return Checked(
            ok=checked.ok, reason=f"{path}: {checked.reason}", quote=checked.quote or short(said(found)),
            known=checked.known,
        )  # fmt: skip

    return run


def _values(value: Any, name: str, found: list[Any]) -> list[Any]:
    """Return the values of every field of this name, at any depth, without those that are null."""
    left = [value]
    while left:
        each = left.pop(0)
        if isinstance(each, dict):
            left = [*(inner for inner in each.values()), *left]
            if each.get(name) is not None:
                found.append(each[name])
        elif isinstance(each, list):
            left = [*each, *left]
    return found


def _each_field(name: str, inner: Check) -> Check:
    def run(view: OutputView) -> Checked:
        value = read(view.text)
        found = [] if value is NOTHING else _values(value, name, [])
        results = [inner(view.of(said(each))) for each in found]
        broken = next(((at, each) for at, each in enumerate(results) if each.ok is False), None)
        if broken is not None:
            at, result = broken
            return no(f"{name}: {result.reason}", result.quote or said(found[at]))
        unclear = next((each for each in results if each.ok is None), None)
        if unclear is not None:
            return unclear
        return yes(f"each {name!r} keeps it") if results else skipped(f"there is no field {name!r} with a value")

    return run


def _keys_in_order(names: Sequence[str]) -> Check:
    def about(value: Any) -> Checked:
        for each in _objects(value) or ():
            there = [key for key in each if key in names]
            if there != [name for name in names if name in there]:
                return no(f"the fields come in another order: {', '.join(there)}", ", ".join(there))
        return yes("the fields are in order") if _objects(value) else skipped("it has no fields")

    return _on_value(about)


def _length(bound: Bound) -> Check:
    def run(view: OutputView) -> Checked:
        asked = bound.given(view.inputs)

        def about(value: Any) -> Checked:
            if not isinstance(value, list):
                return no(f"it is {_name(value)}, not an array")
            return verdict(asked.holds(len(value)), f"{plural(len(value), 'items')} in the array (asked: {asked.said})")

        return _on_value(about)(view)

    return run


def _schema(schema: Any) -> Check:
    if not isinstance(schema, dict | bool):
        raise ValueError("a JSON schema is an object")
    validator = _validator(json.dumps(schema))

    def about(value: Any) -> Checked:
        try:
            error = next(iter(validator.iter_errors(value)), None)
        except SchemaLimitError as limit:
            return unknown(str(limit))
        except (ValueError, RecursionError, OverflowError):
            return unknown("the value cannot be checked against the schema")
        if error is None:
            return yes("it keeps the schema")
        return no(str(getattr(error, "message", error)).partition("\n")[0][:200])

    return _on_value(about)


@lru_cache(maxsize=256)
def _validator(schema: str) -> SchemaCheck:
    """Return the compiled schema."""
    try:
        return SchemaCheck(schema)
    except ValueError as error:
        raise ValueError(f"not a usable JSON schema: {error}") from None


_ARRAYS: Final = {
    "strings": ((str,), "a string"),
    "numbers": ((int, float), "a number"),
    "objects": ((dict,), "an object"),
    "booleans": ((bool,), "true or false"),
}

FORMS = (
    Form(
        form="is json",
        meaning="all of it is JSON; a code block around it is allowed",
        example="is json",
        make=_is(lambda value: "", "JSON"),
        also=("is valid json",),
    ),
    Form(
        form="is json array",
        meaning="all of it is a JSON array",
        example="is json array",
        make=_is(_kind(list, "an array"), "an array"),
        also=("is a json array", "is json list"),
    ),
    Form(
        form="is json object",
        meaning="all of it is a JSON object",
        example="is json object",
        make=_is(_kind(dict, "an object"), "an object"),
        also=("is a json object",),
    ),
    *(
        Form(
            form=f"is json array of {name}",
            meaning=f"all of it is a JSON array that has {name} only",
            example=f"is json array of {name}",
            make=_is(_array_of(kinds, one), f"an array of {name}"),
        )
        for name, (kinds, one) in _ARRAYS.items()
    ),
    Form(
        form="json has TEXTS",
        meaning="the object (each object of the array) has these fields; a dot goes one level down",
        example='json has "name", "address.city"',
        make=_has,
    ),
    Form(
        form="json only has TEXTS",
        meaning="the object (each object of the array) has no fields but these",
        example='json only has "name", "price"',
        make=_only_has,
        also=("json has only TEXTS",),
    ),
    Form(
        form="json array length BOUND",
        meaning="how many items the array has",
        example="json array length between 1 and 5",
        make=_length,
        also=("json length BOUND", "json array items BOUND"),
    ),
    Form(
        form="json schema JSON",
        meaning="the JSON in it keeps this schema",
        example='json schema {"type": "object", "required": ["name"]}',
        make=_schema,
    ),
    Form(
        form="json field TEXT PRED",
        meaning="the field's value, as a text, keeps the predicate",
        example='json field "rating" number between 1 and 5',
        make=_field,
    ),
    Form(
        form="each json field TEXT: PRED",
        meaning="each value of a field of this name, at any depth and as a text, keeps it; null is no value",
        example='each json field "reason": words <= 12',
        make=_each_field,
    ),
    Form(
        form="json keys in order TEXTS",
        meaning="those of these fields that are there come in this order",
        example='json keys in order "name", "price"',
        make=_keys_in_order,
    ),
)
