"""Strategies that make any noun, from its own type hints."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from proctor.core.case import Check
from proctor.core.codec import EXTRA, hints_of
from proctor.core.score import Score, ScoreStatus
from proctor.core.verdict import Verdict

text = st.text(max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
unit = st.floats(0, 1)
OWN_KIND = Verdict | bool


def of(kind: Any, depth: int = 2) -> st.SearchStrategy[Any]:
    """Any value of that type."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        return noun(typing.cast(type, kind), depth)
    if kind is Any:
        return json_values
    if kind is datetime:
        return st.datetimes(timezones=st.just(UTC))
    if origin is typing.Literal:
        return st.sampled_from(args)
    if origin in (typing.Union, types.UnionType):
        return st.one_of([of(arg, depth) for arg in args])
    if origin is tuple:
        return st.lists(of(args[0], depth - 1), max_size=2 if depth > 0 else 0).map(tuple)
    if origin in (Mapping, dict):
        return st.dictionaries(text, of(args[1], depth - 1), max_size=2)
    return {
        str: text,
        int: st.integers(-(2**60), 2**60),
        float: st.floats(allow_nan=False, allow_infinity=False),
        bool: st.booleans(),
        type(None): st.none(),
    }[kind]


def noun(kind: type, depth: int = 2) -> st.SearchStrategy[Any]:
    """Any noun of that class."""
    if kind is Score:
        return scores(depth)
    hints = hints_of(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    known = set(names)
    parts = {name: of(hints[name], depth) for name in names if name != EXTRA and hints[name] != OWN_KIND}
    if kind is Verdict:  # it holds its own kind
        parts["shadow"] = st.booleans() | noun(kind, depth - 1) if depth > 0 else st.booleans()
    if kind is Check:  # its own rules: a threshold is a share, a weight is not negative
        parts |= {"threshold": st.none() | unit, "weight": st.floats(0, 1e6)}
    if EXTRA in known:
        parts[EXTRA] = st.dictionaries(text.filter(lambda key: key not in known), json_values, max_size=2)
    return st.fixed_dictionaries(parts).map(lambda made: kind(**made))


@st.composite
def scores(draw: st.DrawFn, depth: int) -> Score:
    """Any score that keeps its own rule: a value exactly when it is ok."""
    status: ScoreStatus = draw(st.sampled_from(["ok", "skipped", "error"]))
    return Score(
        name=draw(text),
        status=status,
        value=draw(unit) if status == "ok" else None,
        threshold=draw(st.none() | unit),
        reason=draw(text),
        parts=tuple(draw(st.lists(scores(depth - 1), max_size=2))) if depth > 0 else (),
    )
