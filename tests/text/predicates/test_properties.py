"""What holds of every predicate: it is read back as written, negation flips it, and no text makes it crash."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.profiles import examples
from tests.tables import table

from proctor.text.predicates import Predicate, PredicateError, parse, vocabulary

EXAMPLES = tuple(entry.example for entry in vocabulary())
WORDS = sorted({word for example in EXAMPLES for word in example.split()})

texts = st.text(max_size=60)
quoted = texts.map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')
operators = st.sampled_from(["<=", "<", ">=", ">", "=", "!="])
atoms = st.one_of(
    st.sampled_from(EXAMPLES),
    st.builds("words {} {}".format, operators, st.integers(0, 50)),
    st.builds("characters between {0} and {0}".format, st.integers(0, 50)),
    st.builds("one of {}, {}".format, quoted, quoted),
    st.builds("is {} ignoring case".format, quoted),
    st.builds("number {} {}".format, operators, st.floats(-1e9, 1e9)),
)
predicates = st.recursive(
    atoms.map(lambda atom: f"({atom})"),
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("(not {})".format, inner),
        st.builds("(when {}: {})".format, inner, inner),
        st.builds("(each line: {})".format, inner),
        st.builds("(input {})".format, inner),
        st.builds('(before ":" {})'.format, inner),
    ),
    max_leaves=6,
)
outputs = st.one_of(
    st.text(max_size=200),
    st.text(alphabet=' \n\t.:;,"<>/pPstrongem{}[]1234567890-*#|`あ漢é😀', max_size=200),
    st.sampled_from(["", " ", '{"a": [1, "x"]}', "<p>a</p>", "```json\n[1]\n```", "yes", "3", "2025-01-31", "\ud800"]),
)


def read(text: str) -> Predicate | None:
    try:
        return parse(text)
    except PredicateError:
        return None


@settings(deadline=None)
@given(predicates)
def test_a_predicate_is_read_back_as_it_is_written(text: str) -> None:
    predicate = read(text)
    if predicate is not None:
        assert parse(predicate.text) == predicate
        assert parse(predicate.text).root == predicate.root


@given(predicates, outputs)
@settings(max_examples=examples(150))
def test_negation_flips_what_is_decided_and_leaves_open_what_is_open(text: str, output: str) -> None:
    predicate = read(text)
    if predicate is None:
        return
    inputs = {"text": "where is order 3?"}
    found, flipped = predicate.check(output, inputs), predicate.negated().check(output, inputs)
    assert flipped.ok == (None if found.ok is None else not found.ok)
    assert flipped.known == found.known
    assert found.known or found.ok is None
    assert parse(predicate.negated().text) == predicate.negated()


@given(predicates, outputs)
@settings(max_examples=examples(150))
def test_a_written_predicate_says_the_same_as_the_one_it_came_from(text: str, output: str) -> None:
    predicate = read(text)
    if predicate is not None:
        assert parse(predicate.text).check(output, {"a": output}) == predicate.check(output, {"a": output})


@pytest.mark.parametrize("example", EXAMPLES)
@given(output=outputs, given_in=outputs)
@settings(max_examples=examples(15))
def test_every_form_answers_whatever_the_text(example: str, output: str, given_in: str) -> None:
    predicate = parse(example)
    found = predicate.check(output, {"text": given_in, "language": given_in, "n": 3, "list": [given_in]})
    assert found.reason
    assert len(found.quote) <= 160
    assert predicate.check(output).reason


@given(st.text(max_size=200))
@settings(max_examples=examples(200))
def test_no_text_crashes_the_reader(text: str) -> None:
    read(text)


@given(
    st.lists(st.one_of(st.sampled_from(WORDS), quoted, st.sampled_from(list('()"/:,\\'))), max_size=15).map(" ".join)
)
@settings(max_examples=examples(200))
def test_no_heap_of_pieces_crashes_the_reader(text: str) -> None:
    predicate = read(text)
    if predicate is not None:
        assert parse(predicate.text) == predicate


@table("example", EXAMPLES)
def test_a_predicate_travels_to_another_process(example: str) -> None:
    predicate = parse(example)
    assert pickle.loads(pickle.dumps(predicate)) == predicate
