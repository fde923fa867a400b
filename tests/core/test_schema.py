from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal

import jsonschema_rs

from proctor.core.case import Case, Suite
from proctor.core.chat import Message
from proctor.core.codec import dumps, loads
from proctor.core.report import Report, Result
from proctor.core.schema import schema_of
from proctor.core.sockets import Model, socket
from proctor.core.trajectory import Trajectory, Turn
from tests.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A leaf."""

    SHORTHAND = "text"

    text: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A tree of things.

    ``kind`` says which; ``leaves`` are at the end. Nothing is said of the rest.
    """

    name: ClassVar[str] = "tree"

    kind: Literal["oak", "elm"]
    leaves: tuple[Leaf, ...] = ()
    inner: Tree | None = None
    planted: datetime | None = None
    limit: int | str | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
    model: Model = socket()
    extra: Mapping[str, Any] = field(default_factory=dict)


def valid(schema: Mapping[str, Any], data: Any) -> bool:
    return bool(jsonschema_rs.validator_for(dict(schema)).is_valid(data))


@table(
    ("data", "right"),
    [
        ({"kind": "oak"}, True),
        ({"kind": "oak", "leaves": ["a", {"text": "b", "weight": 2}]}, True),
        ({"kind": "oak", "inner": {"kind": "elm", "inner": None}}, True),
        ({"kind": "oak", "limit": 3}, True),
        ({"kind": "oak", "limit": "x"}, True),
        ({"kind": "oak", "limit": 1.5}, False),
        ({"kind": "ash"}, False),
        ({}, False),
        ({"kind": "oak", "leaves": [{"weight": 2}]}, False),
        ({"kind": "oak", "leafs": []}, False),
        ({"kind": "oak", "model": "x"}, False),
        ({"kind": "oak", "inner": {"kind": "elm", "inner": {}}}, False),
    ],
)
def test_a_schema_takes_what_the_decoder_takes(data: Any, right: bool) -> None:
    assert valid(schema_of(Tree), data) is right


def test_docstrings_are_descriptions() -> None:
    tree = schema_of(Tree)["$defs"]["Tree"]
    assert tree["description"] == "A tree of things."
    assert tree["properties"]["kind"]["description"] == "`kind` says which"
    assert tree["properties"]["leaves"]["description"] == "`leaves` are at the end."
    assert "description" not in tree["properties"]["limit"]
    assert set(tree["properties"]) == {"kind", "leaves", "inner", "planted", "limit", "notes"}


def test_two_classes_of_one_name_are_told_apart() -> None:
    other = dataclasses.make_dataclass("Leaf", [("size", int)])
    other.__module__ = "garden.kinds"

    pair = dataclasses.make_dataclass("Pair", [("one", Leaf), ("two", other)])
    schema = schema_of(pair)
    assert valid(schema, {"one": "a", "two": {"size": 1}})
    assert not valid(schema, {"one": {"size": 1}, "two": "a"})


@table("kind", [Case, Suite, Trajectory, Result, Report])
def test_every_noun_has_a_schema(kind: type) -> None:
    schema = schema_of(kind)
    jsonschema_rs.validator_for(schema)
    assert all(definition["description"] for definition in schema["$defs"].values())


def test_what_a_noun_is_written_as_fits_its_schema() -> None:
    turn = Turn(messages=(Message(role="user", content="こんにちは"),), latency=0.5)
    assert valid(schema_of(Trajectory), loads(dumps(Trajectory(turns=(turn,), error="x"))))
