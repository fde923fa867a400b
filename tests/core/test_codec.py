from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core import case, chat, event, report, rule, score, trajectory, verdict
from proctor.core.case import Ask, Case, Expectation
from proctor.core.codec import content_id, dumps, encode, loads
from proctor.core.decode import closest, decode
from proctor.core.errors import MalformedError
from proctor.core.rule import Rule
from proctor.core.score import Score
from tests.core.nouns import json_values, noun
from tests.profiles import scaled
from tests.tables import table

NOUNS = [
    kind
    for module in (case, chat, event, report, rule, score, trajectory, verdict)
    for name in module.__all__
    if dataclasses.is_dataclass(kind := getattr(module, name))
]


@table("kind", NOUNS, ids=lambda kind: kind.__name__)
def test_every_noun_comes_back_from_json_as_it_was(kind: type) -> None:
    # The nouns hold one another, so that each is made far oftener than this.
    @settings(max_examples=scaled(30))
    @given(noun(kind))
    def round_trip(made: Any) -> None:
        line = dumps(made)
        assert b"\n" not in line
        again: Any = decode(kind, loads(line))
        assert again == made
        assert content_id(again) == content_id(made)

    round_trip()


def test_a_default_is_left_out_so_that_a_new_field_changes_no_hash() -> None:
    assert encode(Case(id="a", input="hi")) == {"id": "a", "input": "hi"}


def test_encoding_leaves_no_noun_in_the_data() -> None:
    made = Case(id="a", turns=(Ask(text="b", expect=Expectation(reference="c")),))
    assert encode(made) == {"id": "a", "turns": [{"text": "b", "expect": {"reference": "c"}}]}
    json.dumps(encode(trajectory.Turn(usage=chat.Usage(input=1), time=datetime(2026, 11, 15, tzinfo=UTC))))


def test_one_of_several_kinds_is_encoded_as_what_it_is() -> None:
    @dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
    class Holder:
        value: str | tuple[str, ...]

    assert encode(Holder(value="abc")) == {"value": "abc"}
    assert encode(Holder(value=("a", "b"))) == {"value": ["a", "b"]}


def test_unknown_keys_are_kept_where_they_were() -> None:
    data = {"id": "a", "input": "hi", "colour": "blue", "expect": {"mood": ["calm"]}}
    assert encode(decode(Case, data)) == data


def test_unknown_keys_are_named_when_strict() -> None:
    with pytest.raises(MalformedError) as caught:
        decode(Case, {"id": "a", "inputt": "hi", "expect": {"fcats": []}}, strict=True)
    assert {(p.where, p.hint) for p in caught.value.problems} == {
        ("inputt", "did you mean `input`?"),
        ("expect.fcats", "did you mean `facts`?"),
    }


def test_every_wrong_value_is_reported_with_its_path() -> None:
    data = {"id": 7, "turns": ["ok", {"text": None}], "expect": {"facts": "one", "escalation": "maybe"}}
    with pytest.raises(MalformedError) as caught:
        decode(Case, data)
    assert [p.where for p in caught.value.problems] == ["id", "turns[1].text", "expect.facts", "expect.escalation"]
    assert "put it in quotes" in str(caught.value)


@table(
    ("data", "where", "message", "hint"),
    [
        ({}, "id", "is missing", 'add "id" to the object'),
        ({"id": 7}, "id", "expected a string, found 7", "put it in quotes"),
        ({"id": None}, "id", "expected a string, found null", None),
        ({"id": True}, "id", "expected a string, found true", "put it in quotes"),
        ({"id": "a", "turns": "hi"}, "turns", 'expected an array, found "hi"', "write it as an array: [ … ]"),
        ({"id": "a", "expect": []}, "expect", "expected an object, found an array", None),
        ({"id": "a", "metadata": "x"}, "metadata", 'expected an object, found "x"', None),
    ],
)
def test_who_writes_json_is_told_in_its_words(data: object, where: str, message: str, hint: str | None) -> None:
    with pytest.raises(MalformedError) as caught:
        decode(Case, data, as_json=True)
    found = caught.value.problems[0]
    assert (found.where, found.message, found.hint) == (where, message, hint)


def test_a_missing_field_is_named() -> None:
    with pytest.raises(MalformedError, match="id: is missing"):
        decode(Case, {})


@table("value", ["text", 3, [], None])
def test_a_noun_is_a_mapping(value: object) -> None:
    with pytest.raises(MalformedError, match="expected a mapping"):
        decode(Case, value)


def test_plain_text_stands_for_the_field_a_noun_names_for_it() -> None:
    made = decode(Case, {"id": "a", "turns": ["hi", {"text": "again"}], "expect": {"rules": ["Be brief."]}})
    assert made.turns == (Ask(text="hi"), Ask(text="again"))
    assert made.expect == Expectation(rules=(Rule(text="Be brief."),))


def test_true_is_not_a_number_and_a_number_is_not_text() -> None:
    with pytest.raises(MalformedError):
        decode(chat.Usage, {"input": True})
    with pytest.raises(MalformedError):
        decode(chat.Message, {"role": "user", "content": 3})


def test_a_whole_number_serves_where_a_number_is_wanted() -> None:
    assert decode(Score, {"name": "x", "value": 1}).value == 1.0


@table("value", [float("nan"), float("inf"), 1.5, -0.1, None])
def test_a_score_outside_its_range_is_refused_at_the_door(value: float | None) -> None:
    with pytest.raises(MalformedError):
        decode(Score, {"name": "x", "value": value})


def test_a_literal_names_its_options_and_the_one_that_was_meant() -> None:
    with pytest.raises(MalformedError, match="did you mean 'assistant'"):
        decode(chat.Message, {"role": "assistent"})


def test_times_are_read_with_and_without_a_zone() -> None:
    made = decode(trajectory.Turn, {"time": "2026-11-15T09:30:00Z"})
    assert made.time == datetime(2026, 11, 15, 9, 30, tzinfo=UTC)
    with pytest.raises(MalformedError, match="a time like"):
        decode(trajectory.Turn, {"time": "yesterday"})


class _Odd:
    def __str__(self) -> str:
        return "odd"


@table(
    ("value", "written"),
    [
        ("\ud800", '"\\ud800"'),
        (float("nan"), '"nan"'),
        ({1: "a"}, '{"1":"a"}'),
        ({"s": {3, 1}}, '{"s":[1,3]}'),
        (b"caf\xc3\xa9", '"café"'),
        (_Odd(), '"odd"'),
        ({("a", 1): 2}, "{\"('a', 1)\":2}"),
    ],
)
def test_whatever_an_agent_returns_can_be_written(value: object, written: str) -> None:
    assert dumps(value).decode() == written
    json.loads(dumps(value))


def test_a_value_that_holds_itself_can_be_written() -> None:
    knot: list[Any] = []
    knot.append(knot)
    json.loads(dumps(knot))


@given(st.dictionaries(st.text(), json_values))
def test_the_hash_does_not_depend_on_the_order_of_keys(data: dict[str, Any]) -> None:
    assert content_id(data) == content_id(dict(reversed(data.items())))


def test_a_rule_keeps_its_name_when_it_is_moved_locked_or_weighted() -> None:
    plain = Rule(text="Answer in English.")
    assert dataclasses.replace(plain, locked=True, weight=3, priority=2).id == plain.id
    assert Rule(text="Answer in German.").id != plain.id


@given(st.text(max_size=8), st.lists(st.text(max_size=8), max_size=5))
def test_closest_answers_with_a_known_name_or_none(name: str, known: list[str]) -> None:
    assert closest(name, known) in {None, *known}
